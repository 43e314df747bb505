//! Which of many short items ran, where an entry for each would cost more than the item.
//!
//! Each thread keeps three sums of the numbers of the items that it ran, in cache lines of its
//! own. An item that is missing or ran twice shows in one of them.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// More threads than a process of the lab ever has.
const CELLS: usize = 4_096;

/// How often it is looked at whether all items have run.
const LOOK: Duration = Duration::from_micros(50);

/// The sums of one thread. Nothing else writes to them.
#[derive(Debug, Default)]
#[repr(align(128))]
struct MarkCell {
    sum: AtomicU64,
    squares: AtomicU64,
    count: AtomicU64,
}

/// The sums of all threads.
#[derive(Debug)]
pub struct Marks {
    cells: Vec<MarkCell>,
}

/// How many threads have a cell.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The cell of this thread, once it has one.
    static MINE: Cell<Option<usize>> = const { Cell::new(None) };
}

impl Marks {
    /// Marks that last as long as the process: tasks that nothing waits for refer to them.
    pub fn leaked() -> &'static Self {
        let cells = (0..CELLS).map(|_| MarkCell::default()).collect();
        Box::leak(Box::new(Self { cells }))
    }

    /// An item has run.
    pub fn mark(&self, item: u64) {
        let cell = &self.cells[mine()];
        // Relaxed: the thread reads what it wrote itself. The sums are published by the count.
        let sum = cell.sum.load(Ordering::Relaxed).wrapping_add(item);
        cell.sum.store(sum, Ordering::Relaxed);
        let square = item.wrapping_mul(item);
        let squares = cell.squares.load(Ordering::Relaxed).wrapping_add(square);
        cell.squares.store(squares, Ordering::Relaxed);
        let count = cell.count.load(Ordering::Relaxed) + 1;
        // Pairs with the Acquire load in `totals`.
        cell.count.store(count, Ordering::Release);
    }

    /// Sleeps until there are as many marks as items.
    pub fn wait(&self, items: u64) {
        while self.totals()[0] < items {
            sleep(LOOK);
        }
    }

    /// Whether the items from zero up to `items` have run, each exactly once.
    pub fn check(&self, items: u64) -> Result<(), String> {
        let mut expected = [items, 0, 0];
        for item in 0..items {
            expected[1] = item.wrapping_add(expected[1]);
            expected[2] = item.wrapping_mul(item).wrapping_add(expected[2]);
        }
        let totals = self.totals();
        if totals == expected {
            Ok(())
        } else {
            Err(format!(
                "number, sum and squares of the items are {totals:?}, expected {expected:?}"
            ))
        }
    }

    /// Forgets all marks, while no item runs.
    pub fn reset(&self) {
        for cell in &self.cells {
            // Relaxed: what the runtime does to begin an item comes after it.
            cell.sum.store(0, Ordering::Relaxed);
            cell.squares.store(0, Ordering::Relaxed);
            cell.count.store(0, Ordering::Relaxed);
        }
    }

    fn totals(&self) -> [u64; 3] {
        // Relaxed: a thread that has no cell yet has marked nothing.
        let threads = THREADS.load(Ordering::Relaxed).min(CELLS);
        let mut totals = [0u64; 3];
        for cell in &self.cells[..threads] {
            // Pairs with the Release store in `mark`.
            totals[0] += cell.count.load(Ordering::Acquire);
            totals[1] = totals[1].wrapping_add(cell.sum.load(Ordering::Relaxed));
            totals[2] = totals[2].wrapping_add(cell.squares.load(Ordering::Relaxed));
        }
        totals
    }
}

fn mine() -> usize {
    MINE.get().unwrap_or_else(|| {
        // Relaxed: only the numbers must differ.
        let cell = THREADS.fetch_add(1, Ordering::Relaxed);
        MINE.set(Some(cell));
        cell
    })
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn marks_of_all_threads_count() {
        let marks = Marks::leaked();
        thread::scope(|scope| {
            for part in 0..4 {
                scope.spawn(move || (part * 25..(part + 1) * 25).for_each(|i| marks.mark(i)));
            }
        });
        marks.wait(100);
        assert_eq!(marks.check(100), Ok(()));
        marks.reset();
        assert!(marks.check(100).is_err());
        assert_eq!(marks.check(0), Ok(()));
    }

    #[test]
    fn an_item_that_ran_in_the_place_of_another_is_noticed() {
        for wrong in [[0, 1, 1], [0, 0, 3], [1, 1, 1], [0, 1, 3]] {
            let marks = Marks::leaked();
            wrong.into_iter().for_each(|item| marks.mark(item));
            assert!(marks.check(3).is_err(), "{wrong:?}");
        }
    }
}
