//! The loops, and what must come of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use drumline::Pool;
use drumline::iter::walk_tree_prefix;
use drumline::prelude::*;
use stress::{Random, check, fail};

use crate::item::{Bomb, Bound, Item, Items};

/// What is done with the items.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Collect,
    Filter,
    Borrow,
    Fold,
    States,
    WorkerStates,
    Nested,
    Flat,
    Eager,
    Limited(u32),
    Find(u64),
    Tree,
}

impl Kind {
    fn random(random: &mut Random, len: u64) -> Self {
        match random.below(12) {
            0 => Kind::Collect,
            1 => Kind::Filter,
            2 => Kind::Borrow,
            3 => Kind::Fold,
            4 => Kind::States,
            5 => Kind::WorkerStates,
            6 => Kind::Nested,
            7 => Kind::Flat,
            8 => Kind::Eager,
            9 => Kind::Limited(1 + random.below(3) as u32),
            10 => Kind::Find(random.below(len)),
            _ => Kind::Tree,
        }
    }
}

/// Makes a loop, runs it in `pool`, and checks it.
pub fn round(pool: &Pool, random: &mut Random) {
    let len = match random.below(8) {
        0..4 => 1 + random.below(60),
        4..7 => 1 + random.below(1_500),
        _ => 1 + random.below(30_000),
    };
    let kind = Kind::random(random, len);
    let bomb = (random.below(5) == 0).then(|| random.below(len));
    let dear = 1 + random.below(1 + len * 2);
    let limit = match kind {
        Kind::Limited(limit) => limit,
        _ => u32::MAX,
    };
    let items = Items::new(len, random.below(200), dear, bomb, limit);
    let from_outside = random.below(4) == 0;
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        if from_outside {
            pool.install(|| run(kind, &items));
        } else {
            // Beside something else, so that not all threads are idle.
            let other = || (0..random.below(2_000)).into_par_iter().sum::<u64>();
            pool.install(|| drumline::join(|| run(kind, &items), other));
        }
    }));
    match outcome {
        Ok(()) => {
            let early = matches!(kind, Kind::Find(_));
            check(bomb.is_none() || early, "a panic was lost");
            items.check(early);
        }
        Err(payload) => {
            let number = payload.downcast_ref().map(Bomb::number);
            if number.is_none() || number != bomb {
                fail("another panic than that of the item");
            }
            items.check(true);
        }
    }
}

fn run(kind: Kind, items: &Arc<Items>) {
    let len = items.len();
    let sum = len * (len - 1) / 2;
    let even = |number: &u64| number.is_multiple_of(2);
    match kind {
        Kind::Collect => {
            let work = |item: Item| {
                item.work();
                item
            };
            let done: Vec<Item> = items.all().into_par_iter().map(work).collect();
            in_order(&done, 0..len);
        }
        Kind::Filter => {
            let kept: Vec<Item> = items
                .all()
                .into_par_iter()
                .filter(|item| even(&item.work()))
                .collect();
            in_order(&kept, (0..len).filter(even));
        }
        Kind::Borrow => {
            let all = items.all();
            let found = all.par_iter().rev().map(Item::work).sum::<u64>();
            check(found == sum, "a wrong sum of what was borrowed");
        }
        Kind::Fold => {
            let lists = items
                .all()
                .into_par_iter()
                .fold(Vec::new, |mut list, item| {
                    item.work();
                    list.push(item);
                    list
                });
            let append = |mut left: Vec<Item>, mut right| {
                left.append(&mut right);
                left
            };
            in_order(&lists.reduce(Vec::new, append), 0..len);
        }
        Kind::States => {
            let work = |state: &mut Bound, item: Item| {
                state.touch();
                item.work()
            };
            let found = items.all().into_par_iter().map_init(Bound::new, work);
            check(found.sum::<u64>() == sum, "a wrong sum with states");
        }
        Kind::WorkerStates => {
            let work = |state: &mut Box<u64>, item: Item| {
                **state += 1;
                item.work()
            };
            let found = items.all().into_par_iter().map_worker(Box::default, work);
            check(
                found.sum::<u64>() == sum,
                "a wrong sum with states of workers",
            );
        }
        Kind::Nested => {
            let inner = |item: Item| {
                let number = item.work();
                let more = (0..number % 40).into_par_iter().map(|more| more / 64);
                number + more.sum::<u64>()
            };
            let found = items.all().into_par_iter().map(inner).sum::<u64>();
            check(found == sum, "a wrong sum of loops in a loop");
        }
        Kind::Flat => {
            // What comes behind is a folder with a state, which all inner loops share.
            let keep = |state: &mut Bound, number| {
                state.touch();
                number
            };
            let found: Vec<u64> = items
                .all()
                .into_par_iter()
                .flat_map(|item| (0..item.work() % 4).into_par_iter())
                .map_init(Bound::new, keep)
                .collect();
            let expected = (0..len).flat_map(|number| 0..number % 4);
            check(found.iter().copied().eq(expected), "a wrong flat list");
        }
        Kind::Eager => {
            let most = 1 + len as usize / 20;
            let all = items.all().into_par_iter().with_max_len(most);
            let done: Vec<u64> = all.map(|item| item.work()).collect();
            check(done.into_iter().eq(0..len), "a wrong list of short parts");
        }
        Kind::Limited(limit) => {
            let all = items.all().into_par_iter().jobs(limit as usize);
            let found = all.map(|item| item.work()).sum::<u64>();
            check(found == sum, "a wrong sum with a limit");
        }
        Kind::Find(wanted) => {
            let found = items
                .all()
                .into_par_iter()
                .find_first(|item| item.work() >= wanted);
            check(
                found.is_some_and(|item| item.number() == wanted),
                "the first one was not found",
            );
        }
        Kind::Tree => {
            let children = |item: &Item| {
                let (number, items) = (item.number(), Arc::clone(item.items()));
                let below = [2 * number + 1, 2 * number + 2].into_iter();
                below
                    .filter(move |&child| child < len)
                    .map(move |child| items.make(child))
            };
            let found = walk_tree_prefix(items.make(0), children)
                .map(|item| item.work())
                .sum::<u64>();
            check(found == sum, "a wrong sum of a tree");
        }
    }
}

fn in_order(done: &[Item], numbers: impl Iterator<Item = u64>) {
    let done = done.iter().map(Item::number);
    check(done.eq(numbers), "a wrong list");
}
