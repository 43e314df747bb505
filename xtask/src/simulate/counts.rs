//! What a simulated pool counts: the names are those of `drumline::Stats`, shortened.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// How often things happened.
#[derive(Debug, Default)]
pub struct Counts(RefCell<BTreeMap<&'static str, u64>>);

impl Counts {
    pub fn up(&self, name: &'static str) {
        *self.0.borrow_mut().entry(name).or_default() += 1;
    }

    /// Keeps the largest.
    pub fn raise(&self, name: &'static str, value: u64) {
        let mut counts = self.0.borrow_mut();
        let largest = counts.entry(name).or_default();
        *largest = value.max(*largest);
    }

    /// All of them, by name.
    pub fn take(&self) -> BTreeMap<&'static str, u64> {
        self.0.take()
    }
}
