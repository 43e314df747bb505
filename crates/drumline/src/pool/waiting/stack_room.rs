//! Room on the stack for what a waiting thread need not run itself.
//!
//! A task that is joined before a thread has begun it can run on the joiner's stack. So can what
//! belongs to the thing that a thread waits for. Each may wait in turn and take the next, so a
//! chain of them would go down one stack until the stack ends. Nothing is lost if a thread
//! declines, because another thread runs the job, on a stack of its own. So a thread takes a job
//! only while it has *room*: while a quarter of its stack is left.
//!
//! A quarter of 8 MiB is as much as `std` gives a thread for everything that it
//! does, and the other three quarters are thousands of jobs (a task that does
//! nothing but join the one before takes 592 bytes, or 1,904 in a debug build; so
//! 100,000 of them, one on top of the other, take ten or thirty stacks).
//! On smaller stacks 256 KiB are left, which is as much as a job that calls into
//! a system's libraries may well need, but never more than half, or there would
//! be no room at all.
//!
//! If the system does not say how much is left, jobs on top of jobs are counted.
//!
//! What only this thread can run, or what runs no deeper than it would in a
//! sequential program (a scope's own jobs, each of which begins in the scope's
//! own frame), needs no room.

use std::cell::Cell;

use crate::platform::stack;
use crate::sync::per_thread;

/// Leave at least this much, if that is not more than half of the stack.
const LEAST: usize = 256 << 10;
/// How many jobs may run on top of each other, if the stack cannot be measured.
const MOST_NESTED: usize = 64;

per_thread! {
    static NESTED: Cell<usize> = const { Cell::new(0) };
}

/// There is room for one more job, which runs while this is held.
#[must_use]
#[derive(Debug)]
pub(crate) struct StackRoom(());

impl StackRoom {
    /// Room for one more job, if there is any.
    pub(crate) fn find() -> Option<Self> {
        let nested = NESTED.with(Cell::get);
        let enough = match stack::measure() {
            Some(stack) => stack.left >= (stack.size / 4).max(LEAST).min(stack.size / 2),
            None => nested < MOST_NESTED,
        };
        enough.then(|| {
            NESTED.with(|cell| cell.set(nested + 1));
            StackRoom(())
        })
    }
}

/// Whether a job runs on top of another one on this thread.
pub(crate) fn is_nested() -> bool {
    NESTED.with(Cell::get) > 0
}

impl Drop for StackRoom {
    fn drop(&mut self) {
        NESTED.with(|cell| cell.set(cell.get() - 1));
    }
}
