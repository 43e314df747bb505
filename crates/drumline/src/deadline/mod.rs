//! Deadlines: a heap for the whole process, and futures that end at a deadline.
//!
//! | file | noun |
//! |---|---|
//! | `schedule` | the deadlines in order, and what the timer thread knows of them |
//! | `heap` | the schedules of this process, their threads, and a registration in one |
//! | `sleep` | a future that is ready at a deadline |
//! | `timeout` | a future that gives another one until a deadline |
//!
//! # What there is
//!
//! A deadline is an entry of an ordered map: a time, a number that keeps equal times apart, and a
//! [`Waker`](std::task::Waker). The standard library makes a waker of any `Arc` with a
//! [`wake`](std::task::Wake) method. So an entry may wake a task, unpark a thread or send a
//! message.
//!
//! A thread, `drumline-timer`, sleeps until the earliest deadline and wakes what is due. It exists
//! only while there are deadlines, and a second longer. The header of `schedule` is the proof that
//! no deadline is missed when it falls asleep or ends.
//!
//! A machine with up to 4 processors has one schedule, with one lock and one such thread. A larger
//! one has one for each 4 processors, up to 16. Threads have them in turn: what a thread enters is
//! in its own, and whichever thread takes it back finds it there.
//!
//! # What a caller may rely on
//!
//! > A waker that is not taken back is woken once, and never before its deadline. One that is
//! > taken back is never woken.
//!
//! The timer thread calls a waker without the lock. So a caller that tries to take a waker back may
//! be told that it comes too late, while the call is about to run, or still runs.
//!
//! # After `fork`
//!
//! The child has no timer thread, and the locks of the heap may be held by no thread. So the child
//! makes a heap of its own at its first deadline. A registration of the parent does nothing in the
//! child: its drop touches no lock. A future that has one registers anew when it is polled.

#[cfg(not(drumline_loom))]
mod heap;
#[cfg(all(test, drumline_loom))]
mod models;
mod schedule;
#[cfg(not(drumline_loom))]
mod sleep;
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests;
#[cfg(not(drumline_loom))]
mod timeout;

#[cfg(not(drumline_loom))]
pub(crate) use heap::Registration;
#[cfg(not(drumline_loom))]
pub use sleep::{Sleep, sleep, sleep_until};
#[cfg(not(drumline_loom))]
pub use timeout::{Elapsed, Timeout, timeout, timeout_at};
