//! The first of several receives and sends: the builder and the macros.

mod common;

use std::sync::Arc;
use std::task::{Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use common::messages::{Calls, poll};
use common::{FOREVER, eventually};
use drumline::channel::{
    ChannelKind, CloseReason, PortEvent, PortSet, RecvError, Select, SelectError, SendError,
    WaitingFor, lanes, mpmc, mpsc, oneshot, select, select_async, spsc, waiters,
};

/// A waker that counts, and how many copies of it there are.
fn counted() -> (Arc<Calls>, Waker) {
    let calls = Calls::new();
    let waker = Waker::from(Arc::clone(&calls));
    (calls, waker)
}

#[test]
fn each_end_receives() {
    let (mut to_spsc, mut of_spsc) = spsc::unbounded();
    let (mut to_lanes, mut of_lanes) = lanes::unbounded();
    let (to_mpsc, mut of_mpsc) = mpsc::bounded(2);
    let (to_mpmc, of_mpmc) = mpmc::unbounded();
    let (to_once, mut of_once) = oneshot::channel();
    let (mut to_port, port) = spsc::unbounded();
    let mut ports = PortSet::new();
    let key = ports.add(port);
    let mut to_once = Some(to_once);
    for round in 0..6 {
        match round {
            0 => to_spsc.send(0).unwrap(),
            1 => to_lanes.send(1).unwrap(),
            2 => to_mpsc.send(2).unwrap(),
            3 => to_mpmc.send(3).unwrap(),
            4 => to_once.take().unwrap().send(4).unwrap(),
            _ => to_port.send(5).unwrap(),
        }
        let mut select = Select::new();
        select.recv(&mut of_spsc, |message| message.unwrap());
        select.recv(&mut of_lanes, |message| message.unwrap());
        select.recv(&mut of_mpsc, |message| message.unwrap());
        select.recv(&of_mpmc, |message| message.unwrap());
        if round <= 4 {
            select.recv(&mut of_once, |message| message.unwrap());
        }
        select.recv(&mut ports, |event| match event.unwrap() {
            PortEvent::Message(port, message) if port == key => message,
            event => panic!("{event:?}"),
        });
        assert_eq!(select.wait(), Some(round));
        if round != 4 {
            // A oneshot has ended after its message.
            assert_eq!(select.try_wait(), Err(SelectError::NotReady));
        }
    }
}

#[test]
fn each_end_wakes_a_thread() {
    for kind in 0..6 {
        let (mut to_spsc, mut of_spsc) = spsc::unbounded();
        let (mut to_lanes, mut of_lanes) = lanes::unbounded();
        let (to_mpsc, mut of_mpsc) = mpsc::unbounded();
        let (to_mpmc, of_mpmc) = mpmc::rendezvous();
        let (to_once, mut of_once) = oneshot::channel();
        let (mut to_port, port) = spsc::unbounded();
        let mut ports = PortSet::new();
        ports.add(port);
        let receiver = thread::spawn(move || {
            select! {
                recv(of_spsc) -> message => message.unwrap(),
                recv(of_lanes) -> message => message.unwrap(),
                recv(of_mpsc) -> message => message.unwrap(),
                recv(of_mpmc) -> message => message.unwrap(),
                recv(of_once) -> message => message.unwrap(),
                recv(ports) -> event => event.unwrap().into_message().unwrap(),
            }
        });
        let id = receiver.thread().id();
        eventually("the select sleeps", || {
            waiters().iter().any(|waiter| {
                waiter.thread().is_some_and(|thread| thread.id() == id)
                    && waiter.channel_kind() == ChannelKind::Select
                    && waiter.waiting_for() == WaitingFor::AnyEnd
                    && waiter.location().file() == file!()
            })
        });
        match kind {
            0 => to_spsc.send(0).unwrap(),
            1 => to_lanes.send(1).unwrap(),
            2 => to_mpsc.send(2).unwrap(),
            3 => to_mpmc.send(3).unwrap(),
            4 => to_once.send(4).unwrap(),
            _ => to_port.send(5).unwrap(),
        }
        assert_eq!(receiver.join().unwrap(), kind);
    }
}

#[test]
fn each_end_sends() {
    let (mut to_spsc, mut of_spsc) = spsc::bounded(1);
    let (mut to_lanes, mut of_lanes) = lanes::per_lane(1);
    let (to_mpsc, mut of_mpsc) = mpsc::bounded(1);
    let (to_mpmc, of_mpmc) = mpmc::bounded(1);
    let mut sent = Vec::new();
    let mut next = 0..;
    // Each of them has room for one.
    for _ in 0..4 {
        let number = next.next().unwrap();
        select! {
            send(to_spsc, number) -> result => { result.unwrap(); sent.push((0, number)) }
            send(to_lanes, number) -> result => { result.unwrap(); sent.push((1, number)) }
            send(to_mpsc, number) -> result => { result.unwrap(); sent.push((2, number)) }
            send(to_mpmc, number) -> result => { result.unwrap(); sent.push((3, number)) }
        }
    }
    let is_full = select! {
        send(to_spsc, 9) -> _ => false,
        send(to_lanes, 9) -> _ => false,
        send(to_mpsc, 9) -> _ => false,
        send(to_mpmc, 9) -> _ => false,
        default => true,
    };
    assert!(is_full);
    sent.sort_unstable();
    let expected = [
        (0, of_spsc.recv().unwrap()),
        (1, of_lanes.recv().unwrap()),
        (2, of_mpsc.recv().unwrap()),
        (3, of_mpmc.recv().unwrap()),
    ];
    assert_eq!(sent, expected);
}

#[test]
fn room_wakes_a_thread_that_sends() {
    for kind in 0..4 {
        let (mut to_spsc, mut of_spsc) = spsc::bounded(1);
        let (mut to_lanes, mut of_lanes) = lanes::per_lane(1);
        let (to_mpsc, mut of_mpsc) = mpsc::bounded(1);
        let (to_mpmc, of_mpmc) = mpmc::bounded(1);
        to_spsc.send(9).unwrap();
        to_lanes.send(9).unwrap();
        to_mpsc.send(9).unwrap();
        to_mpmc.send(9).unwrap();
        let sender = thread::spawn(move || {
            let mut ends = Select::new();
            let mut value = [Some(0), Some(1), Some(2), Some(3)];
            let [a, b, c, d] = &mut value;
            ends.send(&mut to_spsc, || a.take(), |sent| sent.map(|()| 0));
            ends.send(&mut to_lanes, || b.take(), |sent| sent.map(|()| 1));
            ends.send(&to_mpsc, || c.take(), |sent| sent.map(|()| 2));
            ends.send(&to_mpmc, || d.take(), |sent| sent.map(|()| 3));
            let chosen = ends.wait();
            drop(ends);
            (chosen, value, to_spsc, to_lanes, to_mpsc, to_mpmc)
        });
        let id = sender.thread().id();
        eventually("the select sleeps", || {
            waiters()
                .iter()
                .any(|waiter| waiter.thread().is_some_and(|thread| thread.id() == id))
        });
        let first = match kind {
            0 => of_spsc.recv(),
            1 => of_lanes.recv(),
            2 => of_mpsc.recv(),
            _ => of_mpmc.recv(),
        };
        assert_eq!(first, Ok(9));
        let (chosen, value, ..) = sender.join().unwrap();
        assert_eq!(chosen, Some(Ok(kind)));
        let sent = match kind {
            0 => of_spsc.recv(),
            1 => of_lanes.recv(),
            2 => of_mpsc.recv(),
            _ => of_mpmc.recv(),
        };
        assert_eq!(sent, Ok(kind));
        for (index, value) in value.into_iter().enumerate() {
            assert_eq!(value.is_none(), index == kind as usize);
        }
    }
}

#[test]
fn a_closed_channel_is_ready() {
    let (sender, mut receiver) = spsc::unbounded::<u32>();
    let (closed, gone) = mpmc::bounded::<u32>(1);
    let (_open, mut silent) = mpsc::unbounded::<u32>();
    sender.finish();
    drop(gone);
    let reason = select! {
        recv(receiver) -> message => message.unwrap_err().reason(),
        recv(silent) -> _ => unreachable!(),
    };
    assert_eq!(reason, CloseReason::Finished);
    let back = select! {
        recv(silent) -> _ => unreachable!(),
        send(closed, 7) -> sent => sent.unwrap_err(),
    };
    assert_eq!(back, SendError(7));
    // The builder says so once.
    let mut value = Some(8);
    let mut select = Select::biased();
    select.recv(&mut receiver, |message: Result<u32, RecvError>| {
        Err(message.unwrap_err().reason())
    });
    select.send(&closed, || value.take(), |sent| Ok(sent.unwrap_err().0));
    assert_eq!(select.len(), 2);
    assert_eq!(select.wait(), Some(Err(CloseReason::Finished)));
    assert_eq!(select.wait(), Some(Ok(8)));
    assert!(select.is_empty());
    assert_eq!(select.wait(), None);
    assert_eq!(select.try_wait(), Err(SelectError::NoPath));
    assert_eq!(select.wait_timeout(FOREVER), Err(SelectError::NoPath));
    assert_eq!(drumline::block_on(select.wait_async()), None);
}

#[test]
fn a_close_wakes_a_select() {
    let (sender, receiver) = mpmc::bounded::<u32>(1);
    let (_open, mut silent) = lanes::unbounded::<u32>();
    sender.send(0).unwrap();
    let full = sender.clone();
    let thread = thread::spawn(move || {
        select! {
            send(full, 1) -> sent => sent.unwrap_err().0,
            recv(silent) -> _ => unreachable!(),
        }
    });
    eventually("the select sleeps", || {
        let id = thread.thread().id();
        let is_it = |thread: &thread::Thread| thread.id() == id;
        waiters()
            .iter()
            .any(|waiter| waiter.thread().is_some_and(is_it))
    });
    receiver.close();
    assert_eq!(thread.join().unwrap(), 1);
    assert_eq!(receiver.recv(), Ok(0));
}

#[test]
fn limits_end_a_select() {
    let (_sender, mut receiver) = spsc::unbounded::<u32>();
    let past = Instant::now();
    assert!(select! { recv(receiver) -> _ => false, default => true });
    assert!(select! { recv(receiver) -> _ => false, default(Duration::ZERO) => true });
    assert!(select! { recv(receiver) -> _ => false, default(Duration::from_millis(1)) => true });
    assert!(select! { recv(receiver) -> _ => false, deadline(past) => true });
    drumline::block_on(async {
        assert!(select_async! { recv(receiver) -> _ => false, default => true });
        let short = Duration::from_millis(1);
        assert!(select_async! { recv(receiver) -> _ => false, default(short) => true });
        assert!(select_async! { recv(receiver) -> _ => false, deadline(past) => true });
    });
    let mut select = Select::new();
    select.recv(&mut receiver, |_| ());
    assert_eq!(
        select.wait_timeout(Duration::from_millis(1)),
        Err(SelectError::NotReady)
    );
    assert_eq!(select.wait_deadline(past), Err(SelectError::NotReady));
}

/// What is ready comes first, also if the limit has passed.
#[test]
fn what_is_ready_comes_before_a_limit() {
    let (mut sender, mut receiver) = spsc::unbounded();
    sender.send(1).unwrap();
    sender.send(2).unwrap();
    let past = Instant::now();
    assert_eq!(
        select! { recv(receiver) -> message => message, deadline(past) => Ok(0) },
        Ok(1)
    );
    let second = drumline::block_on(async {
        select_async! { recv(receiver) -> message => message, deadline(past) => Ok(0) }
    });
    assert_eq!(second, Ok(2));
}

#[test]
fn arms_are_code_of_the_function() {
    fn sum(numbers: &mut spsc::Receiver<u32>, stop: &mpmc::Receiver<()>) -> Result<u32, RecvError> {
        let mut sum = 0;
        'all: loop {
            loop {
                select! {
                    biased;
                    recv(numbers) -> number => match number? {
                        0 => continue,
                        1 => break,
                        2 => break 'all,
                        3 => return Ok(1000 + sum),
                        number => sum += number,
                    },
                    recv(stop) -> _ => return Ok(sum),
                }
            }
            sum += 100;
        }
        Ok(2000 + sum)
    }
    let (_stop, stopped) = mpmc::unbounded();
    let run = |messages: &[u32]| {
        let (mut sender, mut receiver) = spsc::unbounded();
        messages
            .iter()
            .for_each(|&message| sender.send(message).unwrap());
        drop(sender);
        sum(&mut receiver, &stopped).map_err(|error| error.reason())
    };
    assert_eq!(run(&[5, 0, 6, 1, 7, 3]), Ok(1118));
    assert_eq!(run(&[5, 2]), Ok(2005));
    assert_eq!(run(&[5]), Err(CloseReason::Dropped));
}

