//! Channels between tasks and closures of pools, and threads outside.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use common::messages::{Accounts, dawdle};
use common::{Event, ends, pool};
use drumline::Pool;
use drumline::channel::{CloseReason, SendError, lanes, oneshot, spsc};

/// A thread outside and a task in a pool of one place, either way round.
#[test]
fn a_thread_and_a_task() {
    let pool = pool(1);
    for capacity in [1, 64] {
        let (mut sender, mut receiver) = spsc::bounded(capacity);
        let (mut back, mut home) = lanes::per_lane(capacity);
        let task = pool.spawn_future(async move {
            while let Ok(number) = receiver.recv_async().await {
                back.send_async(number + 1).await.unwrap();
            }
            back.finish();
        });
        let producer = thread::spawn(move || (0..20_000).try_for_each(|n| sender.send(n)));
        assert!(home.iter().eq(1..=20_000));
        assert_eq!(home.recv().unwrap_err().reason(), CloseReason::Finished);
        producer.join().unwrap().unwrap();
        task.join().unwrap();
    }
}

/// Closures that block at channels in a pool of one place: other threads take it meanwhile.
#[test]
fn closures_that_block_are_replaced() {
    let pool = pool(1);
    let (mut sender, mut receiver) = spsc::bounded(1);
    let (mut lane, mut gatherer) = lanes::per_lane(1);
    let (answer, answered) = oneshot::channel();
    let has_begun = Arc::new(Event::new());
    let begun = Arc::clone(&has_begun);
    let waits = pool.spawn(move || {
        begun.set();
        (
            answered.recv(),
            receiver.iter().sum::<u32>(),
            gatherer.iter().sum::<u32>(),
        )
    });
    has_begun.wait();
    let sends = pool.spawn(move || {
        answer.send("go").unwrap();
        (0..500).for_each(|number| sender.send(number).unwrap());
        drop(sender);
        (0..500).for_each(|number| lane.send(number).unwrap());
    });
    sends.join().unwrap();
    assert_eq!(waits.join().unwrap(), (Ok("go"), 124_750, 124_750));
}

/// A task that always has a message lets the others run.
#[test]
fn a_task_with_a_message_at_any_time_lets_others_run() {
    let pool = Pool::builder().jobs(1).spares(false).build().unwrap();
    ends(move || {
        let is_told = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&is_told);
        let (mut sender, mut receiver) = spsc::unbounded();
        let (mut lane, mut gatherer) = lanes::unbounded();
        let greedy = pool.spawn_future(async move {
            drumline::spawn(move || told.store(true, Ordering::SeqCst));
            while !is_told.load(Ordering::SeqCst) {
                sender.send_async(1).await.unwrap();
                lane.send_async(1).await.unwrap();
                receiver.recv_async().await.unwrap();
                gatherer.recv_async().await.unwrap();
            }
        });
        greedy.join().unwrap();
    });
}

/// Many tasks send to one, in pools of one and of two places. Some stop in the middle.
#[test]
fn many_tasks_send_to_one() {
    for (jobs, capacity) in [(1, 1), (2, 1), (2, 16)] {
        let pool = pool(jobs);
        let accounts = Accounts::default();
        let (sender, mut receiver) = lanes::per_lane(capacity);
        let accepted = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..40)
            .map(|n| {
                let mut sender = sender.clone();
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
        let receiving = pool.spawn_future(async move {
            let mut next = [0; 40];
            let mut count = 0;
            while let Ok(message) = receiver.recv_async().await {
                let (n, number) = (message.number >> 20, message.number % (1 << 20));
                assert_eq!(number, next[n]);
                next[n] += 1;
                count += 1;
                if count == 5_000 {
                    receiver.close();
                }
            }
            count
        });
        let received = receiving.join().unwrap();
        tasks.into_iter().for_each(|task| task.join().unwrap());
        assert_eq!(received, accepted.load(Ordering::SeqCst));
        assert!(received >= 5_000);
        accounts.settle();
    }
}

/// A task is cancelled while it waits at a channel: its end goes with it, and the other is told.
#[test]
fn a_task_that_is_cancelled_drops_its_end() {
    let pool = pool(1);
    for round in 0..200 {
        let (sender, mut receiver) = spsc::unbounded::<u32>();
        let (mut back, mut home) = spsc::bounded(1);
        let task = pool.spawn_future(async move {
            let _sender = sender;
            back.send_async(0).await.unwrap();
            back.send_async(1).await.unwrap();
        });
        let task = task.abort_on_drop();
        dawdle(round * 20);
        drop(task);
        let reason = receiver.recv().unwrap_err().reason();
        assert!(matches!(
            reason,
            CloseReason::Dropped | CloseReason::Finished
        ));
        assert!(home.iter().count() <= 2);
    }
}
