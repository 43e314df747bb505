//! Channels of many senders and one receiver, on threads.

mod common;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::messages::{Accounts, dawdle};
use common::{Random, ends, quiet_panic};
use drumline::channel::mpsc::{self, Receiver, Sender};
use drumline::channel::{
    CloseReason, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError,
};

/// A channel with this bound; 0: without one.
fn channel<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    match capacity {
        0 => mpsc::unbounded(),
        _ => mpsc::bounded(capacity),
    }
}

const CAPACITIES: [usize; 8] = [0, 1, 2, 3, 7, 64, 65, 1_000];

/// The messages of each sender come in their order, and none is lost.
#[test]
fn all_messages_come_in_the_order_of_their_senders() {
    for capacity in CAPACITIES {
        for count in [1, 2, 5] {
            let (sender, mut receiver) = channel(capacity);
            let producers: Vec<_> = (0..count)
                .map(|n| {
                    let sender = sender.clone();
                    thread::spawn(move || {
                        // One message through each of two clones, in turn.
                        let other = sender.clone();
                        for number in 0..3_000 {
                            let sender = if number % 2 == 0 { &sender } else { &other };
                            assert_eq!(sender.send((n, number)), Ok(()));
                        }
                        other.finish();
                        sender.finish();
                    })
                })
                .collect();
            sender.finish();
            let mut next = vec![0; count];
            for (n, number) in receiver.iter() {
                assert_eq!(number, next[n], "capacity {capacity}");
                next[n] += 1;
            }
            assert!(next.iter().all(|&next| next == 3_000), "{next:?}");
            assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Finished);
            producers
                .into_iter()
                .for_each(|thread| thread.join().unwrap());
        }
    }
}

/// A sends, and tells B, which sends then, and so on in a ring: the order is that of one thread.
#[test]
fn a_send_that_returned_comes_before_one_that_began_later() {
    for capacity in [0, 1, 2, 64] {
        let (sender, mut receiver) = channel(capacity);
        let (doors, mut waits): (Vec<_>, VecDeque<_>) =
            (0..3).map(|_| std::sync::mpsc::channel::<u32>()).unzip();
        let threads: Vec<_> = (0..3)
            .map(|n| {
                let sender = sender.clone();
                let (wait, door) = (waits.pop_front().unwrap(), doors[(n + 1) % 3].clone());
                thread::spawn(move || {
                    for number in wait {
                        sender.send(number).unwrap();
                        if number == 3_000 || door.send(number + 1).is_err() {
                            break;
                        }
                    }
                })
            })
            .collect();
        doors[0].send(0).unwrap();
        drop((doors, sender));
        assert!(receiver.iter().eq(0..=3_000), "capacity {capacity}");
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    }
}

/// While many send, no more is ever in the channel than its bound. What is in it is counted in such
/// a way that it is never more than what is there.
#[test]
fn a_bound_is_exact() {
    for capacity in [1, 2, 3, 64, 65, 1_000] {
        let (sender, mut receiver) = mpsc::bounded(capacity);
        let sent = Arc::new(AtomicUsize::new(0));
        let producers: Vec<_> = (0..8)
            .map(|n| {
                let (sender, sent) = (sender.clone(), Arc::clone(&sent));
                thread::spawn(move || {
                    for number in 0..1_000 {
                        match (n + number) % 4 {
                            0 => sender.send(()).unwrap(),
                            1 => drumline::block_on(sender.send_async(())).unwrap(),
                            2 => {
                                let permit = drumline::block_on(sender.reserve()).unwrap();
                                permit.send(()).unwrap();
                            }
                            _ => {
                                while sender.try_send(()).is_err() {
                                    thread::yield_now();
                                }
                            }
                        }
                        sent.fetch_add(1, Ordering::SeqCst);
                    }
                })
            })
            .collect();
        drop(sender);
        for received in 0..8_000 {
            // Messages of sends that have returned, and that no receive has begun for.
            let inside = sent.load(Ordering::SeqCst).saturating_sub(received);
            assert!(inside <= capacity, "{inside} of {capacity} messages");
            assert!(receiver.len() <= capacity);
            receiver.recv().unwrap();
        }
        producers
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        assert!(receiver.recv().is_err());
    }
}

