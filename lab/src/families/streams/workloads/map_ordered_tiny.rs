//! `map-ordered-tiny`: the same with items that cost next to nothing.

use anyhow::Result;

use crate::families::streams::workloads::map_ordered::{MapOrdered, mapped};
use crate::families::streams::{StreamKind, StreamRuntime, StreamWorkload};
use crate::session::Session;
use crate::spin;
use crate::workload::WorkloadCard;

/// The steps of an item: about fifty nanoseconds.
const STEPS: u64 = spin::MICROSECOND / 20;

/// Items of fifty nanoseconds.
#[derive(Debug)]
pub struct MapOrderedTiny;

impl StreamWorkload for MapOrderedTiny {
    const CARD: WorkloadCard = WorkloadCard {
        name: "map-ordered-tiny",
        about: "an iterator mapped in parallel, 50 ns per item, and its results taken in order",
        analysis: "Handing an item over one by one costs more than the item. A runtime that \
                   comes close to `seq` hands over many at once, without being told.",
        ..MapOrdered::CARD
    };

    const KIND: StreamKind = MapOrdered::KIND;

    const BRIEF: Option<&'static [u64]> = MapOrdered::BRIEF;

    const ONE_JOB_TOO: bool = MapOrdered::ONE_JOB_TOO;

    fn drive<R: StreamRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        mapped::<R>(size, STEPS, jobs, session)
    }
}
