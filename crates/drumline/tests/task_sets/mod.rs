//! Sets of tasks: what they know of tasks that were aborted, and of wakers that panic.

use std::future::{pending, poll_fn};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use drumline::{TaskSet, block_on, spawn};

use super::{pool, pool_without_spares};

#[test]
fn an_abort_wakes_the_task_that_awaits_a_closure() {
    // The calling thread has the only place, so the closures are not begun.
    pool_without_spares().install(|| {
        let mut set = TaskSet::new();
        for number in 0..4 {
            set.spawn(move || number);
        }
        block_on(async {
            assert!(poll_fn(|cx| Poll::Ready(set.poll_join_next(cx).is_pending())).await);
            set.shutdown().await;
        });
        assert!(set.is_empty());
    });
}

#[test]
fn a_set_asks_all_tasks_to_stop_though_some_panic() {
    struct Bad;
    impl Drop for Bad {
        fn drop(&mut self) {
            panic!("in a drop");
        }
    }
    pool_without_spares().install(|| {
        let mut set = TaskSet::new();
        for _ in 0..4 {
            let bad = Bad;
            set.spawn(move || drop(bad));
        }
        let panics = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| set.abort_all()));
        assert!(panics.is_err());
        for _ in 0..4 {
            assert!(
                block_on(set.join_next())
                    .unwrap()
                    .unwrap_err()
                    .is_cancelled()
            );
        }
    });
}

#[test]
fn a_set_takes_a_closure_that_was_aborted() {
    // The calling thread has the only place, so the closures are not begun.
    pool_without_spares().install(|| {
        let task = spawn(|| 1);
        task.abort();
        let mut set = TaskSet::new();
        set.insert(task);
        assert!(
            block_on(set.join_next())
                .unwrap()
                .unwrap_err()
                .is_cancelled()
        );
        let task = spawn(|| 2);
        task.abort();
        set.insert(task);
        block_on(set.shutdown());
        assert!(set.is_empty());
    });
}

#[test]
fn a_set_keeps_a_task_though_its_insertion_wakes_a_waker_that_panics() {
    struct Bad;
    impl Wake for Bad {
        fn wake(self: Arc<Self>) {
            panic!("a waker");
        }
    }
    let pool = pool(1);
    let mut set = TaskSet::new();
    set.insert(pool.spawn_future(pending()));
    let waker = Waker::from(Arc::new(Bad));
    assert!(
        set.poll_join_next(&mut Context::from_waker(&waker))
            .is_pending()
    );
    let task = pool.spawn(|| 7);
    while !task.is_finished() {
        thread::yield_now();
    }
    let insert = std::panic::AssertUnwindSafe(|| set.insert(task));
    assert!(std::panic::catch_unwind(insert).is_err());
    assert_eq!(set.len(), 2);
    assert_eq!(block_on(set.join_next()).unwrap().unwrap(), 7);
}

#[test]
fn a_set_takes_no_handle_whose_outcome_was_taken() {
    let mut task = spawn(|| 1);
    assert_eq!(block_on(&mut task).unwrap(), 1);
    let mut set = TaskSet::new();
    let insert = std::panic::AssertUnwindSafe(|| set.insert(task));
    assert!(std::panic::catch_unwind(insert).is_err());
    assert!(set.is_empty());
}
