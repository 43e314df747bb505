//! `ramp`: how soon a pool that sleeps has all its threads at work.

use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use crate::families::virtual_cores::sleepers::Sleepers;
use crate::families::virtual_cores::{Sharing, VirtualRuntime, VirtualWorkload};
use crate::latency::Latencies;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// How long a leaf sleeps: longer than it takes to wake all threads.
const LENGTH: Duration = Duration::from_millis(50);

/// How long the pool sleeps before.
const REST: Duration = Duration::from_secs(1);

/// A leaf per job.
#[derive(Debug)]
pub struct Ramp;

impl VirtualWorkload for Ramp {
    const CARD: WorkloadCard = WorkloadCard {
        name: "ramp",
        about: "one leaf per job, which sleeps 50 ms, after the pool slept 1 s; the size chooses \
                the way: 0 loop, 1 joins, 2 scope; +10: without the rest",
        analysis: "The figure is the time from the call, which comes from outside of the pool, \
                   until the last leaf has begun; half of them have begun at the median. Threads \
                   that wake each other in a tree need as many steps as it is deep; where one \
                   thread wakes all others, the last one waits for all. More than 50 ms means \
                   that a thread ran two leaves.",
        item: "leaf",
        size_counts: "way",
        sizes: &[0, 1, 2],
        smoke_sizes: &[10],
        limits: (0, 12),
        default_rank: None,
        outside: true,
        shows: Shows::Ramp,
    };

    const SHARING: Sharing = Sharing::Share;

    fn drive<R: VirtualRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        let runtime = R::start(jobs)?;
        let items = Arc::new(Sleepers::new(vec![LENGTH; jobs], jobs));
        let rest = if size < 10 { REST } else { Duration::ZERO };
        let limit = R::KEEPS_JOBS.then_some(jobs);
        session.tasks(jobs as u64, None);
        session.sample_reported(
            jobs as u64,
            || {
                items.reset();
                sleep(rest);
            },
            || {
                let call = items.now();
                runtime.enter(|| match size % 10 {
                    0 => runtime.each(&items),
                    1 => runtime.join(&items),
                    _ => runtime.scope(&items),
                });
                items.check(limit)?;
                let mut starts = Latencies::default();
                let mut last = Duration::ZERO;
                for began in items.began() {
                    let start = began.saturating_sub(call);
                    starts.add(u64::try_from(start.as_nanos()).unwrap_or(u64::MAX));
                    last = last.max(start);
                }
                Ok((last, starts))
            },
        );
        session.items_peak(items.peak());
        // The process ends now; see `drive`.
        std::mem::forget(runtime);
        Ok(())
    }

    fn refuses(size: u64) -> Option<&'static str> {
        (size % 10 > 2).then_some("the ways are 0, 1, 2, 10, 11 and 12")
    }

    fn size_label(size: u64) -> String {
        let way = match size % 10 {
            0 => "loop",
            1 => "joins",
            _ => "scope",
        };
        let rest = if size < 10 { "" } else { ", no rest" };
        format!("{way}{rest}")
    }
}
