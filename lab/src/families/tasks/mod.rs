//! What a runtime has to offer to run tasks: closures that nobody joins in a tree and that may
//! block.
//!
//! A *task* is queued from outside and detached, and the workload itself notices when all have
//! ended (see [`Roll`](crate::roll::Roll)), so nobody pays for handles that another one lacks. How
//! to announce a wait is part of the runtime: two ways of using one library are two runtimes
//! here, each with its row.
//!
//! Rejected: one trait with [`Pool`](crate::pool::Pool). Half of the runtimes of either kind have
//! no notion of the other, and rows that say so nine times hide those that say something.

use anyhow::Result;

use crate::runtime::RuntimeCard;

/// A runtime that runs tasks.
pub trait Spawner: Sized + Sync {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// Makes whatever runs tasks, so that at most `jobs` threads compute at once, as far as the
    /// runtime knows such a limit.
    fn start(jobs: usize) -> Result<Self>;

    /// Queues a task, from a thread that is not part of the runtime, and does not wait for it.
    fn spawn(&self, task: impl FnOnce() + Send + 'static);

    /// What a task of this runtime does around something that blocks: by default nothing.
    fn block<R>(wait: impl FnOnce() -> R) -> R {
        wait()
    }
}