/// A value that is moved in one arm is there in the others.
/// Each end is the program's again in every arm, also in its own.
#[test]
fn ends_are_used_and_given_away_in_arms() {
    fn once(
        mut sender: spsc::Sender<String>,
        mut receiver: spsc::Receiver<String>,
        shared: mpmc::Sender<String>,
        text: String,
    ) -> Result<String, RecvError> {
        select! {
            biased;
            recv(receiver) -> message => {
                drop((sender, shared, text));
                let end = receiver.recv();
                drop(receiver);
                assert!(end.is_err());
                message
            }
            send(sender, text) -> sent => {
                sent.unwrap();
                sender.send("more".to_owned()).unwrap();
                drop((sender, shared));
                receiver.recv()?;
                receiver.recv()
            }
            send(shared, text) -> sent => {
                sent.unwrap();
                drop((sender, receiver, shared));
                Ok("shared".to_owned())
            }
        }
    }
    let text = || "text".to_owned();
    let (shared, of_shared) = mpmc::unbounded();
    let (sender, receiver) = spsc::unbounded();
    let more = once(sender, receiver, shared.clone(), text());
    assert_eq!(more.as_deref(), Ok("more"));
    let (mut sender, receiver) = spsc::bounded(1);
    sender.send("first".to_owned()).unwrap();
    let first = once(sender, receiver, shared.clone(), text());
    assert_eq!(first.as_deref(), Ok("first"));
    let (mut sender, _of_sender) = spsc::bounded(1);
    sender.send(text()).unwrap();
    let (_silent, silence) = spsc::bounded(1);
    let last = once(sender, silence, shared, text());
    assert_eq!(last.as_deref(), Ok("shared"));
    assert_eq!(of_shared.recv(), Ok(text()));
}

