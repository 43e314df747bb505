//! Tasks that await: futures that a runtime polls on its threads.
//!
//! A *task* is detached, and the workload itself notices when all have ended (see
//! [`Countdown`](countdown::Countdown)). So no runtime pays for handles that another one lacks.
//! What tasks wait for is part of the lab (see [`Flag`](flag::Flag)): the same for all runtimes,
//! which it knows by their [`Waker`](std::task::Waker)s only.
//!
//! Not every library has futures for tasks. In a library of coroutines, a task that awaits is a
//! coroutine that polls a future and parks.
//!
//! A runtime lasts as long as the process. So a task can refer to it and spawn others.

use std::future::Future;

use anyhow::Result;

use crate::effort::Effort;
use crate::entry::{Pair, RuntimeEntry, WorkloadEntry};
use crate::families::{Family, one_job_and_all, usual_limit};
use crate::runtime::RuntimeCard;
use crate::session::Session;
use crate::workload::{WorkloadCard, group};

pub mod countdown;
pub mod flag;
pub mod rings;
pub mod spawning;

include!(concat!(env!("OUT_DIR"), "/families/async_tasks.rs"));

/// The family.
pub static FAMILY: Family = Family {
    name: "async_tasks",
    title: "tasks that await",
    rank: 22,
    nests: false,
    computes: false,
    jobs: one_job_and_all,
    // One operation has a million items.
    effort: |usual| Effort {
        samples_min: 1,
        ..usual
    },
    limit: usual_limit,
};

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskKind {
    /// It makes a call and ends: [`AsyncRuntime::call`] and
    /// [`call_inside`](AsyncRuntime::call_inside).
    Call,
    /// It yields, again and again: [`AsyncRuntime::call_after_yields`].
    Yield,
    /// It awaits whatever the workload makes: [`AsyncRuntime::spawn`].
    Await,
    /// The same, and what is measured is the heap that it holds. A stack is not in the heap.
    Hold,
}

/// Many tasks, with a checked answer.
pub trait AsyncWorkload: Sized {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// What a runtime must be able to do. A runtime that is not able has no row.
    const KIND: TaskKind;

    /// The sizes of the default run, where those of the card would take it too long.
    const BRIEF: Option<&'static [u64]> = None;

    /// How many tasks live at once, at most.
    fn tasks(size: u64) -> u64;

    /// Runs the tasks as often as the session wants to.
    fn drive<R: AsyncRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()>;

    /// What a size is called in tables.
    fn size_label(size: u64) -> String {
        group(size)
    }
}

/// A runtime that runs tasks which await.
pub trait AsyncRuntime: Sized + Sync + 'static {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// What its tasks can do.
    const KINDS: &'static [TaskKind] = &[
        TaskKind::Call,
        TaskKind::Yield,
        TaskKind::Await,
        TaskKind::Hold,
    ];

    /// Whether it is a row of the default run, which has little time.
    const BY_DEFAULT: bool = true;

    /// Makes whatever runs tasks, so that at most `jobs` threads poll at once.
    fn start(jobs: usize) -> Result<Self>;

    /// Why it cannot have this many tasks at once, if it cannot.
    fn refuses(_tasks: u64) -> Option<&'static str> {
        None
    }

    /// Spawns a task from a thread that is not part of the runtime, and detaches it.
    fn spawn(&'static self, future: impl Future<Output = ()> + Send + 'static);

    /// Spawns a task from a task of the runtime, and detaches it.
    fn spawn_inside(&'static self, future: impl Future<Output = ()> + Send + 'static) {
        self.spawn(future);
    }

    /// The runtime's own way to let other tasks run.
    fn yield_now() -> impl Future<Output = ()> + Send;

    /// As [`spawn`](Self::spawn), of a task that makes one call and ends.
    fn call(&'static self, call: impl FnOnce() + Send + 'static) {
        self.spawn(async move { call() });
    }

    /// As [`spawn_inside`](Self::spawn_inside), of a task that makes one call and ends.
    fn call_inside(&'static self, call: impl FnOnce() + Send + 'static) {
        self.spawn_inside(async move { call() });
    }

    /// As [`spawn`](Self::spawn), of a task that yields this many times, makes one call and ends.
    fn call_after_yields(&'static self, yields: u64, call: impl FnOnce() + Send + 'static) {
        self.spawn(async move {
            for _ in 0..yields {
                Self::yield_now().await;
            }
            call();
        });
    }
}

// What the registry is made of.

pub(crate) const fn workload<W: AsyncWorkload>() -> WorkloadEntry {
    WorkloadEntry {
        brief: W::BRIEF,
        label: W::size_label,
        ..WorkloadEntry::new(&FAMILY, W::CARD)
    }
}

pub(crate) const fn runtime<R: AsyncRuntime>() -> RuntimeEntry {
    RuntimeEntry {
        by_default: R::BY_DEFAULT,
        ..RuntimeEntry::new(&FAMILY, R::CARD)
    }
}

pub(crate) const fn pair<W: AsyncWorkload, R: AsyncRuntime>() -> Pair {
    Pair::new(W::CARD, R::CARD, measure::<W, R>).only_if(|| R::KINDS.contains(&W::KIND))
}

fn measure<W: AsyncWorkload, R: AsyncRuntime>(
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    session.begin();
    let tasks = W::tasks(size);
    if let Some(reason) = R::refuses(tasks) {
        session.decline(reason);
        return Ok(());
    }
    session.tasks(tasks, None);
    // It lasts as long as the process, so nothing waits for its end. If that goes wrong, it is not
    // what was measured.
    let runtime = Box::leak(Box::new(R::start(jobs)?));
    W::drive(size, runtime, session)
}
