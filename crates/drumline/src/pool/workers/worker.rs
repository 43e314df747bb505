//! The life of a worker thread.
//!
//! ```text
//!  arrive ──► asleep ◄──────── idle ◄──── searching ──► active ──► become_idle ─┐
//!                │                           ▲  ▲                               │
//!                └── woken as the searcher ──┘  └───────────────────────────────┘
//! ```

use std::time::Duration;

use super::overdue::{Overdue, OverdueLooks};
use super::thief::{Haul, StolenWork, Thief};
use crate::blocks;
use crate::job::{Header, JobRef};
use crate::platform::timer;
use crate::pool::blocking::monitor::BlockMonitor;
use crate::pool::blocking::spare_policy::SparePolicy;
use crate::pool::idle::wake_backoff::WakeBackoff;
use crate::pool::idle::{Duty, ParkStep, Role, TakeOutcome, Wake};
use crate::pool::observe::event::Event;
use crate::pool::shared::local;
use crate::pool::shared::registry::Registry;
use crate::pool::shared::scan::Scan;
use crate::pool::shared::seat::Seat;
use crate::sync::{Instant, thread};
use crate::unwind;
use crate::wait::{Patience, WaitKind, WaitStep};

/// How long a spare stays while it is not needed.
const SPARE_STAYS: Duration = Duration::from_secs(2);
/// The same for one that has only looked after other threads, and had nothing else to do.
const MONITOR_STAYS: Duration = Duration::from_millis(100);

/// A spare that took the place of a thread that waits was of use when it has run this many jobs in
/// a row without having to wait.
const TRIAL: u32 = 16;

/// A worker runs at most this many tasks in a row from its hand-off slot.
const HAND_OFFS_IN_A_ROW: u32 = 16;

/// How a search ended.
enum Watched {
    /// There is work, and a place. With `mark`, the marks of the idle set must be set
    /// before the first job begins.
    Active { mark: bool },
    /// Another role.
    Role(Role),
}

/// Runs a worker to the end of its pool.
///
/// A spare ends earlier, when it has not been needed for a while. So does, in a child process, a
/// worker on which a job has called `fork`: what is queued is for the threads of the parent, which
/// may have held any of the locks.
pub(crate) fn run(registry: &Registry, index: usize, spare: bool) {
    let seat = registry.seat(index);
    seat.block_state().move_in(thread::current().name());
    let restore = local::switch(seat, seat.first_deque());
    timer::precise_timer_slack();
    registry.notify(|| Event::ThreadStarted { index });
    // A panic here would leave the pool with a thread that it counts on.
    unwind::never(|| {
        Worker {
            registry,
            seat,
            thief: Thief::new(index),
            wake_backoff: WakeBackoff::default(),
            spare,
            policy: SparePolicy::default(),
            needed: false,
            hand_offs: 0,
            overdue: OverdueLooks::new(index),
        }
        .live();
    });
    if registry.is_forked() {
        return;
    }
    if registry.hooks().has_exit() {
        registry.begin(seat);
        registry.run_exit_hook(index);
        registry.wake(
            registry
                .idle_set()
                .leave(index, seat.queue().len() > 0, &|| registry.has_work()),
        );
    }
    registry.notify(|| Event::ThreadStopped { index });
    // From here on another thread may get the seat: this one must not take it for its own.
    drop(restore);
    if spare && !registry.idle_set().is_over() {
        registry.dismiss_spare(seat);
        registry.wake(registry.idle_set().left(&|| registry.has_work()));
    }
}

struct Worker<'a> {
    registry: &'a Registry,
    seat: &'a Seat,
    thief: Thief,
    wake_backoff: WakeBackoff,
    /// Whether it is there only because others block.
    spare: bool,
    /// Whether to take the places of threads that wait.
    policy: SparePolicy,
    /// Whether it has ever taken a place.
    needed: bool,
    /// Tasks in a row from the hand-off slot.
    hand_offs: u32,
    overdue: OverdueLooks,
}

