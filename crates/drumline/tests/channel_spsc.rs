//! Channels of one sender and one receiver, on threads.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::messages::{Accounts, dawdle};
use common::{Random, ends, eventually, quiet_panic};
use drumline::channel::spsc::{self, Receiver, Sender};
use drumline::channel::{CloseReason, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError};

/// A channel with this bound; 0: without one.
fn channel<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    match capacity {
        0 => spsc::unbounded(),
        _ => spsc::bounded(capacity),
    }
}

const CAPACITIES: [usize; 7] = [0, 1, 2, 7, 8, 64, 1_000];

#[test]
fn all_messages_come_in_their_order() {
    for capacity in CAPACITIES {
        let (mut sender, mut receiver) = channel(capacity);
        let producer = thread::spawn(move || {
            for number in 0..20_000 {
                assert_eq!(sender.send(number), Ok(()));
            }
            sender.finish();
        });
        for number in 0..20_000 {
            assert_eq!(receiver.recv(), Ok(number));
        }
        assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Finished);
        producer.join().unwrap();
    }
}

/// Two threads that wait for each other at each message.
#[test]
fn messages_go_to_and_fro() {
    for capacity in [0, 1, 8] {
        let (mut there, mut arrive) = channel(capacity);
        let (mut back, mut home) = channel(capacity);
        let echo = thread::spawn(move || {
            for message in arrive.iter() {
                back.send(message).unwrap();
            }
        });
        for number in 0..5_000u32 {
            there.send(number).unwrap();
            assert_eq!(home.recv(), Ok(number));
        }
        there.finish();
        echo.join().unwrap();
        assert_eq!(home.recv().unwrap_err().reason(), CloseReason::Dropped);
    }
}

/// A row of messages that makes the sender write without telling, then a receiver that sleeps: the
/// first message after the sleep must wake it.
#[test]
fn a_receiver_that_sleeps_after_a_long_row_is_woken() {
    let (mut sender, mut receiver) = spsc::unbounded();
    let (mut ask, mut asked) = spsc::unbounded();
    let producer = thread::spawn(move || {
        while let Ok(row) = asked.recv() {
            (0..row).for_each(|number| sender.send(number).unwrap());
        }
    });
    let mut random = Random::new(1);
    for _ in 0..2_000 {
        let row = 1 + random.below(400) as usize;
        ask.send(row).unwrap();
        for number in 0..row {
            assert_eq!(receiver.recv(), Ok(number));
        }
    }
    drop(ask);
    producer.join().unwrap();
}

#[test]
fn messages_of_all_sizes_pass() {
    fn pass<T: Clone + Send + PartialEq + std::fmt::Debug + 'static>(message: T) {
        for capacity in [0, 1, 3] {
            let (mut sender, mut receiver) = channel(capacity);
            let sent = message.clone();
            let producer =
                thread::spawn(move || (0..200).for_each(|_| sender.send(sent.clone()).unwrap()));
            assert_eq!(receiver.iter().filter(|got| *got == message).count(), 200);
            producer.join().unwrap();
        }
    }
    pass(());
    pass(1u8);
    pass([7u16; 3]);
    pass([3u64; 255]);
    pass([3u64; 256]);
    pass([5u8; 2_049]);
    pass([9u64; 2_000]);
    pass(String::from("text"));
    #[repr(align(128))]
    #[derive(Clone, Debug, PartialEq)]
    struct Aligned(u8);
    pass(Aligned(1));
    #[repr(align(64))]
    #[derive(Clone, Debug, PartialEq)]
    struct Nothing;
    pass(Nothing);
}

/// How the receiver of the next test ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Close,
    Drain,
    Drop,
}

/// The receiver ends at a random moment while the sender sends. The two agree about each message.
#[test]
fn an_end_of_the_receiver_loses_no_message() {
    let mut random = Random::new(2);
    for round in 0..1_500 {
        let capacity = CAPACITIES[round % CAPACITIES.len()];
        let end = [End::Close, End::Drain, End::Drop][round % 3];
        let accounts = Accounts::default();
        let (mut sender, mut receiver) = channel(capacity);
        let producer = thread::spawn({
            let accounts = accounts.clone();
            move || {
                for number in 0.. {
                    if let Err(SendError(back)) = sender.send(accounts.message(number)) {
                        assert_eq!(back.number, number, "another message came back");
                        assert!(sender.is_closed());
                        assert!(sender.send(back).is_err(), "it is closed for good");
                        return number;
                    }
                }
                unreachable!("the receiver ends");
            }
        });
        let first = random.below(300) as usize;
        for number in 0..first {
            assert_eq!(receiver.recv().unwrap().number, number);
        }
        dawdle(random.below(2_000));
        let mut number = first;
        match end {
            End::Close => {
                receiver.close();
                for message in receiver.iter() {
                    assert_eq!(message.number, number);
                    number += 1;
                }
                let reason = receiver.recv().unwrap_err().reason();
                assert_eq!(reason, CloseReason::ClosedByReceiver);
            }
            End::Drain => {
                let messages = receiver.drain();
                let announced = messages.len();
                for message in messages {
                    assert_eq!(message.number, number);
                    number += 1;
                }
                assert_eq!(number, first + announced);
            }
            End::Drop => drop(receiver),
        }
        let accepted = producer.join().unwrap();
        match end {
            End::Drop => assert!(accepted >= first),
            End::Close | End::Drain => assert_eq!(accepted, number, "{end:?}, {capacity}"),
        }
        accounts.settle();
    }
}

