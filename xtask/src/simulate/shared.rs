//! Loops that several threads share: `team` and `iter::engine::shared`.
//!
//! Modelled: the places with their locks, and what is left in them; half of a part for the thread
//! that has none, the last item of it first; tickets, and the helpers that are called for them; the
//! caller, which takes part until nothing is open. Results meet without a price. Not modelled:
//! items in which others are found, and panics.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::rc::Rc;

use super::chunk_len::ChunkLen;
use super::clock::{Lock, ThreadId};
use super::program::Items;
use super::worker::{Patience, WaitKind};
use super::world::World;

/// How many tickets a participant puts out at once, and for how many it calls a helper.
const TICKETS: usize = 4;

/// A participant looks at no more open places than these.
const PROBES: usize = 8;

/// The place of what was taken first.
const FIRST: usize = 0;

/// One of the two sides of a loop: what was taken first, and what the caller brought in.
#[derive(Clone, Copy, Debug)]
enum Side {
    Taken,
    Caller,
}

/// What a participant has not begun.
#[derive(Clone, Copy, Debug)]
struct Rest {
    /// None are left where another participant has taken them all.
    items: Option<Items>,
    side: Side,
    is_begun: bool,
}

#[derive(Debug, Default)]
struct Place {
    left: Cell<usize>,
    rest: Cell<Option<Rest>>,
    lock: Lock,
}

/// A loop that several threads share.
#[derive(Debug)]
pub struct SharedLoop {
    caller: ThreadId,
    /// The lock of the team.
    lock: Lock,
    /// How many parts of each side are not done.
    parts: [Cell<usize>; 2],
    tickets: Cell<usize>,
    places: RefCell<Vec<Rc<Place>>>,
    /// Which thread is in which place.
    seats: RefCell<Vec<Option<ThreadId>>>,
    /// The caller has asked to be woken.
    is_watched: Cell<bool>,
}

impl SharedLoop {
    /// The loop of `caller`, of which another thread has taken `items`.
    pub fn found(caller: ThreadId, items: Items) -> Rc<Self> {
        let first = Place::default();
        first.left.set(items.len().max(1));
        first.rest.set(Some(Rest {
            items: Some(items),
            side: Side::Taken,
            is_begun: false,
        }));
        Rc::new(SharedLoop {
            caller,
            lock: Lock::default(),
            parts: [Cell::new(1), Cell::new(0)],
            tickets: Cell::new(0),
            places: RefCell::new(vec![Rc::new(first)]),
            seats: RefCell::new(vec![None]),
            is_watched: Cell::new(false),
        })
    }

    fn is_open(&self) -> bool {
        let places = self.places.borrow();
        places.iter().any(|place| place.left.get() > 0)
    }

    fn is_done(&self) -> bool {
        self.parts.iter().all(|parts| parts.get() == 0)
    }

    fn place(&self, index: usize) -> Rc<Place> {
        Rc::clone(&self.places.borrow()[index])
    }

    fn add_part(&self, side: Side) {
        let parts = &self.parts[side as usize];
        parts.set(parts.get() + 1);
    }
}

/// One thread's part in a shared loop.
struct Participant<'s> {
    shared: &'s Rc<SharedLoop>,
    me: ThreadId,
    index: usize,
    place: Rc<Place>,
    /// The other threads know that something is left here.
    is_open: bool,
    /// The last item of a part that has just been taken.
    last: Option<(Items, Side)>,
}

impl World {
    /// Takes part, if anything is open.
    pub async fn take_part(&self, me: ThreadId, shared: &Rc<SharedLoop>) {
        if shared.is_open() {
            let mut participant = self.enter_team(me, shared).await;
            self.share(&mut participant, None, ChunkLen::helped()).await;
            self.leave_team(&participant).await;
        }
    }

    /// A thread redeems a ticket.
    pub async fn redeem(&self, me: ThreadId, shared: &Rc<SharedLoop>) {
        shared.tickets.set(shared.tickets.get() - 1);
        self.take_part(me, shared).await;
    }

    /// The caller brings in what it has left, and takes part until nothing is open.
    pub async fn bring_in(
        &self,
        me: ThreadId,
        shared: &Rc<SharedLoop>,
        items: Items,
        chunk_len: ChunkLen,
    ) {
        self.with_team(shared, |shared| shared.add_part(Side::Caller))
            .await;
        let mut participant = self.enter_team(me, shared).await;
        participant.begin(items, Side::Caller, true);
        let own = Some(items.len());
        self.share(&mut participant, own, chunk_len).await;
        self.leave_team(&participant).await;
    }

