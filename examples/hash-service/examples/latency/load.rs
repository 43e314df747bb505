//! The computing beside the echo.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use drumline::CancellationToken;
use hash_service::hash;
use tokio::runtime::Runtime;
use tokio::task::{JoinSet, spawn_blocking, yield_now};

use crate::arrangement::Computer;

/// As many as the service has by default.
const ROUNDS: u32 = 20_000;

/// About a millisecond of work.
fn work() {
    let token = CancellationToken::new();
    black_box(hash(black_box(b"upload"), ROUNDS, &token)).expect("nothing cancels this token");
}

/// What one piece of work takes on an idle thread.
pub fn cost() -> Duration {
    (0..100)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

/// Starts tasks that ask for one hash after another, until it is over.
pub fn start(
    runtime: &Runtime,
    computer: &Computer,
    in_flight: usize,
    is_over: &Arc<AtomicBool>,
    hashes: &Arc<AtomicU64>,
) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    for _ in 0..in_flight {
        let (is_over, hashes) = (Arc::clone(is_over), Arc::clone(hashes));
        let done = move || {
            // Relaxed, both: nothing is published.
            hashes.fetch_add(1, Ordering::Relaxed);
            is_over.load(Ordering::Relaxed)
        };
        match computer {
            Computer::Nothing => {}
            Computer::Tasks => {
                let task = async move {
                    loop {
                        work();
                        if done() {
                            break;
                        }
                        yield_now().await;
                    }
                };
                tasks.spawn_on(task, runtime.handle());
            }
            Computer::Blocking => {
                let task = async move {
                    loop {
                        spawn_blocking(work).await.expect("it never panics");
                        if done() {
                            break;
                        }
                    }
                };
                tasks.spawn_on(task, runtime.handle());
            }
            Computer::Drumline(pool) => {
                let pool = Arc::clone(pool);
                let task = async move {
                    loop {
                        pool.spawn(work).await.expect("it never panics");
                        if done() {
                            break;
                        }
                    }
                };
                tasks.spawn_on(task, runtime.handle());
            }
        }
    }
    tasks
}
