//! `token-ring`: one token goes round in channels.

use anyhow::Result;

use crate::families::messages::rings::{self, TASKS};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// One token.
#[derive(Debug)]
pub struct TokenRing;

impl MessageWorkload for TokenRing {
    const CARD: WorkloadCard = WorkloadCard {
        name: "token-ring",
        about: "a token goes round a ring of 100 tasks, from channel to channel; 1,000,000 hops",
        analysis: "From the spawn of the first task, from outside, to the end of the last one. A \
                   task receives the number of the hop from its left neighbour and sends the next \
                   one to its right. Each channel is empty or has one message, and each hop wakes \
                   a task. Only one task can run at a time, so more jobs can only cost.",
        item: "hop",
        size_counts: "hops",
        sizes: &[1_000_000],
        smoke_sizes: &[5_000],
        limits: (1, 1_000_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::Rate,
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::SpscAsync];

    const HAS_TASKS: bool = true;

    fn drive<R: MessageRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        rings::pass_token::<R>(TASKS, size, jobs, session)
    }
}
