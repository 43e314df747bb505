//! Small cases for Miri: what is read and freed, by which thread, and when.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use super::{CloseReason, SendError, lanes, mpmc, mpsc, oneshot, spsc};

struct Calls(AtomicUsize);

impl Wake for Calls {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn calls() -> (Arc<Calls>, Waker) {
    let calls = Arc::new(Calls(AtomicUsize::new(0)));
    (Arc::clone(&calls), calls.into())
}

fn poll<F: Future + Unpin>(future: &mut F, waker: &Waker) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(waker))
}

/// Blocks are filled, emptied, used again and freed; some messages are left.
#[test]
fn miri_blocks_go_round() {
    for left in [0, 3, 150] {
        let (mut sender, mut receiver) = spsc::unbounded();
        for round in 0..4 {
            (0..140).for_each(|n| sender.send(Box::new(round * 140 + n)).unwrap());
            (0..140).for_each(|n| assert_eq!(*receiver.recv().unwrap(), round * 140 + n));
        }
        (0..left).for_each(|n| sender.send(Box::new(n)).unwrap());
        if left == 3 {
            drop(sender);
            drop(receiver);
        } else {
            drop(receiver);
            assert!(sender.send(Box::new(0)).is_err());
        }
    }
}

/// A channel that is full all the time, between two threads, and a long one.
#[test]
fn miri_two_threads() {
    for (capacity, count) in [(1, 30), (3, 60), (1_000, 200)] {
        let (mut sender, mut receiver) = spsc::bounded(capacity);
        let producer = thread::spawn(move || {
            (0..count).for_each(|number| sender.send(Box::new(number)).unwrap());
            sender.finish();
        });
        assert!(receiver.iter().map(|number| *number).eq(0..count));
        assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Finished);
        producer.join().unwrap();
    }
}

/// The receiver ends while the sender sends: the two agree, and all messages are freed.
#[test]
fn miri_the_receiver_ends_first() {
    for round in 0..12 {
        let (mut sender, mut receiver) = spsc::unbounded();
        let producer = thread::spawn(move || {
            (0..)
                .take_while(|&number| sender.send(Box::new(number)).is_ok())
                .count()
        });
        for number in 0..round {
            assert_eq!(*receiver.recv().unwrap(), number);
        }
        if round % 2 == 0 {
            let received = round as usize + receiver.drain().count();
            assert_eq!(received, producer.join().unwrap());
        } else {
            drop(receiver);
            producer.join().unwrap();
        }
    }
}

/// Messages without a size, large ones, and aligned ones.
#[test]
fn miri_messages_of_all_sizes() {
    #[repr(align(64))]
    #[derive(Debug, PartialEq)]
    struct Aligned(u8);
    let (mut sender, mut receiver) = spsc::unbounded();
    (0..100).for_each(|_| sender.send(()).unwrap());
    assert_eq!(receiver.drain().count(), 100);
    let (mut sender, mut receiver) = spsc::unbounded();
    (0..5).for_each(|n| sender.send([n; 3_000]).unwrap());
    assert_eq!(receiver.recv(), Ok([0; 3_000]));
    let (mut sender, mut receiver) = lanes::per_lane(50);
    (0..50).for_each(|n| sender.send(Aligned(n)).unwrap());
    (0..50).for_each(|n| assert_eq!(receiver.recv(), Ok(Aligned(n))));
}

/// Ports go from the list to the receiver, and rest. The last one to hold a port frees it.
#[test]
fn miri_lanes_come_and_go() {
    for ends in 0..3 {
        let (sender, mut receiver) = lanes::unbounded();
        let threads: Vec<_> = (0..3)
            .map(|n| {
                let mut sender = sender.clone();
                thread::spawn(move || {
                    for number in 0..20 {
                        let mut further = sender.clone();
                        if sender.send(Box::new(n * 20 + number)).is_err() {
                            break;
                        }
                        let _ = further.send(Box::new(n * 20 + number));
                    }
                })
            })
            .collect();
        drop(sender);
        match ends {
            0 => assert_eq!(
                receiver.iter().map(|number| *number).sum::<i32>(),
                2 * 1_770
            ),
            1 => {
                let _first = receiver.recv().unwrap();
                assert!(receiver.drain().count() <= 119);
            }
            _ => {
                let _first = receiver.recv().unwrap();
            }
        }
        drop(receiver);
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    }
}

