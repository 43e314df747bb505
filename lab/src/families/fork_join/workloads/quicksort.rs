//! `quicksort`: recursion over memory, with a serial part at the top.

use anyhow::Result;

use crate::families::fork_join::ForkJoinWorkload;
use crate::families::fork_join::pool::Pool;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// This many numbers in no order.
#[derive(Debug)]
pub struct Quicksort {
    numbers: Vec<u32>,
    sorted: Vec<u32>,
}

impl ForkJoinWorkload for Quicksort {
    const CARD: WorkloadCard = WorkloadCard {
        name: "quicksort",
        about: "quicksort of `u32`, the two sides of each partition forked, no cutoff",
        analysis: "The first partition is serial, so two threads cannot be twice as fast.",
        item: "number",
        size_counts: "numbers",
        sizes: &[10_000_000],
        smoke_sizes: &[10_000],
        limits: (1, 1_000_000_000),
        default_rank: None,
        outside: false,
        shows: Shows::Time,
    };

    type Answer = ();

    fn build(size: u64) -> Result<Self> {
        let mut state = 19u64;
        let mut next = || {
            // A linear congruential generator; its upper half is good enough to sort.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 32) as u32
        };
        let numbers: Vec<u32> = (0..size).map(|_| next()).collect();
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        Ok(Self { numbers, sorted })
    }

    fn expected(&self) {}

    fn items(&self) -> u64 {
        self.numbers.len() as u64
    }

    fn run<P: Pool>(&self, context: P::Context<'_>) {
        sort::<P>(&mut self.numbers.clone(), context);
    }

    fn drive<P: Pool>(&self, pool: &P, session: &mut Session) {
        let mut numbers = self.numbers.clone();
        pool.enter(|mut context| {
            session.sample_prepared(
                self.items(),
                &mut numbers,
                |numbers| numbers.copy_from_slice(&self.numbers),
                |numbers| sort::<P>(numbers, P::lend(&mut context)),
                |numbers, ()| {
                    if *numbers == self.sorted {
                        Ok(())
                    } else {
                        Err("wrong answer: the numbers are not sorted".to_owned())
                    }
                },
            );
        });
    }
}

fn sort<P: Pool>(numbers: &mut [u32], context: P::Context<'_>) {
    if numbers.len() < 2 {
        return;
    }
    let pivot = partition(numbers);
    let (low, high) = numbers.split_at_mut(pivot);
    P::join(
        context,
        move |context| sort::<P>(low, context),
        move |context| sort::<P>(&mut high[1..], context),
    );
}

/// Moves smaller numbers to the left of a middling one, and says where that one is then.
fn partition(numbers: &mut [u32]) -> usize {
    let last = numbers.len() - 1;
    let middle = last / 2;
    // The median of three goes to the end, out of the way.
    if numbers[middle] < numbers[0] {
        numbers.swap(middle, 0);
    }
    if numbers[last] < numbers[0] {
        numbers.swap(last, 0);
    }
    if numbers[middle] < numbers[last] {
        numbers.swap(middle, last);
    }
    let pivot = numbers[last];
    let mut border = 0;
    for index in 0..last {
        let number = numbers[index];
        let other = numbers[border];
        numbers[index] = other;
        numbers[border] = number;
        border += usize::from(number < pivot);
    }
    numbers.swap(border, last);
    border
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::fork_join::runtimes::seq::Seq;

    #[test]
    fn all_orders_are_sorted() {
        let cases: [&[u32]; 6] = [
            &[],
            &[1],
            &[2, 1],
            &[3, 3, 3, 3],
            &[5, 4, 3, 2, 1, 0],
            &[0, 1, 2, 9, 1, 2, 0, 7],
        ];
        for case in cases {
            let mut numbers = case.to_vec();
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            sort::<Seq>(&mut numbers, ());
            assert_eq!(numbers, sorted);
        }
    }
}
