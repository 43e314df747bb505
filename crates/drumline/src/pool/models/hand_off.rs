//! A worker hands tasks to itself, and a thief takes from its slot: each task has one taker.

use std::ptr;
// The standard library's `Arc`: a planted deadlock drops it while it unwinds, outside of the model.
use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::thread;

use crate::job::Header;
use crate::pool::hand_off::HandOff;
use crate::sync::plant::{Plant, must_catch};

struct Shared {
    slot: HandOff,
    tasks: [UnsafeCell<u32>; 2],
}

// SAFETY: loom checks every access to the tasks.
unsafe impl Send for Shared {}
// SAFETY: as for `Send`.
unsafe impl Sync for Shared {}

impl Shared {
    /// The address that stands for a task; not to be followed.
    fn address(number: usize) -> *const Header {
        ptr::without_provenance(8 * (number + 1))
    }

    fn run(&self, job: *const Header) {
        let number = job.addr() / 8 - 1;
        // SAFETY: loom checks that no other thread is here.
        self.tasks[number].with_mut(|task| unsafe {
            assert_eq!(
                *task, 1,
                "it was published before it was taken, and is run once"
            );
            *task = 2;
        });
    }
}

fn owner_and_thief() {
    loom::model(|| {
        let shared = Arc::new(Shared {
            slot: HandOff::new(),
            tasks: [UnsafeCell::new(0), UnsafeCell::new(0)],
        });
        let other = Arc::clone(&shared);
        let thief = thread::spawn(move || {
            for _ in 0..2 {
                if other.slot.turn().is_some()
                    && let Some(job) = other.slot.take()
                {
                    other.run(job);
                }
            }
        });
        for (number, task) in shared.tasks.iter().enumerate() {
            // SAFETY: not published yet.
            task.with_mut(|task| unsafe { *task = 1 });
            if let Some(displaced) = shared.slot.put(Shared::address(number)) {
                shared.run(displaced);
            }
        }
        if let Some(job) = shared.slot.take() {
            shared.run(job);
        }
        thief.join().unwrap();
        for task in &shared.tasks {
            // SAFETY: the thief has ended.
            task.with(|task| assert_eq!(unsafe { *task }, 2, "no task is lost"));
        }
    });
}

#[test]
fn loom_hand_off() {
    owner_and_thief();
    must_catch(Plant::HandOffTakenTwice, owner_and_thief);
}
