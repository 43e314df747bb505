//! Tokio with `block_in_place`: a worker that is about to block hands its queue to a thread of the
//! blocking pool, which has a cap.

use anyhow::Result;

use super::tokio::Tokio;
use crate::families::tasks::TaskRuntime;
use crate::runtime::{Role, RuntimeCard};

/// A multi-threaded runtime of tokio with tasks that announce that they block.
#[derive(Debug)]
pub struct TokioBlockInPlace(Tokio);

impl TaskRuntime for TokioBlockInPlace {
    const CARD: RuntimeCard = RuntimeCard {
        name: "tokio-block-in-place",
        about: "`Runtime::spawn`, what blocks inside `block_in_place`; at most 512 more threads",
        package: Some("tokio"),
        role: Role::Peer,
        rank: 31,
        scheduler: "async work stealing, workers replaced up to a cap",
        parallel: true,
        colour: (160, 130, 200),
    };

    fn start(jobs: usize) -> Result<Self> {
        Tokio::with_jobs(jobs).map(Self)
    }

    fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        self.0.spawn_task(task);
    }

    fn block<R>(wait: impl FnOnce() -> R) -> R {
        ::tokio::task::block_in_place(wait)
    }
}
