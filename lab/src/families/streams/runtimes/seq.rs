//! No parallelism: the items of an iterator, mapped one after the other.

use anyhow::Result;

use crate::families::streams::mapping::{Mapping, Tally};
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// The plain loop.
#[derive(Debug)]
pub struct Seq;

impl StreamRuntime for Seq {
    const CARD: RuntimeCard = RuntimeCard {
        name: "seq",
        about: "`Iterator::map`, one thread: what parallel code is measured against",
        package: None,
        role: Role::Bound,
        rank: 0,
        scheduler: "none",
        parallel: false,
        colour: (122, 128, 138),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Map];

    fn start(_jobs: usize) -> Result<Self> {
        Ok(Self)
    }

    fn map<M: Mapping>(&self, mapping: &M) -> Tally {
        let mut tally = Tally::default();
        let values = (0..mapping.items()).map(|index| mapping.value(index));
        values.for_each(|valued| tally.take(valued));
        tally
    }
}
