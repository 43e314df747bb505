//! What the tests of streams share: ways to run one, and items that say when they are dropped.
#![allow(dead_code, reason = "each test file uses its own part of this")]

#[cfg(feature = "futures")]
pub mod async_queue;
pub mod channels;
pub mod every_source;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use drumline::Pool;
use drumline::stream::{Feed, Stream};

use crate::common::{pool, without_guests};

/// What the consumers of a stream are.
pub struct Setup {
    pub name: String,
    pub pool: Option<Pool>,
    jobs: Option<usize>,
    threads: Option<usize>,
}

impl Setup {
    pub fn apply<F: Feed, W>(&self, stream: Stream<F, W>) -> Stream<F, W> {
        let stream = match &self.pool {
            Some(pool) => stream.pool(pool),
            None => stream,
        };
        match (self.jobs, self.threads) {
            (Some(jobs), _) => stream.jobs(jobs),
            (_, Some(threads)) => stream.threads(threads),
            _ => stream,
        }
    }

    pub fn in_pool(name: &str, pool: Pool) -> Self {
        Setup {
            name: name.to_owned(),
            pool: Some(pool),
            jobs: None,
            threads: None,
        }
    }

    pub fn jobs(pool: Pool, jobs: usize) -> Self {
        Setup {
            name: format!("{jobs} jobs of {}", pool.jobs()),
            pool: Some(pool),
            jobs: Some(jobs),
            threads: None,
        }
    }

    pub fn threads(threads: usize) -> Self {
        Setup {
            name: format!("{threads} threads"),
            pool: None,
            jobs: None,
            threads: Some(threads),
        }
    }
}

/// A pool that got none of its threads.
pub fn without_threads() -> Pool {
    let builder = Pool::builder().jobs(3).warning_handler(|_| ());
    let builder = builder.spawn_handler(|_| Err(io::Error::other("no threads today")));
    builder.build().unwrap()
}

/// All kinds of setups.
pub fn setups() -> Vec<Setup> {
    let mut setups = vec![
        Setup::in_pool("1 job, guests", pool(1)),
        Setup::in_pool("2 jobs, guests", pool(2)),
        Setup::in_pool("1 job, no guests", without_guests(1)),
        Setup::in_pool("3 jobs, no guests", without_guests(3)),
        Setup::in_pool("no threads", without_threads()),
    ];
    for jobs in [1, 2, 3, 8] {
        setups.push(Setup::jobs(pool(4), jobs));
    }
    setups.push(Setup::jobs(without_guests(2), 3));
    setups.extend([1, 2, 5].map(Setup::threads));
    setups
}

/// A few of them.
pub fn some_setups() -> Vec<Setup> {
    vec![
        Setup::in_pool("1 job, guests", pool(1)),
        Setup::in_pool("3 jobs, guests", pool(3)),
        Setup::in_pool("2 jobs, no guests", without_guests(2)),
        Setup::in_pool("no threads", without_threads()),
        Setup::threads(3),
    ]
}

/// Counts what was made and what was dropped.
#[derive(Clone, Default)]
pub struct Ledger(Arc<Vec<(AtomicUsize, AtomicUsize)>>);

impl Ledger {
    /// For items with numbers below `items`.
    pub fn new(items: u64) -> Self {
        Ledger(Arc::new((0..items).map(|_| Default::default()).collect()))
    }

    pub fn item(&self, number: u64) -> Item {
        self.0[usize::try_from(number).unwrap()]
            .0
            .fetch_add(1, Ordering::Relaxed);
        Item {
            number,
            ledger: self.clone(),
        }
    }

    /// Whether all that was made is dropped.
    pub fn is_even(&self) -> bool {
        self.0
            .iter()
            .all(|(made, dropped)| made.load(Ordering::Acquire) == dropped.load(Ordering::Acquire))
    }

    /// How many were made.
    pub fn made(&self) -> usize {
        self.0
            .iter()
            .map(|(made, _)| made.load(Ordering::Relaxed))
            .sum()
    }

    /// Each item that was made has been dropped, once.
    #[track_caller]
    pub fn check(&self, name: &str) {
        for (number, (made, dropped)) in self.0.iter().enumerate() {
            let (made, dropped) = (
                made.load(Ordering::Acquire),
                dropped.load(Ordering::Acquire),
            );
            assert_eq!(made, dropped, "{name}: item {number} was made and dropped");
        }
    }
}

/// An item that a [`Ledger`] knows of.
pub struct Item {
    pub number: u64,
    ledger: Ledger,
}

impl Drop for Item {
    fn drop(&mut self) {
        let number = usize::try_from(self.number).unwrap();
        self.ledger.0[number].1.fetch_add(1, Ordering::Release);
    }
}