/// On one thread: it takes as many messages as it says, and no more, again and again.
#[test]
fn a_bound_is_exact_on_one_thread() {
    for capacity in [1, 2, 3, 62, 63, 64, 65, 126, 127, 1_000] {
        let (sender, mut receiver) = mpsc::bounded(capacity);
        for round in 0..3 {
            let mut permits = Vec::new();
            for number in 0..capacity {
                match (round + number) % 3 {
                    0 => permits.push(sender.try_reserve().unwrap()),
                    _ => sender.try_send(number).unwrap(),
                }
            }
            assert_eq!(sender.try_send(0), Err(TrySendError::Full(0)));
            assert!(matches!(sender.try_reserve(), Err(TrySendError::Full(()))));
            assert_eq!(sender.len() + permits.len(), capacity);
            // One that is dropped makes room for one.
            if permits.pop().is_some() {
                sender.try_send(0).unwrap();
                assert_eq!(sender.try_send(0), Err(TrySendError::Full(0)));
            }
            permits
                .into_iter()
                .for_each(|permit| permit.send(1).unwrap());
            assert_eq!(sender.try_send(0), Err(TrySendError::Full(0)));
            assert_eq!(receiver.len(), capacity);
            assert_eq!(receiver.try_iter().count(), capacity);
            assert!(receiver.is_empty());
        }
    }
}

#[test]
fn very_large_bounds() {
    for capacity in [usize::MAX - 1, usize::MAX / 2, usize::MAX / 2 + 1, 1 << 61] {
        let (sender, mut receiver) = mpsc::bounded(capacity);
        assert_eq!(sender.capacity(), Some(capacity));
        (0..200).for_each(|number| sender.try_send(number).unwrap());
        sender.try_reserve().unwrap().send(200).unwrap();
        drop(sender.try_reserve().unwrap());
        drop(sender);
        assert!(receiver.iter().eq(0..=200));
    }
    let (sender, receiver) = mpsc::bounded::<()>(usize::MAX);
    assert_eq!(sender.capacity(), receiver.capacity());
    sender.send(()).unwrap();
}

#[test]
fn a_bound_of_nothing_is_refused() {
    assert!(catch_unwind(|| mpsc::bounded::<u8>(0)).is_err());
    let (sender, _receiver) = mpsc::rendezvous::<u8>();
    assert!(catch_unwind(AssertUnwindSafe(|| drop(sender.reserve()))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| drop(sender.try_reserve()))).is_err());
}

#[test]
fn messages_of_all_sizes_pass() {
    fn pass<T: Clone + Send + PartialEq + std::fmt::Debug + 'static>(message: T) {
        for capacity in [0, 1, 3] {
            let (sender, mut receiver) = channel(capacity);
            let producers: Vec<_> = (0..2)
                .map(|_| {
                    let (sender, sent) = (sender.clone(), message.clone());
                    thread::spawn(move || (0..200).for_each(|_| sender.send(sent.clone()).unwrap()))
                })
                .collect();
            drop(sender);
            assert_eq!(receiver.iter().filter(|got| *got == message).count(), 400);
            producers
                .into_iter()
                .for_each(|thread| thread.join().unwrap());
        }
    }
    pass(());
    pass(1u8);
    pass([7u16; 3]);
    // Around the sizes at which fewer go into a segment.
    for_sizes(&pass::<Vec<u8>>);
    pass([3u8; 248]);
    pass([3u8; 249]);
    pass([3u64; 64]);
    pass([3u64; 127]);
    pass([3u64; 128]);
    pass([5u8; 2_049]);
    pass([9u8; 5_000]);
    #[repr(align(128))]
    #[derive(Clone, Debug, PartialEq)]
    struct Aligned(u8);
    pass(Aligned(1));
    #[repr(align(64))]
    #[derive(Clone, Debug, PartialEq)]
    struct Nothing;
    pass(Nothing);
}

