//! Channels between tasks: cancellation, and wakers of all sorts.

mod common;

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use common::messages::{Accounts, Calls, dawdle, panicking_waker, poll};
use common::{Random, ends};
use drumline::block_on;
use drumline::channel::{CloseReason, SendError, TrySendError, lanes, oneshot, spsc};

fn listed(calls: &Arc<Calls>) -> Waker {
    Arc::clone(calls).into()
}

/// Polls `future` with several wakers in turn. It stays pending, and keeps only the last waker.
fn poll_in_vain<F: Future + Unpin>(future: &mut F, wakers: &[Arc<Calls>]) {
    for calls in wakers {
        for _ in 0..2 {
            assert!(poll(future, &listed(calls)).is_pending());
        }
    }
    let kept: usize = wakers
        .iter()
        .map(|calls| Arc::strong_count(calls) - 1)
        .sum();
    assert_eq!(kept, 1, "wakers that are kept by a future that waits");
}

/// None of the wakers is kept, or was called.
#[track_caller]
fn is_left_alone(wakers: &[Arc<Calls>]) {
    assert!(
        wakers.iter().all(|calls| Arc::strong_count(calls) == 1),
        "a waker is kept"
    );
    assert!(
        wakers.iter().all(|calls| calls.count() == 0),
        "a waker was called"
    );
}

#[test]
fn receives_that_are_dropped_receive_nothing() {
    let accounts = Accounts::default();
    let (mut sender, mut receiver) = spsc::bounded(2);
    let (mut lane, mut gatherer) = lanes::per_lane(2);
    for round in 0..400 {
        let wakers = [Calls::new(), Calls::new()];
        let some = &wakers[..1 + round % 2];
        poll_in_vain(&mut receiver.recv_async(), some);
        poll_in_vain(&mut gatherer.recv_async(), some);
        let (mut few, mut many) = (Vec::new(), Vec::new());
        poll_in_vain(&mut receiver.recv_many_async(&mut few, 1), some);
        poll_in_vain(&mut gatherer.recv_many_async(&mut many, 100), some);
        assert!(few.is_empty() && many.is_empty());
        is_left_alone(&wakers);
        // Some rounds are long enough for the sender to become lazy.
        for number in 0..if round % 100 == 99 { 1_000 } else { 1 } {
            sender.try_send(accounts.message(number)).unwrap();
            lane.try_send(accounts.message(number)).unwrap();
            // Made, and not polled.
            drop((receiver.recv_async(), gatherer.recv_async()));
            let received = match round % 3 {
                0 => (receiver.recv(), gatherer.recv()),
                1 => block_on(async { (receiver.recv_async().await, gatherer.recv_async().await) }),
                _ => (
                    receiver
                        .recv_timeout(Duration::MAX)
                        .map_err(|_| unreachable!()),
                    gatherer
                        .recv_timeout(Duration::MAX)
                        .map_err(|_| unreachable!()),
                ),
            };
            let (one, other) = received;
            assert_eq!(
                (one.unwrap().number, other.unwrap().number),
                (number, number)
            );
        }
        is_left_alone(&wakers);
    }
    accounts.settle();
}

#[test]
fn sends_that_are_dropped_send_nothing() {
    let accounts = Accounts::default();
    let (mut sender, mut receiver) = spsc::bounded(1);
    let (mut lane, mut gatherer) = lanes::per_lane(1);
    for round in 0..400 {
        sender.try_send(accounts.message(round)).unwrap();
        lane.try_send(accounts.message(round)).unwrap();
        let wakers = [Calls::new(), Calls::new()];
        poll_in_vain(&mut sender.send_async(accounts.message(0)), &wakers);
        poll_in_vain(&mut sender.reserve(), &wakers);
        poll_in_vain(&mut sender.closed(), &wakers);
        poll_in_vain(&mut lane.send_async(accounts.message(0)), &wakers);
        assert_eq!(receiver.recv().unwrap().number, round);
        assert_eq!(gatherer.recv().unwrap().number, round);
        is_left_alone(&wakers);
        let permits = (sender.try_reserve().unwrap(), lane.try_reserve().unwrap());
        permits.0.send(accounts.message(2)).unwrap();
        permits.1.send(accounts.message(2)).unwrap();
        assert_eq!(sender.try_reserve().err(), Some(TrySendError::Full(())));
        assert_eq!(lane.try_reserve().err(), Some(TrySendError::Full(())));
        assert_eq!(receiver.recv().unwrap().number, 2);
        assert_eq!(gatherer.recv().unwrap().number, 2);
        // There is room: a permit that is not used gives it back.
        drop(block_on(sender.reserve()).unwrap());
        assert!(receiver.is_empty() && gatherer.is_empty());
        block_on(sender.reserve())
            .unwrap()
            .send(accounts.message(1))
            .unwrap();
        assert_eq!(receiver.recv().unwrap().number, 1);
    }
    accounts.settle();
}

