//! A serial source, a parallel map, and a serial end that looks at the order.

use crate::spin;

/// What is mapped. The runtimes bring the threads.
pub trait Mapping: Sync {
    /// How many numbers there are: from 0 up.
    fn items(&self) -> u64;

    /// The costly function.
    fn value(&self, index: u64) -> Valued;
}

/// What a number was mapped to.
#[derive(Clone, Copy, Debug)]
pub struct Valued {
    index: u64,
    value: u64,
}

/// What the serial end saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    count: u64,
    sum: u64,
    strays: u64,
}

impl Tally {
    /// Takes the next result.
    pub fn take(&mut self, valued: Valued) {
        self.strays += u64::from(valued.index != self.count);
        self.count += 1;
        self.sum = self.sum.wrapping_add(valued.value);
    }

    /// Takes a result where there is no order.
    pub fn unordered(valued: Valued) -> Self {
        Self {
            count: 1,
            sum: valued.value,
            strays: 0,
        }
    }

    /// Two of those together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            sum: self.sum.wrapping_add(other.sum),
            strays: self.strays + other.strays,
        }
    }
}

/// Numbers of about equal cost.
#[derive(Debug)]
pub struct Steps {
    items: u64,
    steps: u64,
}

impl Steps {
    /// This many numbers of this many steps each, or up to seven more.
    pub fn new(items: u64, steps: u64) -> Self {
        Self { items, steps }
    }

    /// The right answer.
    pub fn expected(&self) -> Tally {
        let period: Vec<u64> = (0..8).map(|index| self.value(index).value).collect();
        let rest = (self.items % 8) as usize;
        let sum = period.iter().sum::<u64>() * (self.items / 8);
        Tally {
            count: self.items,
            sum: sum + period[..rest].iter().sum::<u64>(),
            strays: 0,
        }
    }
}

impl Mapping for Steps {
    fn items(&self) -> u64 {
        self.items
    }

    fn value(&self, index: u64) -> Valued {
        let value = spin::steps(self.steps + index % 8);
        Valued { index, value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_answer_is_that_of_a_plain_loop() {
        for items in [0, 1, 7, 8, 100] {
            let mapping = Steps::new(items, 20);
            let mut tally = Tally::default();
            (0..items).for_each(|index| tally.take(mapping.value(index)));
            assert_eq!(tally, mapping.expected(), "{items}");
            let unordered = (0..items).map(|index| Tally::unordered(mapping.value(index)));
            assert_eq!(unordered.reduce(Tally::plus).unwrap_or_default(), tally);
        }
    }

    #[test]
    fn a_wrong_order_is_a_wrong_answer() {
        let mapping = Steps::new(3, 20);
        let mut tally = Tally::default();
        for index in [0, 2, 1] {
            tally.take(mapping.value(index));
        }
        assert_ne!(tally, mapping.expected());
    }
}