#[test]
fn a_value_that_is_not_sent_is_still_there() {
    let (full, _receiver) = mpmc::bounded(1);
    full.send(String::new()).unwrap();
    let (mut sender, mut receiver) = spsc::unbounded();
    sender.send(1).unwrap();
    let value = "mine".to_owned();
    let kept = select! {
        send(full, value) -> sent => sent.unwrap_err().0,
        recv(receiver) -> _ => value,
    };
    assert_eq!(kept, "mine");
}

/// The expression of a value is evaluated once if its arm is chosen, and else not at all. If it
/// leaves the arm, the place that was kept is free again.
#[test]
fn a_value_is_made_when_there_is_a_place() {
    let (sender, receiver) = mpmc::bounded(1);
    let mut made = 0;
    let mut make = || {
        made += 1;
        made
    };
    select! { send(sender, make()) -> sent => sent.unwrap() }
    let is_full = select! { send(sender, make()) -> _ => false, default => true };
    assert!(is_full);
    assert_eq!(made, 1);
    assert_eq!(receiver.recv(), Ok(1));
    let no_value = || -> u32 { common::quiet_panic("no value") };
    let leave = |sender: &mpmc::Sender<u32>| -> Option<u32> {
        select! { send(sender, None?) -> sent => sent.unwrap() }
        Some(1)
    };
    assert_eq!(leave(&sender), None);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        select! { send(sender, no_value()) -> _ => () }
    }));
    assert!(panicked.is_err());
    let mut select = Select::new();
    select.send(&sender, || Some(no_value()), |_| ());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| select.wait()));
    assert!(panicked.is_err());
    drop(select);
    assert!(sender.try_reserve().is_ok());
    assert!(sender.try_send(2).is_ok());
}

