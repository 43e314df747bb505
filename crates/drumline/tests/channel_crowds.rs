//! Channels of many senders between tasks and closures of pools, and threads outside.

mod common;

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::thread;

use common::messages::{Accounts, Message, dawdle};
use common::{Event, Random, ends, eventually, pool, without_guests};
use drumline::channel::{CloseReason, SendError, mpmc, mpsc};
use drumline::{Pool, block_on};

/// Threads outside and a task in a pool of one place, either way round.
#[test]
fn threads_and_a_task() {
    let pool = pool(1);
    for capacity in [1, 64] {
        let (sender, mut receiver) = mpsc::bounded(capacity);
        let (back, mut home) = mpsc::bounded(capacity);
        let task = pool.spawn_future(async move {
            while let Ok(number) = receiver.recv_async().await {
                back.send_async(number).await.unwrap();
            }
            back.finish();
        });
        let producers: Vec<_> = (0..2u64)
            .map(|n| {
                let sender = sender.clone();
                thread::spawn(move || (0..5_000).try_for_each(|k| sender.send(n * 5_000 + k)))
            })
            .collect();
        drop(sender);
        assert_eq!(home.iter().sum::<u64>(), (0..10_000).sum());
        assert_eq!(home.recv().unwrap_err().reason(), CloseReason::Finished);
        producers
            .into_iter()
            .for_each(|thread| thread.join().unwrap().unwrap());
        task.join().unwrap();
    }
}

/// Closures that block at channels in a pool of one place: other threads take it meanwhile.
#[test]
fn closures_that_block_are_replaced() {
    for pool in [pool(1), without_guests(1), pool(2)] {
        ends(move || {
            let (sender, receiver) = mpmc::bounded(1);
            let (meet, met) = mpmc::rendezvous();
            let waiting: Vec<_> = (0..8)
                .map(|_| {
                    let (receiver, met) = (receiver.clone(), met.clone());
                    pool.spawn(move || met.recv().unwrap() + receiver.iter().sum::<u32>())
                })
                .collect();
            let sending: Vec<_> = (0..8)
                .map(|n| {
                    let (sender, meet) = (sender.clone(), meet.clone());
                    pool.spawn(move || {
                        meet.send(1_000_000).unwrap();
                        (0..50).for_each(|k| sender.send(n * 50 + k).unwrap());
                    })
                })
                .collect();
            drop((sender, meet));
            sending.into_iter().for_each(|job| job.join().unwrap());
            let sums = waiting.into_iter().map(|job| job.join().unwrap());
            assert_eq!(sums.sum::<u32>(), 8_000_000 + (0..400).sum::<u32>());
        });
    }
}

/// A task that always has a message lets the others run.
#[test]
fn a_task_with_a_message_at_any_time_lets_others_run() {
    let pool = Pool::builder().jobs(1).spares(false).build().unwrap();
    ends(move || {
        let is_told = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&is_told);
        let (sender, mut receiver) = mpsc::bounded(4);
        let greedy = pool.spawn_future(async move {
            drumline::spawn(move || told.store(true, Ordering::SeqCst));
            while !is_told.load(Ordering::SeqCst) {
                sender.send_async(1).await.unwrap();
                sender.reserve().await.unwrap().send(2).unwrap();
                receiver.recv_async().await.unwrap();
                receiver.recv_async().await.unwrap();
            }
        });
        greedy.join().unwrap();
    });
}

