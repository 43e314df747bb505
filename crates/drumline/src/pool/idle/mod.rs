//! The idle set: which idle worker searches for work, which ones sleep, and which one is woken.
//!
//! # What it owns
//!
//! * The number of *places* (`jobs`): this many threads may run user code at once.
//! * How many threads are *active*, and how many are *away*. A thread that is away waits or blocks.
//!   It comes back, and its deque is in use meanwhile.
//! * The idle workers, and which one of them is the *searcher*. The searcher is the only idle
//!   worker that is awake to take work. The others sleep without a timeout.
//! * The *monitor*. While all places are taken, one idle worker looks after the active threads.
//! * How many workers there are, how many are about to *arrive*, and how many there may be. The
//!   pool starts a *spare* when a place is free for work and the idle set is empty.
//!
//! # The invariant
//!
//! The pool is *marked* (`wake_requested`) when two things hold. Every deque in use carries the
//! mark, and so does each deque that enters later. And a scan after the marks and a heavy barrier
//! found nothing, or a thread is about to make that scan.
//!
//! > While a place is free, and a worker is idle or may be started, there is a searcher, or a
//! > worker arrives, or the pool is marked.
//! >
//! > While no place is free in a pool that is monitored, and a worker is idle or may be started,
//! > there is a monitor or a searcher, or a worker arrives, or the pool is marked.
//!
//! A sleeping thread that waits, and would run any job (`Absence::Steals`), counts as a worker that
//! may be started. The pool calls it when no further worker may be started.
//!
//! The mark on a deque sends its owner's next push to the cold path, which calls
//! [`IdleSet::summon`]. So a searcher or the monitor sees the work that becomes visible, or the
//! scan finds it, or its owner announces it. The invariant ends when the system refuses a thread
//! that the pool relied on (`worker_not_started`). Then `pool::shared::spawn_retry` asks again when
//! a thread ends.
//!
//! ```text
//!          become_idle()                       take(): finds work
//!   ACTIVE ────────────► SEARCHER ──────────────────────────────► ACTIVE
//!     │                   │    ▲                                    │ wakes the next idle
//!     │ become_idle(),    │    │ summon(), leave(), take():         │ worker, or marks
//!     │ a lower number    │    │ chosen as the first idle worker    ▼
//!     ▼ is the searcher   ▼    │
//!   ASLEEP ◄──────────────┴────┘ prepare_park(): nothing came, or deposed
//!     │  ▲
//!     ▼  │ monitor(): nothing to look after    monitor(): a place is free
//!   MONITOR ─────────────────────────────────────────────────────► SEARCHER
//! ```
//!
//! A worker is in one of these states. A *deposed* searcher does not know of it yet. It is awake,
//! and enters the idle set (`enqueue_idle`) as soon as it asks. The searcher is not in the idle
//! set, and while there is one the pool is not marked. The monitor is in the idle set. A thread
//! that was *displaced* was seen to block without a word. It counts as away, and does not know. The
//! first thing that it asks for settles that (`deactivate`).
//!
//! # What keeps the invariant, event by event
//!
//! * *The searcher goes to sleep* (`prepare_park`). It enters the idle set, and counts as asleep,
//!   when it gives up the role under the lock. Then it marks, runs the barrier and scans. If the
//!   scan finds something, the marks are void, and the worker is the searcher or the monitor again,
//!   or idle (`unpark`). While no place is free it does not mark. It is then the monitor, if there
//!   is none.
//! * *A deque enters use*, under the lock (`enter`, `add_member`; `begin` for a worker that slept;
//!   `add_deque` when a deque is full). Either the marking that follows sees it, or it learns that
//!   it must carry the mark. If it need not, the pool is not marked any more (`admit`).
//! * *The searcher takes work* (`take`). Before it begins it names its successor, or starts a
//!   worker, or marks. A spare leaves the places of threads that only wait alone for a while
//!   (`deferring`). It stays the searcher meanwhile, and a thread that blocks wakes it. So does a
//!   thread that blocks while a searcher naps beside visible work.
//! * *Workers are called to help* (`call_helpers`). Each has a place from then on, and is in no set
//!   of idle workers; so it is not woken twice. It learns that wherever it is: asleep, or at its
//!   last look (`unpark`). It says that it has `woken` before it pushes, and its deque enters use
//!   there. Another place is still free, so the searcher, or the marks, are as they were. The
//!   monitor is not called: between the places that it takes from threads that block and the
//!   question what its duty is (`monitor`), it is all that the free places rely on.
//! * *The last place is taken* (`take`, `enter`, `begin`, `come_back`, `set_places`). Unless the
//!   pool is marked, the last idle worker becomes the monitor, or the taker marks (`look_after`).
//!   The pool starts no worker for that before a push has met a mark. The limit on workers counts
//!   the monitor. So at the limit there is a monitor only while a worker is idle.
//! * *A place becomes free* (`leave`, `rest`, `set_places`) and there is neither a searcher nor a
//!   mark. The first idle worker is woken. If there is none, the pool starts a spare if work is
//!   visible, and otherwise the thread that goes marks. If no deque is in use, nothing has to be
//!   marked: each deque that enters gets its own mark.
//! * *A thread waits and would steal.* It may be called from the moment when it gives up its place
//!   (`rest`). A thread that is called leaves that set, looks for work, and enters the set again
//!   before it sleeps. If it has something else to do by then, it summons the next one
//!   (`pool::waiting`).
//! * *The monitor takes the place of a thread that blocks* (`displace`) and asks for its duty: it
//!   is the searcher itself. After a while without anything to do it leaves with marks, as a
//!   searcher does. If it was called to be the searcher, or deposed after that, it learns so when
//!   it asks.
//! * *A spare quits.* It leaves the idle set first, and stays if it was chosen meanwhile. It counts
//!   against the limit until it has `left`, and asks then whether another worker is needed.
//! * *A mark is used up* by `summon`. If a place is free, `summon` calls the first idle worker or
//!   starts one. If none is free, it makes sure of a monitor. It clears `wake_requested`, so that
//!   the next event knows that the marks do not hold any more.
//! * *Work is queued from outside* (`alert`). The thread that queued it looks at one word, and
//!   takes the lock only if that can be of use. See `alert`.
//! * *A worker has handlers to run when it arrives* (`arrive_active`). It is active meanwhile, and
//!   arrives no more. What relied on its look is done anew, as when a place becomes free.
//! * *A call from outside brings work now and then* (a stream). It keeps a closed pool from its end
//!   (`begin_call`). The last such call ends the pool (`end_call`).
//! * *The handle of a closed pool waits for the threads* only if the pool was at rest at the moment
//!   when it was closed. A call that comes in later ends that wait (`is_closed_to_callers`): it may
//!   stay as long as it likes. So does a worker that becomes active later: for what a member for
//!   good has published, or because it arrives late and has handlers to run.
//! * *A member for good publishes work*. It does not keep the pool from its end. So it asks
//!   afterwards whether the pool has ended without the work (`has_ended`). If so, it does the work
//!   itself.
//! * *A closed pool is over* when only members are in use, no worker arrives, and nothing is
//!   visible. A thread that is away, displaced ones included, keeps it open. The last thread that
//!   becomes idle, arrives or is refused notices (`end_if_done`).
//!
//! # The races feared
//!
//! *A wake-up is lost* between "nothing is there" and sleeping. Publishing and marking form the
//! store-load pattern of `sync::barrier`. Roles change under one lock. The parker of a sleeper
//! keeps a token that comes early.
//!
//! *A place is given away twice, or lost*, between the monitor and the thread that has it. Both
//! change the counts under the lock only, by the set of active threads and the set of displaced
//! ones. A thread that leaves a note that it blocks goes on with a read-modify-write of the note
//! (`pool::shared::block_state`).
//!
//! # Where it is
//!
//! | file | noun |
//! |---|---|
//! | `alert` | what a thread outside does when it has queued work |
//! | `role` | the answers: which thread to wake, what role to take |
//! | `state` | what is under the lock, and the steps that several events share |
//! | `places` | threads that become active and threads that cease to be, workers apart |
//! | `workers` | workers that come and go, and the monitor among them |
//! | `alert`, `alert_need` | whether threads outside have to call, and the call |
//! | `seat_bits`, `seat_set` | sets of seats, as bitmaps |
//! | `wake_backoff` | how long a searcher that was woken for nothing stays away |
//! | `check` | for the models: what holds whenever the lock is free |
//!
//! # Rejected
//!
//! * Several searchers, where many places are free. Each would look at all seats for what one
//!   finds, and the role would have to be passed on by each. A thread that sees more than the
//!   searcher takes calls helpers instead, each with a place (`call_helpers`).
//! * A counter of sleepers that every push reads and updates: an atomic read-modify-write per push.
//! * A wake-up by every push: a storm.
//! * One more thread that searches, besides the workers: it ticks when the pool is idle.
//! * A monitor that is there before a thread was seen to wait: the same.
//! * To count active threads only. A thread that waits has a deque in use: the models found five
//!   ways for work to become visible to no thread.
//! * A clock that limits wake-ups to one per some tens of microseconds. The role of the searcher is
//!   passed on at each wake-up, which limits them by itself.

