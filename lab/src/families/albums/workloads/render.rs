//! `render`: an album of composed songs to audio files.

use crate::families::albums::Album;
use crate::workload::{Shows, WorkloadCard};

/// Songs of one to six minutes, for eight machines, to WAV files of 16 bits.
#[derive(Debug)]
pub struct Render;

impl Album for Render {
    const CARD: WorkloadCard = WorkloadCard {
        name: "render",
        about: "songs of one to six minutes from logs of sound chips to WAV files, the most work \
                first",
        analysis: "Long, uneven jobs that know nothing of each other: one job, one thread. More \
                   songs in flight than threads must not cost more memory, and more threads than \
                   cores no time. `processes` is the album dealt out in advance to a process per \
                   job.",
        item: "frame",
        size_counts: "songs",
        sizes: &[61],
        smoke_sizes: &[1],
        limits: (1, 10_000),
        default_rank: None,
        outside: false,
        shows: Shows::WholeAndMemory,
    };
}
