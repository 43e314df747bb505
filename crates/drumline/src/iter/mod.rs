//! Parallel iterators: loops that split only when a thread is idle.
//!
//! With the [prelude](crate::prelude) in scope, `par_iter` stands where `iter` would, and the rest
//! of the chain is written as usual:
//!
//! ```
//! use drumline::prelude::*;
//!
//! let words = ["seven", "ate", "nine"];
//! let longest = words.par_iter().map(|word| word.len()).max();
//! assert_eq!(longest, Some(5));
//!
//! let squares: Vec<u32> = (1..=4u32).into_par_iter().map(|number| number * number).collect();
//! assert_eq!(squares, [1, 4, 9, 16]);
//! ```
//!
//! # No grain size
//!
//! A loop offers half of its items to idle threads, goes on with the rest, and takes the offer back
//! if no thread came. So a sum of a hundred numbers costs some twenty nanoseconds more than without
//! threads. Two items of a second each take one second on two threads. There is no length below
//! which a loop should be left sequential. [`with_min_len`](IndexedParallelIterator::with_min_len)
//! and [`with_max_len`](IndexedParallelIterator::with_max_len) exist for code that moves over from
//! rayon with them.
//!
//! Like all calls, a loop takes place in the pool that its thread is in, and else in the global
//! one.
//!
//! # Order
//!
//! Results are in the order of the items where there is one (`collect`, `reduce`, `find_first`),
//! however many threads took part. Closures run in any order, and on any thread of the pool.
//!
//! # What there is
//!
//! All that rayon 1.12 has, under the same names, but for `find` and `position`, which are
//! deprecated there. Code moves over with its imports.
//!
//! | to | use |
//! |---|---|
//! | begin | `par_iter`, `par_iter_mut`, `into_par_iter` of slices, arrays, vectors, ranges, options, results and all collections of the standard library; `par_drain`; the methods of [`ParallelSlice`](crate::slice::ParallelSlice), [`ParallelSliceMut`](crate::slice::ParallelSliceMut) and [`ParallelString`](crate::str::ParallelString); [`par_bridge`](ParallelBridge::par_bridge); [`empty`], [`once`], [`repeat`], [`repeat_n`]; [`split()`], [`walk_tree`], [`walk_tree_prefix`], [`walk_tree_postfix`]; [`from_par_fn`]; tuples of iterators ([`MultiZip`]) |
//! | change each item | `map`, `map_with`, `map_init`, `cloned`, `copied`, `inspect`, `update` |
//! | choose items | `filter`, `filter_map`, `while_some`, `take_any`, `skip_any`, `take_any_while`, `skip_any_while`; by position: `skip`, `take`, `step_by`, `positions` |
//! | have more items | `flat_map`, `flat_map_iter`, `flatten`, `flatten_iter`, `chain`, `intersperse` |
//! | go by position | `enumerate`, `rev`, `zip`, `zip_eq`, `interleave`, `interleave_shortest`, `chunks`, `fold_chunks`, `fold_chunks_with`, `by_exponential_blocks`, `by_uniform_blocks` |
//! | do something | `for_each`, `for_each_with`, `for_each_init`, `try_for_each`, `try_for_each_with`, `try_for_each_init` |
//! | make one value | `reduce`, `reduce_with`, `try_reduce`, `try_reduce_with`, `fold`, `fold_with`, `try_fold`, `try_fold_with`, `sum`, `product`, `count`, `min`, `max` and their `_by` and `_by_key` |
//! | search | `find_any`, `find_first`, `find_last`, `find_map_any`, `find_map_first`, `find_map_last`, `any`, `all`, `position_any`, `position_first`, `position_last` |
//! | compare | `cmp`, `partial_cmp`, `eq`, `ne`, `lt`, `le`, `gt`, `ge` |
//! | collect | `collect`, `collect_into_vec`, `collect_vec_list`, `unzip`, `unzip_into_vecs`, `partition`, `partition_map`, into all collections, and into an `Option` or `Result` of one |
//! | have a say in how it runs | `with_min_len`, `with_max_len`, `panic_fuse`, [`jobs`](ParallelIterator::jobs) |
//!
//! And what rayon does not have:
//!
//! * [`map_worker`](ParallelIterator::map_worker) and
//!   [`for_each_worker`](ParallelIterator::for_each_worker): a state per *thread*, not per split;
//! * [`cancel_on`](ParallelIterator::cancel_on): a [token](crate::CancellationToken) that stops any
//!   operation;
//! * [`progress`](ParallelIterator::progress): a [count](crate::Progress) of finished items;
//! * [`jobs`](ParallelIterator::jobs): a limit on the threads of one loop;
//! * [`sum_fixed`](IndexedParallelIterator::sum_fixed) and
//!   [`reduce_fixed`](IndexedParallelIterator::reduce_fixed): the same bits for any number of jobs;
//! * [`from_par_fn`]: an indexed source from a function of the index.
//!
//! # A state for each part, or for each thread
//!
//! `map_init`, `for_each_init`, `fold` and their relatives begin anew for each part of the loop. A
//! part begins where a thread takes some of the items from another, and sometimes where that other
//! one goes on behind them; so there are about as many as steals, and in a loop that no thread
//! helps with there is exactly one. (Behind an adapter that needs its items one by one, such as
//! `zip`, there are more.)
//!
//! # Sources of one's own
//!
//! [`from_par_fn`] is enough for what can be computed from an index; [`split()`] and [`walk_tree`]
//! for what can be divided; [`plumbing`] has the traits behind all of them, with an example.
//!
//! # Panics
//!
//! A panic in a closure stops its part of the loop, and the payload comes out of the operation at
//! the end of the chain. Parts that another thread has begun end as they would have. Items that
//! were not reached are dropped, and so are parts that no thread has begun.
//!
//! Where a destructor panics, other values of the loop may leak, as they may in a sequential one.
//! No value is dropped twice.

