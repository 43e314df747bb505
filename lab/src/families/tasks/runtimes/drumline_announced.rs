//! Drumline, told of waits by `drumline::blocking`.

use anyhow::Result;

use super::drumline::Drumline;
use crate::families::tasks::TaskRuntime;
use crate::runtime::{Role, RuntimeCard};

/// A pool of drumline with tasks that announce that they block.
#[derive(Debug)]
pub struct DrumlineAnnounced(Drumline);

impl TaskRuntime for DrumlineAnnounced {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-announced",
        about: "this repository: `Pool::spawn`, what blocks inside `drumline::blocking`",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 11,
        scheduler: "queue per worker, stealing, announced waits",
        parallel: true,
        colour: (232, 132, 92),
    };

    fn start(jobs: usize) -> Result<Self> {
        Drumline::with_jobs(jobs).map(Self)
    }

    fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        self.0.detached(task);
    }

    fn block<R>(wait: impl FnOnce() -> R) -> R {
        ::drumline::blocking(wait)
    }
}
