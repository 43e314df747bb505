//! `fib`: nothing but forks.

use anyhow::Result;

use crate::families::fork_join::ForkJoinWorkload;
use crate::families::fork_join::pool::Pool;
use crate::families::fork_join::runtimes::seq::Seq;
use crate::workload::{Shows, WorkloadCard};

/// The Fibonacci number of this index.
#[derive(Debug)]
pub struct Fib(u64);

impl ForkJoinWorkload for Fib {
    const CARD: WorkloadCard = WorkloadCard {
        name: "fib",
        about: "Fibonacci number by the naive recursion, a fork at every call",
        analysis: "No memory, no imbalance worth mentioning, two instructions of work per fork: \
                   the time per call is the price of a fork.",
        item: "call",
        size_counts: "index",
        sizes: &[35],
        smoke_sizes: &[20],
        limits: (1, 60),
        default_rank: Some(1),
        outside: false,
        shows: Shows::Time,
    };

    const BRIEF: Option<&'static [u64]> = Some(&[30]);

    type Answer = u64;

    fn build(size: u64) -> Result<Self> {
        Ok(Self(size))
    }

    fn expected(&self) -> u64 {
        number(self.0)
    }

    fn items(&self) -> u64 {
        2 * number(self.0 + 1) - 1
    }

    fn run<P: Pool>(&self, context: P::Context<'_>) -> u64 {
        fib::<P>(std::hint::black_box(self.0), context)
    }

    fn divides() -> bool {
        true
    }

    fn part(&self, index: usize, parts: usize) -> u64 {
        let level = parts.next_power_of_two().trailing_zeros();
        let mut next = 0;
        deal(std::hint::black_box(self.0), level, index, parts, &mut next)
    }

    fn merge(a: u64, b: u64) -> u64 {
        a + b
    }
}

fn fib<P: Pool>(n: u64, context: P::Context<'_>) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = P::join(
        context,
        move |context| fib::<P>(n - 1, context),
        move |context| fib::<P>(n - 2, context),
    );
    a + b
}

/// Cuts the recursion at `level` and computes the calls that fall to `index`.
fn deal(n: u64, level: u32, index: usize, parts: usize, next: &mut usize) -> u64 {
    if level == 0 || n < 2 {
        let mine = *next % parts == index;
        *next += 1;
        return if mine { fib::<Seq>(n, ()) } else { 0 };
    }
    deal(n - 1, level - 1, index, parts, next) + deal(n - 2, level - 1, index, parts, next)
}

/// The Fibonacci number by addition.
fn number(n: u64) -> u64 {
    let (mut a, mut b) = (0u64, 1u64);
    for _ in 0..n {
        (a, b) = (b, a + b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_calls_is_counted_rightly() {
        fn calls(n: u64) -> u64 {
            if n < 2 {
                1
            } else {
                1 + calls(n - 1) + calls(n - 2)
            }
        }
        for n in 1..15 {
            assert_eq!(Fib(n).items(), calls(n));
            assert_eq!(Fib(n).expected(), fib::<Seq>(n, ()));
        }
    }

    #[test]
    fn shares_add_up() {
        for parts in [1, 2, 3, 5, 16] {
            let total: u64 = (0..parts).map(|index| Fib(12).part(index, parts)).sum();
            assert_eq!(total, 144);
        }
    }
}
