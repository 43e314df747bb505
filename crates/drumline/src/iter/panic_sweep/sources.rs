//! The functions of sources, and the destructors of what they hold.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};

use super::own::Items;
use super::{Item, Trial, sweeps};
use crate::iter::{
    empty, from_par_fn, once, repeat, repeat_n, split, walk_tree, walk_tree_postfix,
    walk_tree_prefix,
};
use crate::prelude::*;

/// The children of a node of a tree, which has their depth.
fn children<'t>(node: &Item<'t>, function: &'static str) -> Vec<Item<'t>> {
    let (trial, depth) = (node.trial(), node.number());
    trial.call(function);
    (0..depth)
        .map(|_| trial.item("drop of a node", depth - 1))
        .collect()
}

/// Splits items in two, down to three.
fn halves<'t>(mut items: Vec<Item<'t>>) -> (Vec<Item<'t>>, Option<Vec<Item<'t>>>) {
    if let Some(item) = items.first() {
        item.trial().call("split");
    }
    if items.len() <= 3 {
        return (items, None);
    }
    let rest = items.split_off(items.len() / 2);
    (items, Some(rest))
}

/// Items that are dropped half-way through the loop.
fn dropped<'t>(t: &'t Trial, items: impl ParallelIterator<Item = Item<'t>>) {
    items.for_each(|_| t.call("for_each"));
}

