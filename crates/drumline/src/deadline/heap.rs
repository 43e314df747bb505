//! The heap of this process, its threads, and a waker that is registered there.

use std::io;
use std::num::NonZeroUsize;
use std::task::Waker;
use std::time::{Duration, Instant};

use super::schedule::{Clock, DeadlineKey, Schedule, TimerRefused};
use crate::platform::{fork, timer};
use crate::sync::{self, PerProcess, process_wide, thread_number};
use crate::unwind;
use crate::wait::{Parker, WakerId};

/// How long the timer thread waits for the next deadline before it ends. To start a thread costs
/// about as much as a hundred deadlines; a thread that sleeps costs nothing but memory.
const LINGER: Duration = Duration::from_secs(1);

/// The name of the timer thread. Linux shows 15 bytes of a name.
const NAME: &str = "drumline-timer";

/// The stack of the timer thread. Wakers run there, and so do drops of the tasks behind them.
const STACK_SIZE: usize = 2 << 20;

/// The clock of the standard library, which never goes backwards.
///
/// Under shuttle as well: deadlines are a part of the public API, and so of real time. Programs
/// there have none.
struct SystemClock;

impl Clock for SystemClock {
    type Time = Instant;

    fn now(&self) -> Instant {
        Instant::now()
    }

    fn linger_until(&self, now: Instant) -> Instant {
        now + LINGER
    }

    fn sleep(&self, parker: &Parker, until: Instant) {
        let left = until.saturating_duration_since(self.now());
        if left > Duration::ZERO {
            parker.park_timeout(left);
        }
    }
}

/// How many threads share a part of the heap, if there are as many as processors. Each part has a
/// lock and a timer thread of its own: a machine with 64 processors would wait for a single lock.
const THREADS_OF_PART: usize = 4;

/// Parts, at most.
const MOST_PARTS: usize = 16;

/// The deadlines of a process.
pub(super) struct DeadlineHeap {
    parts: Box<[HeapPart]>,
}

/// The deadlines that some of the threads have entered.
struct HeapPart {
    schedule: Schedule<SystemClock, Waker>,
    /// See [`is_forked`](Self::is_forked).
    generation: u32,
}

process_wide! {
    /// The heap. Made anew in a forked child, where the locks of the old one may be held by no
    /// thread.
    static HEAP: PerProcess<DeadlineHeap> = PerProcess::new();
}

impl DeadlineHeap {
    /// A heap for a machine with this many processors.
    pub(super) fn new(processors: usize) -> Self {
        let part = |_| HeapPart {
            schedule: Schedule::new(SystemClock),
            generation: fork::generation(),
        };
        let parts = processors.div_ceil(THREADS_OF_PART).clamp(1, MOST_PARTS);
        DeadlineHeap {
            parts: (0..parts).map(part).collect(),
        }
    }

    /// The heap of this process.
    fn get() -> &'static Self {
        HEAP.get(|| {
            let usable = std::thread::available_parallelism();
            DeadlineHeap::new(usable.map_or(1, NonZeroUsize::get))
        })
    }

    /// The part of the calling thread.
    fn part(&self) -> &HeapPart {
        match &*self.parts {
            [only] => only,
            parts => &parts[thread_number() % parts.len()],
        }
    }
}

impl HeapPart {
    /// Whether this is of a parent process.
    fn is_forked(&self) -> bool {
        self.generation != fork::generation()
    }

    /// Starts the timer thread.
    fn start(&'static self) -> io::Result<()> {
        let thread = sync::thread::Builder::new()
            .name(NAME.to_owned())
            .stack_size(STACK_SIZE);
        let handle = thread.spawn(|| {
            timer::precise_timer_slack();
            // A timer thread that unwinds would leave deadlines behind that no thread fires.
            unwind::never(|| self.schedule.run(fire));
        })?;
        // It ends by itself.
        drop(handle);
        Ok(())
    }
}

/// Wakes, on the timer thread. The waker is the program's: neither its call nor its drop may end
/// the thread.
fn fire(waker: Waker) {
    if let Err(payload) = unwind::catch(|| waker.wake()) {
        unwind::discard(payload);
    }
}

/// A waker in the heap. It is taken out when this is dropped.
pub(crate) struct Registration {
    part: &'static HeapPart,
    key: DeadlineKey<Instant>,
    waker: WakerId,
}

impl Registration {
    /// Has `waker` woken at `at`. Fails if the system refuses the timer thread; the next call asks
    /// it again.
    pub(crate) fn new(at: Instant, waker: &Waker) -> io::Result<Self> {
        let part = DeadlineHeap::get().part();
        let id = WakerId::of(waker);
        match part.schedule.insert(at, waker.clone(), || part.start()) {
            Ok(key) => Ok(Registration {
                part,
                key,
                waker: id,
            }),
            Err(TimerRefused { call, error }) => {
                unwind::discard(call);
                Err(error)
            }
        }
    }

    /// Has `waker` woken from now on. Returns `false` if the deadline is over.
    ///
    /// A waker that is registered already costs no lock.
    ///
    /// The caller has found the deadline to be in the future, during this call of its `poll`.
    #[must_use]
    pub(super) fn update(&mut self, waker: &Waker) -> bool {
        let id = WakerId::of(waker);
        if id == self.waker {
            return true;
        }
        match self.part.schedule.replace(self.key, waker.clone()) {
            Ok(before) => {
                self.waker = id;
                unwind::discard(before);
                true
            }
            Err(unused) => {
                unwind::discard(unused);
                false
            }
        }
    }

    /// Moves the deadline. Returns `false` if the old one is over, or is of a parent process: then
    /// nothing is registered any more.
    #[must_use]
    pub(super) fn move_to(&mut self, at: Instant) -> bool {
        if self.is_forked() {
            return false;
        }
        match self.part.schedule.move_to(self.key, at) {
            Some(key) => {
                self.key = key;
                true
            }
            None => false,
        }
    }

    /// Whether this was made in a parent process, and is worth nothing here.
    pub(super) fn is_forked(&self) -> bool {
        self.part.is_forked()
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        // In a forked child the lock may be held by no thread.
        if !self.is_forked() {
            // Dropped without the lock. A waker may own the task that drops this, or another one,
            // with registrations of its own.
            if let Some(waker) = self.part.schedule.cancel(self.key) {
                unwind::discard(waker);
            }
        }
    }
}

/// The number of deadlines of this process.
#[cfg(test)]
pub(super) fn len() -> usize {
    let parts = DeadlineHeap::get().parts.iter();
    parts.map(|part| part.schedule.len()).sum()
}

#[cfg(all(test, not(drumline_shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn a_large_machine_has_several_parts() {
        let parts = |processors| DeadlineHeap::new(processors).parts.len();
        assert_eq!([1, 4, 5, 64, 1_000].map(parts), [1, 1, 2, 16, 16]);
    }

    #[test]
    fn threads_have_parts_in_turn() {
        let heap = DeadlineHeap::new(64);
        let part = || std::ptr::from_ref(heap.part()).addr();
        assert_eq!(part(), part(), "a thread keeps its part");
        let parts = std::thread::scope(|scope| {
            let threads = Vec::from_iter((0..64).map(|_| scope.spawn(part)));
            let parts = threads.into_iter().map(|thread| thread.join().unwrap());
            parts.collect::<std::collections::BTreeSet<_>>()
        });
        assert!(parts.len() >= 4, "they are used in turn");
    }
}
