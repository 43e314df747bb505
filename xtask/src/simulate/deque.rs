//! The deque of one thread: `pool::deque` with its requests, its claims by force, and its lock.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::clock::ThreadId;
use super::program::Job;
use super::shared::SharedLoop;
use super::world::World;

/// How many of the oldest entries are exposed at least.
const EXPOSED_AT_ONCE: usize = 8;

/// Between two looks of a thief that waits for an answer.
const ANSWER_LOOK: u64 = 100;

/// How far an entry is, as the word in its slot says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Pending,
    Taken(ThreadId),
    Started(ThreadId),
    Done,
    /// Its owner took it back.
    Back,
}

/// A half that another thread may take.
#[derive(Debug)]
pub struct Entry {
    pub job: Job,
    pub owner: ThreadId,
    pub state: Cell<State>,
    /// Its owner sleeps, or is about to.
    pub is_awaited: Cell<bool>,
    /// What came of a part of a loop: the team that its thief has founded.
    pub joint: RefCell<Option<Rc<SharedLoop>>>,
}

impl Entry {
    /// The team that its thief has founded.
    pub fn joint(&self) -> Option<Rc<SharedLoop>> {
        self.joint.borrow().clone()
    }
}

/// How far a thief goes to get an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    Look,
    Ask,
    Force(usize),
}

/// What an owner was made to do for a stolen entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    None,
    Asked,
    Forced,
}

/// How an attempt to steal ended.
#[derive(Debug)]
pub enum Steal {
    Taken(Rc<Entry>, Claim),
    Empty,
    Missed,
    Busy,
}

/// The stack, from the oldest entry on, and how much of it is exposed and taken.
#[derive(Debug, Default)]
pub struct Deque {
    entries: RefCell<Vec<Rc<Entry>>>,
    /// How many entries thieves see: one less while the owner takes the newest back.
    top: Cell<usize>,
    head: Cell<usize>,
    taken: Cell<usize>,
    /// How many claims have begun and ended; odd while one is pending.
    claims: Cell<usize>,
    /// Entries below are older than the job that the owner runs now.
    floor: Cell<usize>,
    is_locked: Cell<bool>,
    /// A thief wants this many entries.
    wanted: Cell<Option<usize>>,
    is_wake_requested: Cell<bool>,
    waiters: RefCell<Vec<ThreadId>>,
}

impl Deque {
    fn top(&self) -> usize {
        self.top.get()
    }

    /// Owner: only this many entries are left.
    fn truncate(&self, len: usize) {
        self.top.set(len);
        self.entries.borrow_mut().truncate(len);
    }

    /// How many entries could be taken.
    pub fn visible(&self) -> usize {
        self.top().saturating_sub(self.taken.get())
    }

    /// How many could be taken without a barrier.
    pub fn exposed(&self) -> usize {
        if self.is_claimed() {
            return 0;
        }
        self.head.get().saturating_sub(self.taken.get())
    }

    /// Whether a thief has claimed entries, and its barrier is not done.
    fn is_claimed(&self) -> bool {
        self.claims.get() % 2 == 1
    }

    /// No claim is pending from now on. Returns whether one was.
    fn settle(&self) -> bool {
        let was_claimed = self.is_claimed();
        self.claims
            .set(self.claims.get() + usize::from(was_claimed));
        was_claimed
    }

    /// Whether a thread that waits for the owner's job could take the next entry.
    pub fn has_related(&self) -> bool {
        self.taken.get() >= self.floor.get() && self.visible() > 0
    }

    /// The owner's next look calls a worker.
    pub fn mark(&self) {
        self.is_wake_requested.set(true);
    }

    /// The same for a thread that waits for the owner.
    pub fn add_waiter(&self, waiter: ThreadId) {
        let mut waiters = self.waiters.borrow_mut();
        if !waiters.contains(&waiter) {
            waiters.push(waiter);
        }
    }

