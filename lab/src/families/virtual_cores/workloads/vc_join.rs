//! `vc-join`: a tree of joins with leaves that sleep.

use std::time::Duration;

use anyhow::Result;

use crate::families::virtual_cores::drive::inside;
use crate::families::virtual_cores::{Sharing, VirtualRuntime, VirtualWorkload};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// How long a leaf sleeps.
const LENGTH: Duration = Duration::from_millis(2);

/// A tree of joins.
#[derive(Debug)]
pub struct VcJoin;

impl VirtualWorkload for VcJoin {
    const CARD: WorkloadCard = WorkloadCard {
        name: "vc-join",
        about: "a binary tree of joins whose leaves sleep 2 ms each",
        analysis: "All that a thief can take is the right half of a join that another thread has \
                   begun. With as many jobs as leaves, the tree must be taken apart before the \
                   first leaf ends.",
        item: "leaf",
        size_counts: "leaves",
        sizes: &[256],
        smoke_sizes: &[8],
        limits: (1, 100_000),
        default_rank: Some(15),
        outside: false,
        shows: Shows::Cores,
    };

    const SHARING: Sharing = Sharing::Share;

    const BRIEF_JOBS: Option<&'static [usize]> = Some(&[64]);

    fn drive<R: VirtualRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        inside(vec![LENGTH; usize::try_from(size)?], jobs, session, R::join)
    }
}