/// Many tasks send to some, in pools of one and of two places. One of the receivers closes.
#[test]
fn many_tasks_send_to_some() {
    for (jobs, capacity) in [(1, 0), (1, 1), (2, 0), (2, 1), (2, 16)] {
        let pool = pool(jobs);
        let accounts = Accounts::default();
        let (sender, receiver) = match capacity {
            0 => mpmc::rendezvous(),
            _ => mpmc::bounded(capacity),
        };
        let accepted = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..40)
            .map(|n| {
                let sender = sender.clone();
                let (accounts, accepted) = (accounts.clone(), Arc::clone(&accepted));
                pool.spawn_future(async move {
                    for number in 0..200 {
                        let message = accounts.message((n << 20) | number);
                        match sender.send_async(message).await {
                            Ok(()) => accepted.fetch_add(1, Ordering::SeqCst),
                            Err(SendError(back)) => {
                                assert_eq!(back.number, (n << 20) | number);
                                return;
                            }
                        };
                    }
                })
            })
            .collect();
        drop(sender);
        let receiving: Vec<_> = (0..3)
            .map(|_| {
                let receiver = receiver.clone();
                pool.spawn_future(async move {
                    let mut next = [0; 40];
                    let mut count = 0;
                    while let Ok(message) = receiver.recv_async().await {
                        let (n, number) = (message.number >> 20, message.number % (1 << 20));
                        assert!(number >= next[n], "out of order");
                        next[n] = number + 1;
                        count += 1;
                        if count == 2_000 {
                            receiver.close();
                        }
                    }
                    count
                })
            })
            .collect();
        let received: usize = receiving.into_iter().map(|task| task.join().unwrap()).sum();
        tasks.into_iter().for_each(|task| task.join().unwrap());
        assert_eq!(received, accepted.load(Ordering::SeqCst));
        assert!(received >= 2_000);
        drop(receiver);
        accounts.settle();
    }
}

/// More tasks than a program would have wait at one channel, and each gets its message.
#[test]
fn ten_thousand_tasks_wait_at_one_channel() {
    const TASKS: usize = 10_000;
    let pool = pool(2);
    let (sender, receiver) = mpmc::unbounded();
    let begun = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let (receiver, begun) = (receiver.clone(), Arc::clone(&begun));
            pool.spawn_future(async move {
                begun.fetch_add(1, Ordering::SeqCst);
                receiver.recv_async().await
            })
        })
        .collect();
    eventually("all have begun", || begun.load(Ordering::SeqCst) == TASKS);
    (0..TASKS / 2).for_each(|number| sender.send(number).unwrap());
    sender.finish();
    let results: Vec<_> = tasks.into_iter().map(|task| task.join().unwrap()).collect();
    let mut received: Vec<_> = results.iter().filter_map(|result| result.ok()).collect();
    received.sort_unstable();
    assert!(received.into_iter().eq(0..TASKS / 2));
    let told = results.iter().filter_map(|result| result.err());
    assert!(
        told.map(|end| end.reason())
            .all(|reason| reason == CloseReason::Finished)
    );
}

/// The same with senders, at a bound and in a rendezvous.
#[test]
fn ten_thousand_tasks_wait_for_room() {
    const TASKS: usize = 10_000;
    let pool = pool(2);
    for (sender, mut receiver) in [mpsc::bounded(1), mpsc::rendezvous()] {
        let tasks: Vec<_> = (0..TASKS)
            .map(|number| {
                let sender = sender.clone();
                pool.spawn_future(async move { sender.send_async(number).await })
            })
            .collect();
        drop(sender);
        let mut received: Vec<_> = receiver.iter().take(TASKS / 2).collect();
        received.extend(receiver.drain());
        let results = tasks.into_iter().map(|task| task.join().unwrap());
        let mut all = received.clone();
        all.extend(results.filter_map(|result| result.err().map(SendError::into_inner)));
        assert!(received.len() >= TASKS / 2);
        all.sort_unstable();
        assert!(
            all.into_iter().eq(0..TASKS),
            "a message is lost, or there twice"
        );
    }
}

