//! Drumline without spares: as many threads as jobs, whatever the items do.

use std::sync::Arc;

use anyhow::Result;

use super::drumline::Drumline;
use crate::families::virtual_cores::sleepers::Sleepers;
use crate::families::virtual_cores::{Sharing, VirtualRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A pool of drumline that promises to run no more at once than there are jobs.
#[derive(Debug)]
pub struct DrumlineNoSpares(Drumline);

impl VirtualRuntime for DrumlineNoSpares {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-no-spares",
        about: "this repository: the same calls, in a pool with `spares(false)` and `guests(false)`",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 10,
        scheduler: "work stealing, fixed threads",
        parallel: true,
        colour: (170, 50, 30),
    };

    const SHARINGS: &'static [Sharing] = Drumline::SHARINGS;

    const KEEPS_JOBS: bool = true;

    fn start(jobs: usize) -> Result<Self> {
        Drumline::without_spares(jobs).map(Self)
    }

    fn enter<R: Send>(&self, call: impl FnOnce() -> R + Send) -> R {
        self.0.enter(call)
    }

    fn each(&self, items: &Arc<Sleepers>) {
        self.0.each(items);
    }

    fn nested(&self, items: &Arc<Sleepers>, inner: usize) {
        self.0.nested(items, inner);
    }

    fn join(&self, items: &Arc<Sleepers>) {
        self.0.join(items);
    }

    fn scope(&self, items: &Arc<Sleepers>) {
        self.0.scope(items);
    }

    fn stream(&self, items: &Arc<Sleepers>) {
        self.0.stream(items);
    }

    fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        self.0.spawn(task);
    }

    fn bridge(&self, numbers: impl Iterator<Item = u64> + Send, item: impl Fn(u64) + Send + Sync) {
        self.0.bridge(numbers, item);
    }
}