/// A source that has nothing more lets its path go, and keeps no place.
#[test]
fn a_source_that_is_empty_ends_its_path() {
    let (sender, receiver) = mpmc::bounded(3);
    let mut numbers = 0..2;
    let mut select = Select::new();
    select.send(&sender, || numbers.next(), |sent| sent);
    assert_eq!(select.wait(), Some(Ok(())));
    assert_eq!(select.wait(), Some(Ok(())));
    assert_eq!(select.wait(), None);
    drop(select);
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [0, 1]);
    (0..3).for_each(|number| sender.try_send(number).unwrap());
}

#[test]
fn a_rendezvous_receives_and_does_not_send() {
    let (sender, receiver) = mpmc::rendezvous();
    let (_open, mut silent) = spsc::unbounded::<u32>();
    let sending = thread::spawn({
        let sender = sender.clone();
        move || sender.send(1)
    });
    let received = select! {
        recv(receiver) -> message => message,
        recv(silent) -> message => message,
    };
    assert_eq!(received, Ok(1));
    assert_eq!(sending.join().unwrap(), Ok(()));
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        select! { send(sender, 1) -> _ => () }
    }));
    assert!(panicked.is_err());
}

/// A message that is handed to a select which uses another path goes to the next receiver.
#[test]
fn a_rendezvous_takes_back_what_it_handed_over() {
    let (to_first, first) = mpmc::rendezvous();
    let (to_second, second) = mpmc::rendezvous();
    let (calls, waker) = counted();
    let mut select = Select::biased();
    select
        .recv(&first, |message| message)
        .recv(&second, |message| message);
    {
        let mut waiting = select.wait_async();
        assert!(poll(&mut waiting, &waker).is_pending());
        // Both are handed to the select.
        assert_eq!(to_second.try_send(2), Ok(()));
        assert_eq!(to_first.try_send(1), Ok(()));
        assert!(calls.count() >= 1);
        assert_eq!(poll(&mut waiting, &waker), Poll::Ready(Some(Ok(1))));
    }
    drop(select);
    assert_eq!(second.try_recv(), Ok(2));
    drop(waker);
    assert_eq!(Arc::strong_count(&calls), 1);
}