#[test]
fn miri_lanes_that_rest() {
    let (mut sender, mut receiver) = lanes::unbounded();
    let mut second = sender.clone();
    for number in 0..10 {
        assert!(receiver.try_recv().is_err());
        sender.send(Box::new(number)).unwrap();
        second.send(Box::new(number)).unwrap();
        assert_eq!(
            *receiver.recv().unwrap() + *receiver.recv().unwrap(),
            2 * number
        );
    }
    second.send(Box::new(1)).unwrap();
    drop(receiver);
    assert!(sender.send(Box::new(1)).is_err());
}

/// Futures that are dropped while they are listed, and wakers that are called meanwhile.
#[test]
fn miri_futures_are_dropped() {
    let (calls, waker) = calls();
    for round in 0..12 {
        let (mut sender, mut receiver) = spsc::bounded(1);
        let (mut lane, mut gatherer) = lanes::per_lane(1);
        assert!(poll(&mut receiver.recv_async(), &waker).is_pending());
        let mut gathering = gatherer.recv_async();
        assert!(poll(&mut gathering, &waker).is_pending());
        if round % 3 == 0 {
            std::mem::forget(gathering);
        } else {
            drop(gathering);
        }
        let producer = thread::spawn(move || {
            for number in 0..3 {
                sender.send(Box::new(number)).unwrap();
                lane.send(Box::new(number)).unwrap();
            }
        });
        for number in 0..3 {
            let mut receiving = receiver.recv_async();
            let received = loop {
                match poll(&mut receiving, &waker) {
                    Poll::Ready(message) => break message.unwrap(),
                    Poll::Pending => thread::yield_now(),
                }
            };
            drop(receiving);
            assert_eq!((*received, *gatherer.recv().unwrap()), (number, number));
        }
        producer.join().unwrap();
        drop((receiver, gatherer));
    }
    drop(waker);
    assert!(Arc::strong_count(&calls) >= 1);
}

#[test]
fn miri_oneshots() {
    for round in 0..12 {
        let (sender, mut receiver) = oneshot::channel();
        let (calls, waker) = calls();
        if round % 2 == 0 {
            let _ = poll(&mut receiver, &waker);
        }
        drop(waker);
        let sending = thread::spawn(move || sender.send(Box::new(round)).is_ok());
        match round % 3 {
            0 => assert_eq!(*receiver.recv().unwrap(), round),
            1 => drop(receiver),
            _ => {
                receiver.close();
                let received = receiver.try_recv().is_ok();
                drop(receiver);
                assert_eq!(sending.join().unwrap(), received);
                assert_eq!(Arc::strong_count(&calls), 1);
                continue;
            }
        }
        sending.join().unwrap();
        assert_eq!(Arc::strong_count(&calls), 1);
    }
    let (mut sender, receiver) = oneshot::channel::<Box<u32>>();
    let (calls, waker) = calls();
    {
        let mut closed = pin!(sender.closed());
        let polled = closed.as_mut().poll(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
    }
    drop((waker, receiver));
    assert_eq!(Arc::strong_count(&calls), 1);
}

/// Segments are filled, emptied, used again and freed; some messages are left, and some permits.
#[test]
fn miri_segments_go_round() {
    for left in [0, 3, 150] {
        let (sender, mut receiver) = mpsc::bounded(200);
        for round in 0..3 {
            (0..140).for_each(|n| sender.send(Box::new(round * 140 + n)).unwrap());
            drop(sender.try_reserve().unwrap());
            (0..140).for_each(|n| assert_eq!(*receiver.recv().unwrap(), round * 140 + n));
        }
        (0..left).for_each(|n| sender.send(Box::new(n)).unwrap());
        let permit = sender.try_reserve().unwrap();
        if left == 3 {
            permit.send(Box::new(0)).unwrap();
            drop(sender);
            drop(receiver);
        } else {
            drop(receiver);
            assert!(permit.send(Box::new(0)).is_err());
            assert!(sender.send(Box::new(0)).is_err());
        }
    }
}

/// Large messages, which have a segment each, and those without a size.
#[test]
fn miri_segments_of_all_sizes() {
    #[repr(align(64))]
    #[derive(Debug, PartialEq)]
    struct Aligned(u8);
    let (sender, receiver) = mpmc::unbounded();
    (0..100).for_each(|_| sender.send(()).unwrap());
    assert_eq!(receiver.drain().count(), 100);
    let (sender, receiver) = mpmc::bounded(3);
    let sending = thread::spawn(move || (0..6).for_each(|n| sender.send([n; 3_000]).unwrap()));
    (0..6).for_each(|n| assert_eq!(receiver.recv(), Ok([n; 3_000])));
    sending.join().unwrap();
    let (sender, receiver) = mpmc::unbounded();
    (0..70).for_each(|n| sender.send(Aligned(n)).unwrap());
    assert!(receiver.try_iter().take(40).eq((0..40).map(Aligned)));
}

/// Several on either side, in channels that are full all the time, and in long ones.
#[test]
fn miri_many_to_many() {
    for (capacity, count) in [(0, 8), (1, 12), (3, 20), (1_000, 80)] {
        let (sender, receiver) = match capacity {
            0 => mpmc::rendezvous(),
            _ => mpmc::bounded(capacity),
        };
        let producers: Vec<_> = (0..2)
            .map(|n| {
                let sender = sender.clone();
                thread::spawn(move || {
                    (0..count)
                        .for_each(|number| sender.send(Box::new(n * count + number)).unwrap());
                    sender.finish();
                })
            })
            .collect();
        sender.finish();
        let consumers = [receiver.clone(), receiver].map(|receiver| {
            thread::spawn(move || {
                let sum = receiver.iter().map(|number| *number).sum::<usize>();
                assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Finished);
                sum
            })
        });
        let sums = consumers.map(|thread| thread.join().unwrap());
        assert_eq!(sums[0] + sums[1], (0..2 * count).sum());
        producers
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    }
}

