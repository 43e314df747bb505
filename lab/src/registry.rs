//! The list of all workloads and runtimes, and of all pairs of them.
//!
//! The list itself is generated from the names of the files; see `build.rs`.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};

use crate::crowd::Crowd;
use crate::family::Family;
use crate::looper::Looper;
use crate::looping::Loop;
use crate::near::nearest;
use crate::runtime::{Runtime, RuntimeCard};
use crate::session::Session;
use crate::sleepers::sleep_precisely;
use crate::spawner::Spawner;
use crate::streamer::{Streamer, Task};
use crate::streaming::Stream;
use crate::virtual_runtime::{Call, VirtualRuntime};
use crate::virtual_workload::VirtualWorkload;
use crate::workload::{Workload, WorkloadCard};

mod generated {
    use super::{Pair, RuntimeEntry, WorkloadEntry};

    include!(concat!(env!("OUT_DIR"), "/registry.rs"));
}

pub use generated::{
    crowds, loopers, loops, runtimes, spawners, streamers, streams, virtual_runtimes,
    virtual_workloads, workloads,
};

/// A workload in the list.
#[derive(Debug)]
pub struct WorkloadEntry {
    /// Its card.
    pub card: WorkloadCard,
    /// What kind of work it is.
    pub family: Family,
    /// Whether a run that stands still will do so for ever.
    pub can_deadlock: bool,
    brief: Option<&'static [u64]>,
    jobs: Option<&'static [usize]>,
    brief_jobs: Option<&'static [usize]>,
    one_job_too: bool,
    task: Option<Task>,
    call: Option<Call>,
    label: fn(u64) -> String,
    refuses: fn(u64) -> Option<&'static str>,
}

impl WorkloadEntry {
    const fn fork_join<W: Workload>() -> Self {
        Self {
            card: W::CARD,
            family: Family::ForkJoin,
            can_deadlock: false,
            brief: W::BRIEF,
            jobs: None,
            brief_jobs: None,
            one_job_too: false,
            task: None,
            call: None,
            label: W::size_label,
            refuses: W::refuses,
        }
    }

    const fn tasks<C: Crowd>() -> Self {
        Self {
            card: C::CARD,
            family: Family::Tasks,
            can_deadlock: C::TASKS_WAIT_FOR_TASKS,
            brief: None,
            jobs: None,
            brief_jobs: None,
            one_job_too: false,
            task: None,
            call: None,
            label: C::size_label,
            refuses: C::refuses,
        }
    }

    const fn loops<W: Loop>() -> Self {
        Self {
            card: W::CARD,
            family: Family::Loops,
            can_deadlock: false,
            brief: W::BRIEF,
            jobs: W::JOBS,
            brief_jobs: None,
            one_job_too: false,
            task: None,
            call: None,
            label: W::size_label,
            refuses: W::refuses,
        }
    }

    const fn streams<W: Stream>() -> Self {
        Self {
            card: W::CARD,
            family: Family::Streams,
            can_deadlock: false,
            brief: W::BRIEF,
            jobs: None,
            brief_jobs: None,
            one_job_too: W::ONE_JOB_TOO,
            task: Some(W::TASK),
            call: None,
            label: W::size_label,
            refuses: |_| None,
        }
    }

    const fn virtual_cores<W: VirtualWorkload>() -> Self {
        Self {
            card: W::CARD,
            family: Family::VirtualCores,
            can_deadlock: false,
            brief: W::BRIEF,
            jobs: None,
            brief_jobs: W::BRIEF_JOBS,
            one_job_too: false,
            task: None,
            call: Some(W::CALL),
            label: W::size_label,
            refuses: W::refuses,
        }
    }

    /// The sizes of the default run.
    pub fn brief_sizes(&self) -> &'static [u64] {
        self.brief.unwrap_or(self.card.sizes)
    }

    /// The numbers of jobs that are run when none is asked for; `brief` is the default run.
    pub fn jobs(&self, cores: usize, brief: bool) -> Vec<usize> {
        let mut jobs = self
            .brief_jobs
            .filter(|_| brief)
            .or(self.jobs)
            .map_or_else(|| self.family.jobs(cores), <[usize]>::to_vec);
        if self.one_job_too && !jobs.contains(&1) {
            jobs.insert(0, 1);
        }
        jobs
    }

    /// The runtimes that can run it, by rank.
    pub fn runtimes(&self) -> Vec<&'static RuntimeEntry> {
        let mut all = all_runtimes();
        all.retain(|runtime| {
            let able = self.task.is_none_or(|task| runtime.tasks.contains(&task))
                && self.call.is_none_or(|call| runtime.calls.contains(&call));
            runtime.family == self.family && able
        });
        all
    }

    /// What a size is called in tables.
    pub fn size_label(&self, size: u64) -> String {
        (self.label)(size)
    }

    /// Why a size within the limits makes no sense, if it makes none.
    pub fn refuses(&self, size: u64) -> Option<&'static str> {
        (self.refuses)(size)
    }
}

