//! `par-bridge`: items from one sequential iterator.

use std::hint::black_box;

use anyhow::Result;

use crate::families::virtual_cores::drive::marked;
use crate::families::virtual_cores::{Sharing, VirtualRuntime, VirtualWorkload};
use crate::session::Session;
use crate::spin;
use crate::workload::{Shows, WorkloadCard};

const ITEMS: u64 = 1_000_000;
const SMOKE_ITEMS: u64 = 10_000;

/// Items of one length.
#[derive(Debug)]
pub struct ParBridge;

impl VirtualWorkload for ParBridge {
    const CARD: WorkloadCard = WorkloadCard {
        name: "par-bridge",
        about: "1,000,000 items from one iterator; the size chooses their length: 0 nothing, \
                1 0.1 µs, 2 1 µs; +10: 10,000 items",
        analysis: "One thread at a time can ask the iterator. With items of nothing, sharing can \
                   only lose, and the question is how much; with items of a microsecond it \
                   should gain. These items compute, so jobs above the cores gain nothing.",
        item: "item",
        size_counts: "length",
        sizes: &[0, 1, 2],
        smoke_sizes: &[10],
        limits: (0, 12),
        default_rank: None,
        outside: true,
        shows: Shows::Rate,
    };

    const SHARING: Sharing = Sharing::Bridge;

    fn drive<R: VirtualRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        let items = if size < 10 { ITEMS } else { SMOKE_ITEMS };
        let steps = match size % 10 {
            0 => 0,
            1 => spin::MICROSECOND / 10,
            _ => spin::MICROSECOND,
        };
        marked(items, jobs, session, |runtime: &R, marks| {
            runtime.bridge(0..items, |item| {
                if steps > 0 {
                    black_box(spin::steps(steps));
                }
                marks.mark(item);
            });
        })
    }

    fn refuses(size: u64) -> Option<&'static str> {
        (size % 10 > 2).then_some("the lengths are 0, 1, 2, 10, 11 and 12")
    }

    fn size_label(size: u64) -> String {
        let length = match size % 10 {
            0 => "nothing",
            1 => "0.1 µs",
            _ => "1 µs",
        };
        let few = if size < 10 { "" } else { ", 10,000 items" };
        format!("{length}{few}")
    }
}
