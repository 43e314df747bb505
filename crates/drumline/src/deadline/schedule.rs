//! Deadlines in order, and the protocol between the threads that enter them and the timer thread.
//!
//! ```text
//!           insert: starts it               look: nothing is due
//!   ABSENT ───────────────────► AWAKE ◄────────────────────────► ASLEEP(until)
//!      ▲                          │    `until` has come;
//!      │                          │    an earlier deadline comes: unpark;
//!      └──────────────────────────┘    the last deadline is cancelled: unpark
//!        look: none for a while
//! ```
//!
//! All of this is under one lock. The timer thread alternates between a *look* and what the look
//! tells it: to call an entry, to sleep, or to end. It does these without the lock.
//!
//! # The invariant
//!
//! > With the lock free: if there is a deadline, then a timer thread exists, and it is AWAKE, or
//! > ASLEEP until that deadline at the latest.
//!
//! A thread that is AWAKE looks again before it sleeps or ends. So no deadline is missed.
//!
//! # The races feared
//!
//! *An insert meets a thread that falls asleep.* The look finds the earliest deadline and says
//! until when the thread sleeps, in one critical section. What was inserted before is part of the
//! look. A later insert sees ASLEEP(`until`) and unparks the thread if its deadline is earlier. The
//! thread may not have parked yet; then the parker keeps the wake-up.
//!
//! *An insert meets a thread that ends.* The look finds no deadline and says ABSENT, in one
//! critical section, and the thread touches nothing afterwards. What was inserted before is seen. A
//! later insert starts another thread. The first thread may still exist then, but no step of the
//! protocol is left to it. A late unpark that was meant for it costs the next one a look.
//!
//! *The system refuses the thread.* The thread is started with the lock held, before the deadline
//! is entered. So no second insert can rely on a thread that will not come, and a refused insert
//! leaves nothing behind: it hands its call back. The new thread waits for the lock at its first
//! look. Threads are started rarely, so it does not matter that others wait meanwhile.
//!
//! *A cancel, or a change of the call, meets the thread that fires.* Exactly one of them removes an
//! entry from the map, under the lock, and the entry belongs to the one that removed it.
//!
//! # Wake-ups
//!
//! The thread is unparked for a deadline that is earlier than what it sleeps for, and for nothing
//! else, with one exception. A cancel that leaves no deadline unparks a thread that would sleep for
//! longer than it lingers, because the thread would exist for all that time without a deadline.
//! After that it sleeps for the length of a linger, and so this happens once in that time at most.
//!
//! A program that again and again enters a deadline and cancels it wakes the thread once in the
//! time until the deadline, as a rule: most timeouts are such. The thread sleeps no longer than to
//! the deadline for which it was unparked, although that is gone when it looks. So the next one, as
//! far away as the first, is no earlier than what it sleeps for.
//!
//! # Memory
//!
//! A cancelled entry is removed at once: O(log n), as for insert. A heap with marks for what was
//! cancelled would be faster at the insert, and would grow by each timeout that did not happen
//! until its time has come. Those are nearly all timeouts.

use std::collections::BTreeMap;
use std::io;

use crate::sync::{Mutex, lock, planted};
use crate::wait::Parker;

/// The time that deadlines are of.
pub(super) trait Clock {
    /// A point in time.
    type Time: Copy + Ord;

    /// The present.
    fn now(&self) -> Self::Time;

    /// Until when a timer thread without deadlines waits for one. The present is `now`.
    fn linger_until(&self, now: Self::Time) -> Self::Time;

    /// Puts the timer thread to sleep, until `until` or a wake-up. It may return early.
    fn sleep(&self, parker: &Parker, until: Self::Time);
}

/// Names an entry. The earliest deadline is the least; of equal ones, the one entered first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DeadlineKey<T> {
    at: T,
    number: u64,
}

/// Why an entry was not made. The call comes back.
#[derive(Debug)]
pub(super) struct TimerRefused<C> {
    /// What was to be called.
    pub(super) call: C,
    /// What the system says.
    pub(super) error: io::Error,
}

/// Deadlines with what is to be called then.
pub(super) struct Schedule<T: Clock, C> {
    state: Mutex<ScheduleState<T::Time, C>>,
    /// Where the timer thread sleeps.
    parker: Parker,
    clock: T,
}

