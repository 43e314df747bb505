//! `mandelbrot`: rows of a picture, of very uneven cost.

use anyhow::Result;

use crate::families::loops::{Cost, LoopRuntime, LoopWorkload, Need};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// After this many steps a point counts as one that never escapes.
pub const MOST_STEPS: u64 = 256;

/// A picture with sides of this many points.
#[derive(Debug)]
pub struct Mandelbrot {
    side: usize,
    expected: u64,
}

impl LoopWorkload for Mandelbrot {
    const CARD: WorkloadCard = WorkloadCard {
        name: "mandelbrot",
        about: "the Mandelbrot set, a square of points; one item is a row",
        analysis: "Rows through the middle cost many times what those at the edges do. A \
                   runtime that deals rows out in equal shares, and leaves it at that, waits for \
                   the middle.",
        item: "row",
        size_counts: "rows",
        sizes: &[2_048],
        smoke_sizes: &[64],
        limits: (1, 65_536),
        default_rank: Some(11),
        outside: false,
        shows: Shows::Time,
    };

    const NEEDS: Need = Need::RangeSum;

    const COST: Cost = Cost::Uneven;

    const BRIEF: Option<&'static [u64]> = Some(&[256]);

    fn build(size: u64) -> Result<Self> {
        let side = usize::try_from(size)?;
        let expected = (0..side).map(|y| row(y, side)).sum();
        Ok(Self { side, expected })
    }

    fn drive<R: LoopRuntime>(&self, runtime: &mut R, session: &mut Session) {
        let side = self.side;
        runtime.enter(|context| {
            session.sample(&self.expected, side as u64, || {
                R::range_sum(context, 0..side, |y| row(y, side))
            });
        });
    }
}

/// The steps of all points of a row together. Not inlined: the same code for all runtimes.
#[inline(never)]
pub fn row(y: usize, side: usize) -> u64 {
    let scale = 2.5 / side as f64;
    let imaginary = (y as f64 + 0.5) * scale - 1.25;
    (0..side)
        .map(|x| steps((x as f64 + 0.5) * scale - 2.0, imaginary))
        .sum()
}

fn steps(real: f64, imaginary: f64) -> u64 {
    let (mut x, mut y) = (0.0, 0.0);
    let mut steps = 0;
    while steps < MOST_STEPS && x * x + y * y <= 4.0 {
        (x, y) = (x * x - y * y + real, 2.0 * x * y + imaginary);
        steps += 1;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_costs_more_than_the_edge() {
        assert_eq!(steps(0.0, 0.0), MOST_STEPS);
        assert!(steps(1.0, 1.0) < 4);
        assert!(row(32, 64) > 10 * row(0, 64));
    }
}
