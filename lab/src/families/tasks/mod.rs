//! Tasks that block: closures that are queued from outside and may wait. No caller joins them in a
//! tree.
//!
//! A *task* is detached, and the workload itself notices when all have ended (see
//! [`Roll`](roll::Roll)). So no runtime pays for handles that another one lacks. How to announce a
//! wait is part of the runtime: two ways of using one library are two runtimes here, each with its
//! row.
//!
//! Rejected: one trait with the [`Pool`](crate::families::fork_join::pool::Pool) of fork/join. Half
//! of the runtimes of either kind have no notion of the other, and rows that say so nine times hide
//! those that say something.

use std::time::Duration;

use anyhow::Result;

use crate::effort::Effort;
use crate::entry::{Pair, RuntimeEntry, WorkloadEntry};
use crate::families::Family;
use crate::runtime::RuntimeCard;
use crate::session::Session;
use crate::workload::{WorkloadCard, group};

pub mod roll;

include!(concat!(env!("OUT_DIR"), "/families/tasks.rs"));

/// The family.
pub static FAMILY: Family = Family {
    name: "tasks",
    title: "tasks that block",
    rank: 20,
    nests: false,
    computes: false,
    // With one job, what blocks has only one more way to go wrong.
    jobs: |cores| vec![cores],
    // Tasks are measured cold: after a first sample the threads that it took would still be there.
    effort: |_usual| Effort::once(),
    limit: |smoke, _full, samples| {
        let each = if smoke { SMOKE_BOUND } else { BOUND };
        each.saturating_mul(u32::try_from(samples).unwrap_or(u32::MAX))
    },
};

/// How long a process may take for one sample, unless `--timeout` says otherwise. A row that
/// finishes at all takes seconds; on the other hand each row that does not costs all of this.
const BOUND: Duration = Duration::from_secs(20);

/// The same in a smoke run, where a row that finishes takes less than a second on a machine that
/// has nothing else to do.
const SMOKE_BOUND: Duration = Duration::from_secs(15);

/// Many tasks. Unlike fork/join, a runtime may fail to ever finish them, and that is a result.
pub trait TaskWorkload: Sized + Sync {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// Whether some tasks wait for others, so that a run which stands still will do so for ever.
    const TASKS_WAIT_FOR_TASKS: bool;

    /// Makes the data, the same for every runtime.
    fn build(size: u64) -> Result<Self>;

    /// Spawns the tasks and waits for all, as often as the session wants to.
    fn drive<R: TaskRuntime>(&self, runtime: &R, session: &mut Session);

    /// Why a size within the limits makes no sense, if it makes none.
    fn refuses(_size: u64) -> Option<&'static str> {
        None
    }

    /// What a size is called in tables.
    fn size_label(size: u64) -> String {
        group(size)
    }
}

/// A runtime that runs tasks.
pub trait TaskRuntime: Sized + Sync {
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

// What the registry is made of.

pub(crate) const fn workload<W: TaskWorkload>() -> WorkloadEntry {
    WorkloadEntry {
        can_deadlock: W::TASKS_WAIT_FOR_TASKS,
        label: W::size_label,
        refuses: W::refuses,
        ..WorkloadEntry::new(&FAMILY, W::CARD)
    }
}

pub(crate) const fn runtime<R: TaskRuntime>() -> RuntimeEntry {
    RuntimeEntry::new(&FAMILY, R::CARD)
}

pub(crate) const fn pair<W: TaskWorkload, R: TaskRuntime>() -> Pair {
    Pair::new(W::CARD, R::CARD, measure::<W, R>)
}

fn measure<W: TaskWorkload, R: TaskRuntime>(
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    session.begin();
    let workload = W::build(size)?;
    let runtime = R::start(jobs)?;
    workload.drive(&runtime, session);
    // The process ends now. Ending a runtime waits for its threads, and if that goes wrong it is
    // not what was measured.
    std::mem::forget(runtime);
    Ok(())
}
