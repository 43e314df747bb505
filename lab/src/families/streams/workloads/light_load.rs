//! `light-load`: an item now and then, for threads that sleep in between.

use std::time::Duration;

use anyhow::Result;

use crate::families::streams::pipeline::Trickling;
use crate::families::streams::{StreamKind, StreamRuntime, StreamWorkload};
use crate::latency::Latencies;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// The pause before each item.
const PAUSE: Duration = Duration::from_millis(1);

/// Items with long pauses.
#[derive(Debug)]
pub struct LightLoad;

impl StreamWorkload for LightLoad {
    const CARD: WorkloadCard = WorkloadCard {
        name: "light-load",
        about: "one item per millisecond: how soon does a thread that sleeps begin with it?",
        analysis: "One thread that only waits is woken by the kernel as soon as can be. A runtime \
                   that spins for a millisecond is sooner, and pays in processor time. The \
                   producer sleeps once per item, so as many of the switches as there are items \
                   are its own, and as many again are the wake-ups.",
        item: "item",
        size_counts: "items",
        sizes: &[300],
        smoke_sizes: &[20],
        limits: (1, 100_000),
        default_rank: None,
        outside: true,
        shows: Shows::Latency,
    };

    const KIND: StreamKind = StreamKind::Trickle;

    fn drive<R: StreamRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        let runtime = R::start(jobs)?;
        let new = || Trickling::new(size, PAUSE);
        let mut latencies = Latencies::default();
        session.tasks(1, Some(size));
        session.sample_prepared(
            size,
            &mut new(),
            |pipeline| *pipeline = new(),
            |pipeline| runtime.pipe(pipeline, 1),
            |pipeline, ()| pipeline.check(&mut latencies),
        );
        session.latencies(&latencies);
        // The process ends now; see `triple-pool`.
        std::mem::forget(runtime);
        Ok(())
    }
}
