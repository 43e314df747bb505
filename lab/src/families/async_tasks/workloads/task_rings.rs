//! `task-rings`: many tokens go round, each in a ring of its own.

use anyhow::Result;

use crate::families::async_tasks::rings::{self, TASKS};
use crate::families::async_tasks::workloads::task_ring::TaskRing;
use crate::families::async_tasks::{AsyncRuntime, AsyncWorkload, TaskKind};
use crate::session::Session;
use crate::workload::{WorkloadCard, group};

/// How many rings there are.
const RINGS: u64 = 100;

/// Many rings.
#[derive(Debug)]
pub struct TaskRings;

impl AsyncWorkload for TaskRings {
    const CARD: WorkloadCard = WorkloadCard {
        name: "task-rings",
        about: "100 rings of 100 tasks at once, a token in each; 1,000,000 hops in all",
        analysis: "As `task-ring`, but 100 tasks can run at any time, so more jobs can help. The \
                   spawn of the 10,000 tasks is part of the time, one for every 100 hops.",
        size_counts: "hops per ring",
        sizes: &[10_000],
        smoke_sizes: &[100],
        limits: (1, 10_000_000),
        default_rank: Some(19),
        ..TaskRing::CARD
    };

    const KIND: TaskKind = TaskKind::Await;

    const BRIEF: Option<&'static [u64]> = Some(&[500]);

    fn tasks(_size: u64) -> u64 {
        RINGS * TASKS
    }

    fn drive<R: AsyncRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        rings::drive(RINGS, size, runtime, session);
        Ok(())
    }

    fn size_label(size: u64) -> String {
        format!("{} × {}", group(RINGS), group(size))
    }
}