#[test]
fn futures_of_a_closed_channel_are_ready() {
    let (mut sender, mut receiver) = spsc::bounded(1);
    let (mut lane, mut gatherer) = lanes::per_lane(1);
    sender.send(0).unwrap();
    lane.send(0).unwrap();
    let calls = [Calls::new(), Calls::new()];
    let mut sending = sender.send_async(1);
    let mut sending_there = lane.send_async(1);
    assert!(poll(&mut sending, &listed(&calls[0])).is_pending());
    assert!(poll(&mut sending_there, &listed(&calls[1])).is_pending());
    receiver.close();
    gatherer.close();
    assert!(
        calls.iter().all(|calls| calls.count() == 1),
        "a sender is not woken"
    );
    assert_eq!(
        poll(&mut sending, Waker::noop()),
        Poll::Ready(Err(SendError(1)))
    );
    assert_eq!(
        poll(&mut sending_there, Waker::noop()),
        Poll::Ready(Err(SendError(1)))
    );
    drop((sending, sending_there));
    assert_eq!(block_on(sender.reserve()).map(drop), Err(SendError(())));
    assert_eq!(sender.try_reserve().err(), Some(TrySendError::Closed(())));
    assert_eq!(lane.try_reserve().err(), Some(TrySendError::Closed(())));
    block_on(sender.closed());
    for expected in [Ok(0), Err(CloseReason::ClosedByReceiver)] {
        let received = block_on(receiver.recv_async()).map_err(|error| error.reason());
        assert_eq!(received, expected);
        let received = block_on(gatherer.recv_async()).map_err(|error| error.reason());
        assert_eq!(received, expected);
    }
}

/// A permit gives the message back when the receiver has gone.
#[test]
fn a_permit_outlives_the_receiver() {
    let (mut sender, receiver) = spsc::bounded(1);
    let permit = block_on(sender.reserve()).unwrap();
    drop(receiver);
    assert_eq!(permit.send("back"), Err(SendError("back")));
}

/// Futures that are leaked while they wait do not keep the channel from its work.
#[test]
fn leaked_futures_do_no_harm() {
    ends(|| {
        let calls = Calls::new();
        let (mut sender, mut receiver) = spsc::bounded(1);
        let (mut lane, mut gatherer) = lanes::per_lane(1);
        for round in 0..300 {
            for _ in 0..2 {
                let mut receiving = receiver.recv_async();
                assert!(poll(&mut receiving, &listed(&calls)).is_pending());
                std::mem::forget(receiving);
                let mut gathering = gatherer.recv_async();
                assert!(poll(&mut gathering, &listed(&calls)).is_pending());
                std::mem::forget(gathering);
            }
            if round % 2 == 0 {
                // A thread waits where a future was.
                assert!(receiver.recv_timeout(Duration::from_micros(200)).is_err());
                assert!(gatherer.recv_timeout(Duration::from_micros(200)).is_err());
            }
            poll_in_vain(&mut receiver.recv_async(), &[Calls::new()]);
            poll_in_vain(&mut gatherer.recv_async(), &[Calls::new()]);
            sender.send(round).unwrap();
            lane.send(round).unwrap();
            for _ in 0..2 {
                let mut sending = sender.send_async(0);
                assert!(poll(&mut sending, &listed(&calls)).is_pending());
                std::mem::forget(sending);
                let mut reserving = sender.reserve();
                assert!(poll(&mut reserving, &listed(&calls)).is_pending());
                std::mem::forget(reserving);
            }
            assert_eq!(receiver.recv(), Ok(round));
            assert_eq!(gatherer.recv(), Ok(round));
        }
        drop((sender, receiver, lane, gatherer));
        assert_eq!(Arc::strong_count(&calls), 1);
    });
}

/// Both ends give up their futures again and again; what is sent comes, in its order.
#[test]
fn futures_are_dropped_at_random() {
    /// Polls up to `polls` times, and gives up then.
    fn try_a_few<F: Future + Unpin>(mut future: F, polls: u64) -> Option<F::Output> {
        let waker = Calls::new();
        for _ in 0..polls {
            if let Poll::Ready(value) = poll(&mut future, &listed(&waker)) {
                return Some(value);
            }
            dawdle(polls * 10);
        }
        None
    }
    for capacity in [1, 2, 64] {
        let (mut sender, mut receiver) = spsc::bounded(capacity);
        let (mut lane, mut gatherer) = lanes::per_lane(capacity);
        let producer = thread::spawn(move || {
            let mut random = Random::new(1);
            for number in 0..5_000 {
                while try_a_few(sender.send_async(number), random.below(5)).is_none() {}
                while try_a_few(lane.send_async(number), random.below(5)).is_none() {}
            }
        });
        let mut random = Random::new(2);
        for number in 0..5_000 {
            let received =
                std::iter::repeat_with(|| try_a_few(receiver.recv_async(), random.below(5)));
            assert_eq!(received.flatten().next(), Some(Ok(number)));
            let received =
                std::iter::repeat_with(|| try_a_few(gatherer.recv_async(), random.below(5)));
            assert_eq!(received.flatten().next(), Some(Ok(number)));
        }
        producer.join().unwrap();
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
            if polled
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_ready()
            {
                *future = None;
            }
        }
    }
}

