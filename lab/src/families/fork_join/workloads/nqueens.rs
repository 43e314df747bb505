//! `nqueens`: search of a tree with inner nodes that have many children.

use std::hint::black_box;

use anyhow::Result;

use crate::families::fork_join::ForkJoinWorkload;
use crate::families::fork_join::pool::Pool;
use crate::families::fork_join::runtimes::seq::Seq;
use crate::workload::{Shows, WorkloadCard};

/// A board with this many rows and columns.
#[derive(Debug)]
pub struct Nqueens {
    size: u32,
    found: Found,
}

/// What a part of the search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Complete boards.
    solutions: u64,
    /// Queens that were set.
    queens: u64,
}

/// A board with its first rows filled, as sets of columns.
#[derive(Clone, Copy)]
struct Board {
    all: u32,
    columns: u32,
    falling: u32,
    rising: u32,
}

impl ForkJoinWorkload for Nqueens {
    const CARD: WorkloadCard = WorkloadCard {
        name: "nqueens",
        about: "all ways to set queens that do not attack each other; the free columns of a row \
                are forked by halving",
        analysis: "Between `fib` and `uts`: a few instructions per fork, moderately uneven.",
        item: "queen set",
        size_counts: "rows",
        sizes: &[12],
        smoke_sizes: &[6],
        limits: (1, 16),
        default_rank: None,
        outside: false,
        shows: Shows::Time,
    };

    type Answer = Found;

    fn build(size: u64) -> Result<Self> {
        let size = u32::try_from(size)?;
        // The answer comes from the sequential run.
        let found = row::<Seq>(Board::empty(size), ());
        Ok(Self { size, found })
    }

    fn expected(&self) -> Found {
        self.found
    }

    fn items(&self) -> u64 {
        self.found.queens.max(1)
    }

    fn run<P: Pool>(&self, context: P::Context<'_>) -> Found {
        row::<P>(Board::empty(black_box(self.size)), context)
    }
}

impl Board {
    fn empty(size: u32) -> Self {
        Self {
            all: (1 << size) - 1,
            columns: 0,
            falling: 0,
            rising: 0,
        }
    }

    fn free(self) -> u32 {
        self.all & !(self.columns | self.falling | self.rising)
    }

    fn set(self, queen: u32) -> Self {
        Self {
            all: self.all,
            columns: self.columns | queen,
            falling: (self.falling | queen) >> 1,
            rising: (self.rising | queen) << 1,
        }
    }
}

/// The next row of the board.
fn row<P: Pool>(board: Board, context: P::Context<'_>) -> Found {
    if board.columns == board.all {
        return Found {
            solutions: 1,
            queens: 0,
        };
    }
    match board.free() {
        0 => Found {
            solutions: 0,
            queens: 0,
        },
        free => choose::<P>(board, free, context),
    }
}

/// One queen in each of these columns, of which there is at least one.
fn choose<P: Pool>(board: Board, columns: u32, context: P::Context<'_>) -> Found {
    if columns.is_power_of_two() {
        let found = row::<P>(board.set(columns), context);
        return Found {
            queens: found.queens + 1,
            ..found
        };
    }
    let low = lower_half(columns);
    let (a, b) = P::join(
        context,
        move |context| choose::<P>(board, low, context),
        move |context| choose::<P>(board, columns & !low, context),
    );
    Found {
        solutions: a.solutions + b.solutions,
        queens: a.queens + b.queens,
    }
}

/// The lower half of the members of a set.
fn lower_half(set: u32) -> u32 {
    let mut high = set;
    for _ in 0..set.count_ones() / 2 {
        high &= high - 1;
    }
    set & !high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_are_those_that_everyone_finds() {
        for (size, solutions) in [(1, 1), (4, 2), (6, 4), (8, 92)] {
            assert_eq!(
                Nqueens::build(size).unwrap().expected().solutions,
                solutions
            );
        }
    }

    #[test]
    fn halves() {
        assert_eq!(lower_half(0b1011), 0b0001);
        assert_eq!(lower_half(0b1111_0000), 0b0011_0000);
    }
}
