//! Chains of tasks that wait for each other, longer than any stack, where the threads that run out
//! of room are the only ones that the pool has: others take their places, and not many of them.
#![cfg(target_os = "linux")]

mod common;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use common::{MIB, ends, spin_until, threads};
use drumline::{JoinHandle, Pool};

const CHAIN: usize = 100_000;
/// This many threads more than jobs are allowed.
const MORE: usize = 64;
/// The same where each of them waits for one job. (When spares did not learn from those that had
/// to wait in turn there were 52 to 68 with 16 jobs, and the more the longer it took.)
const FEW_MORE: usize = 40;

/// Each of these tests keeps a machine busy for a while.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A pool with threads that can be counted, and how many there were at the most.
struct Counted {
    pool: Pool,
    name: String,
    most: Arc<AtomicUsize>,
}

impl Counted {
    fn new(jobs: usize, stack: usize) -> Self {
        static POOLS: AtomicUsize = AtomicUsize::new(0);
        let name = format!("c{}-", POOLS.fetch_add(1, Ordering::Relaxed));
        let each = name.clone();
        let pool = Pool::builder().jobs(jobs).guests(false).stack_size(stack);
        let pool = pool.thread_name(move |index| format!("{each}{index}"));
        Counted {
            pool: pool.build().unwrap(),
            name,
            most: Arc::default(),
        }
    }

    /// Spawns a chain of tasks, each of which waits for the one before, and returns the last. The
    /// first waits for the flag.
    fn chain(&self, go: Arc<AtomicBool>) -> JoinHandle<usize> {
        let mut last = self.pool.spawn(move || {
            spin_until(&go);
            1
        });
        for link in 2..=CHAIN {
            let (name, most) = (self.name.clone(), Arc::clone(&self.most));
            last = self.pool.spawn(move || {
                let length = last.join().unwrap() + 1;
                if link % 2_000 == 0 {
                    most.fetch_max(threads::named(&name).len(), Ordering::Relaxed);
                }
                length
            });
        }
        last
    }

    #[track_caller]
    fn check(self, jobs: usize, more: usize) {
        let most = self.most.load(Ordering::Relaxed);
        eprintln!("{most} threads, jobs {jobs}");
        assert!(most > 0, "the threads were not counted");
        assert!(most <= jobs + more, "{most} threads, jobs {jobs}");
    }
}

/// From a job of the pool: with one job its thread goes down from the new end.
#[test]
fn a_chain_from_the_new_end() {
    let _alone = alone();
    let cases = [(1, MIB / 8), (1, MIB), (1, 8 * MIB)];
    for (jobs, stack) in cases
        .into_iter()
        .chain([2, 4, 16].map(|jobs| (jobs, 8 * MIB)))
    {
        ends(move || {
            let counted = Counted::new(jobs, stack);
            let go = Arc::new(AtomicBool::new(true));
            let length = counted.pool.install(|| counted.chain(go).join().unwrap());
            assert_eq!(length, CHAIN, "jobs {jobs}, stack of {stack}");
            counted.check(jobs, MORE);
        });
    }
}

/// Spawned in a job that ends: its thread then takes the newest first.
#[test]
fn a_chain_that_is_left_behind() {
    let _alone = alone();
    for jobs in [1, 2, 4, 16] {
        ends(move || {
            let counted = Counted::new(jobs, 8 * MIB);
            let go = Arc::new(AtomicBool::new(true));
            let last = counted.pool.install(|| counted.chain(go));
            assert_eq!(last.join().unwrap(), CHAIN, "jobs {jobs}");
            counted.check(jobs, MORE);
        });
    }
}

/// Spawned outside: the workers take the oldest first, and cannot go on before all are there. Every
/// thread that begins a link waits for the one before, and is replaced.
#[test]
fn a_chain_from_the_old_end() {
    let _alone = alone();
    for jobs in [1, 2, 4, 16] {
        ends(move || {
            let counted = Counted::new(jobs, 8 * MIB);
            let go = Arc::new(AtomicBool::new(false));
            let last = counted.chain(Arc::clone(&go));
            go.store(true, Ordering::Release);
            assert_eq!(last.join().unwrap(), CHAIN, "jobs {jobs}");
            counted.check(jobs, FEW_MORE);
        });
    }
}
