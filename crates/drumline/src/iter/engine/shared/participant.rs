//! One thread's part in a shared loop: chunk after chunk.

use std::cell::Cell;

use super::SharedLoop;
use super::place::{Held, Place, Rest};
use super::tree::Dest;
use crate::iter::engine::chunk_len::ChunkLen;
use crate::iter::engine::plant::planted;
use crate::iter::engine::steps::{Chunk, Content, HeapFrame, PartState, Steps, drop_part};
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
use crate::join::forced;
use crate::sync::{Arc, Ticks, XorShift, lock};
use crate::team::{self, Team};
use crate::unwind::{self, Payload};

/// One thread's part in a shared loop.
pub(super) struct Participant<'s> {
    pub(super) shared: &'s Arc<SharedLoop>,
    place: usize,
    /// The chunk that it goes through, and the folder.
    accumulator: &'s mut dyn Steps,
    /// The folder is of an earlier part, which is over but for that; this is where its result goes.
    before: Option<Dest>,
    /// The other threads know that something is left here.
    is_open: Cell<bool>,
    /// The last items of a part that has just been taken, and where their result goes.
    pub(super) last: Option<(HeapFrame, Dest)>,
    /// What comes behind the last chunk and could not be put back, as the rest was not there.
    behind: Option<HeapFrame>,
    /// Where it begins to look for others.
    pub(super) random: XorShift,
}

/// What a participant goes through next: it is in its accumulator.
enum Detached {
    /// There is more behind it, or may be.
    Chunk,
    /// There is nothing behind it, nor in it, if others have taken all the rest; and where the
    /// result of the part goes.
    Last(Dest),
    /// Nothing: another participant has taken the part before it was begun.
    Gone,
    /// The rest is lost.
    Failed(Dest, Payload),
}

impl<'s> Participant<'s> {
    pub(super) fn enter(shared: &'s Arc<SharedLoop>, accumulator: &'s mut dyn Steps) -> Self {
        let place = shared.team.enter();
        Participant {
            shared,
            place,
            accumulator,
            before: None,
            is_open: Cell::new(false),
            last: None,
            behind: None,
            random: XorShift::new(place),
        }
    }

    /// Goes through what the others have left.
    pub(super) fn take_part(mut self) {
        let chunk_len = ChunkLen::helped(self.shared.min);
        self.share(None, chunk_len);
        self.leave();
    }

    /// Goes through the part that the caller brings in, and then through what the others have left.
    /// If there is a folder in the accumulator, it is of that part.
    pub(super) fn bring_in(mut self, work: HeapFrame, chunk_len: ChunkLen) {
        let is_begun = self.accumulator.look().has_folder;
        let left = self.begin(work, Dest::Caller, is_begun);
        self.share(Some(left), chunk_len);
        self.leave();
    }

    fn leave(self) {
        Team::leave(self.shared, self.place, || self.announce(1));
    }

    /// Goes through the part in this thread's place, if there is one, which has `own` items; then
    /// through those of others, until nothing is open.
    fn share(&mut self, mut own: Option<usize>, mut chunk_len: ChunkLen) {
        loop {
            let found = match own.take() {
                Some(own) => own,
                // What it would begin may need what the panicking frames hold.
                None if std::thread::panicking() => break,
                None => match self.rob() {
                    Some(found) => found,
                    None => break,
                },
            };
            if found > 1 || self.is_open() {
                self.announce(found);
            }
            let mut start = Ticks::now();
            while {
                force(self.shared, self.place);
                self.chunk(&mut chunk_len)
            } {
                start = chunk_len.learn_shared(start);
            }
            if team::must_stand_down() {
                break;
            }
            chunk_len.begin_anew();
        }
        self.end();
    }