struct ScheduleState<T, C> {
    entries: BTreeMap<DeadlineKey<T>, C>,
    /// The number of the next entry.
    next: u64,
    timer: Timer<T>,
    /// The deadline for which the timer thread was unparked last. It may have been cancelled.
    woken_for: Option<T>,
    /// When the timer thread ends, while there has been no deadline since it began to wait for one.
    ends_at: Option<T>,
}

/// The timer thread.
#[derive(Clone, Copy)]
enum Timer<T> {
    /// There is none.
    Absent,
    /// It looks before it sleeps or ends.
    Awake,
    /// It sleeps, or is about to.
    Asleep { until: T },
}

/// What the timer thread does next.
enum TimerStep<T, C> {
    /// Call this, which is due.
    Fire(C),
    Sleep(T),
    End,
}

impl<T: Copy + Ord, C> ScheduleState<T, C> {
    /// Enters a deadline. Returns its name, and whether the caller has to unpark the thread.
    fn add(&mut self, at: T, call: C) -> (DeadlineKey<T>, bool) {
        let key = DeadlineKey {
            at,
            number: self.next,
        };
        self.next += 1;
        self.entries.insert(key, call);
        self.ends_at = None;
        let must_wake = self.must_wake(|until| at < until);
        if must_wake {
            self.woken_for = Some(at);
        }
        (key, must_wake)
    }

    /// Whether the caller has to unpark the thread, because it would sleep `too_long`.
    fn must_wake(&mut self, too_long: impl FnOnce(T) -> bool) -> bool {
        match self.timer {
            Timer::Asleep { until } if too_long(until) => {
                // One wake-up is enough: it looks at everything.
                self.timer = Timer::Awake;
                true
            }
            _ => false,
        }
    }
}

impl<T: Clock, C> Schedule<T, C> {
    pub(super) fn new(clock: T) -> Self {
        Schedule {
            state: Mutex::new(ScheduleState {
                entries: BTreeMap::new(),
                next: 0,
                timer: Timer::Absent,
                woken_for: None,
                ends_at: None,
            }),
            parker: Parker::new(),
            clock,
        }
    }

    /// Has `call` called at `at`. If there is no timer thread, `start` starts one, which
    /// [runs](Self::run); it is called with the lock held.
    pub(super) fn insert(
        &self,
        at: T::Time,
        call: C,
        start: impl FnOnce() -> io::Result<()>,
    ) -> Result<DeadlineKey<T::Time>, TimerRefused<C>> {
        let mut state = lock(&self.state);
        if let Timer::Absent = state.timer {
            if planted!(TimerStartsTwoSteps) {
                drop(state);
                state = lock(&self.state);
            }
            if let Err(error) = start() {
                return Err(TimerRefused { call, error });
            }
            state.timer = Timer::Awake;
        }
        let (key, must_wake) = state.add(at, call);
        drop(state);
        self.wake(must_wake);
        Ok(key)
    }

    /// Takes an entry back. `None` says that the timer thread has taken it before: it has called
    /// the entry, or is about to.
    pub(super) fn cancel(&self, key: DeadlineKey<T::Time>) -> Option<C> {
        let mut state = lock(&self.state);
        let call = state.entries.remove(&key)?;
        let must_wake = state.entries.is_empty()
            && !planted!(LastCancelSilent)
            && state.must_wake(|until| until > self.clock.linger_until(self.clock.now()));
        drop(state);
        self.wake(must_wake);
        Some(call)
    }

    /// Replaces what is called. Returns what was to be called before, or `call` if the timer thread
    /// has taken the entry already.
    pub(super) fn replace(&self, key: DeadlineKey<T::Time>, call: C) -> Result<C, C> {
        let mut state = lock(&self.state);
        match state.entries.get_mut(&key) {
            Some(entry) => Ok(std::mem::replace(entry, call)),
            None if planted!(ReplacedTooLate) => Ok(call),
            None => Err(call),
        }
    }

