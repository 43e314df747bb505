//! The functions of adapters.

use super::sweeps;
use crate::control::{CancellationToken, Progress};
use crate::prelude::*;

sweeps! {
    map: |t| t.items().into_par_iter().map(|i| t.make("map", i)).for_each(drop);
    map_holding: |t| {
        let held = t.held();
        let op = move |i| {
            let _ = &held;
            t.make("map", i)
        };
        t.items().into_par_iter().map(op).count()
    };
    map_with: |t| t.items().into_par_iter().map_with(t.held(), |state, i| {
        state.add(1);
        t.make("map", i)
    }).for_each(drop);
    map_init: |t| t.items().into_par_iter().map_init(|| t.state("init"), |state, i| {
        state.add(1);
        t.make("map", i)
    }).for_each(drop);
    map_init_in_halves: |t| t.items().into_par_iter().with_max_len(5)
        .map_init(|| t.state("init"), |_, i| t.make("map", i)).collect::<Vec<_>>();
    map_worker: |t| t.items().into_par_iter().map_worker(|| t.state("init"), |state, i| {
        state.add(1);
        t.make("map", i)
    }).collect::<Vec<_>>();
    cloned: |t| {
        let items = t.items();
        items.par_iter().cloned().collect::<Vec<_>>()
    };
    inspect: |t| t.items().into_par_iter().inspect(|_| t.call("inspect")).count();
    update: |t| t.items().into_par_iter().update(|i| {
        t.call("update");
        i.add(1);
    }).collect::<Vec<_>>();
    filter: |t| t.items().into_par_iter().filter(|i| t.odd("filter", i)).collect::<Vec<_>>();
    filter_map: |t| t.items().into_par_iter().filter_map(|i| {
        (i.number() % 3 > 0).then(|| t.make("filter_map", i))
    }).collect::<Vec<_>>();
    flat_map: |t| t.some(12).into_par_iter().flat_map(|i| {
        t.call("flat_map");
        t.some(i.number() as usize % 9).into_par_iter().map(|i| t.make("map inside", i))
    }).collect::<Vec<_>>();
    flat_map_in_order: |t| t.some(12).into_par_iter().flat_map(|i| {
        t.call("flat_map");
        t.some(i.number() as usize % 9)
    }).map_init(|| t.state("init"), |_, i| t.make("map", i)).reduce_with(|a, b| t.sum("reduce", a, b));
    flat_map_twice: |t| t.some(5).into_par_iter().flat_map(|_| {
        t.call("outer");
        t.some(4).into_par_iter().flat_map(|_| {
            t.call("inner");
            t.some(3)
        })
    }).fold(|| t.state("identity"), |a, b| t.sum("fold", a, b)).collect::<Vec<_>>();
    flat_map_iter: |t| t.some(12).into_par_iter().flat_map_iter(|i| {
        t.call("flat_map_iter");
        t.some(i.number() as usize % 9).into_iter().map(|i| t.make("next", i))
    }).collect::<Vec<_>>();
    flatten: |t| (0..8).map(|n| t.some(n)).collect::<Vec<_>>().into_par_iter().flatten().collect::<Vec<_>>();
    flatten_iter: |t| (0..8).map(|n| t.some(n)).collect::<Vec<_>>().into_par_iter().flatten_iter()
        .map(|i| t.make("map", i)).collect::<Vec<_>>();
    flatten_options: |t| t.items().into_par_iter().map(|i| t.odd("map", &i).then_some(i)).flatten()
        .collect::<Vec<_>>();
    while_some: |t| t.items().into_par_iter().map(|i| {
        t.call("map");
        (i.number() != 33).then_some(i)
    }).while_some().collect::<Vec<_>>();
    fold: |t| t.items().into_par_iter().fold(|| t.state("identity"), |a, b| t.sum("fold", a, b))
        .collect::<Vec<_>>();
    fold_with: |t| t.items().into_par_iter().fold_with(t.held(), |a, b| t.sum("fold", a, b))
        .collect::<Vec<_>>();
    fold_and_reduce: |t| t.items().into_par_iter().fold(Vec::new, |mut all, i| {
        t.call("fold");
        all.push(i);
        all
    }).reduce(Vec::new, |mut a, b| {
        t.call("reduce");
        a.extend(b);
        a
    });
    try_fold: |t| t.items().into_par_iter().try_fold(|| t.state("identity"), |a, b| {
        let is_good = b.number() != 77;
        let sum = t.sum("fold", a, b);
        if is_good { Ok(sum) } else { Err(sum) }
    }).collect::<Vec<_>>();
    try_fold_with: |t| t.items().into_par_iter().try_fold_with(t.held(), |a, b| {
        Some(t.sum("fold", a, b))
    }).collect::<Option<Vec<_>>>();
    fold_chunks: |t| t.items().into_par_iter()
        .fold_chunks(7, || t.state("identity"), |a, b| t.sum("fold", a, b)).collect::<Vec<_>>();
    fold_chunks_with: |t| t.items().into_par_iter()
        .fold_chunks_with(7, t.held(), |a, b| t.sum("fold", a, b)).collect::<Vec<_>>();
    fold_chunks_backwards: |t| t.items().into_par_iter()
        .fold_chunks(7, || t.state("identity"), |a, b| t.sum("fold", a, b)).rev().collect::<Vec<_>>();
    chunks: |t| t.items().into_par_iter().map(|i| t.make("map", i)).chunks(7).map(|chunk| {
        t.call("chunk");
        chunk.len()
    }).sum::<usize>();
    chunks_zipped: |t| t.items().into_par_iter().chunks(4).rev().zip(t.some(14))
        .map(|pair| {
            t.call("map");
            pair
        }).collect::<Vec<_>>();
    take_any_while: |t| t.items().into_par_iter().take_any_while(|i| {
        t.call("take_any_while");
        i.number() != 77
    }).collect::<Vec<_>>();
    skip_any_while: |t| t.items().into_par_iter().skip_any_while(|i| t.odd("skip_any_while", i))
        .collect::<Vec<_>>();
    take_any: |t| t.items().into_par_iter().map(|i| t.make("map", i)).take_any(20).collect::<Vec<_>>();
    skip_any: |t| t.items().into_par_iter().map(|i| t.make("map", i)).skip_any(20).collect::<Vec<_>>();
    panic_fuse: |t| t.items().into_par_iter().panic_fuse().map(|i| t.make("map", i)).collect::<Vec<_>>();
    panic_fuse_behind: |t| t.items().into_par_iter().map(|i| t.make("map", i)).panic_fuse().zip(t.items())
        .filter(|pair| t.odd("filter", &pair.1)).panic_fuse().collect::<Vec<_>>();
    positions: |t| t.items().into_par_iter().positions(|i| t.odd("positions", &i)).collect::<Vec<_>>();
    enumerate_rev: |t| t.items().into_par_iter().map(|i| t.make("map", i)).rev().enumerate()
        .collect::<Vec<_>>();
    zip: |t| t.items().into_par_iter().map(|i| t.make("left", i))
        .zip(t.some(41).into_par_iter().map(|i| t.make("right", i))).for_each(|_| t.call("for_each"));
    zip_eq: |t| t.items().into_par_iter().map(|i| t.make("left", i)).zip_eq(t.items()).collect::<Vec<_>>();
    zip_of_three: |t| (t.items(), t.some(30), t.items()).into_par_iter().map(|triple| {
        t.call("map");
        triple
    }).collect::<Vec<_>>();
    zip_with_states: |t| t.items().into_par_iter().map_init(|| t.state("left"), |_, i| i)
        .zip(t.items().into_par_iter().map_init(|| t.state("right"), |_, i| t.make("map", i)))
        .collect::<Vec<_>>();
    interleave: |t| t.items().into_par_iter().map(|i| t.make("left", i))
        .interleave(t.some(25).into_par_iter().map(|i| t.make("right", i))).collect::<Vec<_>>();
    interleave_shortest: |t| t.items().into_par_iter().map(|i| t.make("left", i))
        .interleave_shortest(t.some(25)).rev().collect::<Vec<_>>();
    intersperse: |t| t.items().into_par_iter().map(|i| t.make("map", i)).intersperse(t.held())
        .collect::<Vec<_>>();
    intersperse_uncounted: |t| t.items().into_par_iter().filter(|i| t.odd("filter", i)).intersperse(t.held())
        .collect::<Vec<_>>();
    intersperse_backwards: |t| t.items().into_par_iter().intersperse(t.held()).rev().zip(t.items())
        .map(|(i, _)| t.make("map", i)).collect::<Vec<_>>();
    chain: |t| t.items().into_par_iter().map(|i| t.make("first", i))
        .chain(t.some(20).into_par_iter().map(|i| t.make("second", i))).collect::<Vec<_>>();
    chain_uncounted: |t| t.items().into_par_iter().filter(|i| t.odd("first", i))
        .chain(t.some(20).into_par_iter().map(|i| t.make("second", i))).collect::<Vec<_>>();
    chain_backwards: |t| t.items().into_par_iter().map(|i| t.make("first", i)).chain(t.some(20)).rev()
        .map(|i| t.make("second", i)).collect::<Vec<_>>();
    skip: |t| t.items().into_par_iter().map(|i| t.make("map", i)).skip(20).collect::<Vec<_>>();
    take: |t| t.items().into_par_iter().map(|i| t.make("map", i)).take(20).collect::<Vec<_>>();
    step_by: |t| t.items().into_par_iter().map(|i| t.make("map", i)).step_by(3).collect::<Vec<_>>();
    by_exponential_blocks: |t| t.items().into_par_iter().by_exponential_blocks()
        .map(|i| t.make("map", i)).collect::<Vec<_>>();
    by_uniform_blocks: |t| t.items().into_par_iter().map(|i| t.make("map", i)).by_uniform_blocks(13)
        .filter(|i| t.odd("filter", i)).count();
    with_max_len: |t| t.items().into_par_iter().with_max_len(4).map(|i| t.make("map", i)).collect::<Vec<_>>();
    with_min_len: |t| t.items().into_par_iter().with_min_len(9).map(|i| t.make("map", i)).count();
    jobs: |t| t.items().into_par_iter().jobs(2).map(|i| t.make("map", i)).collect::<Vec<_>>();
    with_one_job: |t| t.items().into_par_iter().map(|i| t.make("map", i)).jobs(1).for_each(drop);
    progress: |t| {
        let progress = Progress::new();
        t.items().into_par_iter().progress(&progress).map(|i| t.make("map", i)).for_each(drop);
    };
    cancel_on: |t| {
        let token = CancellationToken::new();
        t.items().into_par_iter().cancel_on(&token).map(|i| {
            t.call("map");
            if i.number() == 77 {
                token.cancel();
            }
            i
        }).collect::<Vec<_>>()
    };
    nested_loops: |t| t.some(9).into_par_iter().map(|i| {
        let inner = t.some(9).into_par_iter().map(|i| t.make("inner", i)).collect::<Vec<_>>();
        (t.make("outer", i), inner)
    }).collect::<Vec<_>>();
}