mod alert;
mod alert_need;
#[cfg(all(test, any(drumline_loom, drumline_shuttle)))]
mod check;
mod places;
mod role;
pub(super) mod seat_bits;
mod seat_set;
mod state;
#[cfg(not(drumline_loom))]
pub(super) mod wake_backoff;
mod workers;

use std::sync::Arc;

use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Count, Mutex, MutexGuard, barrier, lock, planted};

use alert_need::AlertNeed;
pub(crate) use role::{Absence, Duty, ParkStep, Role, TakeOutcome, Wake};
use seat_bits::SeatBits;
use state::IdleState;
pub(crate) use state::WorkerPolicy;

/// No worker is the searcher.
const NO_SEARCHER: usize = usize::MAX;

/// The idle set of one pool.
#[derive(Debug)]
pub(crate) struct IdleSet {
    state: Mutex<IdleState>,
    in_use: Arc<SeatBits>,
    /// Copies for callers that only want a hint. Written under the lock.
    active: AtomicUsize,
    has_idle: AtomicBool,
    quiet: AtomicBool,
    places: AtomicUsize,
    searcher: AtomicUsize,
    entries: AtomicUsize,
    /// How often the pool has come to rest.
    spells: AtomicUsize,
    /// How often a thread that waited has come back.
    waits_ended: AtomicUsize,
    over: AtomicBool,
    /// Whether the pool is closed; see [`has_ended`](Self::has_ended).
    closed: AtomicBool,
    /// Whether a worker could look after the active threads.
    monitored: AtomicBool,
    relief: AtomicBool,
    /// Whether a thread outside that has queued work takes the lock.
    need: AlertNeed,
    /// How often the lock was taken; counted under it.
    locks: Count,
}

