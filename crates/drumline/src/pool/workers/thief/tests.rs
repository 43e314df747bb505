use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use crate::wait::wait_for_barrier;
use crate::{Pool, join, spawn};

/// When the job was queued.
enum Age {
    /// Before the fork.
    Older,
    /// In it.
    Younger,
    /// In it, when what had been queued before is gone.
    YoungerThanAnother,
}

/// In which order a thread that has been busy takes the half of a join and a job that was
/// queued by the same thread, before the join or in it.
fn order_taken(age: Age) -> Vec<&'static str> {
    // A thread that waits for a page is taken for one that blocks, and a spare would steal as well.
    let pool = Pool::builder().jobs(2).spares(false).build().unwrap();
    let taken = Arc::new(Mutex::new(Vec::new()));
    let [is_held, is_free] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    let wait_for = |flag: &AtomicBool| {
        while !flag.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
    };
    let helper = {
        let (is_held, is_free) = (Arc::clone(&is_held), Arc::clone(&is_free));
        pool.spawn(move || {
            is_held.store(true, Ordering::Release);
            wait_for(&is_free);
        })
    };
    wait_for(&is_held);
    let note = |text: &'static str| {
        let taken = Arc::clone(&taken);
        move || taken.lock().unwrap().push(text)
    };
    let (forked, has_forked) = mpsc::channel();
    let (job, half, seen) = (note("job"), note("half"), Arc::clone(&taken));
    drop(pool.spawn(move || {
        let spawn_job = move || drop(spawn(job));
        let fork = move |first: Option<Box<dyn FnOnce() + Send>>| {
            let left = || {
                if let Some(first) = first {
                    first();
                }
                is_free.store(true, Ordering::Release);
                while seen.lock().unwrap().len() < 2 {
                    std::thread::yield_now();
                }
            };
            join(left, half);
            forked.send(()).unwrap();
        };
        // The newest job is the next one here.
        match age {
            Age::Older => {
                spawn_job();
                drop(spawn(move || fork(None)));
            }
            Age::Younger => fork(Some(Box::new(spawn_job))),
            Age::YoungerThanAnother => {
                let another = spawn(|| ());
                drop(spawn(move || {
                    another.join().unwrap();
                    fork(Some(Box::new(spawn_job)));
                }));
            }
        }
    }));
    // A join of this thread would help.
    has_forked.recv().unwrap();
    helper.join().unwrap();
    std::mem::take(&mut *taken.lock().unwrap())
}

#[test]
fn what_is_older_is_taken_first() {
    let has_barrier = wait_for_barrier();
    for _ in 0..20 {
        assert_eq!(order_taken(Age::Older), ["job", "half"]);
        if has_barrier {
            assert_eq!(order_taken(Age::Younger), ["half", "job"]);
            assert_eq!(order_taken(Age::YoungerThanAnother), ["half", "job"]);
        }
    }
}
