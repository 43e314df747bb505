//! The items of a sweep, and the book of which of them have been dropped.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::iter::{Product, Sum};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Trial;

/// How often each item was dropped.
#[derive(Default)]
pub(super) struct Ledger {
    drops: Mutex<Vec<u8>>,
}

impl Ledger {
    fn drops(&self) -> MutexGuard<'_, Vec<u8>> {
        self.drops.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self) -> usize {
        let mut drops = self.drops();
        drops.push(0);
        drops.len() - 1
    }

    pub(super) fn is_dropped(&self, id: usize) {
        self.drops()[id] += 1;
    }

    /// How many items were made, and how many of them have not been dropped.
    ///
    /// # Errors
    ///
    /// The first that was dropped more than once.
    pub(super) fn leaked(&self) -> Result<(usize, usize), String> {
        let drops = self.drops();
        match drops.iter().position(|times| *times > 1) {
            None => Ok((
                drops.len(),
                drops.iter().filter(|times| **times == 0).count(),
            )),
            Some(id) => Err(format!("item {id} of {} was dropped again", drops.len())),
        }
    }
}

/// A number with a destructor, clones and comparisons that are functions of a trial.
pub(super) struct Item<'t> {
    trial: &'t Trial,
    /// The name of its destructor.
    kind: &'static str,
    number: u64,
    id: usize,
}

impl<'t> Item<'t> {
    #[inline(never)]
    pub(super) fn new(trial: &'t Trial, kind: &'static str, number: u64) -> Self {
        let id = trial.ledger.enter();
        Item {
            trial,
            kind,
            number,
            id,
        }
    }

    pub(super) fn id(&self) -> usize {
        self.id
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn trial(&self) -> &'t Trial {
        self.trial
    }

    pub(super) fn add(&mut self, number: u64) {
        self.number += number;
    }
}

impl Drop for Item<'_> {
    #[inline(never)]
    fn drop(&mut self) {
        self.trial.ledger.is_dropped(self.id);
        if !std::thread::panicking() {
            self.trial.call(self.kind);
        }
    }
}

impl Clone for Item<'_> {
    fn clone(&self) -> Self {
        self.trial.call("clone");
        self.trial.item("drop of a clone", self.number)
    }
}

impl PartialEq for Item<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.trial.call("eq");
        self.number == other.number
    }
}

impl Eq for Item<'_> {}

#[expect(
    clippy::non_canonical_partial_ord_impl,
    reason = "the two are different functions of a trial"
)]
impl PartialOrd for Item<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.trial.call("partial_cmp");
        Some(self.number.cmp(&other.number))
    }

    fn lt(&self, other: &Self) -> bool {
        self.trial.call("lt");
        self.number < other.number
    }
}

impl Ord for Item<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.trial.call("cmp");
        self.number.cmp(&other.number)
    }
}

impl Hash for Item<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.trial.call("hash");
        self.number.hash(state);
    }
}

/// A sum of items, or of sums.
#[derive(Default)]
pub(super) struct Total<'t>(Option<Item<'t>>);

impl<'t> Total<'t> {
    #[inline(never)]
    fn plus(self, item: Option<Item<'t>>) -> Self {
        match (self.0, item) {
            (Some(a), Some(b)) => {
                let trial = a.trial;
                Total(Some(trial.sum("add", a, b)))
            }
            (a, b) => Total(a.or(b)),
        }
    }
}

macro_rules! totals {
    ($($trait:ident::$method:ident of $item:ty: |$part:ident| $some:expr;)*) => {
        $(
            impl<'t> $trait<$item> for Total<'t> {
                fn $method<I: Iterator<Item = $item>>(iter: I) -> Self {
                    iter.fold(Total::default(), |total, $part| total.plus($some))
                }
            }
        )*
    };
}

totals! {
    Sum::sum of Item<'t>: |item| Some(item);
    Sum::sum of Total<'t>: |total| total.0;
    Product::product of Item<'t>: |item| Some(item);
    Product::product of Total<'t>: |total| total.0;
}
