//! Which of many tasks have run: the answer that is checked where tasks return nothing.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// One line per task. Tasks sign. One thread waits until there are as many signatures as tasks.
/// Only then it looks which tasks have signed.
#[derive(Debug)]
pub struct Roll {
    signatures: Vec<AtomicU32>,
    missing: AtomicUsize,
    complaint: Mutex<Option<String>>,
    complete: Mutex<bool>,
    changed: Condvar,
}

impl Roll {
    /// A roll of this many tasks.
    pub fn new(tasks: usize) -> Arc<Self> {
        Arc::new(Self {
            signatures: (0..tasks).map(|_| AtomicU32::new(0)).collect(),
            missing: AtomicUsize::new(tasks),
            complaint: Mutex::new(None),
            complete: Mutex::new(tasks == 0),
            changed: Condvar::new(),
        })
    }

    /// Task `index` has done its work.
    pub fn sign(&self, index: usize) {
        // Pairs with the Acquire below: the signature is there when the last one is counted.
        self.signatures[index].fetch_add(1, Ordering::Release);
        // Pairs with itself: the last one has seen what all before it did, and hands it on
        // through the lock. Below zero only a task gets that ran twice; no thread waits any more.
        if self.missing.fetch_sub(1, Ordering::AcqRel) == 1 {
            *self.complete.lock().unwrap_or_else(PoisonError::into_inner) = true;
            self.changed.notify_all();
        }
    }

    /// A task has found something wrong; it signs nevertheless.
    pub fn complain(&self, what: String) {
        let mut complaint = self
            .complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        complaint.get_or_insert(what);
    }

    /// Sleeps until there are as many signatures as tasks.
    pub fn wait(&self) {
        let complete = self.complete.lock().unwrap_or_else(PoisonError::into_inner);
        let _complete = self
            .changed
            .wait_while(complete, |complete| !*complete)
            .unwrap_or_else(PoisonError::into_inner);
    }

    /// Whether every task has signed, each exactly once, and none complained.
    pub fn check(&self) -> Result<(), String> {
        let complaint = self
            .complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(complaint) = &*complaint {
            return Err(complaint.clone());
        }
        for (index, times) in self.signatures.iter().enumerate() {
            // Pairs with the Release in `sign`, for a signature that came too late to be counted.
            match times.load(Ordering::Acquire) {
                1 => {}
                times => return Err(format!("task {index} ran {times} times")),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roll_is_complete_when_all_have_signed() {
        let roll = Roll::new(3);
        std::thread::scope(|scope| {
            for index in 0..3 {
                let roll = &roll;
                scope.spawn(move || roll.sign(index));
            }
            roll.wait();
        });
        assert_eq!(roll.check(), Ok(()));
        Roll::new(0).wait();
    }

    #[test]
    fn a_task_that_runs_twice_is_found() {
        let roll = Roll::new(2);
        roll.sign(1);
        roll.sign(1);
        roll.wait();
        assert_eq!(roll.check(), Err("task 0 ran 0 times".to_owned()));
        roll.sign(0);
        assert_eq!(roll.check(), Err("task 1 ran 2 times".to_owned()));
    }

    #[test]
    fn the_first_complaint_counts() {
        let roll = Roll::new(1);
        roll.complain("one".to_owned());
        roll.complain("two".to_owned());
        roll.sign(0);
        roll.wait();
        assert_eq!(roll.check(), Err("one".to_owned()));
    }
}
