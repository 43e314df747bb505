//! Virtual cores: items that sleep, in pools with more jobs than there may be cores.
//!
//! An item that sleeps stands for an item that computes on a core of its own. So a machine with two
//! cores shows how a pool divides work among sixty-four threads.
//!
//! As with streams, the trait of runtimes has one method per way of sharing, in which each
//! library's own calls stand as its users would write them. A runtime names those that it has.

use std::sync::Arc;

use anyhow::Result;

use crate::effort::Effort;
use crate::entry::{Pair, RuntimeEntry, WorkloadEntry};
use crate::families::virtual_cores::sleepers::Sleepers;
use crate::families::{Family, usual_limit};
use crate::nap::sleep_precisely;
use crate::runtime::RuntimeCard;
use crate::session::Session;
use crate::workload::{WorkloadCard, group};

pub mod alike;
pub mod drive;
pub mod marks;
pub mod sleepers;

include!(concat!(env!("OUT_DIR"), "/families/virtual_cores.rs"));

/// The family.
pub static FAMILY: Family = Family {
    name: "virtual_cores",
    title: "virtual cores",
    rank: 50,
    nests: false,
    computes: false,
    jobs: |_cores| vec![2, 4, 8, 16, 32, 64],
    // Items that sleep are as long as they say, so one sample of a process says as much as several.
    effort: |usual| Effort {
        samples_min: 1,
        ..usual
    },
    limit: usual_limit,
};

/// A way of sharing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// [`VirtualRuntime::each`], [`nested`](VirtualRuntime::nested),
    /// [`join`](VirtualRuntime::join) and [`scope`](VirtualRuntime::scope).
    Share,
    /// [`VirtualRuntime::stream`].
    Stream,
    /// [`VirtualRuntime::spawn`].
    Spawn,
    /// [`VirtualRuntime::bridge`].
    Bridge,
}

/// Something that a pool divides, with a checked answer.
pub trait VirtualWorkload: Sized {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// What a runtime must be able to do. A runtime that is not able has no row.
    const SHARING: Sharing;

    /// The sizes of the default run, where those of the card would take it too long.
    const BRIEF: Option<&'static [u64]> = None;

    /// The numbers of jobs in the default run, where those of the family would take it too long.
    const BRIEF_JOBS: Option<&'static [usize]> = None;

    /// Starts the runtime and runs the work as often as the session wants to.
    fn drive<R: VirtualRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()>;

    /// Why a size within the limits makes no sense, if it makes none.
    fn refuses(_size: u64) -> Option<&'static str> {
        None
    }

    /// What a size is called in tables.
    fn size_label(size: u64) -> String {
        group(size)
    }
}

/// A runtime that shares items.
pub trait VirtualRuntime: Sized + Sync {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// What it does.
    const SHARINGS: &'static [Sharing];

    /// Whether no more items run at once than there are jobs. Where more do, the answer is wrong.
    const KEEPS_JOBS: bool;

    /// Makes a pool.
    fn start(jobs: usize) -> Result<Self>;

    /// Runs `call` inside the pool, where the runtime has such a place.
    fn enter<R: Send>(&self, _call: impl FnOnce() -> R + Send) -> R {
        unreachable!("this runtime lacks it")
    }

    /// A loop over all items; called inside the pool, like the next three.
    fn each(&self, _items: &Arc<Sleepers>) {
        unreachable!("this runtime lacks it")
    }

    /// A loop with a loop over `inner` items as its body.
    fn nested(&self, _items: &Arc<Sleepers>, _inner: usize) {
        unreachable!("this runtime lacks it")
    }

    /// A binary tree of joins with the items as its leaves.
    fn join(&self, _items: &Arc<Sleepers>) {
        unreachable!("this runtime lacks it")
    }

    /// A scope in which each item is spawned.
    fn scope(&self, _items: &Arc<Sleepers>) {
        unreachable!("this runtime lacks it")
    }

    /// A stream of all items, from a source that always has one; called from outside of the pool.
    fn stream(&self, _items: &Arc<Sleepers>) {
        unreachable!("this runtime lacks it")
    }

    /// Queues a task from outside of the pool, and does not wait for it.
    fn spawn(&self, _task: impl FnOnce() + Send + 'static) {
        unreachable!("this runtime lacks it")
    }

    /// Runs `item` with each number that a sequential iterator gives; called from outside of the
    /// pool.
    fn bridge(
        &self,
        _numbers: impl Iterator<Item = u64> + Send,
        _item: impl Fn(u64) + Send + Sync,
    ) {
        unreachable!("this runtime lacks it")
    }
}

// What the registry is made of.

pub(crate) const fn workload<W: VirtualWorkload>() -> WorkloadEntry {
    WorkloadEntry {
        brief: W::BRIEF,
        brief_jobs: W::BRIEF_JOBS,
        label: W::size_label,
        refuses: W::refuses,
        ..WorkloadEntry::new(&FAMILY, W::CARD)
    }
}

pub(crate) const fn runtime<R: VirtualRuntime>() -> RuntimeEntry {
    RuntimeEntry::new(&FAMILY, R::CARD)
}

pub(crate) const fn pair<W: VirtualWorkload, R: VirtualRuntime>() -> Pair {
    Pair::new(W::CARD, R::CARD, measure::<W, R>).only_if(|| R::SHARINGS.contains(&W::SHARING))
}

fn measure<W: VirtualWorkload, R: VirtualRuntime>(
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    session.begin();
    // Before the runtime makes its threads.
    sleep_precisely();
    W::drive::<R>(size, jobs, session)
}
