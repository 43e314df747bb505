//! Parallel iterators.

mod blocks;
mod both;
mod bridged;
mod chunks;
mod convert;
mod each;
mod enumerate;
mod filter;
mod fold_chunks;
mod for_each;
mod gather;
mod indexed;
mod interleave;
mod interleave_shortest;
mod map;
mod multizip;
mod parallel;
mod part_len;
pub mod plumbing;
mod positions;
mod reduce;
mod rev;
mod search;
mod skip;
mod stage;
mod step_by;
mod sum;
mod take;
mod zip;
mod zip_eq;

pub use {
    blocks::{ExponentialBlocks, UniformBlocks},
    chunks::Chunks,
    convert::{
        FromParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
        IntoParallelRefMutIterator, ParallelDrainFull, ParallelDrainRange, ParallelExtend,
    },
    enumerate::Enumerate,
    filter::Filter,
    fold_chunks::{FoldChunks, FoldChunksWith},
    indexed::IndexedParallelIterator,
    interleave::Interleave,
    interleave_shortest::InterleaveShortest,
    map::Map,
    multizip::MultiZip,
    parallel::ParallelIterator,
    part_len::{MaxLen, MinLen},
    positions::Positions,
    rev::Rev,
    skip::Skip,
    step_by::StepBy,
    take::Take,
    zip::Zip,
    zip_eq::ZipEq,
};