    fn place(&self) -> &'s Place {
        self.shared.places.get(self.place)
    }

    /// Puts a part in this thread's place. Returns how many items it has.
    pub(super) fn begin(&self, work: HeapFrame, dest: Dest, is_begun: bool) -> usize {
        let place = self.place();
        let left = work.look().left;
        let mut held = lock(&place.held);
        self.is_open.set(left > 1);
        place.set_left(left);
        *held = Held::Rest(Rest {
            work,
            dest,
            is_begun,
        });
        left
    }

    /// Takes a chunk off the part in this thread's place. If that fails, so does the part.
    fn detach(&mut self, chunk_len: &ChunkLen) -> Detached {
        let place = self.place();
        let mut held = place.hold(|held| matches!(held, Held::Robbed { .. }));
        let mut rest = match held.take() {
            Held::Rest(rest) => rest,
            Held::Robbed {
                node,
                is_begun: true,
            } => return Detached::Last(Dest::Left(node)),
            Held::Robbed { .. } | Held::Nothing => return Detached::Gone,
            Held::Lost(dest, payload) => return Detached::Failed(dest, payload),
            Held::Detaching { .. } => unreachable!("the owner does that"),
        };
        let look = rest.work.look();
        let chunk = match look.chunk(chunk_len) {
            // More may come of the last chunk.
            _ if look.nests => Some(Chunk::Nested(chunk_len)),
            chunk => chunk.map(Chunk::Of),
        };
        let accumulator = &mut *self.accumulator;
        let Some(chunk) = chunk.filter(|_| look.has_items) else {
            // The last chunk; or the others have taken the rest.
            place.set_left(0);
            drop(held);
            // SAFETY: the accumulator is of this loop, as the part is.
            unsafe { rest.work.steps().give(Content::Part, accumulator) };
            return Detached::Last(rest.dest);
        };
        *held = Held::Detaching { is_missed: false };
        drop(held);
        // Whether the folder is of this part.
        let is_begun = self.before.is_none();
        let work = rest.work.steps();
        // SAFETY: as above.
        let detached = unwind::catch(|| unsafe { work.detach(chunk, accumulator, is_begun) });
        let mut held = lock(&place.held);
        let is_missed = matches!(held.take(), Held::Detaching { is_missed: true });
        if let Err(payload) = detached {
            place.set_left(0);
            drop(held);
            unwind::discard_erased(&mut || drop_part(self.accumulator));
            unwind::discard(rest.work);
            return Detached::Failed(rest.dest, payload);
        }
        rest.is_begun = true;
        let left = rest.work.look().left;
        // Less than a chunk is over before another thread has it.
        let left = if left < chunk_len.items { 0 } else { left };
        let was_closed = place.left() == 0;
        place.set_left(left);
        *held = Held::Rest(rest);
        drop(held);
        if is_missed || was_closed {
            self.is_open.set(false);
        }
        self.has_left(left);
        Detached::Chunk
    }

    /// The other threads can take so much of this part.
    fn has_left(&self, left: usize) {
        has_left(self.shared, &self.is_open, left);
    }

    /// Drops the rest of the part in this thread's place, and says where its result goes; with the
    /// panic of that, or of the participant that lost the rest.
    fn drop_rest(&mut self) -> (Dest, Result<(), Payload>) {
        let behind = self.behind.take();
        let dropped = unwind::catch(|| drop(behind));
        let place = self.place();
        let held = {
            let mut held = lock(&place.held);
            place.set_left(0);
            held.take()
        };
        let (dest, rest) = match held {
            Held::Rest(rest) => {
                let dropped = unwind::catch(|| drop(rest.work));
                (rest.dest, dropped)
            }
            Held::Lost(dest, payload) => (dest, Err(payload)),
            // What the robber has is of no use to this part.
            Held::Robbed { node, .. } => (Dest::Left(node), Ok(())),
            Held::Nothing | Held::Detaching { .. } => unreachable!("the part is not over"),
        };
        match (dropped, rest) {
            (Ok(()), rest) => (dest, rest),
            (Err(payload), rest) => {
                unwind::discard(rest);
                (dest, Err(payload))
            }
        }
    }

    /// Puts back what could not be put back before. `false`: it still cannot, and is in the
    /// accumulator, as the next chunk.
    fn put_behind_back(&mut self) -> bool {
        let Some(mut behind) = self.behind.take() else {
            return true;
        };
        if planted!(BehindLost) {
            return true;
        }
        let (shared, place) = (self.shared, self.place());
        // SAFETY: it is of this loop.
        unsafe {
            put_back(
                shared,
                place,
                &self.is_open,
                &mut self.behind,
                behind.steps(),
            )
        };
        // It is empty, unless the rest is lost.
        unwind::discard(behind);
        let Some(mut behind) = self.behind.take() else {
            return true;
        };
        // SAFETY: the accumulator is of this loop.
        unsafe { behind.steps().give(Content::Part, self.accumulator) };
        false
    }

    /// Takes a chunk off, and goes through it. `false`: the part is over.
    fn chunk(&mut self, chunk_len: &mut ChunkLen) -> bool {
        if let Some((mut work, dest)) = self.last.take() {
            // How long it takes says how long the next chunk should be.
            *chunk_len = ChunkLen::helped(self.shared.min);
            // SAFETY: the accumulator is of this loop, as the part is.
            unsafe { work.steps().give(Content::Part, self.accumulator) };
            let folded = self.fold(chunk_len);
            self.finish(dest, folded.map(|_| ()));
            return true;
        }
        let detached = if self.put_behind_back() {
            self.detach(chunk_len)
        } else {
            Detached::Chunk
        };
        let (dest, folded) = match detached {
            Detached::Gone => return false,
            Detached::Failed(dest, payload) => (dest, Err(payload)),
            Detached::Last(dest) => (dest, self.fold(chunk_len).map(|_| ())),
            Detached::Chunk => match self.fold(chunk_len) {
                Ok(false) => return true,
                Ok(true) => self.drop_rest(),
                Err(payload) => {
                    let (dest, dropped) = self.drop_rest();
                    unwind::discard(dropped);
                    (dest, Err(payload))
                }
            },
        };
        self.finish(dest, folded);
        false
    }

    /// Goes through the chunk in the accumulator. Returns whether the folder wants no more.
    fn fold(&mut self, chunk_len: &mut ChunkLen) -> Result<bool, Payload> {
        unwind::catch(|| {
            self.inherit();
            let (shared, place, is_open) = (self.shared, self.place(), &self.is_open);
            let (behind, index) = (&mut self.behind, self.place);
            if self.accumulator.look().nests {
                self.accumulator.fold_open(chunk_len, &mut |more| {
                    force(shared, index);
                    // SAFETY: the accumulator is of this loop, so what it gives is, too.
                    unsafe { put_back(shared, place, is_open, behind, more) }
                });
            } else {
                self.accumulator.fold();
            }
            self.accumulator.state() == PartState::Full
        })
    }

    /// If there is a folder of an earlier part, and a consumer for the chunk in the accumulator,
    /// completes that folder, and it becomes one of the items of the consumer.
    fn inherit(&mut self) {
        if !self.accumulator.look().has_consumer {
            return;
        }
        let Some(before) = self.before.take() else {
            return;
        };
        match unwind::catch(|| self.accumulator.succeed()) {
            Err(payload) if self.accumulator.look().has_folder => {
                let ended = unwind::catch(|| self.accumulator.close());
                self.deliver(before, ended);
                unwind::resume(payload);
            }
            ended => self.deliver(before, ended),
        }
    }

    /// Delivers what came of a part: the result in the accumulator, or a panic.
    pub(super) fn deliver(&mut self, dest: Dest, ended: Result<(), Payload>) {
        self.shared.deliver(dest, ended, self.accumulator);
    }

    /// Ends a part, of which all that is left to do is to complete the folder, or which has failed.
    fn finish(&mut self, dest: Dest, folded: Result<(), Payload>) {
        match folded {
            Ok(()) => {
                self.before = Some(dest);
                if !self.accumulator.look().succeeds {
                    self.end();
                }
            }
            Err(payload) => {
                if self.before.is_none() {
                    unwind::discard_erased(&mut || self.accumulator.discard());
                }
                self.deliver(dest, Err(payload));
            }
        }
    }

    /// Tells the threads of the pool that something is open, of which so much is this one's.
    fn announce(&self, left: usize) {
        announce(self.shared, left);
    }

    fn is_open(&self) -> bool {
        team::Shared::is_open(&**self.shared)
    }

    /// Ends what is left of the last part.
    fn end(&mut self) {
        if let Some(dest) = self.before.take() {
            let ended = unwind::catch(|| self.accumulator.close());
            self.deliver(dest, ended);
        }
    }
}

