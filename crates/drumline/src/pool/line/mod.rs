//! The line of idle workers: who watches, who sleeps, who is woken.
//!
//! # What it owns
//!
//! The number of *places* (`jobs`: how many threads may run user code at
//! once), how many are *active*, the idle workers standing in line, and which
//! one of them is the *lookout*: the only idle thread that is awake. Everybody
//! else sleeps without a timeout.
//!
//! # The invariant
//!
//! > Whenever a place is free, a worker stands in line and no lookout is awake,
//! > every deque in use, also one that enters later, carries the mark, and a
//! > scan made after the marks and a heavy barrier found nothing.
//!
//! A marked deque makes its owner's next push take the cold path, which calls
//! [`Line::summon`]. So work that becomes visible is either seen by a lookout,
//! or found by the scan, or announced by its owner.
//!
//! ```text
//!             retire()                      take(): finds work
//!   ACTIVE ─────────────► LOOKOUT ─────────────────────────────► ACTIVE
//!     │                    │    ▲                                  │ wakes the
//!     │ retire(), another  │    │ summon(), leave(), take():       │ next in line,
//!     │ lookout stands     │    │ chosen as head of the line       │ or marks
//!     ▼ before it          ▼    │                                  ▼
//!   ASLEEP ◄───────────────┴────┘ doze(): nothing came, or deposed
//! ```
//!
//! # Who keeps the invariant, event by event
//!
//! * A lookout that goes to sleep (`doze`) is in line and not awake from the
//!   moment it gives up the role under the lock; it *then* marks, runs the
//!   barrier and scans. If it finds something it takes the role back (`rise`).
//! * A deque enters use under the lock (`enter`, `add_member`; `begin` for a
//!   worker that slept; `add_deque` where one is full), so it is either seen by
//!   the marking that follows, or it learns that it must carry the mark.
//! * A lookout that takes work (`take`) either names its successor, or sleeps
//!   no less than the rule demands: it marks before it begins.
//! * A place that becomes free (`leave`, `rest`, `set_places`) without a
//!   lookout and without marks wakes the head of the line. Only where no deque
//!   is in use, not even one of a thread that waits and comes back, "no marks"
//!   is as good as "marks": each deque that enters then gets its own.
//! * A mark is used up by `summon`. It wakes the head of the line, or clears
//!   `hungry` where that is impossible (no place, nobody in line), so that the
//!   next `leave` or `retire` knows that the marks no longer hold.
//!
//! # The race feared
//!
//! A wake-up lost between "nothing there" and sleeping. Publishing and marking
//! form the store-load pattern of `sync::barrier`; role changes happen under
//! one lock; and a sleeper's parker keeps a token that comes early.
//!
//! # Where it is
//!
//! | file | noun |
//! |---|---|
//! | `role` | what an idle worker is told |
//! | `state` | what is under the lock, and the steps that several events share |
//!
//! # Rejected
//!
//! A counter of sleepers that every push reads and updates (an atomic
//! read-modify-write per push); waking from the push itself at every push (a
//! storm); one watching thread besides the workers (it ticks when idle).

mod places;
mod role;
mod staff;
mod state;

use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Mutex, MutexGuard, lock, planted};

pub(crate) use role::{Absence, Doze, Duty, Role, Take, Wake};
pub(crate) use state::Staffing;
use state::State;

/// Nobody is the lookout.
const NOBODY: usize = usize::MAX;

/// The line of one pool.
#[derive(Debug)]
pub(crate) struct Line {
    state: Mutex<State>,
    /// Copies for those who only want to know roughly; written under the lock.
    active: AtomicUsize,
    quiet: AtomicBool,
    places: AtomicUsize,
    lookout: AtomicUsize,
    entries: AtomicUsize,
    over: AtomicBool,
}

