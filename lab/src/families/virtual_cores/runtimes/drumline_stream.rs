//! Drumline's stream in the place of a bridge: the items come from the same iterator.

use anyhow::Result;

use super::drumline::Drumline;
use crate::families::virtual_cores::{Sharing, VirtualRuntime};
use crate::runtime::{Role, RuntimeCard};

/// A pool of drumline.
#[derive(Debug)]
pub struct DrumlineStream(Drumline);

impl VirtualRuntime for DrumlineStream {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-stream",
        about: "this repository: `stream::iter(…).for_each` of the same iterator",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 12,
        scheduler: "biased, the source under a token",
        parallel: true,
        colour: (236, 142, 60),
    };

    const SHARINGS: &'static [Sharing] = &[Sharing::Bridge];

    const KEEPS_JOBS: bool = false;

    fn start(jobs: usize) -> Result<Self> {
        Drumline::start(jobs).map(Self)
    }

    fn bridge(&self, numbers: impl Iterator<Item = u64> + Send, item: impl Fn(u64) + Send + Sync) {
        self.0.stream_each(numbers, item);
    }
}