/// A runtime in the list.
#[derive(Debug)]
pub struct RuntimeEntry {
    /// Its card.
    pub card: RuntimeCard,
    /// What kind of work it can run.
    pub family: Family,
    /// What it does with streams.
    tasks: &'static [Task],
    /// How it shares items among virtual cores.
    calls: &'static [Call],
    /// Whether it is a row of the default run.
    pub by_default: bool,
}

impl RuntimeEntry {
    const fn fork_join<R: Runtime>() -> Self {
        Self {
            card: R::CARD,
            family: Family::ForkJoin,
            tasks: &[],
            calls: &[],
            by_default: true,
        }
    }

    const fn tasks<S: Spawner>() -> Self {
        Self {
            card: S::CARD,
            family: Family::Tasks,
            tasks: &[],
            calls: &[],
            by_default: true,
        }
    }

    const fn loops<L: Looper>() -> Self {
        Self {
            card: L::CARD,
            family: Family::Loops,
            tasks: &[],
            calls: &[],
            by_default: true,
        }
    }

    const fn streams<S: Streamer>() -> Self {
        Self {
            card: S::CARD,
            family: Family::Streams,
            tasks: S::TASKS,
            calls: &[],
            by_default: S::BY_DEFAULT,
        }
    }

    const fn virtual_cores<R: VirtualRuntime>() -> Self {
        Self {
            card: R::CARD,
            family: Family::VirtualCores,
            tasks: &[],
            calls: R::CALLS,
            by_default: true,
        }
    }
}

/// A workload compiled for a runtime.
struct Pair {
    workload: &'static str,
    runtime: &'static str,
    measure: fn(u64, usize, &mut Session) -> Result<()>,
}

impl Pair {
    const fn fork_join<W: Workload, R: Runtime>() -> Self {
        Self {
            workload: W::CARD.name,
            runtime: R::CARD.name,
            measure: measure_fork_join::<W, R>,
        }
    }

    const fn tasks<C: Crowd, S: Spawner>() -> Self {
        Self {
            workload: C::CARD.name,
            runtime: S::CARD.name,
            measure: measure_tasks::<C, S>,
        }
    }

    const fn loops<W: Loop, L: Looper>() -> Self {
        Self {
            workload: W::CARD.name,
            runtime: L::CARD.name,
            measure: measure_loop::<W, L>,
        }
    }

    const fn streams<W: Stream, S: Streamer>() -> Self {
        Self {
            workload: W::CARD.name,
            runtime: S::CARD.name,
            measure: measure_stream::<W, S>,
        }
    }

    const fn virtual_cores<W: VirtualWorkload, R: VirtualRuntime>() -> Self {
        Self {
            workload: W::CARD.name,
            runtime: R::CARD.name,
            measure: measure_virtual::<W, R>,
        }
    }
}

fn measure_fork_join<W: Workload, R: Runtime>(
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    session.begin();
    let workload = W::build(size)?;
    R::drive(&workload, jobs, session)?;
    // The process ends now; taking a large tree apart would only take time.
    std::mem::forget(workload);
    Ok(())
}

fn measure_tasks<C: Crowd, S: Spawner>(
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    session.begin();
    let crowd = C::build(size)?;
    let spawner = S::start(jobs)?;
    crowd.drive(&spawner, session);
    // The process ends now. Ending a runtime waits for its threads, and if that goes wrong it is
    // not what was measured.
    std::mem::forget(spawner);
    Ok(())
}

fn measure_loop<W: Loop, L: Looper>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
    session.begin();
    if let Some(reason) = L::lacks(W::NEEDS) {
        session.decline(reason);
        return Ok(());
    }
    let workload = W::build(size)?;
    let mut looper = L::start(jobs, W::COST)?;
    workload.drive(&mut looper, session);
    // The process ends now; see `measure_tasks`.
    std::mem::forget((workload, looper));
    Ok(())
}

fn measure_stream<W: Stream, S: Streamer>(
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    session.begin();
    ensure!(
        S::TASKS.contains(&W::TASK),
        "{} does not run {}",
        S::CARD.name,
        W::CARD.name
    );
    W::drive::<S>(size, jobs, session)
}

