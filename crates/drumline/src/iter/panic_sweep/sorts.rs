//! The functions of sorting.

use super::{Item, Trial, sweeps};
use crate::prelude::*;

/// Enough for two levels of merges.
const MANY: usize = 4_200;

/// The items that were there before a sort are there after it, also if it panics.
struct Sorted<'t> {
    items: Vec<Item<'t>>,
    sum: u64,
}

impl<'t> Sorted<'t> {
    fn new(trial: &'t Trial) -> Self {
        let number = |n: usize| (n * 7919 % 4001) as u64;
        let items: Vec<_> = (0..MANY)
            .map(|n| trial.item("drop of an item", number(n)))
            .collect();
        let sum = items.iter().map(Item::number).sum();
        Sorted { items, sum }
    }

    fn by(trial: &'t Trial, sort: impl FnOnce(&mut [Item<'t>])) {
        let mut sorted = Sorted::new(trial);
        sort(&mut sorted.items);
        assert!(sorted.items.is_sorted_by_key(Item::number));
    }
}

impl Drop for Sorted<'_> {
    fn drop(&mut self) {
        let mut ids: Vec<_> = self.items.iter().map(Item::id).collect();
        ids.sort_unstable();
        ids.dedup();
        let sum: u64 = self.items.iter().map(Item::number).sum();
        if ids.len() != MANY || sum != self.sum {
            // A panic of this destructor could be a second one.
            self.items[0].trial().ledger.is_dropped(self.items[0].id());
        }
    }
}

sweeps! {
    sort: |t| Sorted::by(t, |items| items.par_sort());
    sort_by: |t| Sorted::by(t, |items| items.par_sort_by(|a, b| {
        t.call("compare");
        a.number().cmp(&b.number())
    }));
    sort_by_key: |t| Sorted::by(t, |items| items.par_sort_by_key(|i| {
        t.call("key");
        i.number()
    }));
    sort_by_cached_key: |t| Sorted::by(t, |items| items.par_sort_by_cached_key(|i| {
        t.call("key");
        t.item("drop of a key", i.number())
    }));
    sort_unstable: |t| Sorted::by(t, |items| items.par_sort_unstable());
    sort_unstable_by: |t| Sorted::by(t, |items| items.par_sort_unstable_by(|a, b| {
        t.call("compare");
        a.number().cmp(&b.number())
    }));
    sort_unstable_by_key: |t| Sorted::by(t, |items| items.par_sort_unstable_by_key(|i| {
        t.call("key");
        i.number()
    }));
    sort_few: |t| {
        let mut items = t.items();
        items.par_sort();
        items.par_sort_by_cached_key(|i| t.item("drop of a key", i.number()));
        items
    };
}