/// Tasks that wait are cancelled at random moments: each message goes to another one then.
#[test]
fn tasks_that_are_cancelled_pass_on_what_they_were_told() {
    let pool = pool(1);
    for round in 0..300 {
        let accounts = Accounts::default();
        let (sender, receiver) = match round % 3 {
            0 => mpmc::unbounded::<Message>(),
            1 => mpmc::bounded(1),
            _ => mpmc::rendezvous(),
        };
        let received = Arc::new(AtomicUsize::new(0));
        let waiting: Vec<_> = (0..4)
            .map(|_| {
                let (receiver, received) = (receiver.clone(), Arc::clone(&received));
                pool.spawn_future(async move {
                    while let Ok(message) = receiver.recv_async().await {
                        let number = message.number;
                        drop(message);
                        received.fetch_add(number, Ordering::SeqCst);
                    }
                })
                .abort_on_drop()
            })
            .collect();
        let own = receiver.clone();
        let keeps = thread::spawn(move || own.iter().map(|message| message.number).sum::<usize>());
        let sending = thread::spawn(move || {
            (1..=20).for_each(|number| sender.send(accounts.message(number)).unwrap());
            accounts
        });
        dawdle(round * 20);
        drop(waiting);
        let accounts = sending.join().unwrap();
        let mut rest = keeps.join().unwrap();
        // A task that is cancelled may have a message of a rendezvous in its hands still.
        eventually("all messages have been received", || {
            rest += receiver
                .try_iter()
                .map(|message| message.number)
                .sum::<usize>();
            received.load(Ordering::SeqCst) + rest == (1..=20).sum()
        });
        drop(receiver);
        accounts.settle();
    }
}

/// A send that blocks in the poll of a task, in a pool of one place.
#[test]
fn sends_in_a_poll() {
    ends(|| {
        let pool = pool(1);
        let (sender, mut receiver) = mpsc::bounded(1);
        let sending: Vec<_> = (0..4u64)
            .map(|n| {
                let sender = sender.clone();
                pool.spawn_future(async move {
                    for number in 0..50 {
                        sender.send(n * 50 + number).unwrap();
                    }
                })
            })
            .collect();
        drop(sender);
        let receiving = pool.spawn_future(async move {
            let mut sum = 0;
            loop {
                // It blocks in its poll as well, each second time.
                match receiver.recv_async().await {
                    Ok(number) => sum += number,
                    Err(_) => return sum,
                }
                sum += receiver.recv().unwrap_or(0);
            }
        });
        assert_eq!(receiving.join().unwrap(), (0..200).sum());
        sending.into_iter().for_each(|task| task.join().unwrap());
    });
}

/// A pool is dropped while its tasks wait at a channel that lives on.
#[test]
fn a_channel_outlives_the_pool_of_its_tasks() {
    for round in 0..100 {
        let (sender, mut receiver) = mpsc::bounded(1);
        let pool = pool(1 + round % 2);
        sender.send(0).unwrap();
        let begun = Arc::new(Event::new());
        let (task_sender, task_begun) = (sender.clone(), Arc::clone(&begun));
        let task = pool.spawn_future(async move {
            task_begun.set();
            task_sender.send_async(1).await
        });
        begun.wait();
        // The task goes with the pool, while a message is taken out: it has sent all or nothing.
        let ending = thread::spawn(move || drop(pool));
        dawdle(round as u64 * 200);
        assert_eq!(receiver.recv(), Ok(0));
        ending.join().unwrap();
        let result = task.join();
        let is_sent = receiver.try_recv() == Ok(1);
        assert!(
            is_sent || result.is_err(),
            "a message that was sent is lost"
        );
        assert_eq!(sender.try_send(2), Ok(()), "the room is lost");
        assert_eq!(receiver.try_recv(), Ok(2));
    }
}

/// A task that runs in the call that wakes it, unless it runs already: then it runs once more.
struct Inline {
    future: Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>,
    is_woken: AtomicBool,
}

impl Inline {
    fn start(future: impl Future<Output = ()> + Send + 'static) -> Arc<Self> {
        let task = Arc::new(Inline {
            future: Mutex::new(Some(Box::pin(future))),
            is_woken: AtomicBool::new(false),
        });
        Arc::clone(&task).wake();
        task
    }

    fn is_over(&self) -> bool {
        self.future.lock().unwrap().is_none()
    }
}

impl Wake for Inline {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Ordering::SeqCst);
        let waker = Waker::from(Arc::clone(&self));
        while self.is_woken.load(Ordering::SeqCst) {
            // Locked: it runs, and looks again afterwards.
            let Ok(mut future) = self.future.try_lock() else {
                return;
            };
            self.is_woken.store(false, Ordering::SeqCst);
            let Some(polled) = &mut *future else { return };
            let mut context = Context::from_waker(&waker);
            if polled.as_mut().poll(&mut context).is_ready() {
                *future = None;
            }
        }
    }
}