/// In tests with a forced scheduler: perhaps another participant comes, and goes through what it
/// finds.
fn force(shared: &Arc<SharedLoop>, place: usize) {
    #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
    if forced::is_active() && place < 6 && forced::below(4) == 0 {
        team::Shared::take_part(shared);
    }
    #[cfg(not(all(test, not(any(drumline_loom, drumline_shuttle)))))]
    let _ = (shared, place);
}

fn announce(shared: &Arc<SharedLoop>, left: usize) {
    #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
    if forced::is_active() {
        return;
    }
    Team::announce(shared, left);
}

/// The other threads can take so much of a part; `is_open` says whether they know.
fn has_left(shared: &Arc<SharedLoop>, is_open: &Cell<bool>, left: usize) {
    if left > 0 && !is_open.get() {
        announce(shared, 1);
    }
    is_open.set(left > 0);
}

/// Puts back what comes behind the chunk, and was found to be in it. If another participant splits
/// the rest, it is kept in `behind`.
///
/// # Safety
///
/// It is of this loop.
unsafe fn put_back(
    shared: &Arc<SharedLoop>,
    place: &Place,
    is_open: &Cell<bool>,
    behind: &mut Option<HeapFrame>,
    more: &mut dyn Steps,
) {
    if let Some(behind) = behind {
        // SAFETY: the caller's obligation.
        return unsafe { behind.steps().put_back(more) };
    }
    let mut held = lock(&place.held);
    let left = match &mut *held {
        Held::Rest(rest) => {
            // SAFETY: the caller's obligation.
            unsafe { rest.work.steps().put_back(more) };
            rest.work.look().left
        }
        Held::Robbed { .. } => {
            drop(held);
            // SAFETY: a participant does this, so the caller of the loop waits.
            let mut kept = unsafe { more.fresh() };
            // SAFETY: just made by the other one.
            unsafe { kept.steps().put_back(more) };
            *behind = Some(kept);
            return;
        }
        // Another participant has panicked when it took some of the rest.
        _ => 0,
    };
    let was_closed = place.left() == 0;
    place.set_left(left);
    drop(held);
    if was_closed {
        // One that took all of the rest may be done with it, and asleep.
        is_open.set(false);
    }
    has_left(shared, is_open, left);
}
