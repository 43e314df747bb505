//! A worker hands tasks to itself, and a thief takes from its slot: each task has one taker.

use std::ptr;
// The standard library's `Arc`: a planted deadlock drops it while it unwinds, outside of the model.
use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::thread;

use crate::job::Header;
use crate::pool::deque::handshake::Handshake;
use crate::pool::queues::hand_off::HandOff;
use crate::sync::barrier::{self, Barrier};
use crate::sync::plant::{Plant, must_catch, with_refusal};

struct Shared {
    slot: HandOff,
    tasks: [UnsafeCell<u32>; 2],
}

// SAFETY: loom checks every access to the tasks.
unsafe impl Send for Shared {}
// SAFETY: as for `Send`.
unsafe impl Sync for Shared {}

impl Shared {
    fn new() -> Arc<Self> {
        Arc::new(Shared {
            slot: HandOff::new(),
            tasks: [UnsafeCell::new(0), UnsafeCell::new(0)],
        })
    }

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

    fn put(&self, number: usize, fences: bool) {
        // SAFETY: not published yet.
        self.tasks[number].with_mut(|task| unsafe { *task = 1 });
        if let Some(displaced) = self.slot.put(Self::address(number), || fences) {
            self.run(displaced);
        }
    }

    fn take(&self, fences: bool) {
        if let Some(job) = self.slot.take(fences) {
            self.run(job);
        }
    }

    fn steal(&self, settles: impl FnOnce() -> bool) {
        if let Some(job) = self.slot.steal(settles) {
            self.run(job);
        }
    }

    /// All threads have ended.
    fn check(&self) {
        for task in &self.tasks {
            // SAFETY: no other thread is left.
            task.with(|task| assert_eq!(unsafe { *task }, 2, "no task is lost"));
        }
    }
}

fn barrier() -> bool {
    barrier::heavy(Barrier::Asymmetric)
}

/// What the owner does against a thief that comes twice.
fn against_a_thief(owner: impl Fn(&Shared) + Copy + Sync + Send + 'static) {
    loom::model(move || {
        let shared = Shared::new();
        let other = Arc::clone(&shared);
        let thief = thread::spawn(move || {
            for _ in 0..2 {
                other.steal(barrier);
            }
        });
        owner(&shared);
        thief.join().unwrap();
        shared.check();
    });
}

/// The second task pushes the first one out.
fn put_twice() {
    against_a_thief(|shared| {
        shared.put(0, false);
        shared.put(1, false);
        shared.take(false);
    });
}

/// The slot is empty in between.
fn put_and_take_twice() {
    against_a_thief(|shared| {
        for number in 0..2 {
            shared.put(number, false);
            shared.take(false);
        }
    });
}

#[test]
fn loom_hand_off_put_twice() {
    put_twice();
    must_catch(Plant::HandOffTakenTwice, put_twice);
}

#[test]
fn loom_hand_off() {
    put_and_take_twice();
}

#[test]
fn loom_plants_hand_off() {
    must_catch(Plant::HandOffTakenTwice, put_and_take_twice);
    must_catch(Plant::HandOffTurnUnseen, put_and_take_twice);
    must_catch(Plant::NoHeavyBarrier, put_and_take_twice);
}

/// Two thieves.
fn two_thieves() {
    loom::model(|| {
        let shared = Shared::new();
        let thieves = [0, 1].map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.steal(barrier))
        });
        shared.put(0, false);
        shared.take(false);
        for thief in thieves {
            thief.join().unwrap();
        }
        shared.put(1, false);
        shared.take(false);
        shared.check();
    });
}

#[test]
fn loom_hand_off_two_thieves() {
    two_thieves();
}

/// The system refuses the barrier, and the owner learns of it between two tasks.
fn refused() {
    loom::model(|| {
        let shared = Shared::new();
        let handshake = Arc::new(Handshake::new(false));
        let other = (Arc::clone(&shared), Arc::clone(&handshake));
        let thief = thread::spawn(move || {
            let (shared, handshake) = other;
            for _ in 0..2 {
                shared.steal(|| barrier() || handshake.is_settled());
            }
        });
        shared.put(0, false);
        shared.take(false);
        let fences = handshake.is_due();
        if fences {
            handshake.acknowledge(std::iter::empty());
        }
        shared.put(1, fences);
        shared.take(fences);
        thief.join().unwrap();
        shared.check();
    });
}

#[test]
fn loom_hand_off_refused() {
    with_refusal(refused);
    must_catch(Plant::SettledUnasked, || with_refusal(refused));
}
