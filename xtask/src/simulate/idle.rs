//! Which workers work, look and sleep: the rules of `pool::idle`, for a pool without spares.
//!
//! Modelled: one searcher at a time; the lowest number first; a searcher that takes work calls the
//! next one if it has seen more, and marks if not; marks are used up by a summons; a thread that
//! enters carries the mark; the place of a thread that waits is free for others; threads that are
//! called to help. Not modelled:
//! spares, the monitor, hooks, and the end of a pool.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::clock::{Lock, ThreadId};
use super::world::World;

/// What an idle worker does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Watch,
    Sleep,
    /// It was called to help, and has a place.
    Work,
}

/// How a searcher's wish to take work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    Active { call: Option<ThreadId>, mark: bool },
    NoPlace,
    Deposed,
}

/// How a searcher's wish to sleep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParkStep {
    Mark,
    Sleep,
    Watch,
}

#[derive(Debug)]
struct State {
    places: usize,
    active: usize,
    /// Threads that wait: their deques are in use.
    away: usize,
    idle: BTreeSet<ThreadId>,
    searcher: Option<ThreadId>,
    /// Called to help, and not awake yet.
    called: BTreeSet<ThreadId>,
    is_marked: bool,
}

/// The idle set with its lock.
#[derive(Debug)]
pub struct IdleSet {
    lock: Lock,
    state: RefCell<State>,
}

impl IdleSet {
    /// All workers sleep.
    pub fn new(jobs: usize) -> Self {
        IdleSet {
            lock: Lock::default(),
            state: RefCell::new(State {
                places: jobs,
                active: 0,
                away: 0,
                idle: (0..jobs).collect(),
                searcher: None,
                called: BTreeSet::new(),
                is_marked: false,
            }),
        }
    }

    pub fn is_searcher(&self, me: ThreadId) -> bool {
        self.state.borrow().searcher == Some(me)
    }

    /// How many threads may run at once.
    pub fn places(&self) -> usize {
        self.state.borrow().places
    }

    /// Whether nothing runs anywhere.
    pub fn is_quiet(&self) -> bool {
        self.state.borrow().in_use() == 0
    }

    /// Whether this thread may push.
    pub fn is_active(&self, thread: ThreadId) -> bool {
        let state = self.state.borrow();
        !state.idle.contains(&thread) && state.searcher != Some(thread)
    }

    /// Whether more threads are active than there are places.
    pub fn is_overfull(&self) -> bool {
        let state = self.state.borrow();
        state.active > state.places
    }
}

impl State {
    fn in_use(&self) -> usize {
        self.active + self.away
    }

    fn has_place(&self) -> bool {
        self.active < self.places
    }

    fn call_next(&mut self) -> Option<ThreadId> {
        self.is_marked = false;
        self.searcher = self.idle.pop_first();
        self.searcher
    }

    /// A deque enters use: whether it must carry the mark.
    fn admit(&mut self) -> bool {
        let is_unwatched = self.searcher.is_none();
        let marked = is_unwatched && self.has_place() && !self.idle.is_empty();
        if !marked && is_unwatched {
            self.is_marked = false;
        }
        marked
    }

    fn stand(&mut self, me: ThreadId) -> Role {
        if self.searcher.is_none() && !self.is_marked && self.has_place() {
            self.idle.remove(&me);
            self.searcher = Some(me);
            Role::Watch
        } else {
            self.idle.insert(me);
            Role::Sleep
        }
    }

    /// A free place needs a searcher, or marks. `work`: something is visible.
    fn place_was_freed(&mut self, work: bool) -> Option<ThreadId> {
        if self.searcher.is_some() || self.is_marked || !self.has_place() {
            return None;
        }
        if self.in_use() == 0 && !work {
            // What enters is marked.
            self.is_marked = true;
            return None;
        }
        self.call_next()
    }
}