impl IdleSet {
    pub(crate) fn new(places: usize, worker_policy: WorkerPolicy) -> Self {
        let in_use = Arc::new(SeatBits::new());
        IdleSet {
            state: Mutex::new(IdleState::new(places, worker_policy, Arc::clone(&in_use))),
            in_use,
            active: AtomicUsize::new(0),
            has_idle: AtomicBool::new(false),
            quiet: AtomicBool::new(true),
            places: AtomicUsize::new(places),
            searcher: AtomicUsize::new(NO_SEARCHER),
            entries: AtomicUsize::new(0),
            spells: AtomicUsize::new(0),
            waits_ended: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            monitored: AtomicBool::new(worker_policy.monitored),
            relief: AtomicBool::new(true),
            need: AlertNeed::new(),
            locks: Count::default(),
        }
    }

    fn with<R>(&self, change: impl FnOnce(&mut IdleState) -> R) -> R {
        let mut state: MutexGuard<'_, IdleState> = lock(&self.state);
        self.locks.up();
        self.need.begin_change();
        let worked = state.in_use() > state.members;
        let outcome = change(&mut state);
        if worked && state.in_use() == state.members {
            // Relaxed, twice: written under the lock. Others read a figure.
            let spells = self.spells.load(Ordering::Relaxed);
            self.spells.store(spells.wrapping_add(1), Ordering::Relaxed);
        }
        #[cfg(all(test, any(drumline_loom, drumline_shuttle)))]
        state.check();
        self.need.end_change(&state);
        // Relaxed: hints only; every decision is made under the lock.
        self.active.store(state.active, Ordering::Relaxed);
        self.has_idle
            .store(!state.idle.is_empty(), Ordering::Relaxed);
        self.quiet
            .store(state.in_use() == state.members, Ordering::Relaxed);
        self.places.store(state.places, Ordering::Relaxed);
        self.searcher
            .store(state.searcher.unwrap_or(NO_SEARCHER), Ordering::Relaxed);
        self.over.store(state.over, Ordering::Relaxed);
        self.monitored
            .store(state.may_be_monitored(), Ordering::Relaxed);
        self.relief.store(state.has_relief(), Ordering::Relaxed);
        outcome
    }

