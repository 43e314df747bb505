//! The crate `blocking`: one pool per process, which grows with its queue, up to a cap.

use anyhow::Result;

use crate::families::tasks::TaskRuntime;
use crate::runtime::{Role, RuntimeCard};

/// The pool of the process; it needs no start and knows no number of jobs.
#[derive(Debug)]
pub struct Blocking;

impl TaskRuntime for Blocking {
    const CARD: RuntimeCard = RuntimeCard {
        name: "blocking",
        about: "`blocking::unblock`; at most 500 threads, whatever the jobs",
        package: Some("blocking"),
        role: Role::Peer,
        rank: 40,
        scheduler: "one queue, threads added as it grows, up to a cap",
        parallel: true,
        colour: (63, 143, 84),
    };

    fn start(_jobs: usize) -> Result<Self> {
        Ok(Self)
    }

    fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        ::blocking::unblock(task).detach();
    }
}