    pub fn is_asked(&self) -> bool {
        self.is_wake_requested.get()
            || self.wanted.get().is_some()
            || !self.waiters.borrow().is_empty()
    }

    /// Owner: a job begins to which older entries have no relation.
    pub fn raise_floor(&self) -> usize {
        self.floor.replace(self.top())
    }

    /// Owner: it has ended.
    pub fn restore_floor(&self, before: usize) {
        self.floor.set(before);
    }
}

/// What the owner does.
impl World {
    /// Pushes a job. Returns its entry, and whether a thread had asked.
    pub async fn push(&self, me: ThreadId, job: Job) -> (Rc<Entry>, bool) {
        let entry = Rc::new(Entry {
            job,
            owner: me,
            state: Cell::new(State::Pending),
            is_awaited: Cell::new(false),
            joint: RefCell::default(),
        });
        self.clock.pass(self.times.fork).await;
        let deque = &self.deques[me];
        deque.entries.borrow_mut().push(Rc::clone(&entry));
        deque.top.set(deque.top() + 1);
        let is_asked = self.answer(me).await;
        (entry, is_asked)
    }

    /// Answers the threads that asked. Returns whether a thread had.
    pub async fn answer(&self, me: ThreadId) -> bool {
        let deque = &self.deques[me];
        if !deque.is_asked() {
            return false;
        }
        self.clock.pass(self.times.attend).await;
        // A thread that is woken comes to take something, too.
        let by_waking = deque.is_wake_requested.get().then_some(1);
        if let Some(wanted) = deque.wanted.take().or(by_waking)
            && !deque.is_locked.get()
        {
            self.counts.up("owner");
            let (taken, top) = (deque.taken.get(), deque.top());
            if (deque.settle() || deque.head.get() == taken) && taken < top {
                deque
                    .head
                    .set(taken + (top - taken).min(wanted.max(EXPOSED_AT_ONCE)));
            }
        }
        if deque.is_wake_requested.take() {
            self.summon(me).await;
        }
        for waiter in deque.waiters.take() {
            self.unpark(waiter).await;
        }
        true
    }

    /// Whether another thread has taken the entry; answers the threads that ask.
    pub async fn is_taken(&self, me: ThreadId, entry: &Entry) -> bool {
        self.answer(me).await;
        !matches!(entry.state.get(), State::Pending)
    }

    /// Takes the newest entry back. `false`: another thread has run it, and this one has waited
    /// for that.
    pub async fn pop(&self, me: ThreadId) -> bool {
        let deque = &self.deques[me];
        let mine = deque.top() - 1;
        deque.top.set(mine);
        if deque.head.get() <= mine {
            deque.truncate(mine);
            return true;
        }
        let entry = Rc::clone(&deque.entries.borrow()[mine]);
        self.lock_own(me).await;
        deque.settle();
        let is_back = deque.taken.get() <= mine;
        deque.is_locked.set(false);
        if is_back {
            deque.head.set(mine);
            deque.truncate(mine);
            return true;
        }
        deque.head.set(mine + 1);
        deque.top.set(mine + 1);
        let is_back = matches!(entry.state.get(), State::Taken(_));
        if is_back {
            entry.state.set(State::Back);
        } else {
            self.wait_for(me, &entry).await;
        }
        self.lock_own(me).await;
        deque.settle();
        deque.taken.set(mine);
        deque.head.set(mine);
        deque.truncate(mine);
        deque.is_locked.set(false);
        is_back
    }

    async fn lock_own(&self, me: ThreadId) {
        let deque = &self.deques[me];
        while deque.is_locked.get() {
            self.clock.pass(self.times.owner_spin.max(1)).await;
        }
        deque.is_locked.set(true);
        self.counts.up("owner");
    }
}

