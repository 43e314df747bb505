//! How much a task may do before it lets others run.
//!
//! A task that awaits something which is always ready never returns to its worker. So whatever is
//! awaited spends one unit of the budget each time it is ready. When nothing is left, it wakes the
//! task at once and says that it is not ready: the task goes to the end of the queue, and gets a
//! new budget there. The idea is that of tokio ("Reducing tail latencies with automatic cooperative
//! task yielding", 2020).

use std::cell::Cell;
use std::task::{Context, Poll};

use crate::sync::per_thread;

/// How often in a row.
const UNITS: u32 = 128;

per_thread! {
    /// What is left to the task that the thread polls; `None` outside of tasks.
    static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
}

/// A poll, with a budget of its own, until this is dropped.
#[must_use]
#[derive(Debug)]
pub(crate) struct Budget {
    before: Option<u32>,
}

impl Budget {
    /// A poll begins.
    #[inline]
    pub(crate) fn begin() -> Self {
        Budget {
            before: LEFT.with(|left| left.replace(Some(UNITS))),
        }
    }
}

impl Drop for Budget {
    #[inline]
    fn drop(&mut self) {
        LEFT.with(|left| left.set(self.before));
    }
}

/// Whether the task may go on. To be asked before something that is ready is taken; it costs one
/// unit. If nothing is left, the task has been woken, and is to return.
#[inline]
pub(crate) fn proceed(cx: &mut Context<'_>) -> Poll<()> {
    match LEFT.with(Cell::get) {
        Some(0) => {
            cx.waker().wake_by_ref();
            Poll::Pending
        }
        Some(left) => {
            LEFT.with(|cell| cell.set(Some(left - 1)));
            Poll::Ready(())
        }
        None => Poll::Ready(()),
    }
}