impl<'a> Worker<'a> {
    fn live(&mut self) {
        let idle_set = self.registry.idle_set();
        let me = self.seat.index();
        let work = || self.registry.has_work();
        let mut role = if self.registry.hooks().has_entry() {
            self.registry.begin_first(self.seat);
            self.registry.disturb_end();
            self.registry.run_entry_hooks(me);
            self.become_idle()
        } else {
            self.seat.handshake().end();
            let (role, wake) = idle_set.arrive(me, &work);
            self.registry.wake(wake);
            role
        };
        loop {
            role = match role {
                Role::Exit => return,
                Role::Sleep => {
                    // The token of an inbox job may have been used up by a wait
                    // inside the job that ran last.
                    if self.seat.inbox().len() == 0 && !self.sleep() {
                        return;
                    }
                    if self.seat.inbox().len() > 0 {
                        self.registry.begin(self.seat);
                        self.work(false)
                    } else {
                        self.wake_backoff.has_woken();
                        self.registry.woken(self.seat)
                    }
                }
                Role::Called => self.registry.woken(self.seat),
                Role::Work => self.work(false),
                Role::Monitor => self.look_after(),
                Role::Search => match self.watch() {
                    Watched::Active { mark } => self.work(mark),
                    Watched::Role(role) => role,
                },
            }
        }
    }

    /// Sleeps in the idle set until it is woken. `false`: a spare that was not needed
    /// for a while, and has left the idle set.
    fn sleep(&self) -> bool {
        if !self.spare {
            self.seat.sleep();
            return true;
        }
        let stay = if self.needed {
            SPARE_STAYS
        } else {
            MONITOR_STAYS
        };
        let idle_set = self.registry.idle_set();
        self.seat.sleep_in(|parker| {
            while !parker.park_timeout(stay) {
                if idle_set.quit(self.seat.index()) {
                    return false;
                }
                if idle_set.is_over() {
                    break;
                }
            }
            true
        })
    }

    /// Looks after the active threads as the monitor, until it has another role.
    fn look_after(&mut self) -> Role {
        let registry = self.registry;
        let idle_set = registry.idle_set();
        let me = self.seat.index();
        let mut monitor = BlockMonitor::new(registry);
        loop {
            if self.seat.inbox().len() > 0 {
                registry.begin(self.seat);
                return self.work(false);
            }
            monitor.look(registry);
            match idle_set.monitor(me, monitor.has_rested(), &|| registry.has_work()) {
                Duty::Stay => monitor.pause(self.seat.parker()),
                Duty::Leave { mark } => {
                    if mark && registry.mark_and_scan_patiently(self.seat) {
                        registry.wake(idle_set.summon());
                    }
                    return Role::Sleep;
                }
                Duty::Other(role) => return role,
            }
        }
    }

