//! No pool: a thread for every task. It cannot deadlock, and pays for that with each task.

use std::thread;

use anyhow::Result;

use crate::families::tasks::TaskRuntime;
use crate::runtime::{Role, RuntimeCard};

/// A thread of the standard library per task, whatever the number of jobs.
#[derive(Debug)]
pub struct ThreadPerJob;

impl TaskRuntime for ThreadPerJob {
    const CARD: RuntimeCard = RuntimeCard {
        name: "thread-per-job",
        about: "`std::thread::spawn` for every task, whatever the jobs",
        package: None,
        role: Role::Peer,
        rank: 50,
        scheduler: "the operating system's",
        parallel: true,
        colour: (176, 141, 58),
    };

    fn start(_jobs: usize) -> Result<Self> {
        Ok(Self)
    }

    fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        // Panics where the system has no more threads; the row then says so.
        drop(thread::spawn(task));
    }
}