    /// A new worker enters the idle set.
    pub(crate) fn arrive(&self, me: usize, work: &dyn Fn() -> bool) -> (Role, Wake) {
        self.with(|state| {
            state.arriving = state.arriving.saturating_sub(1);
            let role = if state.end_if_done(work) {
                return (Role::Exit, Wake::All);
            } else if state.in_use() > 0 || work() {
                state.enqueue_idle(me)
            } else {
                // Nothing is in use, and what enters will be marked.
                state.idle.insert(me);
                Role::Sleep
            };
            (role, Wake::None)
        })
    }

    /// A new worker is active at once: it has the program's handlers to run before it enters the
    /// idle set, and there need not be a free place. `admit` as for [`enter`](Self::enter).
    ///
    /// It arrives no longer, so it is not the thread that will look.
    pub(crate) fn arrive_active(
        &self,
        me: usize,
        admit: impl FnOnce(bool),
        work: &dyn Fn() -> bool,
    ) -> Wake {
        self.with(|state| {
            state.arriving = state.arriving.saturating_sub(1);
            state.activate(me);
            admit(state.admit());
            if planted!(ArrivesUnseen) {
                return Wake::None;
            }
            if state.place_is_free() {
                state.place_was_freed(work)
            } else {
                state.look_after(false)
            }
        })
    }

    /// An active worker found nothing to do, or makes room for another thread: it gives up its
    /// place. `has_jobs`: its queue is not empty.
    pub(crate) fn become_idle(
        &self,
        me: usize,
        has_jobs: bool,
        work: &dyn Fn() -> bool,
    ) -> (Role, Wake) {
        self.with(|state| {
            state.retire(me, has_jobs);
            if state.end_if_done(work) {
                return (Role::Exit, Wake::All);
            }
            match state.searcher {
                Some(head) if head < me => {
                    state.idle.insert(me);
                    (Role::Sleep, Wake::None)
                }
                // Lowest number first: a higher one is deposed, and finds out
                // when its nap ends.
                deposed => {
                    if let Some(deposed) = deposed {
                        state.deposed.insert(deposed);
                    }
                    state.searcher = Some(me);
                    state.wake_requested = false;
                    (Role::Search, Wake::None)
                }
            }
        })
    }

    /// A worker's sleep ended. `admit` as for [`enter`](Self::enter), if it was called to help.
    pub(crate) fn woken(&self, me: usize, admit: impl FnOnce(bool)) -> Role {
        self.with(|state| {
            if state.is_called(me) && !planted!(CallUnseen) {
                admit(state.admit());
                Role::Work
            } else if state.over {
                Role::Exit
            } else if state.searcher == Some(me) {
                Role::Search
            } else {
                // Spurious, or deposed before it had woken up.
                state.enqueue_idle(me)
            }
        })
    }