    /// Watches as the searcher until there is work, or until the worker is to do something else.
    fn watch(&mut self) -> Watched {
        let registry = self.registry;
        let idle_set = registry.idle_set();
        let me = self.seat.index();
        let work = || registry.has_work();
        let mut patience = Patience::new();
        self.thief.begin();
        let mut is_trial = false;
        self.policy.begin();
        self.wake_backoff.begin_stay();
        loop {
            if self.seat.inbox().len() > 0 {
                registry.begin(self.seat);
                return Watched::Active { mark: false };
            }
            let seen = self.thief.survey(registry);
            if seen > 0 {
                self.seat.begin();
                match idle_set.take(me, seen > 1, self.spare && !is_trial) {
                    TakeOutcome::Reserved { waiting } => {
                        self.seat.handshake().end();
                        match self.policy.decide(registry, waiting) {
                            Ok(()) => is_trial = true,
                            // What waits is to wait, so the nap is not late.
                            Err(nap) => self.rest(seen, &mut patience, nap, &|| false),
                        }
                        continue;
                    }
                    TakeOutcome::Active { wake, mark } => {
                        if wake != Wake::None {
                            self.seat.counters().beats.up();
                        }
                        registry.wake(wake);
                        self.policy.end();
                        self.seat.set_trial(is_trial);
                        return Watched::Active { mark };
                    }
                    TakeOutcome::NoPlace | TakeOutcome::Deposed => self.seat.handshake().end(),
                }
            }
            let quiet = idle_set.is_quiet();
            if seen == 0
                && !quiet
                && idle_set.is_searcher(me)
                && let Some(pause) = self.thief.backing_off()
            {
                // It helps no thread to spin beside a victim that is left alone.
                let now = Instant::now();
                self.rest(seen, &mut patience, pause, &|| {
                    self.thief.has_missed(registry, now)
                });
                continue;
            }
            if seen == 0 && !quiet && idle_set.is_searcher(me) {
                self.thief.request_next(registry);
            }
            let kind = if quiet {
                WaitKind::Idle
            } else {
                WaitKind::Eager
            };
            if idle_set.is_searcher(me) && patience.wait(kind) == WaitStep::Look {
                continue;
            }
            self.wake_backoff.has_nothing();
            if !quiet && let Some(pause) = self.wake_backoff.next_nap() {
                let now = Instant::now();
                self.rest(seen, &mut patience, pause, &|| {
                    self.thief.has_missed(registry, now)
                });
                continue;
            }
            if quiet {
                blocks::trim(&work);
            }
            match idle_set.prepare_park(me, &work) {
                ParkStep::Mark => {
                    if !registry.mark_and_scan_patiently(self.seat) {
                        return Watched::Role(Role::Sleep);
                    }
                    match idle_set.unpark(me) {
                        Role::Search => patience.reset(),
                        role => return Watched::Role(role),
                    }
                }
                ParkStep::Search => patience.reset(),
                ParkStep::Monitor => return Watched::Role(Role::Monitor),
                ParkStep::Sleep => return Watched::Role(Role::Sleep),
                ParkStep::Exit(wake) => {
                    registry.wake(wake);
                    return Watched::Role(Role::Exit);
                }
            }
        }
    }

    /// Naps as the searcher, because what it has `seen` is not for it before that. Threads outside
    /// are told, so that they call. `is_late` says whether something else has come that is for it.
    fn rest(
        &self,
        seen: usize,
        patience: &mut Patience,
        nap: Duration,
        is_late: &dyn Fn() -> bool,
    ) {
        let idle_set = self.registry.idle_set();
        let me = self.seat.index();
        if !idle_set.prepare_nap(me) {
            return;
        }
        if seen > 0 || !self.registry.has_shared_work() {
            let through = patience.rest(self.seat.parker(), nap);
            self.seat.counters().count_nap(through, is_late);
        }
        idle_set.end_nap(me);
    }

    /// Works until nothing is left to take, then gives up the place.
    fn work(&mut self, mark: bool) -> Role {
        let registry = self.registry;
        self.needed = true;
        registry.disturb_end();
        // While there is a place for each thread that works, waits or blocks, a spare replaces
        // none. Then it is a worker like any other.
        if self.spare && registry.idle_set().is_stretched() {
            self.seat.counters().spares.up();
            registry.notify(|| Event::Compensated {
                threads: registry.threads(),
                blocked: registry.idle_set().away(),
            });
        }
        self.seat.hand_off().set_open(true);
        let mut owes_marks = mark;
        let mut jobs = 0_u32;
        self.wake_backoff.begin_work();
        while let Some(loot) = self.find() {
            if jobs == 0 && loot.is_one_of_many(registry) {
                registry.call_helpers(1);
            }
            if std::mem::take(&mut owes_marks) && registry.mark_and_scan() != Scan::Nothing {
                registry.wake(registry.idle_set().summon());
            }
            let is_half = loot.is_half();
            self.thief.run(self.seat, loot);
            if registry.is_forked() {
                return Role::Exit;
            }
            jobs = jobs.saturating_add(1);
            if jobs == TRIAL {
                self.seat.end_trial(false);
            }
            self.wake_backoff.has_worked(is_half);
            if self.run_handed_off() || registry.idle_set().is_overfull() {
                break;
            }
        }
        if registry.is_forked() {
            return Role::Exit;
        }
        if jobs > 0 {
            self.seat.end_trial(false);
        }
        self.become_idle()
    }

