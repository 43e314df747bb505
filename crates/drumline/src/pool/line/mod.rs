//! The line of idle workers: who watches, who sleeps, who is woken.
//!
//! # What it owns
//!
//! The number of *places* (`jobs`: how many threads may run user code at
//! once); how many threads are *active*, and how many *away*: they wait or
//! block, and come back, and their deques are in use meanwhile. The idle
//! workers standing in line, and which one of them is the *lookout*: the only
//! idle thread that is awake to take work. Everybody else sleeps without a
//! timeout, but for the *monitor*: where all places are taken, one that stands
//! in line looks after those who have them. And how many workers there are,
//! are on their way (*arriving*), and may be: a *spare* is hired where a place
//! is free for work and nobody stands in line.
//!
//! # The invariant
//!
//! The pool is *marked* (`hungry`) when every deque in use, also one that
//! enters later, carries the mark, and a scan made after the marks and a heavy
//! barrier found nothing (or will be made by whoever is at it).
//!
//! > Whenever a place is free, and a worker stands in line or may be hired,
//! > there is a lookout, or a worker arrives, or the pool is marked.
//! >
//! > Whenever no place is free in a pool that is monitored, and a worker stands
//! > in line or may be hired, there is a monitor or a lookout, or a worker
//! > arrives, or the pool is marked.
//!
//! A thread that waits, sleeps, and would run any job (`Absence::Steals`) counts
//! as a worker that may be hired: it is called where none may be.
//!
//! A marked deque makes its owner's next push take the cold path, which calls
//! [`Line::summon`]. So work that becomes visible is either seen by a lookout
//! or the monitor, or found by the scan, or announced by its owner. Not held
//! any more when the system refuses a thread that was relied on (`unhire`):
//! `pool::starved` asks again when a thread ends.
//!
//! ```text
//!             retire()                      take(): finds work
//!   ACTIVE ─────────────► LOOKOUT ─────────────────────────────► ACTIVE
//!     │                    │    ▲                                  │ wakes the
//!     │ retire(), another  │    │ summon(), leave(), take():       │ next in line,
//!     │ lookout stands     │    │ chosen as head of the line       │ or marks
//!     ▼ before it          ▼    │                                  ▼
//!   ASLEEP ◄───────────────┴────┘ doze(): nothing came, or deposed
//!     │  ▲
//!     ▼  │ monitor(): nothing to look after    monitor(): a place is free
//!   MONITOR ─────────────────────────────────────────────────────► LOOKOUT
//! ```
//!
//! A worker is in one of these states; a deposed one that does not know yet is
//! awake, and stands in line (`stand`) as soon as it asks. A lookout is not in
//! line and the pool not marked; the monitor is in line. A thread that was
//! *displaced*, seen to block without having said so, counts as away, and does
//! not know; whatever it asks for first settles that (`deactivate`).
//!
//! # Who keeps the invariant, event by event
//!
//! * A lookout that goes to sleep (`doze`) is in line and not awake from the
//!   moment it gives up the role under the lock; it *then* marks, runs the
//!   barrier and scans. If it finds something, the marks are void, and it
//!   stands in line again (`rise`): as the lookout, or the monitor. Where no
//!   place is free it does not mark, and is the monitor if there is none.
//! * A deque enters use under the lock (`enter`, `add_member`; `begin` for a
//!   worker that slept; `add_deque` where one is full), so it is either seen by
//!   the marking that follows, or it learns that it must carry the mark; where
//!   it need not, the pool is marked no more (`admit`).
//! * A lookout that takes work (`take`) names its successor, or hires one, or
//!   marks before it begins. A spare leaves places of threads that only wait
//!   alone for a while; it is the lookout as long as it thinks, and a thread
//!   that blocks wakes it (`holding`).
//! * The last place is taken (`take`, `enter`, `begin`, `come_back`,
//!   `set_places`): unless the pool is marked, the last in line is the monitor,
//!   or the taker marks (`look_after`). Nobody is hired for that before there
//!   is evidence, a push that met a mark. The limit on workers counts the
//!   monitor; at the limit there is none unless a worker is idle.
//! * A place becomes free (`leave`, `rest`, `set_places`) without a lookout and
//!   without marks: the head of the line is woken; where nobody stands there, a
//!   spare is hired if work is visible, and if not, the thread that goes
//!   marks. Only where no deque is in use, "no marks" is as good as "marks":
//!   each deque that enters then gets its own.
//! * A thread that waits to steal is in the set of those that may be called from
//!   the moment it gives up its place (`rest`). One that is called leaves the
//!   set, looks for work, and enters the set again before it sleeps; one that
//!   has something else to do by then summons the next (`pool::waiting`).
//! * The monitor takes the place of a thread that blocks (`displace`) and asks
//!   for its duty: it is the lookout itself. When nothing was to be done for a
//!   while it leaves with marks, as a dozing lookout does. Called to be the
//!   lookout, or deposed after that, it learns so when it asks.
//! * A spare that quits is taken out of the line first, and stays if it was
//!   chosen meanwhile. It counts against the limit until it has `left`, and
//!   asks then whether another one is needed.
//! * A mark is used up by `summon`. It calls the head of the line or hires
//!   (place free), or makes sure of a monitor (none free), and clears `hungry`,
//!   so that the next event knows that the marks no longer hold.
//! * A worker that has handlers to run when it arrives (`arrive_active`) is active meanwhile, and
//!   arrives no more: what relied on its look is done anew, as where a place becomes free.
//! * A call from outside that brings work now and then (a stream) keeps a closed pool from its end
//!   (`begin_call`). The last such call ends the pool (`end_call`).
//! * A member for good does not keep the pool from its end. When it has published work, it asks
//!   whether the pool has ended without the work (`has_ended`). If so, it does the work itself.
//! * A closed pool is over when only members are in use, no worker arrives, and nothing is
//!   visible. A thread that is away, displaced included, keeps it open. The last to become idle, or
//!   to arrive, or to be refused, notices (`end_if_done`).
//!
//! # The races feared
//!
//! A wake-up lost between "nothing there" and sleeping: publishing and marking
//! form the store-load pattern of `sync::barrier`; role changes happen under
//! one lock; and a sleeper's parker keeps a token that comes early.
//!
//! A place given away twice, or lost, between the monitor and the thread that
//! has it: both change the counts under the lock only, by sets of who is
//! active and who displaced; and a thread that leaves a note that it blocks
//! goes on with a read-modify-write of the note (`pool::conduct`).
//!
//! # Where it is
//!
//! | file | noun |
//! |---|---|
//! | `role` | what those who ask are told: whom to wake, what to be |
//! | `state` | what is under the lock, and the steps that several events share |
//! | `places` | who becomes active and who no longer is, workers apart |
//! | `staff` | workers that come and go, and the monitor among them |
//! | `check` | for the models: what holds whenever the lock is free |
//!
//! # Rejected
//!
//! A counter of sleepers that every push reads and updates (an atomic
//! read-modify-write per push); waking from the push itself at every push (a
//! storm); one watching thread besides the workers (it ticks when idle); a
//! monitor that is there before anything was seen to wait (the same).

