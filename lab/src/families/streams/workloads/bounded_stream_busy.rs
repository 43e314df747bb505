//! `bounded-stream-busy`: the same, on a machine that others use.

use anyhow::Result;

use crate::busy::BusyLoops;
use crate::families::streams::workloads::bounded_stream::{BoundedStream, passed};
use crate::families::streams::{StreamKind, StreamRuntime, StreamWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// How many processes compute meanwhile.
const LOOPS: usize = 2;

/// Items that cost nothing, beside two busy loops.
#[derive(Debug)]
pub struct BoundedStreamBusy;

impl StreamWorkload for BoundedStreamBusy {
    const CARD: WorkloadCard = WorkloadCard {
        name: "bounded-stream-busy",
        about: "`bounded-stream` while two other processes compute",
        analysis: "Whatever gives its processor away gets it back a time slice later. A thread \
                   that sleeps for some time rather than until an item comes is far behind the \
                   plain loop here.",
        ..BoundedStream::CARD
    };

    const KIND: StreamKind = BoundedStream::KIND;

    fn drive<R: StreamRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        let _busy = BusyLoops::start(LOOPS)?;
        passed::<R>(size, jobs, session)
    }
}
