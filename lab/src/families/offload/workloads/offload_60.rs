//! `offload-60`: requests arrive at 60 % of what the machine is able to compute.

use crate::families::offload::OffloadWorkload;
use crate::workload::{Shows, WorkloadCard};

/// Requests at a middle load.
#[derive(Debug)]
pub struct Offload60;

impl OffloadWorkload for Offload60 {
    const CARD: WorkloadCard = WorkloadCard {
        name: "offload-60",
        about: "requests of 1 ms of computing that a tokio thread hands over, at 60 % load",
        analysis: "Latency is from the moment when a request was to arrive until a task of tokio's \
                   current-thread runtime has its answer. The load is a share of what as many \
                   plain threads as jobs compute in a closed loop, measured in the same process \
                   before. Arrivals are random (Poisson, fixed seed), so some requests wait for \
                   others in any runtime. A request is a fixed number of steps, 1 ms where nothing \
                   else runs; the thread that makes requests arrive and that of tokio need a share \
                   of the same cores. p99.9 is told from 20,000 requests on.",
        item: "request",
        size_counts: "requests",
        sizes: &[2_000],
        smoke_sizes: &[40],
        limits: (1, 1_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::Tail,
    };

    const LOAD_PERCENT: u32 = 60;
}
