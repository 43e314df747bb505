//! `vc-nested`: a loop of loops.

use std::time::Duration;

use anyhow::Result;

use crate::families::virtual_cores::drive::inside;
use crate::families::virtual_cores::{Sharing, VirtualRuntime, VirtualWorkload};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// The items of an inner loop, and how long each sleeps.
const INNER: usize = 64;
const LENGTH: Duration = Duration::from_millis(1);

/// Loops in a loop.
#[derive(Debug)]
pub struct VcNested;

impl VirtualWorkload for VcNested {
    const CARD: WorkloadCard = WorkloadCard {
        name: "vc-nested",
        about: "a loop whose items are loops over 64 items that sleep 1 ms each",
        analysis: "With more jobs than outer items, the inner loops have to be shared, too. With \
                   fewer, a thread that waits for its inner loop should help others meanwhile.",
        item: "inner item",
        size_counts: "outer items",
        sizes: &[16],
        smoke_sizes: &[2],
        limits: (1, 1_000),
        default_rank: None,
        outside: false,
        shows: Shows::Cores,
    };

    const SHARING: Sharing = Sharing::Share;

    fn drive<R: VirtualRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        let lengths = vec![LENGTH; usize::try_from(size)? * INNER];
        let nested = |runtime: &R, items: &_| runtime.nested(items, INNER);
        inside(lengths, jobs, session, nested)
    }
}
