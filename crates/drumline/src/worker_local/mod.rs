//! A value for each thread, whatever pool the thread is in, or none.
//!
//! | file | noun |
//! |---|---|
//! | `local` | the type that programs use |
//! | `table` | the values: grows, is read without a lock, never moves one |
//! | `indices` | numbers for threads, the lowest that is free first |
//! | `own` | the number of the calling thread |
//!
//! # The invariant
//!
//! > A thread that is inside of [`WorkerLocal::with`] holds an index, and no
//! > other thread holds the same one meanwhile.
//!
//! The index is a number of the process, and not that of a seat: a thread may
//! be in several pools at once, or in none. It is taken at the first call, and
//! given back when the thread destroys its thread-local state.
//!
//! # The races feared
//!
//! A thread gets at a value through its index alone. So a value is shared by two threads only if
//! one gives its index back while it still refers to the value. It cannot: references end with
//! `with`, and an index is given back outside of it. (A reference that left `with` could be kept in
//! thread-local state, with a destructor that may run after the index was given back. So none
//! leaves.) A thread that calls `with` from such a late destructor holds an index for the length of
//! that call.
//!
//! The next thread with an index finds the value of the one before. It sees
//! all that was done to it: the bit of an index is cleared with Release and set
//! with Acquire. The value changes threads, and so it is `Send`.
//!
//! Two threads that need the same chunk of the table both make one; a
//! compare-and-swap decides, and the loser frees its own.
//!
//! The closure that makes a value may wait, and so run another closure that
//! calls `with` on the same thread. Then the first value that is made stays.

mod indices;
#[cfg(not(drumline_loom))]
mod local;
#[cfg(all(test, drumline_loom))]
mod models;
#[cfg(not(drumline_loom))]
mod own;
mod table;

#[cfg(not(drumline_loom))]
pub use local::WorkerLocal;
