//! Tickets of tasks that their handles have taken back.
//!
//! A handle that takes a task back looks for its ticket near the ends of the queue only. A ticket
//! that lies deeper stays there, *spent*, with the memory of its task, until a thread takes it from
//! the queue. No thread does while the only place belongs to the thread that spawns and joins.
//!
//! So each queue counts the spent tickets that it may hold, and *sweeps* when they may be more than
//! the others: it looks at each job once, and drops those that are spent. Since the last sweep at
//! least half as many withdrawals came as there are jobs now. So each pays for two looks at most.
//!
//! How a sweep tells them: the address in a ticket is odd, and that of no other job is. The word of
//! the task lies there. It says [`TaskState::Back`], and stays so, once the ticket is spent. The
//! ticket counts a reference to the task, so the word is alive as long as the ticket is queued.

use crate::job::JobRef;
use crate::latch::{TaskState, TaskWord};

/// Added to the address of a task. Every other job begins at an even address.
const MARK: usize = 1;

const _: () = assert!(align_of::<TaskWord>() > MARK);

/// A queue with this many spent tickets is not worth a sweep. The checkers sweep short queues.
const FEW: usize = if cfg!(any(drumline_loom, drumline_shuttle)) {
    0
} else {
    64
};

/// The address by which the queues know a task that begins with its [`TaskWord`].
#[inline]
pub(crate) fn mark(task: *const ()) -> *const () {
    task.wrapping_byte_add(MARK)
}

/// The task at an address that [`mark`] has given.
#[inline]
pub(crate) fn unmark(data: *const ()) -> *const () {
    data.wrapping_byte_sub(MARK)
}

/// Whether the job at this address is a ticket of a task.
pub(crate) fn is_ticket(data: *const ()) -> bool {
    data.addr() & MARK != 0
}

/// Whether a queue of `len` jobs is to be swept, of which `spent` may be spent tickets.
pub(crate) fn is_sweep_due(spent: usize, len: usize) -> bool {
    spent > FEW && spent > len / 2
}

/// Drops the job if it is a spent ticket. Returns whether it was one.
///
/// No code of the program runs: the closure is gone already, and the handle has taken its watcher
/// with it. So the caller may hold the lock of the queue.
///
/// # Safety
///
/// The job lies in a queue from which no other thread can take it meanwhile. After `true` the
/// caller does not run it, and takes it out of the queue.
pub(crate) unsafe fn drop_if_spent(job: JobRef) -> bool {
    if !is_ticket(job.data) {
        return false;
    }
    // SAFETY: a marked address is that of a task, which begins with its word. The ticket has not
    // been run, so the reference that it counts keeps the task alive.
    let word = unsafe { &*unmark(job.data).cast::<TaskWord>() };
    let is_spent = word.progress() == TaskState::Back;
    if is_spent {
        // SAFETY: the ticket is run once. The task is back for good, so this drops the reference.
        unsafe { job.run() };
    }
    is_spent
}
