//! A function of a stream drops the last handle of the pool that its stream runs in.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use drumline::Pool;
use drumline::stream;

/// The number of results of two stages, of which one drops the pool.
fn results(jobs: usize, spares: bool, in_stage: usize) -> u32 {
    let pool = Pool::builder().jobs(jobs).guests(false).spares(spares);
    let pool = pool.build().unwrap();
    let numbers = stream::iter(0..1_000).pool(&pool);
    let pool = Arc::new(Mutex::new(Some(pool)));
    let its = Arc::clone(&pool);
    let stage = move |stage: usize, n: u32| {
        if n == 100 && stage == in_stage {
            let taken = its.lock().unwrap().take();
            drop(taken);
        }
        n
    };
    let second = stage.clone();
    let mut count = 0;
    numbers
        .map_ordered(move |n| stage(1, n))
        .stream()
        .map_ordered(move |n| second(2, n))
        .for_each(|_| count += 1);
    assert!(pool.lock().unwrap().is_none());
    count
}

/// The pool finishes what it was given, in the background, and then ends its threads.
#[test]
fn a_pool_is_kept_by_the_streams_in_it() {
    for jobs in [1, 2, 4] {
        for spares in [true, false] {
            for in_stage in [1, 2] {
                for _ in 0..5 {
                    let (done, ended) = mpsc::channel();
                    std::thread::spawn(move || done.send(results(jobs, spares, in_stage)));
                    let ended = ended.recv_timeout(Duration::from_secs(120));
                    assert_eq!(ended, Ok(1_000), "{jobs} jobs, stage {in_stage}");
                }
            }
        }
    }
}