    /// Runs the tasks that the last job, and each of these, has handed to this worker. Returns
    /// whether the worker is one too many, or in a forked child.
    #[inline]
    fn run_handed_off(&mut self) -> bool {
        while let Some(job) = self.handed_off() {
            // SAFETY: a job that left its queue is run by the thread that took it.
            unsafe { self.seat.run_handed_off(job) };
            self.wake_backoff.has_worked(false);
            if self.registry.is_forked() || self.registry.idle_set().is_overfull() {
                return true;
            }
        }
        false
    }

    /// Gives up the place.
    fn become_idle(&mut self) -> Role {
        let registry = self.registry;
        self.seat.hand_off().set_open(false);
        self.seat.flush_hand_off();
        self.wake_backoff.has_nothing();
        self.seat.handshake().end();
        let has_jobs = self.seat.queue().len() > 0;
        let (role, wake) = registry
            .idle_set()
            .become_idle(self.seat.index(), has_jobs, &|| registry.has_work());
        registry.wake(wake);
        role
    }

    /// The next job, nearest first.
    fn find(&mut self) -> Option<StolenWork<'a>> {
        if let Some(job) = self.handed_off() {
            return Some(StolenWork::Job(job));
        }
        if let Some(place) = self.overdue.next()
            && let Some(overdue) = self.take_overdue(place)
        {
            return Some(overdue);
        }
        let own = self.seat.inbox().take().or_else(|| self.seat.queue().pop());
        match own.or_else(|| self.take_shared()) {
            Some(job) => Some(StolenWork::Job(job)),
            None => self.thief.steal(self.registry, Haul::Share),
        }
    }

    /// What came from outside. Only at the bottom of this thread's stack.
    fn take_shared(&self) -> Option<JobRef> {
        let long_lived = self.registry.long_lived().take();
        long_lived.or_else(|| self.registry.injector().take())
    }

    /// A job that others have kept waiting, if there is one.
    fn take_overdue(&mut self, place: Overdue) -> Option<StolenWork<'a>> {
        let queue = self.seat.queue();
        let job = match place {
            Overdue::Shared => self.take_shared().or_else(|| queue.take_first_behind()),
            Overdue::Woken => queue.take_first_behind().or_else(|| self.take_shared()),
            Overdue::Spawned => {
                let stale = self
                    .overdue
                    .stale_spawn(queue.oldest_stacked(), Instant::now());
                stale.and_then(|oldest| queue.take_if_oldest(oldest))
            }
            Overdue::Elsewhere => {
                let (victim, stale) = self.overdue.visit(self.registry, self.seat.index())?;
                return self.thief.take_stale(self.registry, victim, stale);
            }
        };
        job.map(StolenWork::Job)
    }

    /// The task that was handed to this worker by its last job, unless others have waited for long
    /// enough.
    #[inline]
    fn handed_off(&mut self) -> Option<JobRef> {
        if self.hand_offs == HAND_OFFS_IN_A_ROW {
            self.hand_offs = 0;
            self.seat.flush_hand_off();
            return None;
        }
        let Some(job) = self.seat.take_hand_off() else {
            self.hand_offs = 0;
            return None;
        };
        self.hand_offs += 1;
        // SAFETY: a job in the slot is alive until it has been run.
        Some(unsafe { Header::job_ref(job) })
    }
}
