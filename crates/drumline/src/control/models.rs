//! Loom models of a request to stop that a task awaits.
//!
//! What must not happen is that the task sleeps for ever, which loom reports as a deadlock.

// The standard library's `Arc`: wakers are made of it.
use std::sync::Arc;
use std::task::{Wake, Waker};

use loom::thread;

use super::request::StopRequest;
use crate::sync::CheckedCell;
use crate::sync::plant::{Plant, must_catch};
use crate::wait::Parker;

/// A task that sleeps between its polls.
struct Task(Parker);

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn task() -> (Arc<Task>, Waker) {
    let task = Arc::new(Task(Parker::new()));
    let waker = Waker::from(Arc::clone(&task));
    (task, waker)
}

/// A request, and what its maker did before.
struct Program {
    request: StopRequest,
    before: CheckedCell<usize>,
}

// SAFETY: `before` is written before the request is made, and read after it was seen; loom checks.
unsafe impl Send for Program {}
// SAFETY: as above.
unsafe impl Sync for Program {}

/// One task awaits the request while another thread makes it. The task moves to another waker after
/// `polls` polls.
fn awaited(polls: usize) {
    let program = Arc::new(Program {
        request: StopRequest::new(),
        before: CheckedCell::new(0),
    });
    let maker = {
        let program = Arc::clone(&program);
        thread::spawn(move || {
            // SAFETY: the other thread reads after it has seen the request.
            program.before.with_mut(|before| unsafe { *before = 1 });
            program.request.make();
        })
    };
    let mut listed = None;
    let (mut task_now, mut waker) = task();
    let mut pending = 0;
    while !program.request.poll(&mut listed, &waker) {
        pending += 1;
        if pending == polls {
            (task_now, waker) = task();
        } else {
            task_now.0.park();
        }
    }
    assert!(listed.is_none());
    // SAFETY: written before the request that was seen.
    program
        .before
        .with(|before| assert_eq!(unsafe { *before }, 1));
    maker.join().unwrap();
    assert_eq!(program.request.wakers(), 0);
}

#[test]
fn loom_a_task_is_woken_by_the_request() {
    loom::model(|| awaited(usize::MAX));
}

#[test]
fn loom_a_task_with_another_waker_is_woken_by_the_request() {
    loom::model(|| awaited(1));
}

#[test]
fn loom_a_future_is_dropped_while_the_request_is_made() {
    loom::model(|| {
        let request = Arc::new(StopRequest::new());
        let maker = {
            let request = Arc::clone(&request);
            thread::spawn(move || request.make())
        };
        let mut listed = None;
        let (_task, waker) = task();
        let _ = request.poll(&mut listed, &waker);
        request.leave(&mut listed);
        maker.join().unwrap();
        assert_eq!(request.wakers(), 0);
        assert!(request.poll(&mut listed, &waker));
    });
}

#[test]
fn loom_plants_request() {
    must_catch(Plant::RequestUnchecked, || {
        loom::model(|| awaited(usize::MAX));
    });
}