    /// An active thread sees more work than the searcher will take: calls up to `count` idle
    /// workers to help, the first ones, while there is more than one free place. The last one is
    /// left to the searcher, and those of threads that only wait to these. The monitor is not
    /// called. Returns which ones to wake.
    #[must_use]
    pub(crate) fn call_helpers(&self, count: usize) -> Vec<usize> {
        self.with(|state| {
            let taken = state.active + state.waiting + 1;
            let free = if state.over {
                0
            } else {
                state.places.saturating_sub(taken)
            };
            // The monitor has just made places free, or is about to leave. If it has made them
            // free, it is going to be the searcher, and no other thread is.
            let monitor = state.monitor.filter(|_| !planted!(MonitorHelps));
            if let Some(monitor) = monitor {
                state.idle.remove(monitor);
            }
            let mut helpers = Vec::new();
            while helpers.len() < count.min(free)
                && let Some(helper) = state.idle.pop_first()
            {
                state.activate(helper);
                helpers.push(helper);
            }
            if let Some(monitor) = monitor {
                state.idle.insert(monitor);
            }
            helpers
        })
    }

    /// The searcher has seen work, and with `more`, more than it can take. A
    /// `modest` one leaves the places of threads that only wait alone.
    pub(crate) fn take(&self, me: usize, more: bool, modest: bool) -> TakeOutcome {
        self.with(|state| {
            if state.searcher != Some(me) {
                return TakeOutcome::Deposed;
            }
            if !state.place_is_free() {
                return TakeOutcome::NoPlace;
            }
            state.deferring = modest && state.active + state.waiting >= state.places;
            if state.deferring {
                return TakeOutcome::Reserved {
                    waiting: state.waiting,
                };
            }
            state.activate(me);
            state.searcher = None;
            state.wake_requested = false;
            if !state.place_is_free() || !state.has_next() {
                let wake = state.look_after(more);
                return match wake {
                    Wake::Mark => TakeOutcome::Active {
                        wake: Wake::None,
                        mark: true,
                    },
                    wake => TakeOutcome::Active { wake, mark: false },
                };
            }
            if planted!(TakeAlone) {
                return TakeOutcome::Active {
                    wake: Wake::None,
                    mark: false,
                };
            }
            if more {
                return TakeOutcome::Active {
                    wake: state.call_next(),
                    mark: false,
                };
            }
            state.wake_requested = true;
            TakeOutcome::Active {
                wake: Wake::None,
                mark: true,
            }
        })
    }

    /// A worker becomes active without asking for a place, to do something
    /// that only it can do. `admit` as for [`enter`](Self::enter): while the
    /// worker slept, its deque was not in use.
    pub(crate) fn begin(&self, me: usize, admit: impl FnOnce(bool)) -> Wake {
        self.with(|state| {
            if state.is_called(me) {
                admit(state.admit());
                return Wake::None;
            }
            state.activate(me);
            state.idle.remove(me);
            state.deposed.remove(me);
            if state.monitor == Some(me) {
                state.monitor = None;
            }
            if state.searcher == Some(me) {
                state.searcher = None;
                if state.place_is_free() {
                    return state.call_next();
                }
            }
            admit(state.admit() && !planted!(BeginUnmarked));
            state.look_after(false)
        })
    }