impl Line {
    pub(crate) fn new(places: usize, staffing: Staffing) -> Self {
        Line {
            state: Mutex::new(State::new(places, staffing)),
            active: AtomicUsize::new(0),
            quiet: AtomicBool::new(true),
            places: AtomicUsize::new(places),
            lookout: AtomicUsize::new(NOBODY),
            entries: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        }
    }

    fn with<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let mut state: MutexGuard<'_, State> = lock(&self.state);
        let outcome = change(&mut state);
        // Relaxed: hints only; every decision is made under the lock.
        self.active.store(state.active, Ordering::Relaxed);
        self.quiet
            .store(state.in_use() == state.members, Ordering::Relaxed);
        self.places.store(state.places, Ordering::Relaxed);
        self.lookout
            .store(state.lookout.unwrap_or(NOBODY), Ordering::Relaxed);
        self.over.store(state.over, Ordering::Relaxed);
        outcome
    }

    // ---- workers --------------------------------------------------------

    /// A new worker stands in line.
    pub(crate) fn arrive(&self, me: usize, work: &dyn Fn() -> bool) -> Role {
        self.with(|state| {
            state.arriving = state.arriving.saturating_sub(1);
            if state.over {
                Role::Exit
            } else if state.in_use() > 0 || work() {
                state.stand(me)
            } else {
                // Nothing is in use, and what enters will be marked.
                state.idle.insert(me);
                Role::Sleep
            }
        })
    }

    /// An active worker found nothing to do: it gives up its place.
    pub(crate) fn retire(&self, me: usize, work: &dyn Fn() -> bool) -> (Role, Wake) {
        self.with(|state| {
            state.deactivate(me);
            if state.end_if_done(work) {
                return (Role::Exit, Wake::All);
            }
            match state.lookout {
                Some(head) if head < me => {
                    state.idle.insert(me);
                    (Role::Sleep, Wake::Nobody)
                }
                // Lowest number first: a higher one is deposed, and finds out
                // when its nap ends.
                _ => {
                    state.lookout = Some(me);
                    state.hungry = false;
                    (Role::Watch, Wake::Nobody)
                }
            }
        })
    }

    /// A worker's sleep ended.
    pub(crate) fn woken(&self, me: usize) -> Role {
        self.with(|state| {
            if state.over {
                Role::Exit
            } else if state.lookout == Some(me) {
                Role::Watch
            } else {
                // Spurious, or deposed before it had woken up.
                state.stand(me)
            }
        })
    }

    /// The lookout has seen work, and with `more`, more than it can take. A
    /// `modest` one leaves the places of threads that only wait alone.
    pub(crate) fn take(&self, me: usize, more: bool, modest: bool) -> Take {
        self.with(|state| {
            if state.lookout != Some(me) {
                return Take::Deposed;
            }
            if !state.place_is_free() {
                return Take::NoPlace;
            }
            state.holding = modest && state.active + state.waiting >= state.places;
            if state.holding {
                return Take::Reserved {
                    waiting: state.waiting,
                };
            }
            state.activate(me);
            state.lookout = None;
            state.hungry = false;
            if !state.place_is_free() || !state.has_next() {
                let wake = state.look_after(false);
                return match wake {
                    Wake::Mark => Take::Active {
                        wake: Wake::Nobody,
                        mark: true,
                    },
                    wake => Take::Active { wake, mark: false },
                };
            }
            if planted!(TakeAlone) {
                return Take::Active {
                    wake: Wake::Nobody,
                    mark: false,
                };
            }
            if more {
                return Take::Active {
                    wake: state.call_next(),
                    mark: false,
                };
            }
            state.hungry = true;
            Take::Active {
                wake: Wake::Nobody,
                mark: true,
            }
        })
    }

    /// A worker becomes active without asking for a place, to do something
    /// that only it can do. `admit` as for [`enter`](Self::enter): while the
    /// worker slept, its deque was not in use.
    pub(crate) fn begin(&self, me: usize, admit: impl FnOnce(bool)) -> Wake {
        self.with(|state| {
            state.activate(me);
            state.idle.remove(me);
            if state.monitor == Some(me) {
                state.monitor = None;
            }
            if state.lookout == Some(me) {
                state.lookout = None;
                if state.place_is_free() {
                    return state.call_next();
                }
            }
            admit(state.admit() && !planted!(BeginUnmarked));
            state.look_after(false)
        })
    }

    /// An idle, waking worker wants to sleep for good.
    pub(crate) fn doze(&self, me: usize, work: &dyn Fn() -> bool) -> Doze {
        self.with(|state| {
            if state.end_if_done(work) {
                return Doze::Exit(Wake::All);
            }
            if state.lookout != Some(me) {
                return match state.stand(me) {
                    Role::Watch => Doze::Watch,
                    Role::Monitor => Doze::Monitor,
                    Role::Sleep | Role::Exit => Doze::Sleep,
                };
            }
            state.lookout = None;
            state.hungry = state.place_is_free();
            if state.hungry {
                state.idle.insert(me);
                if planted!(DozeUnmarked) {
                    Doze::Sleep
                } else {
                    Doze::Mark
                }
            } else {
                match state.stand(me) {
                    Role::Monitor => Doze::Monitor,
                    _ => Doze::Sleep,
                }
            }
        })
    }

    /// The scan after the marks found something: the sleeper wants the role back.
    pub(crate) fn rise(&self, me: usize) -> Role {
        self.with(|state| {
            if state.over {
                return Role::Exit;
            }
            if state.lookout == Some(me) {
                return Role::Watch;
            }
            if state.lookout.is_none() && state.place_is_free() && state.idle.remove(me) {
                if state.monitor == Some(me) {
                    // Chosen since it wanted to sleep.
                    state.monitor = None;
                }
                state.lookout = Some(me);
                state.hungry = false;
                return Role::Watch;
            }
            if state.lookout.is_none() {
                // What the scan found waits for a place.
                state.hungry = false;
            }
            Role::Sleep
        })
    }

    /// Work became visible and nobody may be watching.
    pub(crate) fn summon(&self) -> Wake {
        self.with(State::summon)
    }

    /// Work was queued from outside: as [`summon`](Self::summon), and a lookout
    /// that naps is called, too.
    pub(crate) fn alert(&self) -> Wake {
        self.with(|state| match state.lookout {
            Some(lookout) => Wake::One(lookout),
            None => state.summon(),
        })
    }

    /// No work will come from outside any more; when the last is done, the
    /// workers end.
    pub(crate) fn close(&self, work: &dyn Fn() -> bool) -> Wake {
        self.with(|state| {
            state.closing = true;
            if state.end_if_done(work) {
                Wake::All
            } else if state.lookout.is_none()
                && state.place_is_free()
                && (!state.idle.is_empty() || work())
            {
                state.call_next()
            } else {
                Wake::Nobody
            }
        })
    }

    // ---- rough knowledge --------------------------------------------------

    /// Whether more threads are active than there are places.
    pub(crate) fn is_crowded(&self) -> bool {
        self.active.load(Ordering::Relaxed) > self.places.load(Ordering::Relaxed)
    }

    /// Whether every place is taken.
    pub(crate) fn is_full(&self) -> bool {
        self.active.load(Ordering::Relaxed) >= self.places.load(Ordering::Relaxed)
    }

    /// Whether nothing runs anywhere in the pool.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet.load(Ordering::Relaxed)
    }

    /// How often threads have entered from outside.
    pub(crate) fn entries(&self) -> usize {
        self.entries.load(Ordering::Relaxed)
    }

    /// The number of places.
    pub(crate) fn places(&self) -> usize {
        self.places.load(Ordering::Relaxed)
    }

    /// Whether `me` still has the role of the lookout, as far as one can see.
    pub(crate) fn is_lookout(&self, me: usize) -> bool {
        self.lookout.load(Ordering::Relaxed) == me
    }

    /// Whether the pool is over.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}