    /// The caller waits for all sides, and takes part meanwhile.
    pub async fn wait_for_team(&self, me: ThreadId, shared: &Rc<SharedLoop>) {
        let mut patience = Patience::new(self);
        while !shared.is_done() {
            if shared.is_open() {
                self.take_part(me, shared).await;
                patience = Patience::new(self);
                continue;
            }
            if patience.is_about_to_end() {
                shared.is_watched.set(true);
            }
            if !patience.wait(self, WaitKind::Eager).await {
                self.sleep_until_done(me, shared).await;
                patience = Patience::new(self);
            }
        }
    }

    async fn sleep_until_done(&self, me: ThreadId, shared: &Rc<SharedLoop>) {
        for seat in shared.seats.borrow().iter().flatten() {
            if *seat != me {
                self.deques[*seat].add_waiter(me);
            }
        }
        self.heavy().await;
        if shared.is_done() || shared.is_open() {
            return;
        }
        self.rest(me).await;
        self.counts.up("parks");
        self.park(me, None).await;
        self.come_back().await;
    }

    async fn with_team<R>(&self, shared: &SharedLoop, change: impl FnOnce(&SharedLoop) -> R) -> R {
        shared.lock.acquire(&self.clock).await;
        self.clock.pass(self.times.place_lock).await;
        let outcome = change(shared);
        shared.lock.release(&self.clock, self.times.hand_over);
        outcome
    }