/// A receiver ends while two send, and while one of them waits for room.
#[test]
fn miri_a_receiver_ends_first() {
    for round in 0..12 {
        let (sender, mut receiver) = match round % 3 {
            0 => mpsc::unbounded(),
            1 => mpsc::bounded(2),
            _ => mpsc::rendezvous(),
        };
        let producers = [sender.clone(), sender].map(|sender| {
            thread::spawn(move || {
                for number in 0.. {
                    if let Err(SendError(back)) = sender.send(Box::new(number)) {
                        assert_eq!(*back, number);
                        return number;
                    }
                }
                unreachable!("the receiver ends");
            })
        });
        receiver.iter().take(round).for_each(drop);
        let received = round
            + match round % 2 {
                0 => receiver.drain().count(),
                _ => 0,
            };
        drop(receiver);
        let accepted: usize = producers
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum();
        assert!(accepted >= received);
        assert!(round % 2 == 1 || accepted == received);
    }
}

/// Futures of both sides are dropped at some moment while the other side is at work.
#[test]
fn miri_waiting_futures_are_dropped() {
    for round in 0..12 {
        let (calls, waker) = calls();
        let (sender, receiver) = match round % 2 {
            0 => mpmc::bounded(1),
            _ => mpmc::rendezvous(),
        };
        let other = receiver.clone();
        let consumer =
            thread::spawn(move || other.iter().map(|number: Box<u32>| *number).sum::<u32>());
        let mut received = 0;
        for number in 0..6 {
            let mut receiving = receiver.recv_async();
            let mut sending = sender.send_async(Box::new(number));
            let _ = poll(&mut receiving, &waker).map(|message| received += *message.unwrap());
            if poll(&mut sending, &waker).is_pending() {
                thread::yield_now();
            }
            let is_first = number % 2 == 0;
            if is_first {
                drop(receiving);
                drop(sending);
            } else {
                drop(sending);
                drop(receiving);
            }
            // A message in place of one that may not have been sent.
            sender.send(Box::new(100)).unwrap();
        }
        drop(sender);
        let others = consumer.join().unwrap();
        received += receiver.try_iter().map(|number| *number).sum::<u32>();
        assert!((600..=615).contains(&(received + others)));
        drop((receiver, waker));
        assert_eq!(Arc::strong_count(&calls), 1);
    }
}

/// Futures that are forgotten while they wait: what they have goes with the channel.
#[test]
fn miri_waiting_futures_are_forgotten() {
    let (sender, receiver) = mpmc::bounded(1);
    let mut receiving = receiver.recv_async();
    assert!(poll(&mut receiving, Waker::noop()).is_pending());
    std::mem::forget(receiving);
    sender.send(Box::new(1)).unwrap();
    let mut sending = sender.send_async(Box::new(2));
    assert!(poll(&mut sending, Waker::noop()).is_pending());
    std::mem::forget(sending);
    let mut reserving = sender.reserve();
    assert!(poll(&mut reserving, Waker::noop()).is_pending());
    std::mem::forget(reserving);
    drop((receiver, sender));

    let (sender, receiver) = mpmc::rendezvous();
    let mut receiving = receiver.recv_async();
    assert!(poll(&mut receiving, Waker::noop()).is_pending());
    std::mem::forget(receiving);
    sender.try_send(Box::new(1)).unwrap();
}
