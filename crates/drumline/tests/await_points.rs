//! Each point at which a task awaits is the last one, once: the task is cancelled there.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::thread;
use std::time::Duration;

use drumline::task::{self, TaskSet, yield_now};
use drumline::{JoinHandle, Pool, spawn, spawn_future};

/// How many values are alive.
#[derive(Clone, Default)]
struct Alive(Arc<AtomicUsize>);

struct Guard(Arc<AtomicUsize>);

impl Alive {
    fn guard(&self) -> Guard {
        self.0.fetch_add(1, Ordering::SeqCst);
        Guard(Arc::clone(&self.0))
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Counts the points that a task has come to. At the one with this number it waits for ever.
struct Points {
    passed: AtomicUsize,
    last: usize,
    /// The waker of the task that waits there.
    waits: Mutex<Option<Waker>>,
}

impl Points {
    fn new(last: usize) -> Arc<Self> {
        Arc::new(Points {
            passed: AtomicUsize::new(0),
            last,
            waits: Mutex::new(None),
        })
    }

    /// Waits where `future` would be polled, if this is the last point.
    async fn at<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        let is_last = self.passed.fetch_add(1, Ordering::SeqCst) == self.last;
        let mut has_waited = false;
        std::future::poll_fn(|cx| {
            if !is_last {
                return future.as_mut().poll(cx);
            }
            if !has_waited {
                // It has a first poll, so that it has named its waker where it does that.
                let _ = future.as_mut().poll(cx);
                has_waited = true;
            }
            *self.waits.lock().unwrap() = Some(cx.waker().clone());
            Poll::Pending
        })
        .await
    }

    /// Until the task has come to the last point (`true`), or has ended.
    fn until_there<T: Send>(&self, task: &JoinHandle<T>) -> bool {
        loop {
            if self.waits.lock().unwrap().is_some() {
                return true;
            }
            if task.is_finished() {
                return false;
            }
            thread::yield_now();
        }
    }
}

/// A task that awaits handles, a yield, a set of tasks, a sleep and a deadline.
async fn everything(points: Arc<Points>, alive: Alive) -> usize {
    let _outer = alive.guard();
    let guard = alive.guard();
    let closure = spawn(move || {
        let _guard = guard;
        1
    });
    let mut sum = points.at(closure).await.unwrap();
    let guard = alive.guard();
    let future = spawn_future(async move {
        let _guard = guard;
        yield_now().await;
        2
    });
    sum += points.at(future.abort_on_drop()).await.unwrap();
    points.at(yield_now()).await;
    let mut set = TaskSet::new();
    for number in 0..3 {
        let guard = alive.guard();
        set.spawn_future(async move {
            let _guard = guard;
            number
        });
    }
    while let Some(number) = points.at(set.join_next()).await {
        sum += number.unwrap();
    }
    points.at(task::sleep(Duration::from_micros(1))).await;
    let guard = alive.guard();
    let late = points.at(task::timeout(Duration::from_micros(1), async move {
        let _guard = guard;
        std::future::pending::<()>().await;
    }));
    sum += usize::from(late.await.is_err());
    sum
}

/// Cancels the task at each of its points by `cancel`. Returns how many there are.
fn cancel_everywhere(jobs: usize, cancel: impl Fn(JoinHandle<usize>)) -> usize {
    let pool = Pool::builder().jobs(jobs).build().unwrap();
    for last in 0.. {
        let (points, alive) = (Points::new(last), Alive::default());
        let task = pool.spawn_future(everything(Arc::clone(&points), alive.clone()));
        if !points.until_there(&task) {
            assert_eq!(task.join().unwrap(), 7);
            assert_eq!(points.passed.load(Ordering::SeqCst), last);
            return last;
        }
        cancel(task);
        let waker = points.waits.lock().unwrap().take();
        // Woken while it is dropped, or after that.
        waker.unwrap().wake();
        while alive.count() > 0 {
            thread::yield_now();
        }
    }
    unreachable!("a task has an end")
}

#[test]
fn a_task_is_aborted_at_each_point() {
    for jobs in [1, 2, 4] {
        let points = cancel_everywhere(jobs, |task| {
            task.abort();
            assert!(task.join().unwrap_err().is_cancelled());
        });
        assert_eq!(points, 9);
    }
}

#[test]
fn a_task_is_cancelled_at_each_point_when_its_handle_goes() {
    for jobs in [1, 2] {
        let points = cancel_everywhere(jobs, |task| drop(task.abort_on_drop()));
        assert_eq!(points, 9);
    }
}

#[test]
fn a_pool_ends_at_each_point() {
    for jobs in [1, 2] {
        for last in 0..9 {
            let pool = Pool::builder().jobs(jobs).build().unwrap();
            let (points, alive) = (Points::new(last), Alive::default());
            let task = pool.spawn_future(everything(Arc::clone(&points), alive.clone()));
            assert!(points.until_there(&task));
            pool.shutdown().unwrap();
            assert_eq!(alive.count(), 0, "the pool has dropped all of it");
            assert!(task.join().unwrap_err().is_shutdown());
            points.waits.lock().unwrap().take().unwrap().wake();
        }
    }
}
