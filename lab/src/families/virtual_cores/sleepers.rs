//! Items that sleep: how long each does, which of them ran, and how many ran at once.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::nap::Peak;

/// Items that sleep, and the book of what became of them.
#[derive(Debug)]
pub struct Sleepers {
    lengths: Vec<Duration>,
    shares: Vec<Vec<usize>>,
    epoch: Instant,
    ran: Vec<AtomicU32>,
    began: Vec<AtomicU64>,
    peak: Peak,
}

impl Sleepers {
    /// Items of these lengths, for this many jobs.
    pub fn new(lengths: Vec<Duration>, jobs: usize) -> Self {
        Self {
            shares: shares(&lengths, jobs),
            epoch: Instant::now(),
            ran: lengths.iter().map(|_| AtomicU32::new(0)).collect(),
            began: lengths.iter().map(|_| AtomicU64::new(0)).collect(),
            peak: Peak::default(),
            lengths,
        }
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The items of one job, when all are dealt out in advance.
    pub fn share(&self, job: usize) -> &[usize] {
        &self.shares[job]
    }

    /// What all take at least with as many jobs as there are shares. Items of one length come in
    /// rounds; others take as long as the longest, or as a job's part of the sum.
    pub fn bound(&self) -> Duration {
        let (jobs, items) = (self.shares.len(), self.lengths.len());
        let Some(&longest) = self.lengths.iter().max() else {
            return Duration::ZERO;
        };
        if self.lengths.iter().all(|length| *length == longest) {
            return longest * items.div_ceil(jobs) as u32;
        }
        let sum: Duration = self.lengths.iter().sum();
        longest.max(sum / jobs as u32)
    }

    /// Runs an item: sleeps as long as it takes.
    pub fn run(&self, index: usize) {
        self.run_as(index, || sleep(self.lengths[index]));
    }

    /// Runs an item, with something else in the place of its sleep.
    pub fn run_as(&self, index: usize, body: impl FnOnce()) {
        let now = u64::try_from(self.now().as_nanos()).unwrap_or(u64::MAX);
        // Relaxed, both of them: what was noted is read after the runtime has said that all items
        // have ended.
        self.began[index].store(now, Ordering::Relaxed);
        self.peak.during(body);
        self.ran[index].fetch_add(1, Ordering::Relaxed);
    }

    /// The time on the clock of [`began`](Self::began).
    pub fn now(&self) -> Duration {
        self.epoch.elapsed()
    }

    /// When each item began last, in their order.
    pub fn began(&self) -> impl Iterator<Item = Duration> {
        let ns = self.began.iter().map(|ns| ns.load(Ordering::Relaxed));
        ns.map(Duration::from_nanos)
    }

    /// The most items that have run at once, ever.
    pub fn peak(&self) -> u64 {
        self.peak.most() as u64
    }

    /// Makes all items ready to run again.
    pub fn reset(&self) {
        for ran in &self.ran {
            ran.store(0, Ordering::Relaxed);
        }
    }

    /// Whether each item ran exactly once, and no more at once than `limit` permits.
    pub fn check(&self, limit: Option<usize>) -> Result<(), String> {
        for (index, ran) in self.ran.iter().enumerate() {
            match ran.load(Ordering::Relaxed) {
                1 => {}
                times => return Err(format!("item {index} ran {times} times")),
            }
        }
        let peak = self.peak.most();
        match limit {
            Some(jobs) if peak > jobs => Err(format!("{peak} items ran at once, jobs: {jobs}")),
            _ => Ok(()),
        }
    }
}

/// Deals items out to jobs: the longest first, each to the job that has least.
fn shares(lengths: &[Duration], jobs: usize) -> Vec<Vec<usize>> {
    let mut items: Vec<usize> = (0..lengths.len()).collect();
    items.sort_by_key(|item| std::cmp::Reverse(lengths[*item]));
    let mut shares = vec![Vec::new(); jobs];
    let mut loads = vec![Duration::ZERO; jobs];
    for item in items {
        let least = (0..jobs).min_by_key(|job| loads[*job]);
        let job = least.expect("there is at least one job");
        loads[job] += lengths[item];
        shares[job].push(item);
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleepers(lengths: &[u64], jobs: usize) -> Sleepers {
        let lengths = lengths.iter().copied().map(Duration::from_millis);
        Sleepers::new(lengths.collect(), jobs)
    }

    #[test]
    fn items_of_one_length_come_in_rounds() {
        let bound = |items, jobs| sleepers(&vec![5; items], jobs).bound().as_millis();
        assert_eq!(bound(64, 2), 160);
        assert_eq!(bound(65, 64), 10);
        assert_eq!(bound(3, 64), 5);
        assert_eq!(bound(0, 2), 0);
    }

    #[test]
    fn uneven_items_take_the_longest_or_a_part_of_the_sum() {
        assert_eq!(sleepers(&[1, 1, 8], 2).bound().as_millis(), 8);
        assert_eq!(sleepers(&[1, 2, 3], 2).bound().as_millis(), 3);
        assert_eq!(sleepers(&[1, 2, 3, 4], 2).bound().as_millis(), 5);
    }

    #[test]
    fn the_longest_are_dealt_first() {
        let sleepers = sleepers(&[1, 5, 2, 4, 3], 2);
        assert_eq!(sleepers.share(0), [1, 2, 0]);
        assert_eq!(sleepers.share(1), [3, 4]);
    }

    #[test]
    fn each_item_runs_exactly_once() {
        let sleepers = sleepers(&[0, 0], 1);
        sleepers.run(0);
        assert_eq!(sleepers.check(None).unwrap_err(), "item 1 ran 0 times");
        sleepers.run(1);
        assert_eq!(sleepers.check(None), Ok(()));
        sleepers.run(1);
        assert_eq!(sleepers.check(None).unwrap_err(), "item 1 ran 2 times");
        sleepers.reset();
        assert_eq!(sleepers.check(None).unwrap_err(), "item 0 ran 0 times");
    }

    #[test]
    fn more_at_once_than_jobs_is_a_wrong_answer() {
        let sleepers = sleepers(&[0, 0], 1);
        sleepers.run_as(0, || sleepers.run(1));
        assert_eq!(sleepers.peak(), 2);
        assert_eq!(sleepers.check(Some(2)), Ok(()));
        assert_eq!(sleepers.check(None), Ok(()));
        let wrong = sleepers.check(Some(1)).unwrap_err();
        assert_eq!(wrong, "2 items ran at once, jobs: 1");
    }
}