fn for_sizes(pass: &impl Fn(Vec<u8>)) {
    for len in [0, 1, 512] {
        pass(vec![5; len]);
    }
}

/// Many segments, filled by several threads and left in between.
#[test]
fn a_long_burst_goes_through_the_segments() {
    let (sender, mut receiver) = mpsc::unbounded();
    for _ in 0..2 {
        thread::scope(|scope| {
            for n in 0..4 {
                let sender = &sender;
                scope.spawn(move || {
                    (0..50_000).for_each(|number| sender.send((n, number)).unwrap());
                });
            }
        });
        assert_eq!(receiver.len(), 200_000);
        let mut next = [0; 4];
        for (n, number) in receiver.try_iter() {
            assert_eq!(number, next[n]);
            next[n] += 1;
        }
        assert_eq!(next, [50_000; 4]);
    }
}

/// The senders end in different ways. The gravest reason is told, and only at the end.
#[test]
fn the_receiver_is_told_why() {
    type Ends = fn(Sender<usize>);
    let ends: [(Ends, CloseReason); 3] = [
        (|sender| sender.finish(), CloseReason::Finished),
        (drop, CloseReason::Dropped),
        (
            |_sender| quiet_panic("the sender panics"),
            CloseReason::Panicked,
        ),
    ];
    for round in 0..270 {
        let picked = [round % 3, round / 3 % 3, round / 9 % 3];
        let (sender, mut receiver) = channel(CAPACITIES[round % CAPACITIES.len()]);
        let producers: Vec<_> = picked
            .into_iter()
            .map(|pick| {
                let sender = sender.clone();
                thread::spawn(move || {
                    sender.send(pick).unwrap();
                    dawdle((round * 10) as u64);
                    ends[pick].0(sender);
                })
            })
            .collect();
        sender.finish();
        let expected = ends[*picked.iter().max().unwrap()].1;
        assert_eq!(receiver.iter().sum::<usize>(), picked.iter().sum());
        assert_eq!(receiver.recv().unwrap_err().reason(), expected);
        for (producer, pick) in producers.into_iter().zip(picked) {
            assert_eq!(producer.join().is_err(), pick == 2);
        }
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Closed(expected)));
        assert_eq!(receiver.close_reason(), Some(expected));
        let late = receiver.recv_timeout(Duration::ZERO);
        assert_eq!(late, Err(RecvTimeoutError::Closed(expected)));
        let many = receiver.recv_many(&mut Vec::new(), 1);
        assert_eq!(many.unwrap_err().reason(), expected);
        assert_eq!(receiver.recv_many(&mut Vec::new(), 0), Ok(0));
    }
}

/// How the receiver of the next test ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Close,
    Drain,
    Drop,
}

/// The receiver ends at a random moment while several send. They agree about each message.
#[test]
fn an_end_of_the_receiver_loses_no_message() {
    let mut random = Random::new(2);
    for round in 0..400 {
        let capacity = CAPACITIES[round % CAPACITIES.len()];
        let end = [End::Close, End::Drain, End::Drop][round % 3];
        let accounts = Accounts::default();
        let (sender, mut receiver) = channel(capacity);
        let producers: Vec<_> = (0..3)
            .map(|_| {
                let (sender, accounts) = (sender.clone(), accounts.clone());
                thread::spawn(move || {
                    for number in 0.. {
                        if let Err(SendError(back)) = sender.send(accounts.message(number)) {
                            assert_eq!(back.number, number, "another message came back");
                            assert!(sender.is_closed());
                            assert!(sender.send(back).is_err(), "it is closed for good");
                            assert!(matches!(
                                sender.try_reserve(),
                                Err(TrySendError::Closed(()))
                            ));
                            return number;
                        }
                    }
                    unreachable!("the receiver ends");
                })
            })
            .collect();
        let first = random.below(300) as usize;
        receiver.iter().take(first).for_each(drop);
        dawdle(random.below(2_000));
        let received = first
            + match end {
                End::Close => {
                    receiver.close();
                    let rest = receiver.iter().count();
                    let reason = receiver.recv().unwrap_err().reason();
                    assert_eq!(reason, CloseReason::ClosedByReceiver);
                    rest
                }
                End::Drain => receiver.drain().count(),
                End::Drop => {
                    drop(receiver);
                    0
                }
            };
        let accepted: usize = producers
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum();
        match end {
            End::Drop => assert!(accepted >= first),
            _ => assert_eq!(accepted, received, "{end:?}, {capacity}"),
        }
        drop(sender);
        accounts.settle();
    }
}

