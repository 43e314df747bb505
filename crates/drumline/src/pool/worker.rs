//! The life of a worker thread.
//!
//! ```text
//!  arrive ──► asleep ◄──────── idle ◄──── watching ──► active ──► retire ─┐
//!                │                          ▲  ▲                          │
//!                └── woken as the lookout ──┘  └──────────────────────────┘
//! ```

use std::time::Duration;

use super::event::Event;
use super::line::{Doze, Duty, Role, Take, Wake};
use super::local;
use super::monitor::Monitor;
use super::registry::Registry;
use super::reserve::Reserve;
use super::scan::Scan;
use super::seat::Seat;
use super::thief::{Loot, Thief};
use crate::platform::timer;
use crate::sync::thread;
use crate::unwind;
use crate::wait::{Mood, Patience, Step};

/// For how long a spare that nobody needs stays.
const SPARE_STAYS: Duration = Duration::from_secs(2);
/// The same for one that never had anything to do but to look after others.
const MONITOR_STAYS: Duration = Duration::from_millis(100);

/// How a spell of watching ended.
enum Watched {
    /// There is work, and a place. With `mark`, the line's marks must be set
    /// before the first job begins.
    Active { mark: bool },
    /// Another role.
    Role(Role),
}

/// Runs a worker to the end of its pool.
///
/// A spare ends earlier, when nobody has needed it for a while.
pub(crate) fn run(registry: &Registry, index: usize, spare: bool) {
    let seat = registry.seat(index);
    seat.conduct().move_in(thread::current().name());
    let _restore = local::switch(seat, seat.first_deque());
    timer::precise_timer_slack();
    registry.tell(|| Event::ThreadStarted { index });
    // A panic here would leave the pool with a thread that it counts on.
    unwind::never(|| {
        Worker {
            registry,
            seat,
            thief: Thief::new(index),
            useful: false,
            spare,
            needed: false,
        }
        .live();
    });
    if registry.hooks().has_exit() {
        registry.begin(seat);
        registry.run_exit_hook(index);
        registry.wake(registry.line().leave(index, &|| registry.has_work()));
    }
    registry.tell(|| Event::ThreadStopped { index });
    if spare && !registry.line().is_over() {
        registry.dismiss_spare(seat);
        registry.wake(registry.line().left(&|| registry.has_work()));
    }
}

struct Worker<'a> {
    registry: &'a Registry,
    seat: &'a Seat,
    thief: Thief,
    /// Whether it has run anything worth while since it was last asleep.
    useful: bool,
    /// Whether it is there only because others block.
    spare: bool,
    /// Whether it has ever taken a place.
    needed: bool,
}

impl<'a> Worker<'a> {
    fn live(&mut self) {
        let line = self.registry.line();
        let me = self.seat.index();
        let work = || self.registry.has_work();
        let mut role = if self.registry.hooks().has_entry() {
            self.registry.begin_first(self.seat);
            self.registry.run_entry_hooks(me);
            self.retire()
        } else {
            self.seat.handshake().end();
            let (role, wake) = line.arrive(me, &work);
            self.registry.wake(wake);
            role
        };
        loop {
            role = match role {
                Role::Exit => return,
                Role::Sleep => {
                    self.useful = false;
                    // The token of an inbox job may have been used up by a wait
                    // inside the job that ran last.
                    if self.seat.inbox().len() == 0 && !self.sleep() {
                        return;
                    }
                    if self.seat.inbox().len() > 0 {
                        self.registry.begin(self.seat);
                        self.work(false)
                    } else {
                        line.woken(me)
                    }
                }
                Role::Monitor => self.look_after(),
                Role::Watch => match self.watch() {
                    Watched::Active { mark } => self.work(mark),
                    Watched::Role(role) => role,
                },
            }
        }
    }

