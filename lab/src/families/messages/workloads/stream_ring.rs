//! `stream-ring`: all tasks of a ring send and receive at once.

use anyhow::Result;

use crate::families::messages::rings::{self, TASKS};
use crate::families::messages::workloads::token_ring::TokenRing;
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::{WorkloadCard, group};

/// As many messages under way as there are tasks.
#[derive(Debug)]
pub struct StreamRing;

impl MessageWorkload for StreamRing {
    const CARD: WorkloadCard = WorkloadCard {
        name: "stream-ring",
        about: "100 tasks in a ring each send 10,000 messages to the right and receive as many",
        analysis: "From the spawn of the first task, from outside, to the end of the last one. \
                   Each task sends one message to its right, receives one from its left, and so \
                   on. All tasks can run at any time. A task waits only if its left neighbour has \
                   sent less than itself, so a message costs between a hop of `token-ring` and \
                   one of `spsc-unbounded`. Each message has a number that is checked.",
        item: "message",
        size_counts: "messages per task",
        sizes: &[10_000],
        smoke_sizes: &[50],
        limits: (1, 10_000_000),
        ..TokenRing::CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::SpscAsync];

    const HAS_TASKS: bool = true;

    fn drive<R: MessageRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        rings::stream::<R>(size, jobs, session)
    }

    fn size_label(size: u64) -> String {
        format!("{} × {}", group(TASKS), group(size))
    }
}