/// Threads that wait for room get their messages back, also from a receiver that is dropped.
#[test]
fn senders_that_wait_for_room_get_their_messages_back() {
    for round in 0..200 {
        let (sender, mut receiver) = mpsc::bounded(1);
        sender.send(0).unwrap();
        let waiting: Vec<_> = (1..4)
            .map(|number| {
                let sender = sender.clone();
                thread::spawn(move || match round % 4 {
                    0 => sender.send_timeout(number, Duration::MAX).map_err(|error| {
                        let SendTimeoutError::Closed(back) = error else {
                            panic!("there is no deadline");
                        };
                        SendError(back)
                    }),
                    _ => sender.send(number),
                })
            })
            .collect();
        dawdle(round * 50);
        if round % 2 == 0 {
            drop(receiver);
        } else {
            assert!(receiver.drain().eq([0]));
        }
        for (waiting, number) in waiting.into_iter().zip(1..) {
            assert_eq!(waiting.join().unwrap(), Err(SendError(number)));
        }
    }
}

/// Threads that wait at a channel sleep in the kernel.
#[cfg(target_os = "linux")]
#[test]
fn waiting_threads_sleep() {
    let (sender, mut receiver) = mpsc::bounded::<u32>(1);
    let named = |name: &str| thread::Builder::new().name(name.into());
    let receiving = named("mpsc-receives").spawn(move || {
        let first = receiver.recv();
        (first, receiver)
    });
    common::threads::wait_until_asleep("mpsc-receives", 1, Duration::from_millis(20));
    sender.send(1).unwrap();
    let (first, mut receiver) = receiving.unwrap().join().unwrap();
    assert_eq!(first, Ok(1));
    sender.send(1).unwrap();
    let sending: Vec<_> = (0..3)
        .map(|_| {
            let sender = sender.clone();
            named("mpsc-sends").spawn(move || sender.send(2)).unwrap()
        })
        .collect();
    common::threads::wait_until_asleep("mpsc-sends", 3, Duration::from_millis(20));
    drop(sender);
    assert!(receiver.iter().eq([1, 2, 2, 2]));
    sending
        .into_iter()
        .for_each(|thread| thread.join().unwrap().unwrap());
}

