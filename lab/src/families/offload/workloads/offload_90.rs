//! `offload-90`: requests arrive at 90 % of what the machine is able to compute.

use crate::families::offload::OffloadWorkload;
use crate::families::offload::workloads::offload_60::Offload60;
use crate::workload::WorkloadCard;

/// Requests at a heavy load.
#[derive(Debug)]
pub struct Offload90;

impl OffloadWorkload for Offload90 {
    const CARD: WorkloadCard = WorkloadCard {
        name: "offload-90",
        about: "requests of 1 ms of computing that a tokio thread hands over, at 90 % load",
        analysis: "As `offload-60`. Most requests wait for others, so their order counts, and \
                   a runtime with more threads than cores computes several at once, each of them \
                   slower.",
        ..Offload60::CARD
    };

    const LOAD_PERCENT: u32 = 90;
}