#[test]
fn tasks_that_run_in_the_call_that_wakes_them() {
    for capacity in [0, 1, 2, 100] {
        let (sender, receiver) = match capacity {
            0 => mpmc::rendezvous(),
            _ => mpmc::bounded(capacity),
        };
        let sum = Arc::new(AtomicUsize::new(0));
        let mut tasks: Vec<_> = (0..3)
            .map(|_| {
                let (receiver, sum) = (receiver.clone(), Arc::clone(&sum));
                Inline::start(async move {
                    while let Ok(number) = receiver.recv_async().await {
                        sum.fetch_add(number, Ordering::SeqCst);
                    }
                })
            })
            .collect();
        for n in 0..3 {
            let sender = sender.clone();
            tasks.push(Inline::start(async move {
                for number in 0..300 {
                    match sender.reserve_or_send(capacity, n * 300 + number).await {
                        Ok(()) => {}
                        Err(_) => panic!("the receivers are there"),
                    }
                }
                sender.finish();
            }));
        }
        drop((sender, receiver));
        assert!(
            tasks.iter().all(|task| task.is_over()),
            "a task was not woken"
        );
        assert_eq!(sum.load(Ordering::SeqCst), (0..900).sum());
    }
}

/// Each second message by a permit, where there are permits.
trait ReserveOrSend {
    async fn reserve_or_send(&self, capacity: usize, number: usize)
    -> Result<(), SendError<usize>>;
}

impl ReserveOrSend for mpmc::Sender<usize> {
    async fn reserve_or_send(
        &self,
        capacity: usize,
        number: usize,
    ) -> Result<(), SendError<usize>> {
        if capacity > 0 && number.is_multiple_of(2) {
            let permit = self.reserve().await.map_err(|_| SendError(number))?;
            permit.send(number)
        } else {
            self.send_async(number).await
        }
    }
}

/// After this many messages without a sender that sleeps, receivers look for one lazily.
const MANY: u64 = 300;

/// A sender falls asleep while the receiver takes one message. The looks of the receiver are lazy
/// by then. It takes no more until the sender has gone on.
fn wakes_a_sender_after_many(sender: &mpmc::Sender<u64>, mut recv: impl FnMut() -> u64) {
    const ROUNDS: usize = 2_000;
    let capacity = sender.capacity().unwrap() as u64;
    let (begun, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut random = Random::new(7);
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..=ROUNDS {
                let mut looks = 0;
                while begun.load(Ordering::SeqCst) < round {
                    looks += 1;
                    if looks < 1_000 {
                        std::hint::spin_loop();
                    } else {
                        thread::yield_now();
                    }
                }
                // At once on the list: a thread would watch for room before.
                block_on(sender.send_async(1)).unwrap();
                done.store(round, Ordering::SeqCst);
            }
        });
        for round in 1..=ROUNDS {
            for _ in 0..MANY {
                sender.send(0).unwrap();
                assert_eq!(recv(), 0);
            }
            (0..capacity).for_each(|_| sender.send(0).unwrap());
            begun.store(round, Ordering::SeqCst);
            for _ in 0..random.below(40) {
                std::hint::spin_loop();
            }
            assert_eq!(recv(), 0);
            eventually("the sender goes on", || {
                done.load(Ordering::SeqCst) == round
            });
            let rest: u64 = (0..capacity).map(|_| recv()).sum();
            assert_eq!(rest, 1);
        }
    });
}

#[test]
fn a_sender_is_woken_after_many_messages() {
    for capacity in [1, 4] {
        ends(move || {
            let (sender, receiver) = mpmc::bounded(capacity);
            wakes_a_sender_after_many(&sender, || receiver.recv().unwrap());
        });
        ends(move || {
            let (sender, receiver) = mpmc::bounded(capacity);
            let mut messages = Vec::new();
            wakes_a_sender_after_many(&sender, || {
                assert_eq!(receiver.recv_many(&mut messages, 1), Ok(1));
                messages.pop().unwrap()
            });
        });
    }
}