#[test]
fn deadlines_at_the_edges() {
    let (sender, mut receiver) = mpsc::bounded(1);
    let past = Instant::now();
    for _ in 0..3 {
        for nothing in [
            receiver.recv_timeout(Duration::ZERO),
            receiver.recv_timeout(Duration::from_nanos(1)),
            receiver.recv_deadline(past),
        ] {
            assert_eq!(nothing, Err(RecvTimeoutError::Timeout));
        }
        sender.send_deadline(1, past).unwrap();
        for full in [
            sender.send_timeout(2, Duration::ZERO),
            sender.send_timeout(2, Duration::from_nanos(1)),
            sender.send_timeout(2, Duration::from_micros(300)),
            sender.send_deadline(2, past),
        ] {
            assert_eq!(full, Err(SendTimeoutError::Timeout(2)));
        }
        // What is there is received, however late it is.
        assert_eq!(receiver.recv_deadline(past), Ok(1));
    }
    let (ask, mut asked) = mpsc::unbounded::<()>();
    let answer = thread::spawn(move || {
        asked.iter().for_each(|()| sender.send(7).unwrap());
    });
    for time in [
        Duration::MAX,
        Duration::from_secs(u64::MAX / 4),
        Duration::from_secs(1 << 40),
    ] {
        ask.send(()).unwrap();
        assert_eq!(receiver.recv_timeout(time), Ok(7));
        ask.send_timeout((), time).unwrap();
        assert_eq!(receiver.recv_timeout(time), Ok(7));
    }
    drop(ask);
    answer.join().unwrap();
    assert_eq!(
        receiver.recv_timeout(Duration::MAX),
        Err(RecvTimeoutError::Closed(CloseReason::Dropped))
    );
}

/// Both sides give up again and again, and lose nothing.
#[test]
fn short_timeouts_lose_nothing() {
    for capacity in [1, 2] {
        let (sender, mut receiver) = mpsc::bounded(capacity);
        let producers: Vec<_> = (0..3)
            .map(|n| {
                let sender = sender.clone();
                thread::spawn(move || {
                    for number in 0..1_000 {
                        let mut message = (n, number);
                        let mut time = 0;
                        while let Err(error) =
                            sender.send_timeout(message, Duration::from_micros(time))
                        {
                            assert!(matches!(error, SendTimeoutError::Timeout(_)), "{error:?}");
                            message = error.into_inner();
                            time += 100;
                        }
                    }
                })
            })
            .collect();
        drop(sender);
        let mut random = Random::new(3);
        let mut next = [0; 3];
        loop {
            match receiver.recv_timeout(Duration::from_micros(random.below(200))) {
                Ok((n, number)) => {
                    assert_eq!(number, next[n]);
                    next[n] += 1;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Closed(_)) => break,
            }
        }
        assert_eq!(next, [1_000; 3]);
        producers
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    }
}

/// More threads than any machine has processors, in one channel.
#[test]
fn many_threads() {
    for capacity in [0, 1, 64] {
        let (sender, mut receiver) = channel(capacity);
        let producers: Vec<_> = (0..64u64)
            .map(|n| {
                let sender = sender.clone();
                thread::spawn(move || (0..200).for_each(|k| sender.send(n * 200 + k).unwrap()))
            })
            .collect();
        drop(sender);
        let mut all: Vec<_> = receiver.iter().collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..64 * 200));
        producers
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    }
}

/// What a message does when it is dropped.
struct Bomb {
    accounts: Accounts,
    _counted: common::messages::Message,
    explodes: bool,
    sends: Option<Sender<Bomb>>,
}

fn bomb(accounts: &Accounts, explodes: bool, sends: Option<Sender<Bomb>>) -> Bomb {
    Bomb {
        accounts: accounts.clone(),
        _counted: accounts.message(0),
        explodes,
        sends,
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        if let Some(sender) = self.sends.take() {
            let refused = sender.send(bomb(&self.accounts, false, None));
            assert!(refused.is_err(), "the receiver is gone");
            assert!(sender.try_reserve().is_err());
        }
        if self.explodes {
            quiet_panic("a message panics");
        }
    }
}

/// A message that panics in its drop leaves none of the others behind.
#[test]
fn a_message_that_panics_when_it_is_dropped() {
    for sender_first in [false, true] {
        for place in [0, 1, 62, 63, 64, 199] {
            let accounts = Accounts::default();
            let (sender, receiver) = mpsc::unbounded();
            for number in 0..200 {
                sender.send(bomb(&accounts, number == place, None)).unwrap();
            }
            let sender = (!sender_first).then_some(sender);
            let exploded = catch_unwind(AssertUnwindSafe(|| drop(receiver)));
            assert!(exploded.is_err(), "the panic is the program's");
            drop(sender);
            accounts.settle();
        }
    }
}

