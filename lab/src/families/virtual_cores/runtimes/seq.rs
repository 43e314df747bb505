//! No parallelism: a plain loop.

use anyhow::Result;

use crate::families::virtual_cores::{Sharing, VirtualRuntime};
use crate::runtime::{Role, RuntimeCard};

/// The plain loop.
#[derive(Debug)]
pub struct Seq;

impl VirtualRuntime for Seq {
    const CARD: RuntimeCard = RuntimeCard {
        name: "seq",
        about: "no parallelism: a plain loop",
        package: None,
        role: Role::Bound,
        rank: 0,
        scheduler: "none, one thread",
        parallel: false,
        colour: (122, 128, 138),
    };

    const SHARINGS: &'static [Sharing] = &[Sharing::Bridge];

    const KEEPS_JOBS: bool = true;

    fn start(_jobs: usize) -> Result<Self> {
        Ok(Self)
    }

    fn bridge(&self, numbers: impl Iterator<Item = u64> + Send, item: impl Fn(u64) + Send + Sync) {
        numbers.for_each(item);
    }
}
