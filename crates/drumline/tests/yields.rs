//! Tasks that yield: they are polled again, wherever the yield lies, and they end.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};

use drumline::Pool;
use drumline::task::yield_now;

fn pool(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).build().unwrap()
}

/// An executor inside of a task: it polls its child only when the child's own waker was called.
struct Inner<F> {
    child: Pin<Box<F>>,
    note: Arc<Note>,
    polls: usize,
}

struct Note {
    is_woken: AtomicBool,
    task: Waker,
}

impl Wake for Note {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Ordering::SeqCst);
        self.task.wake_by_ref();
    }
}

/// Runs `child` as an executor of its own would. Returns how often it was polled.
async fn run_inside<F: Future<Output = ()>>(child: F) -> usize {
    let mut inner = None;
    let mut child = Some(Box::pin(child));
    poll_fn(move |cx| {
        let inner = inner.get_or_insert_with(|| Inner {
            child: child.take().unwrap(),
            note: Arc::new(Note {
                is_woken: AtomicBool::new(true),
                task: cx.waker().clone(),
            }),
            polls: 0,
        });
        while inner.note.is_woken.swap(false, Ordering::SeqCst) {
            inner.polls += 1;
            let waker = Waker::from(Arc::clone(&inner.note));
            let child = inner.child.as_mut();
            if child.poll(&mut Context::from_waker(&waker)).is_ready() {
                return Poll::Ready(inner.polls);
            }
        }
        Poll::Pending
    })
    .await
}

async fn yield_times(times: usize) {
    for _ in 0..times {
        yield_now().await;
    }
}

#[test]
fn an_executor_inside_of_a_task_learns_of_a_yield() {
    for jobs in 1..3 {
        let pool = pool(jobs);
        let polls = pool.spawn_future(run_inside(yield_times(3)));
        assert_eq!(polls.join().unwrap(), 4);
        let polls = pool.spawn_future(run_inside(async {
            assert_eq!(run_inside(yield_times(2)).await, 3);
        }));
        // The inner one goes on by itself.
        assert_eq!(polls.join().unwrap(), 1);
    }
}

/// A yield that is dropped, or has a neighbour that is ready, asks for nothing.
#[test]
fn a_poll_that_yields_and_is_ready_is_ready() {
    let pool = pool(1);
    let task = pool.spawn_future(poll_fn(|cx| {
        assert!(pin!(yield_now()).poll(cx).is_pending());
        Poll::Ready(7)
    }));
    assert_eq!(task.join().unwrap(), 7);
}

