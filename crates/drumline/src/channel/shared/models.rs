//! Loom models of the channels of several senders. A lap has two places here, so each message goes
//! to a segment of its own.

use std::sync::Arc;
use std::task::{Wake, Waker};

use loom::thread;

use super::segments::{LOUDS, NoMessage};
use super::{Listed, Outgoing, SharedQueue, Unsent};
use crate::channel::CloseReason;
use crate::sync::exploration::bounded;
use crate::sync::plant::{Plant, must_catch};
use crate::wait::Parker;

fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = bounded(preemptions);
    builder.max_branches = 20_000;
    builder.check(model);
}

/// A thread or task that sleeps.
struct Sleeper(Parker);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl Sleeper {
    fn new() -> Arc<Self> {
        Arc::new(Sleeper(Parker::new()))
    }
}

type Shared = Arc<SharedQueue<usize>>;

/// Sends a message as `Sender::send` does. `false`: it came back.
fn send(shared: &Shared, message: usize) -> bool {
    match shared.try_send(message) {
        Ok(()) => true,
        Err(Unsent::Closed(back)) => {
            assert_eq!(back, message);
            false
        }
        Err(Unsent::Full(message)) => {
            let sleeper = Sleeper::new();
            let waker = Waker::from(Arc::clone(&sleeper));
            match shared.line_up(Outgoing::Message(message), waker) {
                Listed::Ready(outgoing) => matches!(outgoing, Outgoing::Done),
                Listed::Waits(key) => {
                    sleeper.0.park();
                    matches!(shared.step_out(key), Outgoing::Done)
                }
            }
        }
    }
}

/// Receives a message as `Receiver::recv` does. `None`: no more will come.
fn receive(shared: &Shared) -> Option<usize> {
    let mut was_called = false;
    loop {
        // SAFETY: the model has one receiver, or says that there are several.
        match unsafe { shared.take() } {
            Ok(message) => return Some(message),
            Err(NoMessage::Ever) => return None,
            Err(NoMessage::Yet) => {}
        }
        let sleeper = Sleeper::new();
        let waker = Waker::from(Arc::clone(&sleeper));
        let handed = match shared.list_receiver(waker, was_called) {
            Listed::Ready(handed) => handed,
            Listed::Waits(key) => {
                sleeper.0.park();
                let (is_called, handed) = shared.unlist_receiver(key);
                was_called = is_called;
                handed.map(|handed| handed.message)
            }
        };
        if handed.is_some() {
            return handed;
        }
    }
}

/// A thread that sends these messages, and ends. Returns how many were accepted.
fn sender(shared: &Shared, messages: std::ops::Range<usize>) -> thread::JoinHandle<usize> {
    let shared = Arc::clone(shared);
    thread::spawn(move || {
        let accepted = messages.filter(|&message| send(&shared, message)).count();
        shared.leave_sender(CloseReason::Finished);
        accepted
    })
}

/// What each sender sends is in order, and all is there.
fn check(received: &[usize], senders: usize, each: usize) {
    let mut sorted = received.to_vec();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        Vec::from_iter(0..senders * each),
        "a message is lost"
    );
    for sender in 0..senders {
        let of_sender = received.iter().filter(|&&message| message / each == sender);
        assert!(of_sender.is_sorted(), "out of order: {received:?}");
    }
}

/// All messages come, in their order, and then the reason.
fn sent_and_received(senders: usize, each: usize, capacity: usize) {
    let shared: Shared = Arc::new(SharedQueue::new(capacity, false));
    // Before one of them ends.
    (1..senders).for_each(|_| shared.add_sender());
    let threads = (0..senders).map(|number| sender(&shared, number * each..(number + 1) * each));
    let threads = Vec::from_iter(threads);
    let mut received = Vec::new();
    while let Some(message) = receive(&shared) {
        received.push(message);
    }
    assert_eq!(shared.close_reason(), Some(CloseReason::Finished));
    check(&received, senders, each);
    for thread in threads {
        assert_eq!(thread.join().unwrap(), each);
    }
}

