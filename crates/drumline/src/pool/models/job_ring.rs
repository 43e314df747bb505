//! The owner fills the line of tasks of its queue, and takes from it, while other threads take from
//! it as well: each task goes to one of them.

use std::ptr;
// The standard library's `Arc`: a planted bug drops it while it unwinds, outside of the model.
use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::thread;

use super::explore;
use crate::job::JobRef;
use crate::pool::queues::job_queue::JobQueue;
use crate::sync::plant::{Plant, must_catch};

/// One more than there is room for in the ring.
const TASKS: usize = 3;

struct Shared {
    queue: JobQueue,
    thief: JobQueue,
    /// Plain memory that belongs to each task: its maker fills it, and its taker empties it.
    tasks: [UnsafeCell<u32>; TASKS],
}

// SAFETY: loom checks every access to the cells.
unsafe impl Sync for Shared {}

unsafe fn nothing(_data: *const ()) {}

impl Shared {
    fn new() -> Arc<Self> {
        Arc::new(Shared {
            queue: JobQueue::new(),
            thief: JobQueue::new(),
            tasks: std::array::from_fn(|_| UnsafeCell::new(0)),
        })
    }

    fn push(&self, number: usize) {
        // SAFETY: loom checks that no other thread is here.
        self.tasks[number].with_mut(|task| unsafe { *task += 1 });
        self.queue.push_task(JobRef {
            data: ptr::without_provenance(2 * (number + 1)),
            run: nothing,
        });
    }

    /// Returns the number of the task.
    fn run(&self, job: JobRef) -> usize {
        let number = job.data.addr() / 2 - 1;
        // SAFETY: as above.
        let before = self.tasks[number].with_mut(|task| unsafe { std::mem::take(&mut *task) });
        assert_eq!(before, 1, "a task is taken once, after it was made");
        number
    }

    /// All that is left is there, and was not taken before.
    fn finish(&self, taken: usize) {
        let left = std::iter::from_fn(|| self.queue.take().or_else(|| self.thief.take()));
        assert_eq!(taken + left.map(|job| self.run(job)).count(), TASKS);
        assert_eq!(self.queue.len(), 0);
    }
}

/// The owner fills its line to the end of the ring and beyond, takes one, and adds the next.
fn owner_and_takers() {
    let shared = Shared::new();
    shared.push(0);
    let takers = [(); 2].map(|()| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let job = shared.queue.take();
            usize::from(job.map(|job| shared.run(job)).is_some())
        })
    });
    shared.push(1);
    let mut taken = usize::from(shared.queue.pop().map(|job| shared.run(job)).is_some());
    shared.push(2);
    for taker in takers {
        taken += taker.join().unwrap();
    }
    shared.finish(taken);
}

/// A thief takes a share while the owner adds one more, for which there may be no room, and takes
/// what is first.
fn owner_and_share() {
    let shared = Shared::new();
    shared.push(0);
    shared.push(1);
    let thief = thread::spawn({
        let shared = Arc::clone(&shared);
        move || {
            let (mut buffer, queue) = (Vec::new(), &shared.queue);
            let first = shared.thief.take_share_of(queue, 2, &mut buffer, || ());
            usize::from(first.map(|job| shared.run(job)).is_some())
        }
    });
    shared.push(2);
    let first = shared.queue.pop().map(|job| shared.run(job));
    let second = shared.queue.pop().map(|job| shared.run(job));
    if let (Some(first), Some(second)) = (first, second) {
        assert!(first < second, "the owner takes them in their order");
    }
    let taken = usize::from(first.is_some()) + usize::from(second.is_some());
    let taken = taken + thief.join().unwrap();
    shared.finish(taken);
}

#[test]
fn loom_job_ring_owner_and_takers() {
    explore(3, owner_and_takers);
    must_catch(Plant::JobRingTakenTwice, || explore(3, owner_and_takers));
}

#[test]
fn loom_job_ring_owner_and_share() {
    explore(3, owner_and_share);
    for plant in [Plant::JobRingTakenTwice, Plant::JobRingOverfilled] {
        must_catch(plant, || explore(3, owner_and_share));
    }
}
