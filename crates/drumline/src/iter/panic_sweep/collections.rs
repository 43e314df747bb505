//! The functions of collections, and collecting what functions make.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use super::{Item, Trial, sweeps};
use crate::iter::Either;
use crate::prelude::*;

/// A collection of a program.
#[derive(Default)]
struct Own<'t>(Vec<Item<'t>>);

impl<'t> ParallelExtend<Item<'t>> for Own<'t> {
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = Item<'t>>,
    {
        let parts = iter.into_par_iter().fold(Vec::new, |mut part, item| {
            item.trial().call("extend");
            part.push(item);
            part
        });
        let items = parts.reduce(Vec::new, |mut left, right| {
            left.extend(right);
            left
        });
        if let Some(item) = items.first() {
            item.trial().call("par_extend");
        }
        self.0.extend(items);
    }
}

impl<'t> FromParallelIterator<Item<'t>> for Own<'t> {
    fn from_par_iter<I>(iter: I) -> Self
    where
        I: IntoParallelIterator<Item = Item<'t>>,
    {
        let mut items = Own::default();
        items.par_extend(iter);
        if let Some(item) = items.0.last() {
            item.trial().call("from_par_iter");
        }
        items
    }
}

impl<'t> IntoParallelIterator for Own<'t> {
    type Iter = crate::vec::IntoIter<Item<'t>>;
    type Item = Item<'t>;

    fn into_par_iter(self) -> Self::Iter {
        if let Some(item) = self.0.first() {
            item.trial().call("into_par_iter");
        }
        self.0.into_par_iter()
    }
}

/// What is made of all items, with their number known.
fn made(t: &Trial) -> impl IndexedParallelIterator<Item = Item<'_>> {
    t.items().into_par_iter().map(|i| t.make("map", i))
}

/// What is made of some items, with their number unknown in advance.
fn chosen(t: &Trial) -> impl ParallelIterator<Item = Item<'_>> {
    t.items()
        .into_par_iter()
        .filter(|i| i.number() % 4 > 0)
        .map(|i| t.make("map", i))
}

fn pair<'t>(item: Item<'t>) -> (Item<'t>, Item<'t>) {
    let other = item
        .trial()
        .make("pair", Item::new(item.trial(), "drop of an item", 1));
    (item, other)
}

fn side<'t>(item: Item<'t>) -> Either<Item<'t>, Item<'t>> {
    if item.trial().odd("side", &item) {
        Either::Left(item)
    } else {
        Either::Right(item)
    }
}

sweeps! {
    into_vec: |t| made(t).collect::<Vec<_>>();
    into_vec_uncounted: |t| chosen(t).collect::<Vec<_>>();
    into_boxed_slice: |t| made(t).collect::<Box<[_]>>();
    into_rc: |t| made(t).collect::<Rc<[_]>>();
    into_arc: |t| chosen(t).collect::<Arc<[_]>>();
    into_vec_deque: |t| chosen(t).collect::<VecDeque<_>>();
    into_linked_list: |t| chosen(t).collect::<LinkedList<_>>();
    into_vec_list: |t| made(t).collect_vec_list();
    into_binary_heap: |t| made(t).collect::<BinaryHeap<_>>();
    into_b_tree_set: |t| {
        t.excuse("eq");
        chosen(t).collect::<BTreeSet<_>>()
    };
    into_b_tree_map: |t| {
        t.excuse("eq");
        made(t).map(pair).collect::<BTreeMap<_, _>>()
    };
    into_hash_set: |t| made(t).collect::<HashSet<_>>();
    into_hash_map: |t| chosen(t).map(pair).collect::<HashMap<_, _>>();
    into_own: |t| made(t).collect::<Own<'_>>();
    into_own_uncounted: |t| chosen(t).collect::<Own<'_>>();
    own_into_par_iter: |t| Own(t.items()).into_par_iter().map(|i| t.make("map", i)).collect::<Own<'_>>();
    own_inside: |t| t.some(6).into_par_iter().flat_map(|_| Own(t.some(9))).collect::<Vec<_>>();
    into_options: |t| made(t).map(|i| (i.number() != 77).then_some(i)).collect::<Option<Vec<_>>>();
    into_results: |t| chosen(t).map(|i| if i.number() == 77 { Err(i) } else { Ok(i) })
        .collect::<Result<Own<'_>, _>>();
    into_good_results: |t| made(t).map(Ok::<_, Item<'_>>).collect::<Result<Vec<_>, _>>();
    into_string: |t| made(t).map(|i| i.number().to_string()).collect::<String>();
    into_nothing: |t| made(t).map(|_| t.call("for_each")).collect::<()>();
    extend_vec: |t| {
        let mut items = t.some(5);
        items.par_extend(made(t));
        items.par_extend(chosen(t));
        items
    };
    extend_vec_deque: |t| {
        let mut items = VecDeque::from(t.some(5));
        items.rotate_left(2);
        items.par_extend(made(t));
        items
    };
    extend_maps: |t| {
        let mut items: HashMap<_, _> = t.some(9).into_iter().map(|i| (i.number(), i)).collect();
        items.par_extend(made(t).map(|i| (i.number(), i)));
        let mut sorted: BTreeMap<_, _> = t.some(9).into_iter().map(|i| (i.number(), i)).collect();
        sorted.par_extend(chosen(t).map(|i| (i.number(), i)));
        (items, sorted)
    };
    extend_own: |t| {
        let mut items = Own(t.some(5));
        items.par_extend(chosen(t));
        items
    };
    collect_into_vec: |t| {
        let mut items = t.some(9);
        made(t).collect_into_vec(&mut items);
        items
    };
    unzip_into_vecs: |t| {
        let (mut left, mut right) = (t.some(3), t.some(4));
        made(t).map(pair).unzip_into_vecs(&mut left, &mut right);
        (left, right)
    };
    unzip: |t| made(t).map(pair).unzip::<_, _, Vec<_>, Own<'_>>();
    unzip_uncounted: |t| chosen(t).map(pair).unzip::<_, _, HashSet<_>, LinkedList<_>>();
    collect_pairs: |t| made(t).map(pair).collect::<(Own<'_>, Vec<_>)>();
    partition: |t| made(t).partition::<Vec<_>, Own<'_>, _>(|i| t.odd("partition", i));
    partition_map: |t| made(t).partition_map::<Own<'_>, Vec<_>, _, _, _>(side);
    collect_sides: |t| chosen(t).map(side).collect::<(Vec<_>, Own<'_>)>();
    vec_is_kept: |t| {
        // What was in the collection before a panic is there after it, and no more.
        struct Stored<'t>(Vec<Item<'t>>);
        impl Drop for Stored<'_> {
            fn drop(&mut self) {
                let is_whole = self.0.len() == 5 + super::LEN;
                assert!(is_whole || std::thread::panicking() && self.0.len() == 5);
            }
        }
        let mut kept = Stored(t.some(5));
        kept.0.par_extend(made(t));
        kept
    };
}