/// Messages come although the channel stays open: its end would wake the receiver as well.
fn received_while_open(messages: usize) {
    let shared: Shared = Arc::new(SharedQueue::new(usize::MAX, false));
    shared.add_sender();
    let sender = sender(&shared, 0..messages);
    for message in 0..messages {
        assert_eq!(receive(&shared), Some(message));
    }
    assert_eq!(sender.join().unwrap(), messages);
}

#[test]
fn loom_shared_queue_sends_all() {
    explore(3, || received_while_open(2));
    explore(3, || sent_and_received(1, 2, usize::MAX));
    explore(2, || sent_and_received(2, 1, usize::MAX));
    for plant in [Plant::StampFirst, Plant::CloseCallsNone] {
        must_catch(plant, || explore(3, || sent_and_received(1, 2, usize::MAX)));
    }
    for plant in [Plant::ReceiversUnseen, Plant::ReceiverSleepsBlindly] {
        must_catch(plant, || explore(3, || received_while_open(1)));
    }
    must_catch(Plant::TailMovesFirst, || {
        explore(3, || sent_and_received(2, 1, usize::MAX));
    });
}

#[test]
fn loom_shared_queue_waits_for_room() {
    explore(2, || sent_and_received(1, 3, 1));
}

#[test]
fn loom_shared_queue_two_wait_for_room() {
    // With two preemptions it takes minutes. Those are in the model of lazy looks.
    explore(1, || sent_and_received(2, 1, 1));
}

#[test]
fn loom_plants_shared_queue_waits_for_room() {
    for plant in [Plant::TakenBlindly, Plant::LinesUpBlindly] {
        must_catch(plant, || explore(3, || sent_and_received(1, 2, 1)));
    }
}

/// Senders line up while the receiver makes all the room that they need, and its looks are lazy.
fn lines_up_beside_lazy_looks(senders: usize) {
    let shared: Shared = Arc::new(SharedQueue::new(senders, false));
    // SAFETY: the one receiver; one thread after the other.
    let take = |shared: &Shared| unsafe { shared.take() };
    for _ in 0..LOUDS {
        assert!(shared.try_send(0).is_ok());
        assert!(matches!(take(&shared), Ok(0)));
    }
    for _ in 0..senders {
        assert!(shared.try_send(0).is_ok());
    }
    let line_up = |shared: &Shared| {
        let waker = Waker::from(Sleeper::new());
        shared.line_up(Outgoing::Message(1), waker)
    };
    let others = (1..senders).map(|_| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || line_up(&shared))
    });
    let others = Vec::from_iter(others);
    let receiver = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            for _ in 0..senders {
                assert!(matches!(take(&shared), Ok(0)));
            }
        })
    };
    let mut all = vec![line_up(&shared)];
    all.extend(others.into_iter().map(|other| other.join().unwrap()));
    receiver.join().unwrap();
    for listed in all {
        let outgoing = match listed {
            Listed::Ready(outgoing) => outgoing,
            Listed::Waits(key) => shared.step_out(key),
        };
        assert!(matches!(outgoing, Outgoing::Done), "it waits beside room");
    }
}

#[test]
fn loom_shared_queue_makes_room_lazily() {
    explore(3, || lines_up_beside_lazy_looks(1));
    explore(2, || lines_up_beside_lazy_looks(2));
    must_catch(Plant::RoomUnsettled, || {
        explore(3, || lines_up_beside_lazy_looks(1));
    });
}

#[test]
fn loom_shared_queue_meets() {
    explore(3, || sent_and_received(1, 2, 0));
    explore(2, || sent_and_received(2, 1, 0));
    must_catch(Plant::CloseCallsNone, || {
        explore(2, || sent_and_received(1, 1, 0));
    });
}

/// Two receivers share what one sender sends. Each gets its messages in order.
fn shared_among_two(messages: usize, capacity: usize) {
    let shared: Shared = Arc::new(SharedQueue::new(capacity, true));
    shared.add_receiver();
    let sender = sender(&shared, 0..messages);
    let receive_all = |shared: &Shared| {
        let mut received = Vec::new();
        while let Some(message) = receive(shared) {
            received.push(message);
        }
        assert!(received.is_sorted());
        received
    };
    let other = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || receive_all(&shared))
    };
    let mut received = receive_all(&shared);
    received.extend(other.join().unwrap());
    received.sort_unstable();
    check(&received, 1, messages);
    assert_eq!(sender.join().unwrap(), messages);
}