/// Each path has its turn; in a biased select the first one comes first.
#[test]
fn paths_take_turns() {
    let (first, of_first) = mpmc::unbounded();
    let (second, of_second) = mpmc::unbounded();
    for number in 0..1000 {
        first.send(("first", number)).unwrap();
        second.send(("second", number)).unwrap();
    }
    let mut select = Select::new();
    select
        .recv(&of_first, Result::unwrap)
        .recv(&of_second, Result::unwrap);
    let names = Vec::from_iter((0..128).map(|_| select.wait().unwrap().0));
    let count = names.iter().filter(|&&name| name == "first").count();
    assert_eq!(count, 64);
    drop(select);
    let mut counts = [0, 0];
    for _ in 0..900 {
        select! {
            recv(of_first) -> message => { message.unwrap(); counts[0] += 1 }
            recv(of_second) -> message => { message.unwrap(); counts[1] += 1 }
        }
    }
    // By chance, once for 16 selects: both, unless a coin falls on one side 56 times.
    assert!(!counts.contains(&0), "{counts:?}");
    for _ in 0..100 {
        select! {
            biased;
            recv(of_first) -> message => assert_eq!(message.unwrap().0, "first"),
            recv(of_second) -> _ => panic!("it is the second"),
        }
    }
}

/// The same end twice, and both ends of one channel.
#[test]
fn one_end_may_be_there_twice() {
    let (sender, receiver) = mpmc::bounded(1);
    let mut received = 0;
    for number in 0..100 {
        select! {
            recv(receiver) -> message => { assert_eq!(message, Ok(number / 2)); received += 1 }
            recv(receiver) -> message => { assert_eq!(message, Ok(number / 2)); received += 1 }
            send(sender, number / 2) -> sent => sent.unwrap(),
            send(sender, number / 2) -> sent => sent.unwrap(),
        }
    }
    assert_eq!(received, 50);
    let (calls, waker) = counted();
    let mut select = Select::new();
    select
        .recv(&receiver, Result::ok)
        .recv(&receiver, Result::ok);
    let mut waiting = select.wait_async();
    assert!(poll(&mut waiting, &waker).is_pending());
    sender.send(7).unwrap();
    assert_eq!(poll(&mut waiting, &waker), Poll::Ready(Some(Some(7))));
    drop(waiting);
    drop(select);
    drop(waker);
    assert_eq!(Arc::strong_count(&calls), 1);
}