fn measure_virtual<W: VirtualWorkload, R: VirtualRuntime>(
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    session.begin();
    ensure!(
        R::CALLS.contains(&W::CALL),
        "{} does not run {}",
        R::CARD.name,
        W::CARD.name
    );
    // Before the runtime makes its threads.
    sleep_precisely();
    W::drive::<R>(size, jobs, session)
}

/// A name that is not in the list.
#[derive(Debug, thiserror::Error)]
#[error("there is no {kind} `{name}`{hint}; the {kind}s are: {known}")]
pub struct UnknownName {
    kind: &'static str,
    name: String,
    /// Which one was meant, if one is like it.
    hint: String,
    known: String,
}

impl UnknownName {
    fn new(kind: &'static str, name: &str, known: &[&'static str]) -> Self {
        let near = nearest(name, known.iter().copied());
        Self {
            kind,
            name: name.to_owned(),
            hint: near.map_or_else(String::new, |near| format!(", but there is `{near}`")),
            known: known.join(", "),
        }
    }
}

/// All workloads: those of the default run in their order, then the others by name.
pub fn all_workloads() -> Vec<&'static WorkloadEntry> {
    let mut all: Vec<_> = generated::WORKLOADS.iter().collect();
    all.sort_by_key(|entry| (entry.card.default_rank.unwrap_or(u8::MAX), entry.card.name));
    all
}

/// All runtimes, by family and rank. Somebody who is in two families is there twice, with the same
/// name and the same part in the comparison.
pub fn all_runtimes() -> Vec<&'static RuntimeEntry> {
    let mut all: Vec<_> = generated::RUNTIMES.iter().collect();
    let family = |entry: &RuntimeEntry| Family::ALL.iter().position(|f| *f == entry.family);
    all.sort_by_key(|entry| (family(entry), entry.card.rank, entry.card.name));
    all
}

/// The workload of this name.
pub fn workload(name: &str) -> Result<&'static WorkloadEntry, UnknownName> {
    let all = all_workloads();
    all.iter()
        .copied()
        .find(|entry| entry.card.name == name)
        .ok_or_else(|| {
            let names: Vec<_> = all.iter().map(|entry| entry.card.name).collect();
            UnknownName::new("workload", name, &names)
        })
}

/// A runtime of this name.
pub fn runtime(name: &str) -> Result<&'static RuntimeEntry, UnknownName> {
    let all = all_runtimes();
    all.iter()
        .copied()
        .find(|entry| entry.card.name == name)
        .ok_or_else(|| {
            let names: BTreeSet<_> = all.iter().map(|entry| entry.card.name).collect();
            UnknownName::new("runtime", name, &Vec::from_iter(names))
        })
}

/// Runs one workload on one runtime in this process.
pub fn run(
    workload: &str,
    runtime: &str,
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    self::workload(workload)?;
    self::runtime(runtime)?;
    let pair = generated::PAIRS
        .iter()
        .find(|pair| pair.workload == workload && pair.runtime == runtime)
        .with_context(|| format!("{runtime} does not run {workload}"))?;
    (pair.measure)(size, jobs, session)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_within_a_family() {
        for family in Family::ALL {
            let runtimes = all_runtimes();
            let names = runtimes.iter().filter(|entry| entry.family == family);
            let names: Vec<_> = names.map(|entry| entry.card.name).collect();
            assert_eq!(BTreeSet::from_iter(&names).len(), names.len(), "{names:?}");
        }
        let names: Vec<_> = all_workloads().iter().map(|e| e.card.name).collect();
        assert_eq!(BTreeSet::from_iter(&names).len(), names.len(), "{names:?}");
    }

    /// Tables and charts find a runtime by its name.
    #[test]
    fn who_is_in_two_families_looks_the_same_in_both() {
        for entry in all_runtimes() {
            let found = runtime(entry.card.name).unwrap().card;
            assert_eq!(found.role, entry.card.role, "{}", found.name);
            assert_eq!(found.colour, entry.card.colour, "{}", found.name);
            assert_eq!(found.package, entry.card.package, "{}", found.name);
        }
    }

    #[test]
    fn all_sizes_are_within_the_limits() {
        for entry in all_workloads() {
            let card = entry.card;
            let sizes = card.sizes.iter().chain(card.smoke_sizes);
            for size in sizes.chain(entry.brief_sizes()) {
                assert!((card.limits.0..=card.limits.1).contains(size), "{card:?}");
                assert_eq!(entry.refuses(*size), None, "{card:?}");
            }
        }
    }

    #[test]
    fn a_workload_is_not_run_by_another_family() {
        let mut session = Session::new(crate::session::Effort::once());
        let error = run("fib", "thread-per-job", 1, 1, &mut session).unwrap_err();
        assert!(error.to_string().contains("does not run fib"), "{error}");
    }
}
