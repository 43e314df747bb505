//! What a thread runs while it waits, with either policy.
//!
//! The programs here leave the scheduler no choice: a thread holds something and waits for a half
//! that goes on only once a *stranger* has begun, and every other place is taken. Under
//! [`WaitPolicy::Related`] the stranger runs elsewhere; under [`WaitPolicy::Steal`] it runs on top
//! of the frame that holds what the stranger wants.

mod common;

use std::cell::RefCell;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use common::{FOREVER, each, ends, fib, spin_until};
use drumline::{JoinHandle, Pool, WaitPolicy};

const POLICIES: [WaitPolicy; 2] = [WaitPolicy::Related, WaitPolicy::Steal];

fn pool(jobs: usize, policy: WaitPolicy) -> Pool {
    // A thread that waits for a page is taken for one that blocks: a spare would take the stranger.
    let pool = Pool::builder().jobs(jobs).spares(false);
    pool.wait_policy(policy).build().unwrap()
}

/// Waits for the half of a join, with `stranger` as the only other work there is. No thread sleeps
/// meanwhile, so it is certain which threads have the two places: this one and that of the other
/// half.
fn wait_beside<T: Send + 'static>(stranger: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let half_began = AtomicBool::new(false);
    let stranger_began = Arc::new(AtomicBool::new(false));
    let begins = Arc::clone(&stranger_began);
    let (task, ()) = drumline::join(
        || {
            spin_until(&half_began);
            drumline::spawn(move || {
                begins.store(true, Ordering::Release);
                stranger()
            })
        },
        || {
            half_began.store(true, Ordering::Release);
            spin_until(&stranger_began);
        },
    );
    task
}

/// Where the stranger runs: on the thread that waits?
fn stranger_runs_here(policy: WaitPolicy) -> bool {
    ends(move || {
        pool(2, policy).install(|| {
            let here = thread::current().id();
            wait_beside(move || thread::current().id() == here)
                .join()
                .unwrap()
        })
    })
}

#[test]
fn strangers_run_elsewhere() {
    for _ in 0..100 {
        assert!(!stranger_runs_here(WaitPolicy::Related));
    }
}

#[test]
fn with_steal_strangers_run_here() {
    for _ in 0..100 {
        assert!(stranger_runs_here(WaitPolicy::Steal));
    }
}

#[test]
fn a_borrow_of_thread_local_state_meets_a_stranger_only_with_steal() {
    thread_local!(static STATE: RefCell<u32> = const { RefCell::new(0) });
    for policy in POLICIES {
        let met = ends(move || {
            pool(2, policy).install(|| {
                let task = STATE.with_borrow_mut(|state| {
                    *state += 1;
                    wait_beside(|| STATE.with(|state| state.try_borrow_mut().is_err()))
                });
                task.join().unwrap()
            })
        });
        assert_eq!(met, policy == WaitPolicy::Steal);
    }
}

/// The program of rayon's issue 592, with the unlucky schedule forced.
fn lock_across_a_wait(policy: WaitPolicy) {
    pool(2, policy).install(|| {
        let lock = Arc::new(Mutex::new(0));
        let mut guard = lock.lock().unwrap();
        let (wanted, here) = (Arc::clone(&lock), thread::current().id());
        let task = wait_beside(move || {
            if thread::current().id() == here {
                eprintln!("{STUCK}");
            }
            *wanted.lock().unwrap() += 1;
        });
        *guard += 1;
        drop(guard);
        task.join().unwrap();
        assert_eq!(*lock.lock().unwrap(), 2);
    });
}

const STUCK: &str = "wants a lock that is held further down";
const CHILD: &str = "DRUMLINE_TEST_CHILD";

#[test]
fn a_lock_across_a_wait() {
    for _ in 0..100 {
        ends(|| lock_across_a_wait(WaitPolicy::Related));
    }
}

/// Does not end: for the test below, in a process of its own.
#[test]
#[ignore = "hangs, as it should; another test runs it"]
fn child_with_a_lock_across_a_wait() {
    if std::env::var_os(CHILD).is_some() {
        // If the process that started this one is killed, this one does not stay behind.
        thread::spawn(|| {
            thread::sleep(FOREVER);
            std::process::exit(1);
        });
        lock_across_a_wait(WaitPolicy::Steal);
    }
}

#[test]
fn with_steal_a_lock_across_a_wait_hangs() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["child_with_a_lock_across_a_wait", "--exact", "--ignored"])
        .arg("--nocapture")
        .env(CHILD, "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let stuck = lines.any(|line| line.unwrap().contains(STUCK));
    // From here on no event can come. Where one did, the process would end at once.
    let start = Instant::now();
    let mut ended = None;
    while ended.is_none() && start.elapsed() < Duration::from_secs(1) {
        thread::sleep(Duration::from_millis(20));
        ended = child.try_wait().unwrap();
    }
    let _ = child.kill();
    child.wait().unwrap();
    assert!(stuck, "the stranger did not run on the thread that waits");
    assert_eq!(ended, None, "the child was to hang");
}

#[test]
fn steal_computes_the_same() {
    for jobs in [1, 2, 4, 64] {
        for guests in [true, false] {
            let sum = ends(move || {
                let pool = Pool::builder().jobs(jobs).guests(guests);
                let pool = pool.wait_policy(WaitPolicy::Steal).build().unwrap();
                let sum = AtomicUsize::new(0);
                pool.install(|| {
                    drumline::scope(|scope| {
                        for i in 0..100 {
                            let sum = &sum;
                            scope.spawn(move |_| {
                                let task = drumline::spawn(move || i);
                                each(0..i, &|_| {
                                    sum.fetch_add(1, Ordering::Relaxed);
                                });
                                sum.fetch_add(task.join().unwrap(), Ordering::Relaxed);
                            });
                        }
                    });
                    assert_eq!(fib(16), 987);
                });
                sum.into_inner()
            });
            assert_eq!(sum, 2 * 4_950, "jobs {jobs}, guests {guests}");
        }
    }
}

#[test]
fn a_panic_of_a_stranger_stays_its_own() {
    for policy in POLICIES {
        ends(move || {
            pool(2, policy).install(|| {
                let task = wait_beside(|| common::quiet_panic("stranger"));
                let payload = task.join().unwrap_err().into_panic();
                assert_eq!(common::message(&*payload), "stranger");
            });
        });
    }
}