    /// An idle, waking worker wants to sleep for good.
    pub(crate) fn prepare_park(&self, me: usize, work: &dyn Fn() -> bool) -> ParkStep {
        self.with(|state| {
            if state.end_if_done(work) {
                return ParkStep::Exit(Wake::All);
            }
            state.end_nap(me);
            if state.searcher != Some(me) {
                return match state.enqueue_idle(me) {
                    Role::Search => ParkStep::Search,
                    Role::Monitor => ParkStep::Monitor,
                    Role::Sleep | Role::Called | Role::Work | Role::Exit => ParkStep::Sleep,
                };
            }
            state.searcher = None;
            state.wake_requested = state.place_is_free();
            if state.wake_requested {
                state.idle.insert(me);
                if planted!(ParksUnmarked) {
                    ParkStep::Sleep
                } else {
                    ParkStep::Mark
                }
            } else {
                match state.enqueue_idle(me) {
                    Role::Monitor => ParkStep::Monitor,
                    _ => ParkStep::Sleep,
                }
            }
        })
    }

    /// The scan after the marks found something: the sleeper wants the role back.
    pub(crate) fn unpark(&self, me: usize) -> Role {
        self.with(|state| {
            if state.is_called(me) && !planted!(CallUnseen) {
                return Role::Called;
            }
            if state.over {
                return Role::Exit;
            }
            if state.searcher == Some(me) {
                return Role::Search;
            }
            if state.searcher.is_none() {
                // The marks no longer say that nothing is there.
                state.wake_requested = false;
            }
            if planted!(UnparkSleeps) && !state.place_is_free() {
                return Role::Sleep;
            }
            state.enqueue_idle(me)
        })
    }

    /// Work became visible, and there may be no searcher.
    pub(crate) fn summon(&self) -> Wake {
        self.with(IdleState::summon)
    }

    /// No work will come from outside any more. When the last work is done, the workers end.
    /// `true`: there is none, and only what [comes later](Self::is_closed_to_callers) may bring
    /// some.
    pub(crate) fn close(&self, work: &dyn Fn() -> bool) -> (Wake, bool) {
        // Relaxed: the fence orders it before every scan for work that could end the pool.
        self.closed.store(true, Ordering::Relaxed);
        if !planted!(CloseUnfenced) {
            barrier::fence();
        }
        let (wake, is_at_rest) = self.with(|state| {
            state.closing = true;
            // Members for good may have all the places, and never come again.
            state.has_last_place = state.workers > 0 && state.places <= state.members;
            let is_at_rest = state.is_at_rest() && !work();
            let wake = if state.end_if_done(work) {
                Wake::All
            } else if state.searcher.is_none()
                && state.place_is_free()
                && (!state.idle.is_empty() || work())
            {
                state.call_next()
            } else {
                Wake::None
            };
            (wake, is_at_rest)
        });
        (wake, is_at_rest || planted!(RestAssumed))
    }

    /// For a thread that has just come in, by [`enter`](Self::enter) or
    /// [`begin_call`](Self::begin_call), or has become active as a worker: whether the pool was
    /// closed before. If not, [`close`](Self::close) finds it inside.
    pub(crate) fn is_closed_to_callers(&self) -> bool {
        // Relaxed: the lock of the idle set orders it, which both sides have taken.
        self.closed.load(Ordering::Relaxed) && !planted!(DropUndisturbed)
    }

    /// For a member for good that has just published work: whether the pool has ended without it.
    /// If it has not, the pool sees the work before it ends.
    pub(crate) fn has_ended(&self) -> bool {
        if planted!(MemberUnasked) {
            return false;
        }
        // The other side is `close`. Either this load sees that the pool is closed, or every scan
        // that could end the pool sees the work. If it is closed, the lock puts both in order.
        barrier::fence();
        // Relaxed: the fence orders it.
        self.closed.load(Ordering::Relaxed) && self.with(|state| state.over)
    }

    /// For a thread that does not keep the pool from its end and has just taken work back: whether
    /// the pool is closed. If it is not, [`close`](Self::close) sees that the work is gone.
    pub(crate) fn is_closed(&self) -> bool {
        barrier::fence();
        // Relaxed: the fence orders it. Its partner is that of `close`.
        self.closed.load(Ordering::Relaxed) && !planted!(ClosedUnasked)
    }

