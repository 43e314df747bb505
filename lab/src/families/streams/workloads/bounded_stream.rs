//! `bounded-stream`: three producers and a channel of eight.

use anyhow::Result;

use crate::families::streams::bounded::Received;
use crate::families::streams::{StreamKind, StreamRuntime, StreamWorkload};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// Items that cost nothing.
#[derive(Debug)]
pub struct BoundedStream;

impl StreamWorkload for BoundedStream {
    const CARD: WorkloadCard = WorkloadCard {
        name: "bounded-stream",
        about: "three producers through a channel of 8 into a stream, or into a plain loop",
        analysis: "Compare each stream with the plain loop on the same channel. Handling an item \
                   costs nothing, so this is the price of the channel and of the waits on it.",
        item: "item",
        size_counts: "items",
        sizes: &[30_000],
        smoke_sizes: &[300],
        limits: (1, 100_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::Rate,
    };

    const KIND: StreamKind = StreamKind::Bounded;

    fn drive<R: StreamRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        passed::<R>(size, jobs, session)
    }
}

/// Passes this many items through the channel.
pub fn passed<R: StreamRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
    let runtime = R::start(jobs)?;
    session.tasks(1, Some(size));
    session.sample_prepared(
        size,
        &mut (),
        |()| {},
        |()| runtime.bounded(size),
        |(), received| {
            let expected = Received::all(size);
            if received == expected {
                return Ok(());
            }
            Err(format!("{received:?} instead of {expected:?}"))
        },
    );
    // The process ends now; see `triple-pool`.
    std::mem::forget(runtime);
    Ok(())
}
