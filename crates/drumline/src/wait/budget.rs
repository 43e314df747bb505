//! How much a task may do before it lets others run.
//!
//! A task that awaits something which is always ready never returns to its worker. So whatever is
//! awaited spends one unit of the budget each time it is ready. When nothing is left, it wakes the
//! task at once and says that it is not ready: the task goes to the end of the queue, and gets a
//! new budget there. The idea is that of tokio ("Reducing tail latencies with automatic cooperative
//! task yielding", 2020).
//!
//! A task that yields need not wake itself: it leaves a note in the turn of its poll, and the
//! thread that polls it queues it again. This holds for the very waker of that poll. Another one,
//! of an executor inside of the task, is woken: that executor has to know which of its futures to
//! poll. Such an executor may block the thread until its future is ready (`pollster::block_on`),
//! and never return to the task. So after as many refusals as a budget has units, there is a new
//! budget.

use std::cell::Cell;
use std::ptr;
use std::task::{Context, Poll, Waker};

use crate::sync::per_thread;

/// How often in a row.
const UNITS: usize = 128;

/// What polls futures on a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Poller {
    /// Nothing of this crate.
    Foreign = 0,
    /// A task.
    Task = 1,
    /// The thread itself, which sleeps when its future is pending.
    Thread = 2,
}

/// The poll that is under way. Single words, each read in the width in which it was written: the
/// processor waits where a read is wider than the writes before it.
struct Turn {
    /// [`Poller`], [`YIELDED`], and above them what is left to it; if nothing is, how often
    /// another waker than that of the poll was refused.
    word: Cell<usize>,
    /// The waker of a task that may ask to be queued again; else null. Compared, and no more.
    waker: Cell<*const Waker>,
    /// What that waker refers to. Beside its address, which is never followed.
    data: Cell<*const ()>,
    /// How often that waker was cloned [on account](on_account).
    clones: Cell<usize>,
}

/// The task has asked to be queued again.
const YIELDED: usize = 4;
/// One unit.
const UNIT: usize = 8;
/// One refusal. There are none while a unit is left.
const REFUSAL: usize = 2 * UNITS * UNIT;
const POLLER: usize = YIELDED - 1;

per_thread! {
    static TURN: Turn = const {
        Turn {
            word: Cell::new(Poller::Foreign as usize),
            waker: Cell::new(ptr::null()),
            data: Cell::new(ptr::null()),
            clones: Cell::new(0),
        }
    };
}

/// A poll, with a budget of its own, until this is dropped.
#[must_use]
#[derive(Debug)]
pub(crate) struct Budget {
    word: usize,
    waker: *const Waker,
    data: *const (),
    clones: usize,
}

impl Budget {
    /// A poll begins.
    #[inline]
    pub(crate) fn begin(poller: Poller) -> Self {
        Self::begin_turn(poller, ptr::null(), ptr::null())
    }

    /// A poll of a task begins, with this waker. When it has ended, the task is queued again if it
    /// [has yielded](Self::has_yielded).
    #[inline]
    pub(crate) fn begin_task(waker: &Waker) -> Self {
        Self::begin_turn(Poller::Task, waker, waker.data())
    }

    #[inline]
    fn begin_turn(poller: Poller, waker: *const Waker, data: *const ()) -> Self {
        TURN.with(|turn| Budget {
            word: turn.word.replace(poller as usize | (UNITS * UNIT)),
            waker: turn.waker.replace(waker),
            data: turn.data.replace(data),
            clones: turn.clones.replace(0),
        })
    }

    /// How many clones of the waker are on account.
    #[inline]
    pub(crate) fn clones(&self) -> usize {
        TURN.with(|turn| turn.clones.get())
    }

    /// Whether the task has yielded in this poll.
    #[inline]
    pub(crate) fn has_yielded(&self) -> bool {
        TURN.with(|turn| turn.word.get()) & YIELDED != 0
    }
}

impl Drop for Budget {
    #[inline]
    fn drop(&mut self) {
        TURN.with(|turn| {
            turn.word.set(self.word);
            turn.waker.set(self.waker);
            turn.data.set(self.data);
            turn.clones.set(self.clones);
        });
    }
}

/// At most this many clones in one poll are on account.
const MOST_CLONES: usize = 64;

/// For a waker of a task, which is about to be cloned: whether the calling thread polls that task
/// now, and has taken note of the clone. If so, [`Budget::clones`] counts it, and the waker's own
/// count is not changed. `data` is that of the waker, and not null.
#[inline]
pub(crate) fn on_account(data: *const ()) -> bool {
    TURN.with(|turn| {
        let clones = turn.clones.get();
        let is_noted = turn.data.get() == data && clones < MOST_CLONES;
        if is_noted {
            turn.clones.set(clones + 1);
        }
        is_noted
    })
}

/// What polls on this thread now.
#[inline]
pub(crate) fn poller() -> Poller {
    match TURN.with(|turn| turn.word.get()) & POLLER {
        0 => Poller::Foreign,
        1 => Poller::Task,
        _ => Poller::Thread,
    }
}

/// Has the task that is polled with this waker queued again when the poll has ended, or wakes it.
#[inline]
pub(crate) fn yield_task(waker: &Waker) {
    TURN.with(|turn| {
        // The waker of a poll lies in the frame of that poll: no other one has its address
        // meanwhile.
        if ptr::eq(turn.waker.get(), waker) {
            turn.word.set(turn.word.get() | YIELDED);
        } else {
            waker.wake_by_ref();
        }
    });
}

/// Whether [`proceed`] would let the task go on.
#[inline]
pub(crate) fn is_left() -> bool {
    let word = TURN.with(|turn| turn.word.get());
    word & POLLER == Poller::Foreign as usize || has_units(word)
}

/// Whether a unit is left.
#[inline]
fn has_units(word: usize) -> bool {
    // One comparison: from one unit on, and below one refusal.
    word.wrapping_sub(UNIT) < REFUSAL - UNIT
}

/// Whether the task may go on. To be asked before something that is ready is taken; it costs one
/// unit. If nothing is left, the task has been woken, and is to return.
#[inline]
pub(crate) fn proceed(cx: &mut Context<'_>) -> Poll<()> {
    let word = TURN.with(|turn| turn.word.get());
    if word & POLLER == Poller::Foreign as usize {
        return Poll::Ready(());
    }
    if has_units(word) {
        TURN.with(|turn| turn.word.set(word - UNIT));
        return Poll::Ready(());
    }
    refuse(cx.waker())
}

/// As [`proceed`], where no unit is left.
#[cold]
fn refuse(waker: &Waker) -> Poll<()> {
    let is_over = TURN.with(|turn| {
        if ptr::eq(turn.waker.get(), waker) {
            return false;
        }
        let word = turn.word.get();
        let is_over = word >= UNITS * REFUSAL;
        turn.word.set(if is_over {
            // The unit of this call is spent.
            word % UNIT + (UNITS - 1) * UNIT
        } else {
            word + REFUSAL
        });
        is_over
    });
    if is_over {
        return Poll::Ready(());
    }
    yield_task(waker);
    Poll::Pending
}
