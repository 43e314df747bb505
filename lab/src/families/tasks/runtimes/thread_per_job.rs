//! No pool: a thread for every task. It cannot deadlock, and pays for that with each task.
//!
//! The threads are joined when later ones start. To drop the handle of a thread that ends at that
//! moment may end the process: `pthread_detach` of glibc 2.36 reads the memory of the thread after
//! it has let go of it.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::thread::{self, JoinHandle};

use anyhow::Result;

use crate::families::tasks::TaskRuntime;
use crate::runtime::{Role, RuntimeCard};

/// A thread of the standard library per task, whatever the number of jobs.
#[derive(Debug)]
pub struct ThreadPerJob {
    /// Those that have not been joined, in the order of their starts.
    threads: Mutex<VecDeque<JoinHandle<()>>>,
}

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
        Ok(Self {
            threads: Mutex::default(),
        })
    }

    fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        // Panics where the system has no more threads; the row then says so.
        let thread = thread::spawn(task);
        let mut threads = self.threads.lock().expect("nothing panics with the lock");
        threads.push_back(thread);
        while threads.front().is_some_and(JoinHandle::is_finished) {
            join(threads.pop_front());
        }
    }
}

/// Waits for a thread that has ended. If its task has panicked, that has been printed, and an
/// answer is missing.
fn join(thread: Option<JoinHandle<()>>) {
    let _ = thread.map(JoinHandle::join);
}
