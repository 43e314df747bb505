//! `map-ordered`: a serial source, a parallel map, a serial end.

use anyhow::Result;

use crate::families::streams::mapping::Steps;
use crate::families::streams::{StreamKind, StreamRuntime, StreamWorkload};
use crate::session::Session;
use crate::spin;
use crate::workload::{Shows, WorkloadCard};

/// Items of a microsecond.
#[derive(Debug)]
pub struct MapOrdered;

impl StreamWorkload for MapOrdered {
    const CARD: WorkloadCard = WorkloadCard {
        name: "map-ordered",
        about: "an iterator mapped in parallel, 1 µs per item, and its results taken in order",
        analysis: "The serial end checks the order and adds up. `rayon` keeps no order and has no \
                   serial end: `par_bridge` is all that it has for an iterator, and the sum is \
                   made in parallel. Peak memory must not grow with the number of items: compare \
                   the two sizes.",
        item: "item",
        size_counts: "items",
        sizes: &[10_000, 1_000_000],
        smoke_sizes: &[100],
        limits: (1, 1_000_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::Memory,
    };

    const KIND: StreamKind = StreamKind::Map;

    const BRIEF: Option<&'static [u64]> = Some(&[10_000]);

    const ONE_JOB_TOO: bool = true;

    fn drive<R: StreamRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        mapped::<R>(size, spin::MICROSECOND, jobs, session)
    }
}

/// Maps `size` items of `steps` steps each.
pub fn mapped<R: StreamRuntime>(
    size: u64,
    steps: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    let runtime = R::start(jobs)?;
    let mapping = Steps::new(size, steps);
    session.sample(&mapping.expected(), size, || runtime.map(&mapping));
    // The process ends now; see `triple-pool`.
    std::mem::forget(runtime);
    Ok(())
}
