//! `vc-loop`: a loop over items that sleep.

use anyhow::Result;

use crate::families::virtual_cores::alike::Alike;
use crate::families::virtual_cores::drive::inside;
use crate::families::virtual_cores::{Sharing, VirtualRuntime, VirtualWorkload};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// A parallel loop.
#[derive(Debug)]
pub struct VcLoop;

impl VirtualWorkload for VcLoop {
    const CARD: WorkloadCard = WorkloadCard {
        name: "vc-loop",
        about: "a loop over items that sleep; the size chooses how many and how long (4: smoke)",
        analysis: "An item that sleeps stands for one that computes on a core of its own, so the \
                   ideal is items by jobs, rounded up, times the length. What is above it is how \
                   late threads are woken, and how unevenly items are shared. A peak above the \
                   jobs means that sleepers were replaced; such a row is not compared.",
        item: "item",
        size_counts: "items",
        sizes: Alike::SIZES,
        smoke_sizes: Alike::SMOKE_SIZES,
        limits: Alike::LIMITS,
        default_rank: Some(14),
        outside: false,
        shows: Shows::Cores,
    };

    const SHARING: Sharing = Sharing::Share;

    const BRIEF: Option<&'static [u64]> = Some(&[0]);

    const BRIEF_JOBS: Option<&'static [usize]> = Some(&[8, 64]);

    fn drive<R: VirtualRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        inside(Alike::of(size)?.lengths(), jobs, session, R::each)
    }

    fn size_label(size: u64) -> String {
        Alike::label(size)
    }
}
