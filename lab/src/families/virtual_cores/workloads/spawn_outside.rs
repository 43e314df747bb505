//! `spawn-outside`: threads that are not of the pool queue tasks, all at once.

use std::thread;

use anyhow::Result;

use crate::families::virtual_cores::drive::marked;
use crate::families::virtual_cores::{Sharing, VirtualRuntime, VirtualWorkload};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard, group};

/// What each thread spawns.
const TASKS: u64 = 100_000;

/// Empty tasks.
#[derive(Debug)]
pub struct SpawnOutside;

impl VirtualWorkload for SpawnOutside {
    const CARD: WorkloadCard = WorkloadCard {
        name: "spawn-outside",
        about: "threads outside of the pool spawn 100,000 empty tasks each",
        analysis: "Each task is one allocation, one push to a queue that all threads outside share, \
                   and one take from it. What grows with the threads is how much they are in \
                   each other's way, and how often a worker is woken for a task that another \
                   one has taken.",
        item: "task",
        size_counts: "threads",
        sizes: &[1, 4, 16],
        smoke_sizes: &[2],
        limits: (1, 256),
        default_rank: None,
        outside: true,
        shows: Shows::Rate,
    };

    const SHARING: Sharing = Sharing::Spawn;

    fn drive<R: VirtualRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        let items = size * TASKS;
        marked(items, jobs, session, |runtime: &R, marks| {
            thread::scope(|scope| {
                for thread in 0..size {
                    scope.spawn(move || {
                        for task in thread * TASKS..(thread + 1) * TASKS {
                            runtime.spawn(move || marks.mark(task));
                        }
                    });
                }
            });
            marks.wait(items);
        })
    }

    fn size_label(size: u64) -> String {
        format!("{} × {}", group(size), group(TASKS))
    }
}