mod adapters;
pub(crate) mod bridged;
mod convert;
mod either;
mod ends;
pub(crate) mod engine;
mod indexed;
mod item_op;
mod map_op;
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod panic_sweep;
mod parallel;
pub mod plumbing;
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod properties;
#[cfg(all(test, not(drumline_shuttle)))]
mod small_tests;
pub(crate) mod sources;

pub use adapters::{
    blocks::{ExponentialBlocks, UniformBlocks},
    cancel::CancelOn,
    chain::Chain,
    chunks::Chunks,
    cloned::{Cloned, Copied},
    enumerate::Enumerate,
    filter::{Filter, FilterMap},
    flat_map::{FlatMap, Flatten},
    flat_map_iter::{FlatMapIter, FlattenIter},
    fold::{Fold, FoldWith},
    fold_chunks::{FoldChunks, FoldChunksWith},
    inspect::{Inspect, Update},
    interleave::{Interleave, InterleaveShortest},
    intersperse::Intersperse,
    map::{Map, MapInit, MapWith},
    panic_fuse::PanicFuse,
    part_len::{MaxLen, MinLen},
    positions::Positions,
    progress::WithProgress,
    rev::Rev,
    step_by::StepBy,
    take_any::{SkipAny, TakeAny},
    take_any_while::{SkipAnyWhile, TakeAnyWhile, WhileSome},
    take_skip::{Skip, Take},
    try_fold::{TryFold, TryFoldWith},
    with_jobs::WithJobs,
    worker_state::MapWorker,
    zip::{Zip, ZipEq},
};
pub use convert::{
    FromParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
    IntoParallelRefMutIterator, ParallelDrainFull, ParallelDrainRange, ParallelExtend,
};
pub use either::Either;
pub use indexed::IndexedParallelIterator;
pub use parallel::ParallelIterator;
pub use sources::{
    empty::{Empty, empty},
    from_par_fn::{FromParFn, from_par_fn},
    multizip::MultiZip,
    once::{Once, once},
    par_bridge::{IterBridge, ParallelBridge},
    repeat::{Repeat, RepeatN, repeat, repeat_n},
    splitter::{Split, split},
    walk_tree::{
        WalkTree, WalkTreePostfix, WalkTreePrefix, walk_tree, walk_tree_postfix, walk_tree_prefix,
    },
};

#[expect(deprecated, reason = "those who move over may still use the old name")]
pub use sources::repeat::repeatn;