/// What a thief does.
impl World {
    /// Tries to take the oldest entry of `victim`. If none is exposed, `effort` says what the thief
    /// does about it. With `related`, only what is related to that entry, which `victim` runs.
    pub async fn steal(
        &self,
        me: ThreadId,
        victim: ThreadId,
        effort: Effort,
        related: Option<&Entry>,
    ) -> Steal {
        let deque = &self.deques[victim];
        let mut claim = Claim::None;
        if deque.exposed() == 0 {
            if effort == Effort::Look || deque.visible() == 0 {
                return Steal::Empty;
            }
            claim = self.request(victim, effort).await;
        }
        if deque.is_locked.replace(true) {
            self.counts.up("busy");
            return Steal::Busy;
        }
        self.counts.up("thief");
        self.clock.pass(self.times.thief_lock).await;
        if deque.is_claimed() {
            self.counts.up("busy");
            deque.is_locked.set(false);
            return Steal::Busy;
        }
        if deque.taken.get() == deque.head.get() {
            let Effort::Force(batch) = effort else {
                deque.is_locked.set(false);
                return Steal::Empty;
            };
            if !self.expose(victim, batch).await {
                self.counts.up("missed");
                deque.is_locked.set(false);
                return Steal::Missed;
            }
            claim = Claim::Forced;
        }
        let taken = deque.taken.get();
        let is_related = |entry: &Entry| {
            taken >= deque.floor.get() && entry.state.get() == State::Started(victim)
        };
        if related.is_some_and(|entry| !is_related(entry)) {
            deque.is_locked.set(false);
            return Steal::Empty;
        }
        let entry = Rc::clone(&deque.entries.borrow()[taken]);
        entry.state.set(State::Taken(me));
        deque.taken.set(taken + 1);
        deque.is_locked.set(false);
        self.counts.up(match claim {
            Claim::None => "ready",
            Claim::Asked => "asked",
            Claim::Forced => "forced",
        });
        Steal::Taken(entry, claim)
    }

    /// Asks the owner, and gives it time to answer.
    async fn request(&self, victim: ThreadId, effort: Effort) -> Claim {
        let deque = &self.deques[victim];
        let (wanted, answer) = match effort {
            Effort::Look | Effort::Ask => (1, self.times.answer),
            Effort::Force(batch) => (batch, self.times.answer.max(self.barrier_cost.get() * 2)),
        };
        deque.wanted.set(Some(wanted));
        let end = self.clock.now() + answer;
        while self.clock.now() < end && deque.visible() > 0 {
            self.clock.pass(ANSWER_LOOK).await;
            if deque.exposed() > 0 {
                return Claim::Asked;
            }
        }
        Claim::None
    }

    /// Asks the owner in advance for the next entry that it pushes.
    pub fn request_next(&self, victim: ThreadId) {
        self.deques[victim].wanted.set(Some(1));
    }

    /// Whether something is exposed, now or a moment later.
    pub async fn is_answered(&self, victim: ThreadId) -> bool {
        self.clock.pass(self.times.answer / 2).await;
        self.deques[victim].exposed() > 0
    }

    /// Claims entries by force. The lock is held before and after, but not through the barrier.
    /// Returns whether there is something to take.
    async fn expose(&self, victim: ThreadId, batch: usize) -> bool {
        let deque = &self.deques[victim];
        let (head, top) = (deque.head.get(), deque.top());
        if top <= head || batch == 0 {
            return false;
        }
        deque
            .head
            .set(head + (top - head).min(batch.max(EXPOSED_AT_ONCE)));
        let number = deque.claims.get() + 1;
        deque.claims.set(number);
        deque.is_locked.set(false);
        self.heavy().await;
        while deque.is_locked.get() {
            self.clock.pass(self.times.owner_spin.max(1)).await;
        }
        deque.is_locked.set(true);
        if deque.claims.get() == number {
            deque.settle();
            let claim = deque.head.get();
            deque
                .head
                .set(claim.min(deque.top()).max(deque.taken.get()));
        }
        deque.exposed() > 0
    }
}
