//! The same work with no communication at all: its context switches are time slices, so they are
//! what every other runtime has, too.

use std::thread;

use anyhow::Result;

use crate::families::streams::pipeline::{Pipeline, made};
use crate::families::streams::{StreamKind, StreamRuntime};
use crate::runtime::{Role, RuntimeCard};

/// Items dealt out in advance.
#[derive(Debug)]
pub struct StaticDivision {
    jobs: u64,
}

impl StreamRuntime for StaticDivision {
    const CARD: RuntimeCard = RuntimeCard {
        name: "static",
        about: "producer and consumers do their shares and hand nothing over: the floor",
        package: None,
        role: Role::Bound,
        rank: 1,
        scheduler: "none, shares fixed in advance",
        parallel: true,
        colour: (176, 181, 189),
    };

    const KINDS: &'static [StreamKind] = &[StreamKind::Pipe];

    fn start(jobs: usize) -> Result<Self> {
        let jobs = u64::try_from(jobs)?;
        Ok(Self { jobs })
    }

    fn pipe<P: Pipeline>(&self, pipeline: &P, _batch: usize) {
        thread::scope(|scope| {
            for share in 0..self.jobs {
                scope.spawn(move || {
                    let (from, to) = (share, share + 1);
                    let at = |part: u64| part * pipeline.items() / self.jobs;
                    for index in at(from)..at(to) {
                        pipeline.handle(pipeline.given(index));
                    }
                });
            }
            made(pipeline).for_each(drop);
        });
    }
}