sweeps! {
    vec: |t| dropped(t, t.items().into_par_iter());
    vec_that_nobody_drives: |t| {
        t.call("nothing");
        t.items().into_par_iter()
    };
    vec_of_which_one_is_found: |t| t.items().into_par_iter().find_any(|i| {
        t.call("find");
        i.number() == 40
    });
    boxed_slice: |t| dropped(t, t.items().into_boxed_slice().into_par_iter());
    drain: |t| {
        let mut items = t.items();
        dropped(t, items.par_drain(10..40));
        items
    };
    drain_that_nobody_drives: |t| {
        let mut items = t.items();
        drop(items.par_drain(..50));
        items
    };
    drain_is_removed: |t| {
        struct Stored<'t>(Vec<Item<'t>>);
        impl Drop for Stored<'_> {
            fn drop(&mut self) {
                assert_eq!(self.0.len(), super::LEN - 30);
            }
        }
        let mut items = Stored(t.items());
        items.0.par_drain(10..40).map(|i| t.make("map", i)).collect::<Vec<_>>();
    };
    array: |t| dropped(t, [(); 20].map(|()| t.held()).into_par_iter());
    vec_deque: |t| {
        let mut items = VecDeque::from(t.items());
        items.rotate_left(20);
        dropped(t, items.par_drain(5..45));
        dropped(t, items.into_par_iter());
    };
    linked_list: |t| dropped(t, t.items().into_iter().collect::<LinkedList<_>>().into_par_iter());
    binary_heap: |t| {
        let mut items: BinaryHeap<_> = t.some(20).into();
        dropped(t, items.par_drain());
        dropped(t, BinaryHeap::from(t.some(20)).into_par_iter());
    };
    tree_set: |t| {
        t.excuse("eq");
        dropped(t, t.some(20).into_iter().collect::<BTreeSet<_>>().into_par_iter())
    };
    tree_map: |t| t.some(20).into_iter().map(|i| (i.number(), i)).collect::<BTreeMap<_, _>>()
        .into_par_iter().for_each(|_| t.call("for_each"));
    hash_set: |t| {
        let mut items = t.some(20).into_iter().collect::<HashSet<_>>();
        dropped(t, items.par_drain());
        items
    };
    hash_map: |t| t.some(20).into_iter().map(|i| (i.number(), i)).collect::<HashMap<_, _>>()
        .into_par_iter().for_each(|_| t.call("for_each"));
    option: |t| dropped(t, Some(t.held()).into_par_iter());
    result: |t| dropped(t, Ok::<_, ()>(t.held()).into_par_iter().chain(once(t.held())).chain(empty()));
    par_bridge: |t| dropped(t, Items::new(t).par_bridge());
    par_bridge_in_a_chain: |t| Items::new(t).par_bridge().map(|i| t.make("map", i)).collect::<Vec<_>>();
    par_bridge_of_nested_items: |t| (0..7).map(|n| t.some(n)).par_bridge().flatten().map(|i| t.make("map", i))
        .max();
    flat_map_iter_of_own: |t| t.some(4).into_par_iter().flat_map_iter(|_| Items::new(t)).collect::<Vec<_>>();
    repeat_some: |t| dropped(t, repeat(t.held()).take(20));
    repeat_zipped: |t| repeat(t.held()).zip(t.some(20)).for_each(|_| t.call("for_each"));
    repeat_for_ever: |t| repeat(t.held()).find_any(|_| {
        t.call("find");
        t.held().number() == 0
    });
    repeat_and_take: |t| repeat(t.held()).take_any(30).map(|i| t.make("map", i)).collect::<Vec<_>>();
    repeat_n_times: |t| repeat_n(t.held(), 40).map(|i| t.make("map", i)).collect::<Vec<_>>();
    repeat_n_backwards: |t| repeat_n(t.held(), 30).rev().zip(repeat_n(t.held(), 20)).collect::<Vec<_>>();
    splitting: |t| split(t.items(), halves).for_each(|_| t.call("for_each"));
    splitting_into_a_list: |t| split(t.items(), halves).flatten().map(|i| t.make("map", i)).collect::<Vec<_>>();
    tree: |t| dropped(t, walk_tree(t.item("drop of a node", 4), |n| children(n, "children")));
    tree_in_prefix_order: |t| walk_tree_prefix(t.item("drop of a node", 4), |n| children(n, "children"))
        .map(|i| t.make("map", i)).collect::<Vec<_>>();
    tree_in_postfix_order: |t| walk_tree_postfix(t.item("drop of a node", 4), |n| children(n, "children"))
        .find_first(|i| i.number() == 3);
    tree_of_own_iterators: |t| walk_tree(t.item("drop of a node", 1), |n| {
        // The node has the children, and they have none.
        let mut children = Items::new(t);
        if n.number() != 1 {
            children.items = Vec::new().into_iter();
        }
        children.map(|i| t.item("drop of a node", i.number() + 2))
    }).map(|i| t.make("map", i)).count();
    par_fn: |t| from_par_fn(50, |_| t.state("par_fn")).collect::<Vec<_>>();
    par_fn_zipped: |t| from_par_fn(50, |_| t.state("par_fn")).rev().zip(t.items()).collect::<Vec<_>>();
    chunk_by: |t| {
        let mut items = t.items();
        let runs = items.par_chunk_by(|a, b| {
            t.call("chunk_by");
            a.number() < b.number()
        }).count();
        items.par_chunk_by_mut(|a, b| {
            t.call("chunk_by_mut");
            a.number() < b.number()
        }).for_each(|run| run[0].add(1));
        runs
    };
    split_slice: |t| {
        let mut items = t.items();
        let parts = items.par_split(|i| t.odd("split", i)).count();
        let again = items.par_split_inclusive(|i| t.odd("split_inclusive", i)).map(<[_]>::len).sum::<usize>();
        items.par_split_mut(|i| t.odd("split_mut", i)).for_each(|part| part.reverse());
        items.par_split_inclusive_mut(|i| t.odd("split_inclusive_mut", i)).for_each(|part| part.reverse());
        parts + again
    };
    chunks_of_a_slice: |t| {
        let mut items = t.items();
        items.par_chunks_mut(7).for_each(|chunk| {
            t.call("chunk");
            chunk.reverse();
        });
        items.par_rchunks(7).map(|chunk| t.make("rchunk", chunk[0].clone())).collect::<Vec<_>>()
    };
    windows: |t| t.items().par_windows(3).map(|window| window.to_vec()).collect::<Vec<_>>();
    strings: |t| {
        let text = "the quick brown fox jumps over the lazy dog ".repeat(4);
        let is_space = |c: char| {
            t.call("pattern");
            c == ' '
        };
        let words = text.par_split(is_space).count();
        let ends = text.par_split_terminator(is_space).count();
        let kept = text.par_split_inclusive(is_space).map(str::len).sum::<usize>();
        let spaces = text.par_match_indices(is_space).count();
        (words, ends, kept, spaces, text.par_matches(is_space).count())
    };
    characters: |t| "parallel".repeat(9).par_chars().map(|_| t.state("map")).collect::<Vec<_>>();
    range: |t| (0..50u8).into_par_iter().chain(7..=9).map(|_| t.state("map")).collect::<Vec<_>>();
}