    /// A call from outside may bring work until it [ends](Self::end_call), also to a pool that is
    /// closed meanwhile. Returns whether it may: the pool is not over.
    #[must_use]
    pub(crate) fn begin_call(&self) -> bool {
        self.with(|state| {
            state.kept_open += usize::from(!state.over);
            !state.over
        })
    }

    /// The call brings no more work.
    pub(crate) fn end_call(&self, work: &dyn Fn() -> bool) -> Wake {
        self.with(|state| {
            state.kept_open -= 1;
            if state.end_if_done(work) {
                Wake::All
            } else {
                Wake::None
            }
        })
    }

    /// The seats with deques in use, and those with jobs in their queues.
    pub(crate) fn in_use(&self) -> &SeatBits {
        &self.in_use
    }

    /// Whether more threads are active than there are places.
    #[inline]
    pub(crate) fn is_overfull(&self) -> bool {
        // Relaxed, twice: hints. A thread that gives up its place takes the lock.
        self.active.load(Ordering::Relaxed) > self.places.load(Ordering::Relaxed)
    }

    /// Whether every place is taken.
    pub(crate) fn is_full(&self) -> bool {
        // Relaxed, twice: hints. The monitor takes a place only with the lock.
        self.active.load(Ordering::Relaxed) >= self.places.load(Ordering::Relaxed)
    }

    /// Whether nothing runs anywhere in the pool.
    pub(crate) fn is_quiet(&self) -> bool {
        // Relaxed: a hint. It decides whether a thread waits, and for how long.
        self.quiet.load(Ordering::Relaxed)
    }

    /// Whether a worker looks after threads that have all the places, or could.
    pub(crate) fn is_monitored(&self) -> bool {
        // Relaxed: a hint. If it is old, a note stays unread until a worker is idle, and no other
        // worker could use the place.
        self.monitored.load(Ordering::Relaxed)
    }

    /// Whether a worker would take the place of a thread that gives it up. Otherwise there is none
    /// that is idle, and none can be started.
    pub(crate) fn may_be_relieved(&self) -> bool {
        // Relaxed: a hint. A thread that yields looks again.
        self.relief.load(Ordering::Relaxed)
    }

    /// How often threads have entered from outside.
    pub(crate) fn entries(&self) -> usize {
        // Relaxed: a figure that is compared with an earlier one.
        self.entries.load(Ordering::Relaxed)
    }

    /// A number that changes when a thread that waited for work of this pool comes back.
    #[cfg(not(drumline_loom))]
    pub(crate) fn waits_ended(&self) -> usize {
        // Relaxed: a figure that is compared with an earlier one. It publishes nothing.
        self.waits_ended.load(Ordering::Relaxed)
    }

    /// How often the pool has come to rest.
    pub(crate) fn spells(&self) -> usize {
        // Relaxed: as in `entries`.
        self.spells.load(Ordering::Relaxed)
    }

    /// How often a thread has taken the lock.
    #[cfg(not(drumline_loom))]
    pub(crate) fn locks(&self) -> u64 {
        self.locks.get()
    }

    /// Whether a worker could be called to help, as far as one can see. Relaxed: hints; the lock
    /// decides.
    #[cfg(not(drumline_loom))]
    pub(crate) fn has_room_for_helpers(&self) -> bool {
        self.active.load(Ordering::Relaxed) + 1 < self.places.load(Ordering::Relaxed)
            && self.has_idle.load(Ordering::Relaxed)
    }

    /// The number of places.
    pub(crate) fn places(&self) -> usize {
        // Relaxed: a copy of a number that may change at any moment.
        self.places.load(Ordering::Relaxed)
    }

    /// Whether `me` still has the role of the searcher, as far as one can see.
    pub(crate) fn is_searcher(&self, me: usize) -> bool {
        // Relaxed: a hint. The role changes hands under the lock.
        self.searcher.load(Ordering::Relaxed) == me
    }

    /// Whether the pool is over.
    pub(crate) fn is_over(&self) -> bool {
        // Relaxed: it stays true, and a thread that has had the lock since then sees it.
        self.over.load(Ordering::Relaxed)
    }
}
