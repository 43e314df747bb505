//! Deadlines: one heap for the whole process, and futures that end at a deadline.
//!
//! | file | noun |
//! |---|---|
//! | `schedule` | the deadlines in order, and what the timer thread knows of them |
//! | `heap` | the schedule of this process, its thread, and a registration in it |
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
//! One thread, `drumline-timer`, sleeps until the earliest deadline and wakes what is due. It
//! exists only while there are deadlines, and a second longer. The header of `schedule` is the
//! proof that no deadline is missed when it falls asleep or ends.
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
//! The child has no timer thread, and the lock of the heap may be held by no thread. So the child
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