/// Messages that use the channel when they are dropped, as the last ones do.
#[test]
fn messages_that_send_when_they_are_dropped() {
    ends(|| {
        for capacity in [0, 1, 100] {
            let accounts = Accounts::default();
            let (sender, receiver) = channel(capacity);
            let room = if capacity == 0 { 100 } else { capacity };
            for _ in 0..room {
                let message = bomb(&accounts, false, Some(sender.clone()));
                assert!(sender.send(message).is_ok());
            }
            let waiting = (capacity > 0).then(|| {
                let (sender, accounts) = (sender.clone(), accounts.clone());
                let message = bomb(&accounts, false, Some(sender.clone()));
                thread::spawn(move || assert!(sender.send(message).is_err()))
            });
            drop(receiver);
            if let Some(thread) = waiting {
                thread.join().unwrap();
            }
            drop(sender);
            accounts.settle();
        }
    });
}

#[test]
fn iterators() {
    let (sender, mut receiver) = mpsc::unbounded();
    (0..10).for_each(|number| sender.send(number).unwrap());
    assert!(receiver.try_iter().take(3).eq(0..3));
    assert!(receiver.try_iter().eq(3..10));
    assert_eq!(receiver.try_iter().next(), None);
    (0..5).for_each(|number| sender.send(number).unwrap());
    for (number, expected) in (&mut receiver).into_iter().zip(0..3) {
        assert_eq!(number, expected);
    }
    drop(sender);
    // `zip` has taken one more.
    let mut rest = receiver.into_iter();
    assert_eq!(rest.next(), Some(4));
    assert_eq!((rest.next(), rest.next()), (None, None));

    let (sender, mut receiver) = mpsc::bounded(10);
    (0..10).for_each(|number| sender.send(number).unwrap());
    assert!(receiver.drain().take(4).eq(0..4));
    assert_eq!(sender.send(10), Err(SendError(10)));
    assert_eq!(receiver.len(), 6, "what is left of a drain stays");
    let mut messages = vec![0];
    assert_eq!(receiver.recv_many(&mut messages, 100), Ok(6));
    assert_eq!(messages, [0, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn ends_know_their_channel() {
    let (sender, receiver) = mpsc::bounded::<u8>(3);
    let (other, _other_receiver) = mpsc::bounded::<u8>(3);
    assert!(sender.is_same_channel(&sender.clone()));
    assert!(!sender.is_same_channel(&other));
    assert_eq!((sender.capacity(), receiver.capacity()), (Some(3), Some(3)));
    assert!(sender.is_empty() && receiver.is_empty() && !receiver.is_closed());
    assert_eq!(receiver.close_reason(), None);
    let text = format!("{sender:?} {receiver:?} {:?}", sender.send_async(1));
    assert!(text.contains("capacity: Some(3)"), "{text}");
}

#[test]
fn ends_go_to_other_threads() {
    fn all<T: Send + Sync + Unpin>() {}
    fn unwinds<T: std::panic::UnwindSafe + std::panic::RefUnwindSafe>() {}
    // A message need not be `Sync`.
    type Message = std::cell::Cell<u8>;
    all::<Sender<Message>>();
    all::<Receiver<Message>>();
    all::<mpsc::SendAsync<'_, u8>>();
    all::<mpsc::RecvAsync<'_, Message>>();
    all::<mpsc::Reservation<'_, Message>>();
    all::<mpsc::SendPermit<'_, Message>>();
    all::<mpsc::Closed<'_, Message>>();
    all::<mpsc::Iter<'_, Message>>();
    all::<mpsc::TryIter<'_, Message>>();
    all::<mpsc::Drain<'_, Message>>();
    all::<mpsc::IntoIter<Message>>();
    unwinds::<Sender<u8>>();
    unwinds::<Receiver<u8>>();
    fn sends<T: Send>() {}
    sends::<mpsc::SendAsync<'_, Message>>();
}
