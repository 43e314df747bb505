//! `offload-30`: requests arrive at 30 % of what the machine is able to compute.

use crate::families::offload::OffloadWorkload;
use crate::families::offload::workloads::offload_60::Offload60;
use crate::workload::WorkloadCard;

/// Requests at a light load.
#[derive(Debug)]
pub struct Offload30;

impl OffloadWorkload for Offload30 {
    const CARD: WorkloadCard = WorkloadCard {
        name: "offload-30",
        about: "requests of 1 ms of computing that a tokio thread hands over, at 30 % load",
        analysis: "As `offload-60`. Most requests find a thread that sleeps, so the latency is the \
                   millisecond, the way there and back, and two wake-ups.",
        ..Offload60::CARD
    };

    const LOAD_PERCENT: u32 = 30;
}
