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

/// What polls futures on a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Poller {
    /// Nothing of this crate.
    Foreign,
    /// A task.
    Task,
    /// The thread itself, which sleeps when its future is pending.
    Thread,
}

/// The poll that is under way.
#[derive(Clone, Copy, Debug)]
struct Turn {
    poller: Poller,
    /// What is left to it; of no meaning for a foreign one.
    left: u32,
}

per_thread! {
    static TURN: Cell<Turn> = const { Cell::new(Turn { poller: Poller::Foreign, left: 0 }) };
}

/// A poll, with a budget of its own, until this is dropped.
#[must_use]
#[derive(Debug)]
pub(crate) struct Budget {
    before: Turn,
}

impl Budget {
    /// A poll begins.
    #[inline]
    pub(crate) fn begin(poller: Poller) -> Self {
        let left = UNITS;
        Budget {
            before: TURN.with(|turn| turn.replace(Turn { poller, left })),
        }
    }
}

/// What polls on this thread now.
#[inline]
pub(crate) fn poller() -> Poller {
    TURN.with(Cell::get).poller
}

impl Drop for Budget {
    #[inline]
    fn drop(&mut self) {
        TURN.with(|turn| turn.set(self.before));
    }
}

/// Whether the task may go on. To be asked before something that is ready is taken; it costs one
/// unit. If nothing is left, the task has been woken, and is to return.
#[inline]
pub(crate) fn proceed(cx: &mut Context<'_>) -> Poll<()> {
    let Turn { poller, left } = TURN.with(Cell::get);
    if poller == Poller::Foreign {
        return Poll::Ready(());
    }
    if left == 0 {
        cx.waker().wake_by_ref();
        return Poll::Pending;
    }
    let left = left - 1;
    TURN.with(|turn| turn.set(Turn { poller, left }));
    Poll::Ready(())
}
