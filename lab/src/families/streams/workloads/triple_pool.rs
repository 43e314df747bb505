//! `triple-pool`: three pipelines at once, in one process, each with its own threads.

use std::thread;

use anyhow::Result;

use crate::families::streams::pipeline::Spinning;
use crate::families::streams::{StreamKind, StreamRuntime, StreamWorkload};
use crate::latency::Latencies;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// This many pipelines run at once.
pub const PIPELINES: usize = 3;

/// The three, with one item in a batch.
#[derive(Debug)]
pub struct TriplePool;

impl StreamWorkload for TriplePool {
    const CARD: WorkloadCard = WorkloadCard {
        name: "triple-pool",
        about: "three pipelines at once, each a serial producer and as many consumers as jobs",
        analysis: "There are three times as many threads as cores and more, so the kernel decides \
                   which ones run. The switches of `static` are its time slices; those above are \
                   what handing over costs. A runtime that wakes a thread for each item is above \
                   by about as many as there are items. Latency is from the end of making an item \
                   to the begin of handling it, and grows with how many items wait in a queue: a \
                   bounded queue has less of it.",
        item: "item",
        size_counts: "steps per item",
        sizes: &[10_000, 1_000_000],
        smoke_sizes: &[100],
        limits: (1, 1_000_000_000),
        default_rank: Some(13),
        outside: true,
        shows: Shows::Handing,
    };

    const KIND: StreamKind = StreamKind::Pipe;

    // With as many items as for 10,000 steps, and so as many hand-overs, in less time.
    const BRIEF: Option<&'static [u64]> = Some(&[1_000]);

    fn drive<R: StreamRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        at_once::<R, PIPELINES>(size, jobs, 1, session)
    }
}

/// Runs `N` pipelines at once in this process.
pub fn at_once<R: StreamRuntime, const N: usize>(
    work: u64,
    jobs: usize,
    batch: usize,
    session: &mut Session,
) -> Result<()> {
    let runtimes = [(); N].map(|()| R::start(jobs));
    let runtimes = runtimes.into_iter().collect::<Result<Vec<R>>>()?;
    let new = || [(); N].map(|()| Spinning::new(work, jobs));
    let items = Spinning::count(work, jobs) * N as u64;
    let mut latencies = Latencies::default();
    session.tasks(items, Some(items));
    session.sample_prepared(
        items,
        &mut new(),
        |pipelines| *pipelines = new(),
        |pipelines| {
            thread::scope(|scope| {
                let mut pairs = runtimes.iter().zip(&*pipelines);
                let mine = pairs.next();
                for (runtime, pipeline) in pairs {
                    scope.spawn(move || runtime.pipe(pipeline, batch));
                }
                if let Some((runtime, pipeline)) = mine {
                    runtime.pipe(pipeline, batch);
                }
            });
        },
        |pipelines, ()| {
            let mut pipelines = pipelines.iter();
            pipelines.try_for_each(|pipeline| pipeline.check(&mut latencies))
        },
    );
    session.latencies(&latencies);
    // The process ends now. Ending a pool waits for its threads, and if that goes wrong it is not
    // what was measured.
    std::mem::forget(runtimes);
    Ok(())
}
