//! The queue of a seat: jobs for any thread, of which the model has tickets only
//! (`pool::queues::job_queue`).

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::shared::SharedLoop;

/// The tickets that a thread has put out, from the oldest on.
#[derive(Debug, Default)]
pub struct Queue(RefCell<VecDeque<Rc<SharedLoop>>>);

impl Queue {
    pub fn len(&self) -> usize {
        self.0.borrow().len()
    }

    /// Puts out a ticket for `shared`.
    pub fn push(&self, shared: &Rc<SharedLoop>) {
        self.0.borrow_mut().push_back(Rc::clone(shared));
    }

    /// Owner: takes the newest one.
    pub fn pop(&self) -> Option<Rc<SharedLoop>> {
        self.0.borrow_mut().pop_back()
    }

    /// Thief: takes the oldest one.
    pub fn take(&self) -> Option<Rc<SharedLoop>> {
        self.0.borrow_mut().pop_front()
    }

    /// Owner: takes the newest one back if it is for `shared`.
    pub fn withdraw(&self, shared: &Rc<SharedLoop>) -> bool {
        let is_newest = |newest: &Rc<SharedLoop>| Rc::ptr_eq(newest, shared);
        if !self.0.borrow().back().is_some_and(is_newest) {
            return false;
        }
        self.pop().is_some()
    }
}
