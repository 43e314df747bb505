//! `vc-stream`: the items of `vc-loop`, from a source that is never empty.

use anyhow::Result;

use crate::families::virtual_cores::alike::Alike;
use crate::families::virtual_cores::drive::outside;
use crate::families::virtual_cores::{Sharing, VirtualRuntime, VirtualWorkload};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// A stream.
#[derive(Debug)]
pub struct VcStream;

impl VirtualWorkload for VcStream {
    const CARD: WorkloadCard = WorkloadCard {
        name: "vc-stream",
        about: "items as those of vc-loop from one iterator, which never waits; 5: of 1 ms, 6: 20 µs",
        analysis: "The source gives an item to each thread that asks, so all threads should be \
                   busy from the beginning to the end. A stream that wakes one consumer after \
                   the other, or takes batches of long items, is above the ideal.",
        item: "item",
        size_counts: "items",
        sizes: Alike::STREAM_SIZES,
        smoke_sizes: Alike::SMOKE_SIZES,
        limits: Alike::LIMITS,
        default_rank: None,
        outside: true,
        shows: Shows::Cores,
    };

    const SHARING: Sharing = Sharing::Stream;

    fn drive<R: VirtualRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        outside(Alike::of(size)?.lengths(), jobs, session, R::stream)
    }

    fn size_label(size: u64) -> String {
        Alike::label(size)
    }
}
