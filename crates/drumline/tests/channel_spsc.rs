//! Channels of one sender and one receiver, on threads.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::messages::{Accounts, Message, dawdle};
use common::{Random, ends, eventually, quiet_panic};
use drumline::channel::spsc::{self, Receiver, Sender};
use drumline::channel::{
    CloseReason, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError,
};

/// Counts the bytes that the calling thread has allocated and not freed.
struct Counting;

thread_local! {
    static BYTES: AtomicIsize = const { AtomicIsize::new(0) };
}

fn count(bytes: isize) {
    let _ = BYTES.try_with(|all| all.fetch_add(bytes, Ordering::Relaxed));
}

fn bytes() -> isize {
    BYTES.with(|all| all.load(Ordering::Relaxed))
}

// SAFETY: the system's allocator does all the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's obligation.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's obligation.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

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

/// A row so long that the sender writes without telling, then a receiver that sleeps: the first
/// message after the sleep must wake it.
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

/// What a channel should do, written down in the simplest way.
struct Model {
    messages: VecDeque<usize>,
    capacity: usize,
    is_closed: bool,
    ended: Option<CloseReason>,
}

impl Model {
    fn try_send(&mut self, number: usize) -> Result<(), TrySendError<usize>> {
        if self.is_closed {
            return Err(TrySendError::Closed(number));
        }
        if self.messages.len() >= self.capacity {
            return Err(TrySendError::Full(number));
        }
        self.messages.push_back(number);
        Ok(())
    }

    fn reason(&self) -> Option<CloseReason> {
        match self.is_closed {
            true => Some(CloseReason::ClosedByReceiver),
            false => self.ended,
        }
    }

    fn try_recv(&mut self) -> Result<usize, TryRecvError> {
        self.messages.pop_front().ok_or(match self.reason() {
            Some(reason) => TryRecvError::Closed(reason),
            None => TryRecvError::Empty,
        })
    }
}

fn numbered<E>(result: Result<Message, E>) -> Result<usize, E> {
    result.map(|message| message.number)
}

#[test]
fn it_does_what_the_model_does() {
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let capacity = CAPACITIES[random.below(CAPACITIES.len() as u64) as usize];
        let accounts = Accounts::default();
        let (sender, mut receiver) = channel(capacity);
        let mut sender = Some(sender);
        let mut model = Model {
            messages: VecDeque::new(),
            capacity: if capacity == 0 { usize::MAX } else { capacity },
            is_closed: false,
            ended: None,
        };
        // Some runs send more than they receive.
        let sends = 20 + random.below(50);
        for step in 0..400 {
            match random.below(100) {
                dice if dice < sends => {
                    let Some(sender) = &mut sender else { continue };
                    let sent = sender.try_send(accounts.message(step));
                    let sent = sent.map_err(|error| match error {
                        TrySendError::Full(back) => TrySendError::Full(back.number),
                        TrySendError::Closed(back) => TrySendError::Closed(back.number),
                    });
                    assert_eq!(sent, model.try_send(step), "seed {seed}");
                }
                dice if dice < 90 => {
                    assert_eq!(
                        numbered(receiver.try_recv()),
                        model.try_recv(),
                        "seed {seed}"
                    );
                }
                dice if dice < 95 && (!model.messages.is_empty() || model.reason().is_some()) => {
                    let most = random.below(100) as usize;
                    let mut messages = Vec::new();
                    let received = receiver.recv_many(&mut messages, most);
                    let count = most.min(model.messages.len());
                    if most > 0 && count == 0 {
                        assert_eq!(Some(received.unwrap_err().reason()), model.reason());
                    } else {
                        assert_eq!(received, Ok(count), "seed {seed}");
                    }
                    let numbers = messages.iter().map(|message| message.number);
                    assert!(numbers.eq(model.messages.drain(..count)), "seed {seed}");
                }
                95 => {
                    let left = random.below(20) as usize;
                    let mut messages = receiver.drain();
                    assert_eq!(messages.len(), model.messages.len());
                    let some = messages.by_ref().take(left).map(|message| message.number);
                    let count = left.min(model.messages.len());
                    assert!(some.eq(model.messages.drain(..count)), "seed {seed}");
                    assert_eq!(messages.len(), model.messages.len());
                    model.is_closed = true;
                }
                96 => {
                    receiver.close();
                    model.is_closed = true;
                }
                97 if step > 200 => {
                    if let Some(sender) = sender.take() {
                        sender.finish();
                        model.ended = Some(CloseReason::Finished);
                    }
                }
                98 if step > 200 && sender.take().is_some() => {
                    model.ended = Some(CloseReason::Dropped);
                }
                _ => {}
            }
            assert_eq!(receiver.len(), model.messages.len(), "seed {seed}");
            assert_eq!(receiver.is_empty(), model.messages.is_empty());
            assert_eq!(receiver.close_reason(), model.reason(), "seed {seed}");
            assert_eq!(receiver.is_closed(), model.reason().is_some());
            if let Some(sender) = &sender {
                assert_eq!(sender.len(), model.messages.len(), "seed {seed}");
                assert_eq!(sender.is_closed(), model.is_closed);
                assert_eq!(sender.capacity(), Some(capacity).filter(|&bound| bound > 0));
            }
            let kept = accounts.made() - accounts.dropped();
            assert_eq!(kept, model.messages.len(), "seed {seed}");
        }
        // Either end goes first.
        if seed % 2 == 0 {
            drop(sender);
            drop(receiver);
        } else {
            drop(receiver);
            drop(sender);
        }
        accounts.settle();
    }
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

/// After a burst no more is kept than after a single message, but for a spare block.
#[test]
fn the_memory_of_a_burst_is_given_back() {
    let (mut sender, mut receiver) = spsc::unbounded::<[u64; 8]>();
    let empty = bytes();
    sender.send([0; 8]).unwrap();
    receiver.recv().unwrap();
    let one = bytes() - empty;
    for _ in 0..3 {
        (0..50_000).for_each(|number| sender.send([number; 8]).unwrap());
        assert!(bytes() - empty > 50_000 * 64);
        assert_eq!(receiver.try_iter().count(), 50_000);
        assert!(
            bytes() - empty <= 3 * one,
            "{} bytes are kept",
            bytes() - empty
        );
    }
    drop((sender, receiver));
    assert!(
        bytes() <= empty,
        "a channel that is gone keeps {} bytes",
        bytes() - empty
    );
}

#[test]
fn ends_may_be_sent_and_are_small() {
    fn is_send<T: Send>() {}
    is_send::<Sender<std::cell::Cell<u32>>>();
    is_send::<Receiver<std::cell::Cell<u32>>>();
    is_send::<spsc::SendAsync<'_, std::cell::Cell<u32>>>();
    is_send::<spsc::RecvAsync<'_, std::cell::Cell<u32>>>();
    is_send::<spsc::Reserve<'_, u32>>();
    is_send::<spsc::Closed<'_, u32>>();
    is_send::<spsc::Permit<'_, u32>>();
    assert!(size_of::<Sender<u64>>() <= 64 && size_of::<Receiver<u64>>() <= 64);
    // About half a kilobyte without messages.
    let before = bytes();
    let _channel = spsc::unbounded::<[u64; 100]>();
    assert!(bytes() - before <= 768, "{} bytes", bytes() - before);
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
