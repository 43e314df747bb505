//! How much is in flight.

use std::ops::{AddAssign, SubAssign};

/// Items, the batches that they are in, and what they weigh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Load {
    pub(super) items: usize,
    pub(super) batches: usize,
    pub(super) weight: usize,
}

impl Load {
    pub(super) const NONE: Self = Load {
        items: 0,
        batches: 0,
        weight: 0,
    };

    /// What is left of it.
    pub(super) fn less(&self, other: Self) -> Self {
        Load {
            items: self.items.saturating_sub(other.items),
            batches: self.batches.saturating_sub(other.batches),
            weight: self.weight.saturating_sub(other.weight),
        }
    }

    /// Whether there is room for something more.
    pub(super) fn is_below(&self, limit: Self) -> bool {
        self.items < limit.items && self.batches < limit.batches && self.weight < limit.weight
    }
}

impl AddAssign for Load {
    fn add_assign(&mut self, more: Self) {
        self.items += more.items;
        self.batches += more.batches;
        self.weight = self.weight.saturating_add(more.weight);
    }
}

impl SubAssign for Load {
    fn sub_assign(&mut self, less: Self) {
        self.items -= less.items;
        self.batches -= less.batches;
        self.weight = self.weight.saturating_sub(less.weight);
    }
}