impl World {
    async fn with_line<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        self.idle_set.lock.acquire(&self.clock).await;
        self.counts.up("idle");
        self.clock.pass(self.times.idle_lock).await;
        let outcome = change(&mut self.idle_set.state.borrow_mut());
        self.idle_set
            .lock
            .release(&self.clock, self.times.hand_over);
        outcome
    }

    /// Work became visible, and there may be no searcher.
    pub async fn summon(&self, me: ThreadId) {
        let call = self
            .with_line(|state| {
                if state.searcher.is_some() {
                    None
                } else if state.has_place() {
                    state.call_next()
                } else {
                    state.is_marked = false;
                    None
                }
            })
            .await;
        self.call(me, call).await;
    }

    /// A thread comes from outside.
    pub async fn enter(&self, me: ThreadId) {
        let is_marked = self
            .with_line(|state| {
                state.active += 1;
                state.admit()
            })
            .await;
        if is_marked {
            self.deques[me].mark();
        }
    }

    /// It leaves.
    pub async fn leave(&self, me: ThreadId) {
        let work = self.has_work();
        let call = self
            .with_line(|state| {
                state.active -= 1;
                state.place_was_freed(work)
            })
            .await;
        self.call(me, call).await;
    }

    /// A thread that waits gives up its place.
    pub async fn rest(&self, me: ThreadId) {
        let work = self.has_work();
        let call = self
            .with_line(|state| {
                state.active -= 1;
                state.away += 1;
                state.place_was_freed(work)
            })
            .await;
        self.call(me, call).await;
    }

    /// It goes on, whether there is a place or not.
    pub async fn come_back(&self) {
        self.with_line(|state| {
            state.active += 1;
            state.away -= 1;
        })
        .await;
    }

    /// A worker found nothing to do.
    pub async fn become_idle(&self, me: ThreadId) -> Role {
        self.with_line(|state| {
            state.active -= 1;
            match state.searcher {
                Some(head) if head < me => {
                    state.idle.insert(me);
                    Role::Sleep
                }
                // A higher number is deposed, and finds out when its nap ends.
                _ => {
                    state.searcher = Some(me);
                    state.is_marked = false;
                    Role::Watch
                }
            }
        })
        .await
    }

    /// A worker's sleep has ended.
    pub async fn woken(&self, me: ThreadId) -> Role {
        let (role, is_marked) = self
            .with_line(|state| {
                if state.called.remove(&me) {
                    (Role::Work, state.admit())
                } else if state.searcher == Some(me) {
                    (Role::Watch, false)
                } else {
                    (state.stand(me), false)
                }
            })
            .await;
        if is_marked {
            self.deques[me].mark();
        }
        role
    }

    /// Wakes up to `count` idle workers, for which there is work, besides the searcher.
    pub async fn call_helpers(&self, me: ThreadId, count: usize) {
        let has_room = {
            let state = self.idle_set.state.borrow();
            state.active + 1 < state.places && !state.idle.is_empty()
        };
        if count == 0 || !has_room {
            return;
        }
        let helpers = self
            .with_line(|state| {
                let free = state.places.saturating_sub(state.in_use() + 1);
                let mut helpers = Vec::new();
                while helpers.len() < count.min(free)
                    && let Some(helper) = state.idle.pop_first()
                {
                    state.called.insert(helper);
                    helpers.push(helper);
                }
                state.active += helpers.len();
                helpers
            })
            .await;
        for helper in helpers {
            self.call(me, Some(helper)).await;
        }
    }

    /// The searcher has seen work, and with `more`, more than it can take.
    pub async fn take(&self, me: ThreadId, more: bool) -> Take {
        self.with_line(|state| {
            if state.searcher != Some(me) {
                return Take::Deposed;
            }
            if !state.has_place() {
                return Take::NoPlace;
            }
            state.active += 1;
            state.searcher = None;
            state.is_marked = false;
            if !state.has_place() || state.idle.is_empty() {
                Take::Active {
                    call: None,
                    mark: false,
                }
            } else if more {
                Take::Active {
                    call: state.call_next(),
                    mark: false,
                }
            } else {
                state.is_marked = true;
                Take::Active {
                    call: None,
                    mark: true,
                }
            }
        })
        .await
    }

    /// An idle worker that is awake wants to sleep for good.
    pub async fn prepare_park(&self, me: ThreadId) -> ParkStep {
        self.with_line(|state| {
            if state.searcher != Some(me) {
                return match state.stand(me) {
                    Role::Watch => ParkStep::Watch,
                    Role::Sleep | Role::Work => ParkStep::Sleep,
                };
            }
            state.searcher = None;
            state.is_marked = state.has_place();
            state.idle.insert(me);
            if state.is_marked {
                ParkStep::Mark
            } else {
                ParkStep::Sleep
            }
        })
        .await
    }

    /// The scan after the marks has found something.
    pub async fn return_from_park(&self, me: ThreadId) -> Role {
        self.with_line(|state| {
            if state.called.contains(&me) {
                // It says that it has woken, and is asked then.
                return Role::Sleep;
            }
            if state.searcher == Some(me) {
                return Role::Watch;
            }
            if state.searcher.is_none() {
                state.is_marked = false;
            }
            state.stand(me)
        })
        .await
    }

    /// Marks every deque, and looks once more. Returns whether there is something.
    pub async fn mark_and_scan(&self) -> bool {
        self.counts.up("marks");
        let mut seats = 0;
        for seat in self.in_use() {
            self.deques[seat].mark();
            seats += 1;
        }
        self.clock.pass(self.times.mark * seats).await;
        self.heavy().await;
        let seats = self.in_use().count() as u64;
        self.clock.pass(self.times.survey * seats).await;
        self.has_work()
    }
}
