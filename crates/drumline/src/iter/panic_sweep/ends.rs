//! The functions of the operations that end a chain, but for collections.

use super::ledger::Total;
use super::{Item, sweeps};
use crate::prelude::*;

/// Whether the number is not the one that ends a search.
fn is_other(item: &Item<'_>) -> bool {
    item.number() != 77
}

sweeps! {
    for_each: |t| t.items().into_par_iter().for_each(|_| t.call("for_each"));
    for_each_mut: |t| t.items().par_iter_mut().for_each(|i| {
        t.call("for_each");
        i.add(1);
    });
    for_each_with: |t| t.items().into_par_iter().for_each_with(t.held(), |_, _| t.call("for_each"));
    for_each_init: |t| t.items().into_par_iter().for_each_init(|| t.state("init"), |_, _| t.call("for_each"));
    for_each_worker: |t| t.items().into_par_iter()
        .for_each_worker(|| t.state("init"), |_, _| t.call("for_each"));
    try_for_each: |t| t.items().into_par_iter().try_for_each(|i| {
        t.call("for_each");
        if is_other(&i) { Ok(()) } else { Err(i) }
    });
    try_for_each_with: |t| t.items().into_par_iter().try_for_each_with(t.held(), |_, _| {
        t.call("for_each");
        Some(())
    });
    try_for_each_init: |t| t.items().into_par_iter().try_for_each_init(|| t.state("init"), |_, i| {
        t.call("for_each");
        if i.number() == 76 { Err(i) } else { Ok(()) }
    });
    count: |t| t.items().into_par_iter().map(|i| t.make("map", i)).count();
    reduce: |t| t.items().into_par_iter().reduce(|| t.state("identity"), |a, b| t.sum("reduce", a, b));
    reduce_with: |t| t.items().into_par_iter().reduce_with(|a, b| t.sum("reduce", a, b));
    try_reduce: |t| t.items().into_par_iter().map(|i| if is_other(&i) { Ok(i) } else { Err(i) })
        .try_reduce(|| t.state("identity"), |a, b| Ok(t.sum("reduce", a, b)));
    try_reduce_that_succeeds: |t| t.items().into_par_iter().map(Some)
        .try_reduce(|| t.state("identity"), |a, b| Some(t.sum("reduce", a, b)));
    try_reduce_with: |t| t.items().into_par_iter().map(|i| if i.number() == 76 { Err(i) } else { Ok(i) })
        .try_reduce_with(|a, b| Ok(t.sum("reduce", a, b)));
    reduce_fixed: |t| t.items().into_par_iter().reduce_fixed(|a, b| t.sum("reduce", a, b));
    sum: |t| t.items().into_par_iter().sum::<Total<'_>>();
    sum_fixed: |t| t.items().into_par_iter().sum_fixed::<Total<'_>>();
    product: |t| t.items().into_par_iter().map(|i| t.make("map", i)).product::<Total<'_>>();
    sum_filtered: |t| t.items().into_par_iter().filter(|i| t.odd("filter", i)).sum::<Total<'_>>();
    min: |t| t.items().into_par_iter().min();
    max: |t| t.items().into_par_iter().max();
    min_by: |t| t.items().into_par_iter().min_by(|a, b| {
        t.call("compare");
        a.number().cmp(&b.number())
    });
    max_by: |t| t.items().into_par_iter().max_by(|a, b| {
        t.call("compare");
        a.number().cmp(&b.number())
    });
    min_by_key: |t| t.items().into_par_iter().min_by_key(|_| t.state("key"));
    max_by_key: |t| t.items().into_par_iter().max_by_key(|_| t.state("key"));
    find_any: |t| t.items().into_par_iter().find_any(|i| {
        t.call("find");
        !is_other(i)
    });
    find_first: |t| t.items().into_par_iter().find_first(|i| {
        t.call("find");
        !is_other(i)
    });
    find_last: |t| t.items().into_par_iter().find_last(|i| t.odd("find", i));
    find_map_any: |t| t.items().into_par_iter().find_map_any(|i| {
        t.call("find");
        (!is_other(&i)).then_some(i)
    });
    find_map_first: |t| t.items().into_par_iter().find_map_first(|i| {
        (!is_other(&i)).then(|| t.make("find", i))
    });
    find_map_last: |t| t.items().into_par_iter().find_map_last(|i| t.odd("find", &i).then_some(i));
    find_in_blocks: |t| t.items().into_par_iter().by_uniform_blocks(11).find_first(|i| {
        t.call("find");
        !is_other(i)
    });
    any: |t| t.items().into_par_iter().any(|i| {
        t.call("any");
        i.number() > 1000
    });
    all: |t| t.items().into_par_iter().all(|i| {
        t.call("all");
        is_other(&i)
    });
    position_any: |t| t.items().into_par_iter().position_any(|i| {
        t.call("position");
        !is_other(&i)
    });
    position_first: |t| t.items().into_par_iter().position_first(|i| {
        t.call("position");
        !is_other(&i)
    });
    position_last: |t| t.items().into_par_iter().position_last(|i| t.odd("position", &i));
    compare: |t| t.items().into_par_iter().cmp(t.items());
    partial_compare: |t| t.items().into_par_iter().partial_cmp(t.items());
    are_equal: |t| t.items().into_par_iter().eq(t.items());
    are_not_equal: |t| t.items().into_par_iter().ne(t.items());
    is_less: |t| t.items().into_par_iter().lt(t.some(40));
    is_at_most: |t| t.items().into_par_iter().le(t.items());
    is_more: |t| t.items().into_par_iter().map(|i| t.make("map", i)).gt(t.items());
    is_at_least: |t| t.items().into_par_iter().ge(t.some(70));
}