    /// Moves an entry to another time. `None` says that the timer thread has taken it before.
    pub(super) fn move_to(
        &self,
        key: DeadlineKey<T::Time>,
        at: T::Time,
    ) -> Option<DeadlineKey<T::Time>> {
        let mut state = lock(&self.state);
        let call = state.entries.remove(&key)?;
        // The entry was there, so a thread is, too.
        let (key, must_wake) = state.add(at, call);
        drop(state);
        self.wake(must_wake);
        Some(key)
    }

    /// Without the lock, which the thread wants at once.
    fn wake(&self, must_wake: bool) {
        if must_wake {
            self.parker.unpark();
        }
    }

    /// The life of the timer thread. It hands `call` what is due.
    pub(super) fn run(&self, mut call: impl FnMut(C)) {
        loop {
            match self.look() {
                TimerStep::Fire(due) => call(due),
                TimerStep::Sleep(until) => self.clock.sleep(&self.parker, until),
                TimerStep::End => return,
            }
        }
    }

    /// What the timer thread does next. One entry at a time, so that each can be cancelled until
    /// its turn comes.
    fn look(&self) -> TimerStep<T::Time, C> {
        // Before the lock: nothing is called too early if this is a little in the past.
        let now = self.clock.now();
        let mut state = lock(&self.state);
        state.timer = Timer::Awake;
        let earliest = state.entries.first_key_value().map(|(key, _)| key.at);
        let until = match (earliest, state.ends_at) {
            (Some(at), _) if at <= now => {
                if planted!(FiresTwoSteps) {
                    drop(state);
                    state = lock(&self.state);
                }
                match state.entries.pop_first() {
                    Some((_, call)) => return TimerStep::Fire(call),
                    None => unreachable!("it was there, and the lock is held"),
                }
            }
            (Some(at), _) => at,
            (None, Some(end)) if end <= now => {
                if planted!(TimerEndsTwoSteps) {
                    drop(state);
                    state = lock(&self.state);
                }
                state.timer = Timer::Absent;
                state.ends_at = None;
                return TimerStep::End;
            }
            // Woken early, for a reason that is gone.
            (None, Some(end)) => end,
            (None, None) => {
                let end = self.clock.linger_until(now);
                state.ends_at = Some(end);
                end
            }
        };
        if planted!(TimerSleepsTwoSteps) {
            drop(state);
            state = lock(&self.state);
        }
        let until = match state.woken_for {
            Some(at) if at > now => until.min(at),
            _ => until,
        };
        state.timer = Timer::Asleep { until };
        TimerStep::Sleep(until)
    }

    /// The number of deadlines.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        lock(&self.state).entries.len()
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use std::cell::Cell;

    use super::*;

    const LINGER: u32 = 1_000;

    impl Clock for &Cell<u32> {
        type Time = u32;

        fn now(&self) -> u32 {
            self.get()
        }

        fn linger_until(&self, now: u32) -> u32 {
            now + LINGER
        }

        fn sleep(&self, _: &Parker, _: u32) {
            unreachable!("the test is the timer thread")
        }
    }

    /// Requests that are answered long before their deadline, and before the thread has looked.
    #[test]
    fn deadlines_that_are_cancelled_do_not_wake_the_thread_each_time() {
        for far in [None, Some(1_000_000)] {
            let clock = Cell::new(0);
            let schedule = Schedule::new(&clock);
            let key = schedule.insert(far.unwrap_or(0), (), || Ok(())).unwrap();
            if far.is_none() {
                schedule.cancel(key);
            }
            schedule.look();
            let mut wakes = 0;
            for _ in 0..10_000 {
                clock.set(clock.get() + 1);
                let key = schedule
                    .insert(clock.get() + 100, (), || unreachable!("there is a thread"))
                    .unwrap();
                wakes += u32::from(matches!(lock(&schedule.state).timer, Timer::Awake));
                assert!(schedule.cancel(key).is_some());
                let timer = lock(&schedule.state).timer;
                match timer {
                    Timer::Asleep { until } if clock.get() < until => {}
                    Timer::Asleep { .. } | Timer::Awake => drop(schedule.look()),
                    Timer::Absent => panic!("it has ended"),
                }
            }
            assert!(wakes <= 10_000 / 100 + 2, "{wakes}");
        }
    }
}