/// The sender ends in each way while the receiver waits, and while it does not.
#[test]
fn the_receiver_is_told_why() {
    type Ends = fn(Sender<u32>);
    let ends: [(Ends, CloseReason); 3] = [
        (|sender| sender.finish(), CloseReason::Finished),
        (drop, CloseReason::Dropped),
        (
            |_sender| quiet_panic("the thread of the sender panics"),
            CloseReason::Panicked,
        ),
    ];
    for round in 0..300 {
        let (end, reason) = ends[round % 3];
        let (mut sender, mut receiver) = channel(CAPACITIES[round % CAPACITIES.len()]);
        let producer = thread::spawn(move || {
            sender.send(1).unwrap();
            dawdle(round as u64 * 10);
            end(sender);
        });
        assert_eq!(receiver.recv(), Ok(1));
        if round % 2 == 0 {
            assert_eq!(receiver.recv().unwrap_err().reason(), reason);
        }
        let panicked = producer.join().is_err();
        assert_eq!(panicked, reason == CloseReason::Panicked);
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Closed(reason)));
        assert_eq!(receiver.close_reason(), Some(reason));
        let late = receiver.recv_timeout(Duration::ZERO);
        assert_eq!(late, Err(RecvTimeoutError::Closed(reason)));
        assert_eq!(
            receiver.recv_many(&mut Vec::new(), 1).unwrap_err().reason(),
            reason
        );
    }
}

#[test]
fn a_sender_that_waits_for_room_gets_its_message_back() {
    for round in 0..300 {
        let (mut sender, mut receiver) = spsc::bounded(1);
        sender.send(0).unwrap();
        let waiting = thread::spawn(move || sender.send(1));
        dawdle(round * 50);
        if round % 2 == 0 {
            drop(receiver);
            assert_eq!(waiting.join().unwrap(), Err(SendError(1)));
        } else {
            let all = receiver.drain().collect::<Vec<_>>();
            let sent = waiting.join().unwrap();
            assert_eq!((&all[..], sent), (&[0][..], Err(SendError(1))));
        }
    }
}

/// Threads that wait at a channel sleep in the kernel.
#[cfg(target_os = "linux")]
#[test]
fn waiting_threads_sleep() {
    let (mut sender, mut receiver) = spsc::bounded::<u32>(1);
    let named = |name: &str| thread::Builder::new().name(name.into());
    let receiving = named("spsc-receives")
        .spawn(move || receiver.recv())
        .unwrap();
    common::threads::wait_until_asleep("spsc-receives", 1, Duration::from_millis(20));
    sender.send(1).unwrap();
    assert_eq!(receiving.join().unwrap(), Ok(1));

    let (mut sender, mut receiver) = spsc::bounded::<u32>(1);
    sender.send(1).unwrap();
    let sending = named("spsc-sends").spawn(move || sender.send(2)).unwrap();
    common::threads::wait_until_asleep("spsc-sends", 1, Duration::from_millis(20));
    assert_eq!(receiver.recv(), Ok(1));
    assert_eq!(receiver.recv(), Ok(2));
    sending.join().unwrap().unwrap();
}

