//! `threadring`: one token in a larger ring, for fewer hops.

use anyhow::Result;

use crate::families::messages::rings;
use crate::families::messages::workloads::token_ring::TokenRing;
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// How many tasks there are.
const TASKS: u64 = 503;

/// The benchmark of this name in the Computer Language Benchmarks Game.
#[derive(Debug)]
pub struct Threadring;

impl MessageWorkload for Threadring {
    const CARD: WorkloadCard = WorkloadCard {
        name: "threadring",
        about: "a token goes round a ring of 503 tasks; 50,000 hops, and which task gets the last",
        analysis: "As `token-ring`, after the Benchmarks Game. The number of the task that gets \
                   the last hop is checked: 50,000 modulo 503, from 0 on. The spawn and the end \
                   of the tasks are part of the time, one for every 100 hops.",
        sizes: &[50_000],
        smoke_sizes: &[2_000],
        ..TokenRing::CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::SpscAsync];

    const HAS_TASKS: bool = true;

    fn drive<R: MessageRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        rings::pass_token::<R>(TASKS, size, jobs, session)
    }
}
