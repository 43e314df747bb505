//! Small cases for Miri: what is freed, by which thread, and when.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use crate::task::yield_now;
use crate::{Pool, block_on};

fn pool() -> Pool {
    Pool::builder().jobs(2).build().unwrap()
}

#[test]
fn miri_values_panics_and_detached_futures() {
    let pool = pool();
    let value = pool.spawn_future(async {
        yield_now().await;
        vec![1, 2]
    });
    let detached = pool.spawn_future(async {
        yield_now().await;
        vec![3]
    });
    drop(detached);
    assert_eq!(block_on(value).unwrap(), [1, 2]);
    let mut polled = pin!(pool.spawn(|| 4));
    let mut cx = Context::from_waker(Waker::noop());
    // The closure may have ended before the first poll. A handle must not be polled again then.
    let outcome = match polled.as_mut().poll(&mut cx) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => block_on(polled),
    };
    assert_eq!(outcome.unwrap(), 4);
    pool.shutdown().unwrap();
}

#[test]
fn miri_wakers_outlive_their_future_and_its_pool() {
    let kept = Arc::new(Mutex::new(Vec::<Waker>::new()));
    let pool = pool();
    let keeps = Arc::clone(&kept);
    let text = String::from("gone with the future");
    let task = pool.spawn_future(poll_fn(move |cx| {
        assert!(!text.is_empty());
        keeps.lock().unwrap().push(cx.waker().clone());
        Poll::<()>::Pending
    }));
    while kept.lock().unwrap().is_empty() {
        std::thread::yield_now();
    }
    kept.lock().unwrap()[0].wake_by_ref();
    pool.shutdown().unwrap();
    assert!(task.join().unwrap_err().is_shutdown());
    let wakers = std::mem::take(&mut *kept.lock().unwrap());
    wakers.into_iter().for_each(Waker::wake);
}

#[test]
fn miri_futures_of_a_scope_borrow() {
    let kept = Mutex::new(Vec::<Waker>::new());
    let pool = pool();
    let mut numbers = [1, 2, 3];
    let total = pool.in_place_scope(|s| {
        let (first, rest) = numbers.split_first_mut().unwrap();
        drop(s.spawn_future(async {
            yield_now().await;
            *first = 10;
        }));
        let (kept, mut polls) = (&kept, 0);
        let sum = s.spawn_future(poll_fn(move |cx| {
            kept.lock().unwrap().push(cx.waker().clone());
            polls += 1;
            if polls == 2 {
                return Poll::Ready(rest.iter().sum::<i32>());
            }
            Poll::Pending
        }));
        while kept.lock().unwrap().is_empty() {
            std::thread::yield_now();
        }
        kept.lock().unwrap()[0].wake_by_ref();
        sum.join().unwrap()
    });
    assert_eq!((total, numbers[0]), (5, 10));
    pool.shutdown().unwrap();
    let wakers = std::mem::take(&mut *kept.lock().unwrap());
    wakers.into_iter().for_each(Waker::wake);
}

#[test]
fn miri_the_last_reference_and_an_abort() {
    let pool = pool();
    drop(pool.spawn_future(pending::<String>()));
    let task = pool.spawn_future(pending::<String>());
    task.abort();
    assert!(task.join().unwrap_err().is_cancelled());
    pool.shutdown().unwrap();
}