#[test]
fn loom_shared_queue_has_two_receivers() {
    explore(2, || shared_among_two(2, usize::MAX));
    explore(2, || shared_among_two(2, 1));
    explore(2, || shared_among_two(1, 0));
}

/// A receiver closes the channel. What senders were told is what it gets.
fn closed_while_sent(messages: usize, capacity: usize) {
    let shared: Shared = Arc::new(SharedQueue::new(capacity, false));
    let sender = sender(&shared, 0..messages);
    shared.close();
    let mut received = Vec::new();
    while let Some(message) = receive(&shared) {
        received.push(message);
    }
    let accepted = sender.join().unwrap();
    assert_eq!(received, Vec::from_iter(0..accepted), "they disagree");
    assert_eq!(shared.close_reason(), Some(CloseReason::ClosedByReceiver));
}

#[test]
fn loom_shared_queue_closes() {
    explore(3, || closed_while_sent(2, usize::MAX));
    explore(3, || closed_while_sent(2, 1));
    explore(3, || closed_while_sent(1, 0));
    must_catch(Plant::CloseCallsNone, || {
        explore(3, || closed_while_sent(2, 1));
    });
}

/// All messages come through one `recv_many` after the other, whose count is told once for each.
fn received_in_batches(senders: usize, each: usize, capacity: usize, is_shared: bool) {
    let shared: Shared = Arc::new(SharedQueue::new(capacity, is_shared));
    (1..senders).for_each(|_| shared.add_sender());
    let threads = (0..senders).map(|number| sender(&shared, number * each..(number + 1) * each));
    let threads = Vec::from_iter(threads);
    let mut received = Vec::new();
    while received.len() < senders * each {
        // SAFETY: the one receiver.
        match unsafe { shared.take_many(&mut received, senders * each) } {
            Ok(count) => assert!(count > 0),
            // It waits as for a single message.
            Err(NoMessage::Yet) => received.extend(receive(&shared)),
            Err(NoMessage::Ever) => panic!("a message is lost"),
        }
    }
    check(&received, senders, each);
    for thread in threads {
        assert_eq!(thread.join().unwrap(), each);
    }
    assert!(receive(&shared).is_none());
}

#[test]
fn loom_shared_queue_is_received_in_batches() {
    explore(2, || received_in_batches(1, 2, usize::MAX, false));
    explore(2, || received_in_batches(1, 2, 1, false));
    explore(1, || received_in_batches(1, 3, 2, true));
    explore(2, || received_in_batches(1, 2, 0, false));
    must_catch(Plant::TakenBlindly, || {
        explore(3, || received_in_batches(1, 2, 1, false));
    });
}

/// A receiver gives up while a message comes; the other one gets it.
fn gives_up(capacity: usize) {
    let shared: Shared = Arc::new(SharedQueue::new(capacity, true));
    shared.add_receiver();
    // One that stays: the end would wake the other receiver as well.
    shared.add_sender();
    let waker = Waker::from(Sleeper::new());
    let Listed::Waits(key) = shared.list_receiver(waker, false) else {
        panic!("the channel is empty");
    };
    let other = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || receive(&shared))
    };
    let sender = sender(&shared, 0..1);
    let (was_called, handed) = shared.unlist_receiver(key);
    if was_called {
        shared.pass_on(handed);
    }
    assert_eq!(other.join().unwrap(), Some(0), "the message is lost");
    assert_eq!(sender.join().unwrap(), 1);
}

#[test]
fn loom_shared_queue_passes_on() {
    explore(2, || gives_up(usize::MAX));
    explore(2, || gives_up(1));
    explore(2, || gives_up(0));
    must_catch(Plant::CallDropped, || explore(2, || gives_up(usize::MAX)));
}