#[test]
fn two_yields_in_one_poll_are_one() {
    let pool = pool(1);
    let polls = Arc::new(AtomicUsize::new(0));
    let task = pool.spawn_future({
        let polls = Arc::clone(&polls);
        let (mut first, mut second) = (Box::pin(yield_now()), Box::pin(yield_now()));
        poll_fn(move |cx| {
            polls.fetch_add(1, Ordering::SeqCst);
            let is_first = first.as_mut().poll(cx).is_ready();
            let is_second = second.as_mut().poll(cx).is_ready();
            if is_first && is_second {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
    });
    task.join().unwrap();
    assert_eq!(polls.load(Ordering::SeqCst), 2);
}

/// The note of a yield belongs to one poll: that of a thread, or of a task further out, is another.
#[test]
fn a_thread_that_waits_inside_of_a_poll_has_its_own_yields() {
    let pool = pool(2);
    let task = pool.spawn_future(async {
        yield_now().await;
        drumline::block_on(yield_times(5));
        yield_now().await;
        drumline::block_on(async {
            let (sender, receiver) = drumline::channel::oneshot::channel::<u32>();
            drumline::spawn_future(async move {
                yield_times(3).await;
                let _ = sender.send(9);
            });
            receiver.await.unwrap()
        })
    });
    assert_eq!(task.join().unwrap(), 9);
}

/// Wake-ups that come while the next run is queued cost one poll each at most, and none is lost.
#[test]
fn wakes_between_a_yield_and_the_next_run_are_not_lost() {
    let pool = pool(2);
    let is_ready = Arc::new(AtomicBool::new(false));
    let (give, wakers) = mpsc::channel::<Waker>();
    let task = pool.spawn_future({
        let is_ready = Arc::clone(&is_ready);
        async move {
            for _ in 0..1_000 {
                poll_fn(|cx| {
                    give.send(cx.waker().clone()).unwrap();
                    Poll::Ready(())
                })
                .await;
                yield_now().await;
            }
            poll_fn(|cx| {
                give.send(cx.waker().clone()).unwrap();
                if is_ready.load(Ordering::SeqCst) {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            })
            .await;
        }
    });
    let mut count = 0;
    while let Ok(waker) = wakers.recv() {
        count += 1;
        if count > 1_000 {
            is_ready.store(true, Ordering::SeqCst);
        }
        waker.wake();
    }
    task.join().unwrap();
    assert!(count > 1_000);
}

/// A drop that is counted.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

async fn yield_for_ever(begun: mpsc::Sender<()>, _dropped: Dropped) {
    let _ = begun.send(());
    loop {
        yield_now().await;
    }
}

#[test]
fn a_task_that_yields_for_ever_can_be_cancelled() {
    for jobs in 1..3 {
        let pool = pool(jobs);
        let drops = Arc::new(AtomicUsize::new(0));
        let (begun, wait) = mpsc::channel();
        for _ in 0..20 {
            let dropped = Dropped(Arc::clone(&drops));
            let task = pool.spawn_future(yield_for_ever(begun.clone(), dropped));
            wait.recv().unwrap();
            task.abort();
            assert!(task.join().is_err_and(|error| error.is_cancelled()));
        }
        assert_eq!(drops.load(Ordering::SeqCst), 20);
    }
}

#[test]
fn the_end_of_a_pool_drops_tasks_that_yield_for_ever() {
    for jobs in 1..3 {
        let pool = pool(jobs);
        let drops = Arc::new(AtomicUsize::new(0));
        let (begun, wait) = mpsc::channel();
        let tasks: Vec<_> = (0..600)
            .map(|_| {
                let dropped = Dropped(Arc::clone(&drops));
                pool.spawn_future(yield_for_ever(begun.clone(), dropped))
            })
            .collect();
        for _ in &tasks {
            wait.recv().unwrap();
        }
        drop(pool);
        for task in tasks {
            assert!(task.join().is_err_and(|error| error.is_shutdown()));
        }
        assert_eq!(drops.load(Ordering::SeqCst), 600);
    }
}

#[test]
fn tasks_of_a_scope_yield() {
    for jobs in 1..3 {
        let pool = pool(jobs);
        let sum = AtomicUsize::new(0);
        pool.scope(|scope| {
            for times in 0..50 {
                let sum = &sum;
                drop(scope.spawn_future(async move {
                    yield_times(times).await;
                    sum.fetch_add(times, Ordering::SeqCst);
                }));
            }
        });
        assert_eq!(sum.into_inner(), (0..50).sum());
    }
}

/// More tasks than the first part of a worker's line has room for; in a pool of one job each comes
/// once in each round.
#[test]
fn tasks_that_yield_go_round_in_their_order() {
    const TASKS: usize = 1_000;
    const ROUNDS: usize = 20;
    // A spare would take tasks, too, if the worker waited in the kernel for a moment.
    let pool = Pool::builder().jobs(1).spares(false).guests(true);
    let pool = pool.build().unwrap();
    let turns = Arc::new(std::sync::Mutex::new(Vec::new()));
    let parent = pool.spawn_future({
        let turns = Arc::clone(&turns);
        async move {
            let tasks: Vec<_> = (0..TASKS)
                .map(|task| {
                    let turns = Arc::clone(&turns);
                    drumline::spawn_future(async move {
                        for _ in 0..ROUNDS {
                            turns.lock().unwrap().push(task);
                            yield_now().await;
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
        }
    });
    parent.join().unwrap();
    let turns = turns.lock().unwrap();
    assert_eq!(turns.len(), TASKS * ROUNDS);
    // The looks for what is overdue disturb the order a little: a task may be a round ahead.
    let mut rounds = vec![0_usize; TASKS];
    let mut most = 0;
    for &task in turns.iter() {
        rounds[task] += 1;
        most = most.max(rounds[task]);
        assert!(most - rounds[task] <= 3, "a task was passed by");
    }
}
