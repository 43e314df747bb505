//! Parallel iterators.

mod attempt;
mod chain;
mod cloned;
mod convert;
mod each;
mod filter;
mod find;
mod flat_map;
mod flat_map_iter;
mod fold;
mod for_each;
mod gather;
mod indexed;
mod inspect;
mod intersperse;
mod map;
mod panic_fuse;
mod parallel;
mod place;
pub mod plumbing;
mod reduce;
mod spaced;
mod stage;
mod start;
mod sum;
mod take_any;
mod take_any_while;
mod try_fold;
mod try_reduce;
mod until;

pub use {
    chain::Chain,
    cloned::{Cloned, Copied},
    convert::{
        FromParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
        IntoParallelRefMutIterator, ParallelDrainFull, ParallelDrainRange, ParallelExtend,
    },
    filter::{Filter, FilterMap},
    flat_map::{FlatMap, Flatten},
    flat_map_iter::{FlatMapIter, FlattenIter},
    fold::{Fold, FoldWith},
    indexed::IndexedParallelIterator,
    inspect::{Inspect, Update},
    intersperse::Intersperse,
    map::{Map, MapInit, MapWith},
    panic_fuse::PanicFuse,
    parallel::ParallelIterator,
    take_any::{SkipAny, TakeAny},
    take_any_while::{SkipAnyWhile, TakeAnyWhile, WhileSome},
    try_fold::{TryFold, TryFoldWith},
};
