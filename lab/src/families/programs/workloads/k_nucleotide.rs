//! `k-nucleotide`: seven tables of counts, of one text.

use std::sync::Arc;

use anyhow::Result;

use crate::families::programs::kmers::{self, KmerCounter};
use crate::families::programs::{Program, ProgramRuntime};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard, group};

/// A text, and what is to come of it.
#[derive(Debug)]
pub struct KNucleotide {
    pieces: Vec<Arc<[u8]>>,
    nucleotides: u64,
    expected: u64,
}

impl Program for KNucleotide {
    const CARD: WorkloadCard = WorkloadCard {
        name: "k-nucleotide",
        about: "counts of all texts of 1, 2, 3, 4, 6, 12 and 18 nucleotides in a long text",
        analysis: "The text comes from the generator of the Benchmarks Game, in pieces of 64 KiB, \
                   and is the same for all seven counters. With channels each counter is a task or \
                   a thread and is sent all pieces; with loops each is an item. With fewer jobs \
                   than cores, threads have several counters each, and are as many as the jobs. \
                   The counters differ in what they cost: the tables of the two longest texts are \
                   in no first cache.",
        item: "nucleotide",
        size_counts: "nucleotides",
        sizes: &[25_000_000],
        smoke_sizes: &[200_000],
        limits: (1, 1_000_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::Rate,
    };

    fn build(size: u64) -> Result<Self> {
        let pieces = kmers::text(usize::try_from(size)?);
        let mut counters = KmerCounter::all();
        for counter in &mut counters {
            counter.count_all(&pieces);
        }
        Ok(Self {
            pieces,
            nucleotides: size,
            expected: kmers::digest(&counters),
        })
    }

    fn drive<R: ProgramRuntime>(&self, runtime: &R, session: &mut Session) {
        session.sample(&self.expected, self.nucleotides, || {
            kmers::digest(&runtime.count(&self.pieces, KmerCounter::all()))
        });
    }

    fn size_label(size: u64) -> String {
        group(size)
    }
}
