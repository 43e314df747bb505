//! Which of many tasks have ended: the answer that is checked where tasks return nothing.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, Thread};

/// How many bits of the word count tasks. The others are a sum of their numbers.
const COUNT_BITS: u32 = 24;

/// The bits that count tasks.
const COUNT: u64 = (1 << COUNT_BITS) - 1;

/// Tasks end, and one thread sleeps until all have.
///
/// A task that ends adds once to one word: it counts itself, and it adds its number to a sum, after
/// the number was mixed. So a task that ended twice in the place of another one shows in the sum.
/// All runtimes pay the same for the word, on which all threads meet.
#[derive(Debug)]
#[repr(align(128))]
pub struct Countdown {
    word: AtomicU64,
    tasks: u64,
    expected: u64,
    waiting: Thread,
}

impl Countdown {
    /// For this many tasks, which the calling thread will wait for. It lasts as long as the
    /// process: tasks that nothing waits for refer to it.
    pub fn leaked(tasks: u64) -> &'static Self {
        assert!(tasks <= COUNT, "there are more tasks than can be counted");
        let parts = (0..tasks).map(part);
        Box::leak(Box::new(Self {
            word: AtomicU64::new(0),
            tasks,
            expected: parts.fold(0, u64::wrapping_add),
            waiting: thread::current(),
        }))
    }

    /// The most tasks that can be counted.
    pub const MOST: u64 = COUNT;

    /// Forgets all ends, while no task runs.
    pub fn reset(&self) {
        // Relaxed: what the runtime does to begin a task comes after it.
        self.word.store(0, Ordering::Relaxed);
    }

    /// The task of this number has ended.
    pub fn end(&self, task: u64) {
        let part = part(task);
        // Release: pairs with the Acquire load in `wait`, also through the additions of others.
        let before = self.word.fetch_add(part, Ordering::Release);
        if before.wrapping_add(part) & COUNT == self.tasks {
            self.waiting.unpark();
        }
    }

    /// Sleeps until as many tasks have ended as there are.
    pub fn wait(&self) {
        // Acquire: pairs with the Release addition in `end`.
        while self.word.load(Ordering::Acquire) & COUNT != self.tasks {
            thread::park();
        }
    }

    /// Whether every task has ended, each exactly once.
    pub fn check(&self) -> Result<(), String> {
        // Acquire: as in `wait`, for an end that came too late to be waited for.
        let word = self.word.load(Ordering::Acquire);
        if word == self.expected {
            Ok(())
        } else {
            let (ended, tasks) = (word & COUNT, self.tasks);
            Err(format!(
                "{ended} tasks ended, and not each of {tasks} exactly once"
            ))
        }
    }
}

/// What the task of this number adds: one to the count, and its mixed number to the sum.
fn part(task: u64) -> u64 {
    let mixed = (task + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((mixed >> COUNT_BITS) << COUNT_BITS) | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_have_ended_when_each_has() {
        let countdown = Countdown::leaked(100);
        for _ in 0..2 {
            countdown.reset();
            thread::scope(|scope| {
                for first in [0, 50] {
                    scope.spawn(move || (first..first + 50).for_each(|task| countdown.end(task)));
                }
                countdown.wait();
            });
            assert_eq!(countdown.check(), Ok(()));
        }
        let none = Countdown::leaked(0);
        none.wait();
        assert_eq!(none.check(), Ok(()));
    }

    #[test]
    fn a_task_that_ended_in_the_place_of_another_is_noticed() {
        for wrong in [&[0, 1, 1][..], &[0, 0, 3], &[1, 1, 1], &[0, 1, 3], &[0, 1]] {
            let countdown = Countdown::leaked(3);
            wrong.iter().for_each(|task| countdown.end(*task));
            assert!(countdown.check().is_err(), "{wrong:?}");
        }
    }
}