#[test]
fn tasks_that_run_in_the_call_that_wakes_them() {
    for capacity in [1, 2, 100] {
        let (mut sender, mut receiver) = spsc::bounded(capacity);
        let (mut lane, mut gatherer) = lanes::per_lane(capacity);
        let second = lane.clone();
        let (done, answered) = oneshot::channel();
        let receiving = Inline::start(async move {
            for number in 0..1_000 {
                assert_eq!(receiver.recv_async().await, Ok(number));
            }
            let closed = receiver.recv_async().await.unwrap_err();
            assert_eq!(closed.reason(), CloseReason::Finished);
            done.send(()).unwrap();
        });
        let gathering = Inline::start(async move {
            for number in 0..500 {
                assert_eq!(gatherer.recv_async().await, Ok(number));
            }
            // The sender waits for room, perhaps, and makes another sender when it is told.
            gatherer.close();
        });
        let finishing = Inline::start(async move { answered.await.unwrap() });
        let sending = Inline::start(async move {
            for number in 0..1_000 {
                sender.send_async(number).await.unwrap();
            }
            sender.finish();
        });
        let sending_there = Inline::start(async move {
            let mut number = 0;
            while lane.send_async(number).await.is_ok() {
                number += 1;
            }
            assert!(number >= 500);
            assert!(second.clone().send_async(0).await.is_err());
        });
        for task in [receiving, gathering, finishing, sending, sending_there] {
            assert!(task.is_over(), "a task was not woken");
        }
    }
}

#[test]
fn a_waker_that_panics_takes_nothing_along() {
    let accounts = Accounts::default();
    let (mut sender, mut receiver) = spsc::bounded(1);
    let mut receiving = receiver.recv_async();
    assert!(poll(&mut receiving, &panicking_waker()).is_pending());
    let _ = catch_unwind(AssertUnwindSafe(|| {
        sender.send(accounts.message(1)).unwrap()
    }));
    drop(receiving);
    // The channel is full: a message that is taken out wakes the sender.
    let mut sending = sender.send_async(accounts.message(2));
    assert!(poll(&mut sending, &panicking_waker()).is_pending());
    let received = catch_unwind(AssertUnwindSafe(|| receiver.recv().unwrap().number));
    assert_eq!(received.ok(), Some(1), "the message is lost with the panic");
    assert!(matches!(
        poll(&mut sending, Waker::noop()),
        Poll::Ready(Ok(()))
    ));
    drop(sending);
    let mut closed = sender.closed();
    assert!(poll(&mut closed, &panicking_waker()).is_pending());
    let _ = catch_unwind(AssertUnwindSafe(|| drop(receiver)));
    accounts.settle();
    drop(closed);

    let (sender, mut receiver) = spsc::unbounded::<u32>();
    let mut receiving = receiver.recv_async();
    assert!(poll(&mut receiving, &panicking_waker()).is_pending());
    let _ = catch_unwind(AssertUnwindSafe(|| sender.finish()));
    drop(receiving);
    assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Finished);
}

/// Waits for a message, or for the other channel, on one task: the loser is dropped each time.
#[test]
fn the_loser_of_two_waits_loses_nothing() {
    let (mut one, mut ones) = spsc::unbounded();
    let (mut two, mut twos) = lanes::unbounded();
    let producers = [
        thread::spawn(move || (0..5_000).for_each(|number| one.send(number).unwrap())),
        thread::spawn(move || (0..5_000).for_each(|number| two.send(number).unwrap())),
    ];
    let (mut next_one, mut next_two) = (0, 0);
    block_on(async {
        while next_one < 5_000 || next_two < 5_000 {
            let (mut first, mut second) = (ones.recv_async(), twos.recv_async());
            poll_fn(|cx| {
                if next_one < 5_000
                    && let Poll::Ready(number) = Pin::new(&mut first).poll(cx)
                {
                    assert_eq!(number, Ok(next_one));
                    next_one += 1;
                    return Poll::Ready(());
                }
                if next_two < 5_000
                    && let Poll::Ready(number) = Pin::new(&mut second).poll(cx)
                {
                    assert_eq!(number, Ok(next_two));
                    next_two += 1;
                    return Poll::Ready(());
                }
                Poll::Pending
            })
            .await;
        }
    });
    producers
        .into_iter()
        .for_each(|producer| producer.join().unwrap());
}