/// A sender gives up while room comes: it has sent all or nothing.
fn sends_all_or_nothing(capacity: usize) {
    let shared: Shared = Arc::new(SharedQueue::new(capacity, false));
    if capacity > 0 {
        assert!(shared.try_send(0).is_ok());
    }
    let waker = Waker::from(Sleeper::new());
    let Listed::Waits(key) = shared.line_up(Outgoing::Message(1), waker) else {
        panic!("the channel is full");
    };
    let receiver = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let mut received = Vec::new();
            // SAFETY: the one receiver.
            while let Ok(message) = unsafe { shared.take() } {
                received.push(message);
            }
            received
        })
    };
    let was_sent = matches!(shared.step_out(key), Outgoing::Done);
    let mut received = receiver.join().unwrap();
    // SAFETY: the one receiver has ended.
    while let Ok(message) = unsafe { shared.take() } {
        received.push(message);
    }
    assert_eq!(received.contains(&1), was_sent);
}

#[test]
fn loom_shared_queue_sends_all_or_nothing() {
    explore(3, || sends_all_or_nothing(1));
    explore(3, || sends_all_or_nothing(0));
}

/// An empty queue of capacity one has its place, and no other.
fn has_one_place(shared: &Shared) {
    assert!(shared.try_send(2).is_ok(), "the place is lost");
    assert!(shared.try_send(3).is_err(), "there is one place");
}

/// A permit is a place of the capacity, until it is used or given back.
fn reserved(is_used: bool) {
    let shared: Shared = Arc::new(SharedQueue::new(1, false));
    let other = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || shared.try_send(1).is_ok())
    };
    let has_permit = shared.try_reserve().is_ok();
    let was_sent = other.join().unwrap();
    assert_ne!(has_permit, was_sent, "there is one place");
    if has_permit && is_used {
        assert!(shared.send_reserved(0).is_ok());
    } else if has_permit {
        shared.give_room_back();
    }
    if was_sent || is_used {
        // SAFETY: the one receiver.
        let received = unsafe { shared.take() };
        assert!(matches!(received, Ok(message) if message == usize::from(was_sent)));
    }
    has_one_place(&shared);
}

#[test]
fn loom_shared_queue_gives_permits() {
    explore(3, || reserved(true));
    explore(3, || reserved(false));
}

/// Two lines for a permit stand at a full channel, and the receiver makes one place. The one that
/// gets it gives up, or uses it: the other one gets the next.
fn two_permits_in_line(is_used: bool) {
    let shared: Shared = Arc::new(SharedQueue::new(1, false));
    assert!(shared.try_send(0).is_ok());
    let in_line = move |shared: &Shared| {
        let sleeper = Sleeper::new();
        let waker = Waker::from(Arc::clone(&sleeper));
        let outgoing = match shared.line_up(Outgoing::Permit, waker) {
            Listed::Ready(outgoing) => outgoing,
            Listed::Waits(key) => {
                sleeper.0.park();
                shared.step_out(key)
            }
        };
        assert!(matches!(outgoing, Outgoing::Done), "it is called early");
        if is_used {
            assert!(shared.send_reserved(1).is_ok());
        } else {
            shared.give_room_back();
        }
    };
    let other = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || in_line(&shared))
    };
    let receiver = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            assert_eq!(receive(&shared), Some(0));
            if is_used {
                assert_eq!(receive(&shared), Some(1));
            }
        })
    };
    in_line(&shared);
    other.join().unwrap();
    receiver.join().unwrap();
    let left = if is_used { Some(1) } else { None };
    // SAFETY: the one receiver has ended.
    assert_eq!(unsafe { shared.take() }.ok(), left);
    has_one_place(&shared);
}

#[test]
fn loom_shared_queue_gives_permits_in_line() {
    explore(2, || two_permits_in_line(false));
    explore(2, || two_permits_in_line(true));
    must_catch(Plant::LinesUpBlindly, || {
        explore(2, || two_permits_in_line(false));
    });
}

/// There is room for a message all the time, whatever becomes of the permit.
fn sent_beside_a_permit() {
    let shared: Shared = Arc::new(SharedQueue::new(2, false));
    let other = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            assert!(shared.try_reserve().is_ok(), "one place is left");
            shared.give_room_back();
        })
    };
    assert!(shared.try_send(1).is_ok(), "one place is left");
    other.join().unwrap();
}

#[test]
fn loom_shared_queue_is_not_called_full() {
    explore(3, sent_beside_a_permit);
    must_catch(Plant::CalledFull, || explore(3, sent_beside_a_permit));
}
