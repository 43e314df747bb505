//! What the workloads with one actor on one side and many on the other have in common.

use crate::workload::{Shows, WorkloadCard, group};

/// The actors of the side that has many.
pub const MANY: u64 = 100;

/// What the cards have in common.
pub const CARD: WorkloadCard = WorkloadCard {
    name: "",
    about: "",
    analysis: "",
    item: "message",
    size_counts: "messages per pair of actors",
    sizes: &[10_000],
    smoke_sizes: &[100],
    limits: (1, 10_000_000),
    default_rank: None,
    outside: true,
    shows: Shows::Rate,
};

/// What a size is called in tables.
pub fn size_label(size: u64) -> String {
    format!("{} × {}", group(MANY), group(size))
}