#[cfg(all(test, any(drumline_loom, drumline_shuttle)))]
mod check;
mod places;
mod role;
mod staff;
mod state;

use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Count, Mutex, MutexGuard, barrier, lock, planted};

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
    /// How often the pool has come to rest.
    spells: AtomicUsize,
    over: AtomicBool,
    /// Whether the pool is closed; see [`has_ended`](Self::has_ended).
    closed: AtomicBool,
    /// Whether a worker could look after the active threads.
    monitored: AtomicBool,
    /// How often the lock was taken; counted under it.
    locks: Count,
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
            spells: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            monitored: AtomicBool::new(staffing.monitored),
            locks: Count::default(),
        }
    }

    fn with<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let mut state: MutexGuard<'_, State> = lock(&self.state);
        self.locks.up();
        let worked = state.in_use() > state.members;
        let outcome = change(&mut state);
        if worked && state.in_use() == state.members {
            let spells = self.spells.load(Ordering::Relaxed);
            self.spells.store(spells.wrapping_add(1), Ordering::Relaxed);
        }
        #[cfg(all(test, any(drumline_loom, drumline_shuttle)))]
        state.check();
        // Relaxed: hints only; every decision is made under the lock.
        self.active.store(state.active, Ordering::Relaxed);
        self.quiet
            .store(state.in_use() == state.members, Ordering::Relaxed);
        self.places.store(state.places, Ordering::Relaxed);
        self.lookout
            .store(state.lookout.unwrap_or(NOBODY), Ordering::Relaxed);
        self.over.store(state.over, Ordering::Relaxed);
        self.monitored
            .store(state.may_be_monitored(), Ordering::Relaxed);
        outcome
    }

    // ---- workers --------------------------------------------------------

    /// A new worker stands in line.
    pub(crate) fn arrive(&self, me: usize, work: &dyn Fn() -> bool) -> (Role, Wake) {
        self.with(|state| {
            state.arriving = state.arriving.saturating_sub(1);
            let role = if state.end_if_done(work) {
                return (Role::Exit, Wake::All);
            } else if state.in_use() > 0 || work() {
                state.stand(me)
            } else {
                // Nothing is in use, and what enters will be marked.
                state.idle.insert(me);
                Role::Sleep
            };
            (role, Wake::Nobody)
        })
    }

    /// A new worker is active at once: it has the program's handlers to run before it stands in
    /// line, and there need not be a free place. `admit` as for [`enter`](Self::enter).
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
                return Wake::Nobody;
            }
            if state.place_is_free() {
                state.place_was_freed(work)
            } else {
                state.look_after(false)
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
                deposed => {
                    if let Some(deposed) = deposed {
                        state.loose.insert(deposed);
                    }
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
            state.loose.remove(me);
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
            if state.lookout.is_none() {
                // The marks no longer say that nothing is there.
                state.hungry = false;
            }
            if planted!(RiseSleeps) && !state.place_is_free() {
                return Role::Sleep;
            }
            state.stand(me)
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
        // Relaxed: the fence orders it before every scan for work that could end the pool.
        self.closed.store(true, Ordering::Relaxed);
        if !planted!(CloseUnfenced) {
            barrier::fence();
        }
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

    /// For a member for good that has just published work: whether the pool has ended without it.
    /// If it has not, the pool sees the work before it ends.
    pub(crate) fn has_ended(&self) -> bool {
        if planted!(MemberUnasked) {
            return false;
        }
        // The other side is `close`. Either this load sees that the pool is closed, or every scan
        // that could end the pool sees the work. If it is closed, the lock puts both in order.
        barrier::fence();
        self.closed.load(Ordering::Relaxed) && self.with(|state| state.over)
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

    /// Whether a worker looks after threads that have all the places, or could.
    pub(crate) fn is_monitored(&self) -> bool {
        // Relaxed: a hint. If it is old, a note stays unread until a worker is idle, and no other
        // worker could use the place.
        self.monitored.load(Ordering::Relaxed)
    }

    /// How often threads have entered from outside.
    pub(crate) fn entries(&self) -> usize {
        self.entries.load(Ordering::Relaxed)
    }

    /// How often the pool has come to rest.
    pub(crate) fn spells(&self) -> usize {
        self.spells.load(Ordering::Relaxed)
    }

    /// How often a thread has taken the lock.
    #[cfg(not(drumline_loom))]
    pub(crate) fn locks(&self) -> u64 {
        self.locks.get()
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
