//! What a thread of a pool waits for.

use crate::job::JobRef;
use crate::latch::{Countdown, Sleeper};

/// Something that a thread of a pool waits for.
pub(crate) trait Awaited {
    /// Whether it has happened. Acquire: what happened before is visible.
    fn is_done(&self) -> bool;

    /// Work of its own that no thread has begun; the caller runs it, and then
    /// asks again before it asks for anything else.
    ///
    /// `help` runs an entry of a runner's deque that is older than the jobs in the runner's queue,
    /// and says whether there was one. It is called at most once, before work is taken that another
    /// thread has made.
    fn take_work(&self, _help: &mut dyn FnMut() -> bool) -> Option<JobRef> {
        None
    }

    /// Calls `visit` with the seats of the threads that work on it, until it
    /// returns `true`.
    fn any_runner(&self, visit: &mut dyn FnMut(usize) -> bool) -> bool;

    /// Whether `seat` still works on it.
    fn is_runner(&self, seat: usize) -> bool;

    /// Asks that the sleeper be woken when it happens. `false`: it has.
    #[must_use]
    fn watch(&self, sleeper: Sleeper) -> bool;
}

/// The end of something that other threads count down, and that the waiter cannot help with.
impl Awaited for Countdown {
    fn is_done(&self) -> bool {
        self.is_done()
    }

    fn any_runner(&self, _visit: &mut dyn FnMut(usize) -> bool) -> bool {
        false
    }

    fn is_runner(&self, _seat: usize) -> bool {
        false
    }

    fn watch(&self, sleeper: Sleeper) -> bool {
        self.watch(sleeper)
    }
}