#[test]
fn deadlines_at_the_edges() {
    let far = [
        Duration::MAX,
        Duration::from_secs(u64::MAX / 4),
        Duration::from_secs(1 << 40),
    ];
    let (mut sender, mut receiver) = spsc::bounded(1);
    for _ in 0..3 {
        let nothing = receiver.recv_timeout(Duration::ZERO);
        assert_eq!(nothing, Err(RecvTimeoutError::Timeout));
        let nothing = receiver.recv_deadline(Instant::now());
        assert_eq!(nothing, Err(RecvTimeoutError::Timeout));
        sender.send_timeout(1, Duration::ZERO).unwrap();
        let full = sender.send_timeout(2, Duration::ZERO);
        assert_eq!(full, Err(SendTimeoutError::Timeout(2)));
        let full = sender.send_deadline(2, Instant::now());
        assert_eq!(full, Err(SendTimeoutError::Timeout(2)));
        let full = sender.send_timeout(2, Duration::from_nanos(1));
        assert_eq!(full, Err(SendTimeoutError::Timeout(2)));
        // What is there is received, however late it is.
        assert_eq!(receiver.recv_timeout(Duration::ZERO), Ok(1));
    }
    let (mut ask, mut asked) = spsc::unbounded::<()>();
    let answer = thread::spawn(move || {
        asked.iter().for_each(|()| sender.send(7).unwrap());
    });
    for time in far {
        ask.send(()).unwrap();
        assert_eq!(receiver.recv_timeout(time), Ok(7));
        if let Some(deadline) = Instant::now().checked_add(time) {
            ask.send(()).unwrap();
            assert_eq!(receiver.recv_deadline(deadline), Ok(7));
        }
    }
    drop(ask);
    answer.join().unwrap();
    assert_eq!(
        receiver.recv_timeout(Duration::MAX),
        Err(RecvTimeoutError::Closed(CloseReason::Dropped))
    );
}

/// A receiver that gives up again and again loses nothing.
#[test]
fn short_timeouts_lose_nothing() {
    let (mut sender, mut receiver) = spsc::bounded(2);
    let producer = thread::spawn(move || {
        for mut number in 0..3_000 {
            let mut time = 0;
            while let Err(error) = sender.send_timeout(number, Duration::from_micros(time)) {
                number = error.into_inner();
                time += 100;
            }
        }
    });
    let mut random = Random::new(3);
    for number in 0..3_000 {
        loop {
            let time = Duration::from_micros(random.below(200));
            match receiver.recv_timeout(time) {
                Ok(received) => break assert_eq!(received, number),
                Err(error) => assert_eq!(error, RecvTimeoutError::Timeout),
            }
        }
    }
    producer.join().unwrap();
}

/// A message that panics in its drop.
struct Fuse {
    panics: bool,
    dropped: Arc<AtomicUsize>,
}

impl Drop for Fuse {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::SeqCst);
        if self.panics {
            quiet_panic("the message panics in its drop");
        }
    }
}

#[test]
fn a_message_that_panics_in_its_drop_does_not_keep_the_others() {
    for bad in [0, 1, 70, 99] {
        let dropped = Arc::new(AtomicUsize::new(0));
        let (mut sender, receiver) = spsc::unbounded();
        for number in 0..100 {
            let message = Fuse {
                panics: number == bad,
                dropped: Arc::clone(&dropped),
            };
            assert!(sender.send(message).is_ok());
        }
        assert!(catch_unwind(AssertUnwindSafe(|| drop(receiver))).is_err());
        assert_eq!(dropped.load(Ordering::SeqCst), 100);
        assert!(sender.is_closed());
        let message = Fuse {
            panics: false,
            dropped: Arc::clone(&dropped),
        };
        assert!(sender.send(message).is_err());
        assert_eq!(dropped.load(Ordering::SeqCst), 101);
    }
}

#[test]
fn ends_may_be_sent_and_are_small() {
    fn is_send<T: Send>() {}
    is_send::<Sender<std::cell::Cell<u32>>>();
    is_send::<Receiver<std::cell::Cell<u32>>>();
    is_send::<spsc::SendAsync<'_, std::cell::Cell<u32>>>();
    is_send::<spsc::RecvAsync<'_, std::cell::Cell<u32>>>();
    is_send::<spsc::Reservation<'_, u32>>();
    is_send::<spsc::Closed<'_, u32>>();
    is_send::<spsc::SendPermit<'_, u32>>();
    let sizes = (size_of::<Sender<u64>>(), size_of::<Receiver<u64>>());
    assert!(sizes.0 <= 64 && sizes.1 <= 72, "{sizes:?}");
}

/// An end goes from thread to thread between any two calls.
#[test]
fn ends_change_threads() {
    ends(|| {
        let (mut sender, mut receiver) = spsc::bounded(3);
        let producer = thread::spawn(move || {
            for number in 0..300 {
                sender = thread::spawn(move || {
                    sender.send(number).unwrap();
                    sender
                })
                .join()
                .unwrap();
            }
        });
        for number in 0..300 {
            receiver = thread::spawn(move || {
                assert_eq!(receiver.recv(), Ok(number));
                receiver
            })
            .join()
            .unwrap();
        }
        producer.join().unwrap();
        eventually("the end is seen", || receiver.is_closed());
    });
}

#[test]
#[should_panic(expected = "capacity 0")]
fn a_bound_of_0_is_refused() {
    let _channel = spsc::bounded::<()>(0);
}