    /// Sleeps in line until it is woken. `false`: a spare that was not needed
    /// for a while, and has left the line.
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
        let line = self.registry.line();
        self.seat.sleep_in(|parker| {
            while !parker.park_timeout(stay) {
                if line.quit(self.seat.index()) {
                    return false;
                }
                if line.is_over() {
                    break;
                }
            }
            true
        })
    }

    /// Looks after the active threads as the monitor, until it has another role.
    fn look_after(&mut self) -> Role {
        let registry = self.registry;
        let line = registry.line();
        let me = self.seat.index();
        let mut monitor = Monitor::new(registry);
        loop {
            if self.seat.inbox().len() > 0 {
                registry.begin(self.seat);
                return self.work(false);
            }
            monitor.look(registry);
            match line.monitor(me, monitor.has_rested(), &|| registry.has_work()) {
                Duty::Stay => {
                    self.seat.parker().park_timeout(monitor.nap());
                }
                Duty::Leave { mark } => {
                    if mark && registry.mark_and_scan_patiently(self.seat) {
                        registry.wake(line.summon());
                    }
                    return Role::Sleep;
                }
                Duty::Other(role) => return role,
            }
        }
    }

    /// Watches as the lookout until there is work, or there is nobody to
    /// watch for.
    fn watch(&mut self) -> Watched {
        let registry = self.registry;
        let line = registry.line();
        let me = self.seat.index();
        let work = || registry.has_work();
        let mut patience = Patience::new();
        let mut entries = None;
        let (mut reserve, mut insists) = (None, false);
        loop {
            if self.seat.inbox().len() > 0 {
                registry.begin(self.seat);
                return Watched::Active { mark: false };
            }
            let seen = self.thief.survey(registry);
            if let Some(through) = patience.take_nap() {
                self.seat.counters().count_nap(through, || seen > 0);
            }
            if seen > 0 {
                self.seat.begin();
                match line.take(me, seen > 1, self.spare && !insists) {
                    Take::Reserved { waiting } => {
                        self.seat.handshake().end();
                        let reserve = reserve.get_or_insert_with(|| Reserve::new(registry));
                        match reserve.decide(registry, waiting) {
                            Ok(()) => insists = true,
                            Err(nap) => patience.rest(self.seat.parker(), nap),
                        }
                        continue;
                    }
                    Take::Active { wake, mark } => {
                        if wake != Wake::Nobody {
                            self.seat.counters().beats.up();
                        }
                        registry.wake(wake);
                        return Watched::Active { mark };
                    }
                    Take::NoPlace | Take::Deposed => self.seat.handshake().end(),
                }
            }
            let quiet = line.is_quiet();
            if seen == 0
                && !quiet
                && line.is_lookout(me)
                && let Some(calm) = self.thief.calm()
            {
                // Spinning beside a victim that is left alone helps nobody.
                patience.rest(self.seat.parker(), calm);
                continue;
            }
            // Nothing has run since the last look: there is nobody to watch.
            // One nap for those who come back soon, if helping was of use.
            let deserted = quiet && entries == Some(line.entries());
            entries = Some(line.entries());
            let mood = match (quiet, deserted) {
                (false, _) => Mood::Eager,
                (true, true) if !self.useful || patience.has_napped() => Mood::Leaving,
                (true, _) => Mood::Idle,
            };
            if line.is_lookout(me) && patience.wait(self.seat.parker(), mood) == Step::Look {
                continue;
            }
            match line.doze(me, &work) {
                Doze::Mark => {
                    if !registry.mark_and_scan_patiently(self.seat) {
                        return Watched::Role(Role::Sleep);
                    }
                    match line.rise(me) {
                        Role::Watch => patience.reset(),
                        role => return Watched::Role(role),
                    }
                }
                Doze::Watch => patience.reset(),
                Doze::Monitor => return Watched::Role(Role::Monitor),
                Doze::Sleep => return Watched::Role(Role::Sleep),
                Doze::Exit(wake) => {
                    registry.wake(wake);
                    return Watched::Role(Role::Exit);
                }
            }
        }
    }

    /// Works until nothing is left to take, then gives up the place.
    fn work(&mut self, mark: bool) -> Role {
        let registry = self.registry;
        self.needed = true;
        // With a place that nobody else could use it is a worker like any other.
        if self.spare && registry.line().is_stretched() {
            self.seat.counters().spares.up();
            registry.tell(|| Event::Compensated {
                threads: registry.threads(),
                blocked: registry.line().away(),
            });
        }
        let mut owes_marks = mark;
        while let Some(loot) = self.find() {
            if std::mem::take(&mut owes_marks) && registry.mark_and_scan() != Scan::Nothing {
                registry.wake(registry.line().summon());
            }
            self.useful |= self.thief.run(self.seat, loot);
            if registry.line().is_crowded() {
                break;
            }
        }
        self.retire()
    }

    /// Gives up the place.
    fn retire(&self) -> Role {
        let registry = self.registry;
        self.seat.handshake().end();
        let (role, wake) = registry
            .line()
            .retire(self.seat.index(), &|| registry.has_work());
        registry.wake(wake);
        role
    }

    /// The next job, nearest first.
    fn find(&mut self) -> Option<Loot<'a>> {
        let own = self.seat.inbox().take().or_else(|| self.seat.queue().pop());
        // Only here: nothing else is on this thread's stack.
        let job = own
            .or_else(|| self.registry.long_lived().take())
            .or_else(|| self.registry.injector().take());
        match job {
            Some(job) => Some(Loot::Job(job)),
            None => self.thief.steal(self.registry),
        }
    }
}
