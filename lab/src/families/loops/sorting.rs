//! What the two workloads that sort share.

use anyhow::Result;

use crate::families::loops::numbers;
use crate::session::Session;

/// A sample sorts about this many numbers, so that small inputs are not lost in the clock.
const PER_SAMPLE: usize = 200_000;

/// Numbers, and the same in order.
#[derive(Debug)]
pub struct Sorting {
    numbers: Vec<u64>,
    sorted: Vec<u64>,
}

impl Sorting {
    /// This many numbers.
    pub fn build(size: u64) -> Result<Self> {
        let numbers = numbers::random(usize::try_from(size)?);
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        Ok(Self { numbers, sorted })
    }

    /// Measures `sort`. A sample sorts several copies of the numbers, one after the other; making
    /// and checking them is not timed.
    pub fn sample(&self, session: &mut Session, mut sort: impl FnMut(&mut [u64])) {
        let length = self.numbers.len();
        let copies = (PER_SAMPLE / length).max(1);
        session.sample_batch(
            length as u64,
            copies as u64,
            &mut vec![0; copies * length],
            |all| {
                for copy in all.chunks_exact_mut(length) {
                    copy.copy_from_slice(&self.numbers);
                }
            },
            |all| all.chunks_exact_mut(length).for_each(&mut sort),
            |all, ()| {
                if all.chunks_exact(length).all(|copy| copy == self.sorted) {
                    Ok(())
                } else {
                    Err("wrong answer: the numbers are not sorted".to_owned())
                }
            },
        );
    }
}
