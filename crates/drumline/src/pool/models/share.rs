//! A thief moves jobs from the queue of another thread to its own, while a third thread looks for
//! work.

use std::ptr;
// The standard library's `Arc`: a planted bug drops it while it unwinds, outside of the model.
use std::sync::Arc;

use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use super::explore;
use crate::job::JobRef;
use crate::pool::deque::{Deque, Reasons};
use crate::pool::queues::job_queue::JobQueue;
use crate::sync::barrier::{self, Barrier};
use crate::sync::plant::{Plant, must_catch};

/// How many jobs the victim has.
const JOBS: usize = 3;

struct Shared {
    victim: JobQueue,
    thief: JobQueue,
    /// That of the thief, which carries its marks.
    deque: Box<Deque>,
    /// How often each job was taken.
    taken: [AtomicUsize; JOBS],
}

unsafe fn nothing(_data: *const ()) {}

impl Shared {
    fn job(number: usize) -> JobRef {
        JobRef {
            data: ptr::without_provenance(2 * (number + 1)),
            run: nothing,
        }
    }

    fn take(&self, job: JobRef) {
        let number = job.data.addr() / 2 - 1;
        // Relaxed: a count.
        self.taken[number].fetch_add(1, Ordering::Relaxed);
    }
}

/// The thief takes a share, and works on the first job for ever. The owner of the other queue takes
/// one job meanwhile, and a third thread marks and scans. If that finds nothing, and the thief has
/// something in its queue, then the thief has met the mark: it wakes another thread.
fn found_or_asked() {
    let shared = Arc::new(Shared {
        victim: JobQueue::new(),
        thief: JobQueue::new(),
        deque: Deque::new(2, Barrier::Asymmetric).into(),
        taken: std::array::from_fn(|_| AtomicUsize::new(0)),
    });
    for number in 0..JOBS {
        shared.victim.push(Shared::job(number));
    }
    let searcher = thread::spawn({
        let shared = Arc::clone(&shared);
        move || {
            shared.deque.ask(Reasons::WAKE_REQUESTED);
            let is_sure = barrier::heavy(Barrier::Asymmetric);
            !is_sure || shared.victim.len() > 0 || shared.thief.len() > 0
        }
    });
    let owner = thread::spawn({
        let shared = Arc::clone(&shared);
        move || {
            if let Some(job) = shared.victim.pop() {
                shared.take(job);
            }
        }
    });
    let mut is_asked = false;
    // As `Seat::published`.
    let published = || {
        barrier::light();
        if shared.deque.is_asked() {
            is_asked = shared
                .deque
                .take_reasons()
                .contains(Reasons::WAKE_REQUESTED);
        }
    };
    let mut buffer = Vec::new();
    let first = shared
        .thief
        .take_share_of(&shared.victim, 2, &mut buffer, published);
    shared.take(first.expect("there are more jobs than takers"));
    owner.join().unwrap();
    let found = searcher.join().unwrap();
    let is_left = shared.thief.len() > 0;
    assert!(found || is_asked || !is_left, "a job is hidden");
    while let Some(job) = shared.thief.pop().or_else(|| shared.victim.take()) {
        shared.take(job);
    }
    for taken in &shared.taken {
        assert_eq!(taken.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn loom_share_found_or_asked() {
    explore(3, found_or_asked);
    for plant in [Plant::ShareUnpublished, Plant::NoHeavyBarrier] {
        must_catch(plant, || explore(3, found_or_asked));
    }
}