    async fn enter_team<'s>(&self, me: ThreadId, shared: &'s Rc<SharedLoop>) -> Participant<'s> {
        let index = self
            .with_team(shared, |shared| {
                let mut seats = shared.seats.borrow_mut();
                // What was taken first has a place without a thread.
                let free = seats.iter().skip(1).position(Option::is_none);
                let index = free.map_or(seats.len(), |free| free + 1);
                if index == seats.len() {
                    seats.push(None);
                    shared.places.borrow_mut().push(Rc::default());
                }
                seats[index] = Some(me);
                index
            })
            .await;
        Participant {
            shared,
            me,
            index,
            place: shared.place(index),
            is_open: false,
            last: None,
        }
    }

    async fn leave_team(&self, participant: &Participant<'_>) {
        let shared = participant.shared;
        self.with_team(shared, |shared| {
            shared.seats.borrow_mut()[participant.index] = None;
        })
        .await;
        while self.threads[participant.me].queue.withdraw(shared) {
            self.with_team(shared, |shared| {
                shared.tickets.set(shared.tickets.get() - 1)
            })
            .await;
        }
    }

    /// Goes through the part in this thread's place, which has `own` items; then through those of
    /// others, until nothing is open.
    async fn share(
        &self,
        participant: &mut Participant<'_>,
        mut own: Option<usize>,
        mut chunk_len: ChunkLen,
    ) {
        let shared = participant.shared;
        loop {
            let found = match own.take() {
                Some(own) => own,
                None => match self.rob(participant).await {
                    Some(found) => found,
                    None => break,
                },
            };
            if found > 1 || shared.is_open() {
                self.announce(participant.me, shared, found).await;
            }
            let mut start = self.clock.now();
            while self.chunk(participant, &mut chunk_len).await {
                let end = self.clock.now();
                chunk_len.learn_shared(end - start);
                start = end;
            }
            if self.idle_set.is_overfull() {
                break;
            }
            chunk_len.begin_anew();
        }
        if shared.is_open() {
            self.announce(participant.me, shared, 1).await;
        }
    }

    /// Takes half of what another participant has left. Returns how much.
    async fn rob(&self, participant: &mut Participant<'_>) -> Option<usize> {
        let shared = participant.shared;
        loop {
            let used = shared.places.borrow().len();
            let mut looks = 0;
            let mut open = Vec::new();
            let begin = self.random(used);
            for offset in 1..=used {
                let index = (begin + offset) % used;
                looks += 1;
                let left = shared.places.borrow()[index].left.get();
                if left > 0 {
                    open.push((left, index));
                }
                if open.len() == PROBES {
                    break;
                }
            }
            self.clock.pass(self.times.probe * looks).await;
            if open.is_empty() {
                return None;
            }
            // The largest first. What another participant was faster at is no reason to look at
            // all places again.
            open.sort_by_key(|&(left, _)| Reverse(left));
            for (_, index) in open {
                if shared.place(index).left.get() > 0
                    && let Some(found) = self.rob_place(participant, index).await
                {
                    return Some(found);
                }
            }
        }
    }

    async fn rob_place(&self, participant: &mut Participant<'_>, index: usize) -> Option<usize> {
        let shared = participant.shared;
        let victim = shared.place(index);
        victim.lock.acquire(&self.clock).await;
        self.clock.pass(self.times.place_lock).await;
        let taken = victim.rest.take().and_then(|rest| match rest.items {
            Some(items) => Some((rest, items)),
            None => {
                victim.rest.set(Some(rest));
                None
            }
        });
        let Some((rest, items)) = taken else {
            victim.left.set(0);
            victim.lock.release(&self.clock, self.times.hand_over);
            return None;
        };
        let (stays, goes) = match items.len() {
            _ if index == FIRST => (None, items),
            0 | 1 => (None, items),
            len => {
                let (stays, goes) = items.split(len / 2);
                (Some(stays), goes)
            }
        };
        if index != FIRST && (stays.is_some() || rest.is_begun) {
            shared.add_part(rest.side);
            victim.rest.set(Some(Rest {
                items: stays,
                ..rest
            }));
        }
        victim.left.set(stays.map_or(0, Items::len));
        victim.lock.release(&self.clock, self.times.hand_over);
        self.counts.up("robs");

        Some(participant.begin_with_last(goes, rest.side))
    }

    /// Takes a chunk off, and goes through it. `false`: the part is over.
    async fn chunk(&self, participant: &mut Participant<'_>, chunk_len: &mut ChunkLen) -> bool {
        let me = participant.me;
        if let Some((last, side)) = participant.last.take() {
            *chunk_len = ChunkLen::helped();
            self.fold(me, last).await;
            self.finish_part(me, participant.shared, side).await;
            return true;
        }
        let place = Rc::clone(&participant.place);
        place.lock.acquire(&self.clock).await;
        self.clock.pass(self.times.place_lock).await;
        let Some(rest) = place.rest.take() else {
            place.lock.release(&self.clock, self.times.hand_over);
            return false;
        };
        match rest.items {
            Some(items) if items.len() > chunk_len.items => {
                let (chunk, behind) = items.split(chunk_len.items);
                let left = behind.len();
                // Less than half a chunk is over before another thread has it.
                let left = if left < chunk_len.items { 0 } else { left };
                place.left.set(left);
                place.rest.set(Some(Rest {
                    items: Some(behind),
                    is_begun: true,
                    ..rest
                }));
                place.lock.release(&self.clock, self.times.hand_over);
                if left > 0 && !participant.is_open {
                    self.announce(me, participant.shared, 1).await;
                }
                participant.is_open = left > 0;
                self.fold(me, chunk).await;
                true
            }
            items => {
                place.left.set(0);
                place.lock.release(&self.clock, self.times.hand_over);
                if let Some(items) = items {
                    self.fold(me, items).await;
                }
                self.finish_part(me, participant.shared, rest.side).await;
                false
            }
        }
    }

    /// The result of a part is delivered.
    async fn finish_part(&self, me: ThreadId, shared: &SharedLoop, side: Side) {
        let parts = &shared.parts[side as usize];
        parts.set(parts.get() - 1);
        if parts.get() > 0 {
            return;
        }
        let is_done = self.with_team(shared, SharedLoop::is_done).await;
        if is_done && shared.is_watched.take() && shared.caller != me {
            self.unpark(shared.caller).await;
        }
    }

    /// Tells the threads of the pool that something is open.
    async fn announce(&self, me: ThreadId, shared: &Rc<SharedLoop>, left: usize) {
        let most = self.idle_set.places();
        let (tickets, is_watched) = self
            .with_team(shared, |shared| {
                let out = shared.tickets.get();
                let more = TICKETS.min(left).min(most.saturating_sub(out));
                shared.tickets.set(out + more);
                (more, shared.is_watched.get())
            })
            .await;
        if is_watched && shared.caller != me {
            self.unpark(shared.caller).await;
        }
        for _ in 0..tickets {
            self.threads[me].queue.push(shared);
            self.answer(me).await;
        }
        self.call_helpers(me, tickets).await;
    }
}

impl Participant<'_> {
    fn begin(&mut self, items: Items, side: Side, is_begun: bool) -> usize {
        self.is_open = items.len() > 1;
        self.place.left.set(items.len());
        self.place.rest.set(Some(Rest {
            items: Some(items),
            side,
            is_begun,
        }));
        items.len()
    }

    fn begin_with_last(&mut self, items: Items, side: Side) -> usize {
        if items.len() <= 1 {
            // It is not for other thieves: they could pass it on for ever.
            self.last = Some((items, side));
            return 1;
        }
        if items.len() == 2 {
            return self.begin(items, side, false);
        }
        let (rest, last) = items.split(items.len() - 1);
        self.shared.add_part(side);
        self.last = Some((last, side));
        self.begin(rest, side, false)
    }
}
