//! Sets of ports: what comes through them, in which order, and ports that come and go.

mod common;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use common::messages::{Accounts, Calls, poll};
use common::{Random, ends, eventually, pool, quiet_panic};
use drumline::block_on;
use drumline::channel::port_set::PortAdder;
use drumline::channel::{
    ChannelKind, CloseReason, PortEvent, PortKey, PortSet, RecvTimeoutError, SendError,
    TryRecvError, spsc, waiters,
};
use drumline::stream::stream;

fn sets<T: Send>() -> [PortSet<T>; 2] {
    [PortSet::new(), PortSet::biased()]
}

/// Receives until a port is closed.
fn until_closed<T: Send>(set: &mut PortSet<T>) -> (Vec<T>, PortKey, CloseReason) {
    let mut messages = Vec::new();
    loop {
        match set.recv().expect("there is a port") {
            PortEvent::Message(_, message) => messages.push(message),
            PortEvent::Closed(port, reason) => return (messages, port, reason),
        }
    }
}

#[test]
fn a_set_without_ports_ends() {
    for mut set in sets::<u8>() {
        assert!(set.is_empty());
        assert_eq!(set.recv().unwrap_err().reason(), CloseReason::Finished);
        assert_eq!(
            set.try_recv(),
            Err(TryRecvError::Closed(CloseReason::Finished))
        );
        assert_eq!(
            set.recv_timeout(Duration::MAX),
            Err(RecvTimeoutError::Closed(CloseReason::Finished))
        );
        assert_eq!(set.iter().count(), 0);
        assert_eq!(set.drain().count(), 0);
    }
}

#[test]
fn the_set_says_which_port_closed_and_why() {
    for mut set in sets::<u8>() {
        let (finished, receiver) = spsc::unbounded();
        let finished_key = set.add(receiver);
        let (mut dropped, receiver) = spsc::unbounded();
        let dropped_key = set.add(receiver);
        let (panicked, receiver) = spsc::unbounded::<u8>();
        let panicked_key = set.add(receiver);
        assert_eq!(set.len(), 3);
        assert_eq!(set.try_recv(), Err(TryRecvError::Empty));

        finished.finish();
        dropped.send(7).unwrap();
        drop(dropped);
        let thread = thread::spawn(move || {
            let _held = panicked;
            quiet_panic("the sender panics");
        });
        assert!(thread.join().is_err());
        let mut closed = BTreeMap::new();
        let mut messages = Vec::new();
        for event in &mut set {
            match event {
                PortEvent::Message(port, message) => messages.push((port, message)),
                PortEvent::Closed(port, reason) => assert_eq!(closed.insert(port, reason), None),
            }
        }
        assert_eq!(messages, [(dropped_key, 7)]);
        assert_eq!(closed[&finished_key], CloseReason::Finished);
        assert_eq!(closed[&dropped_key], CloseReason::Dropped);
        assert_eq!(closed[&panicked_key], CloseReason::Panicked);
        assert_eq!(set.recv().unwrap_err().reason(), CloseReason::Panicked);
    }
}

#[test]
fn each_port_has_its_turn() {
    let mut set = PortSet::new();
    let mut senders = Vec::new();
    for _ in 0..3 {
        let (mut sender, receiver) = spsc::unbounded();
        (0..200).for_each(|number| sender.send(number).unwrap());
        set.add(receiver);
        senders.push(sender);
    }
    let ports: Vec<_> = (0..600).map(|_| set.recv().unwrap().port()).collect();
    let mut rows: Vec<(PortKey, usize)> = Vec::new();
    for port in ports {
        match rows.last_mut() {
            Some((last, length)) if *last == port => *length += 1,
            _ => rows.push((port, 1)),
        }
    }
    assert!(rows.iter().all(|&(_, length)| length <= 64), "{rows:?}");
    // One after another, three times.
    assert!(rows.len() >= 9 && rows[0].0 == rows[3].0 && rows[1].0 == rows[4].0);
}

/// The end of a port has its turn, also if the ports ahead of it close.
#[test]
fn the_end_of_a_port_has_its_turn() {
    let mut set = PortSet::new();
    let (mut busy, receiver) = spsc::unbounded();
    set.add(receiver);
    let add_ended = |set: &mut PortSet<u8>| set.add(spsc::unbounded().1);
    add_ended(&mut set);
    let last = add_ended(&mut set);
    let mut ends = 0;
    loop {
        busy.send(0).unwrap();
        match set.recv().unwrap() {
            PortEvent::Closed(port, _) if port == last => break,
            PortEvent::Closed(..) => {
                add_ended(&mut set);
                ends += 1;
                assert!(ends < 10, "it is never told");
            }
            PortEvent::Message(..) => {}
        }
    }
}

/// A batch is what is there, also if senders are as fast as the set.
#[test]
fn a_batch_ends() {
    ends(|| {
        let mut set = PortSet::new();
        let stop = Arc::new(AtomicBool::new(false));
        let senders: Vec<_> = (0..2)
            .map(|_| {
                let (mut sender, receiver) = spsc::bounded(100);
                set.add(receiver);
                let stop = Arc::clone(&stop);
                thread::spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        sender.send(0).unwrap();
                    }
                })
            })
            .collect();
        for round in 0..1_000 {
            let mut events = Vec::new();
            let count = if round % 2 == 0 {
                set.recv_many(&mut events, usize::MAX).unwrap()
            } else {
                block_on(set.recv_many_async(&mut events, usize::MAX)).unwrap()
            };
            assert!(
                (1..=201).contains(&count) && count == events.len(),
                "{count}"
            );
        }
        stop.store(true, Ordering::Relaxed);
        assert!(
            set.iter()
                .all(|event| matches!(event, PortEvent::Message(..) | PortEvent::Closed(..)))
        );
        senders
            .into_iter()
            .for_each(|sender| sender.join().unwrap());
    });
}

#[test]
fn a_biased_set_takes_from_the_first_port() {
    let mut set = PortSet::biased();
    let mut senders = Vec::new();
    let mut keys = Vec::new();
    for _ in 0..3 {
        let (sender, receiver) = spsc::unbounded();
        keys.push(set.add(receiver));
        senders.push(sender);
    }
    let expect = |set: &mut PortSet<u8>, from: usize| {
        assert_eq!(set.recv().unwrap().port(), keys[from]);
    };
    for sender in senders.iter_mut().rev() {
        (0..100).for_each(|number| sender.send(number).unwrap());
    }
    (0..100).for_each(|_| expect(&mut set, 0));
    (0..50).for_each(|_| expect(&mut set, 1));
    senders[0].send(0).unwrap();
    expect(&mut set, 0);
    (0..50).for_each(|_| expect(&mut set, 1));
    senders[1].send(0).unwrap();
    expect(&mut set, 1);
    (0..100).for_each(|_| expect(&mut set, 2));
    assert_eq!(set.try_recv(), Err(TryRecvError::Empty));
}

#[test]
fn a_port_that_is_taken_out_goes_on() {
    for mut set in sets() {
        let accounts = Accounts::default();
        let (mut sender, receiver) = spsc::unbounded();
        let key = set.add(receiver);
        (0..3).for_each(|number| sender.send(accounts.message(number)).unwrap());
        assert_eq!(set.recv().unwrap().into_message().unwrap().number, 0);
        let mut receiver = set.remove(key).unwrap();
        assert!(!set.contains(key) && set.remove(key).is_none());
        assert!(set.recv().is_err(), "there is no port");
        assert_eq!(receiver.recv().unwrap().number, 1);
        // Back again, with another name.
        let again = set.add(receiver);
        assert_ne!(again, key);
        assert_eq!(set.recv().unwrap().port(), again);
        assert_eq!(set.try_recv(), Err(TryRecvError::Empty));
        // It listens now, and is taken out all the same.
        let mut receiver = set.remove(again).unwrap();
        sender.send(accounts.message(3)).unwrap();
        assert_eq!(receiver.recv().unwrap().number, 3);
        drop((set, receiver));
        assert!(sender.send(accounts.message(4)).is_err());
        accounts.settle();
    }
}

#[test]
fn a_set_that_is_dropped_gives_messages_back() {
    for mut set in sets() {
        let (mut sender, receiver) = spsc::unbounded();
        set.add(receiver);
        assert_eq!(set.try_recv(), Err(TryRecvError::Empty));
        let adder = set.adder();
        let (mut late, receiver) = spsc::unbounded::<u8>();
        drop(set);
        assert_eq!(sender.send(1), Err(SendError(1)));
        let SendError(receiver) = adder.add(receiver).unwrap_err();
        drop(receiver);
        assert_eq!(late.send(2), Err(SendError(2)));
    }
}

#[test]
fn closing_gives_what_was_sent_before() {
    for mut set in sets() {
        let senders = [0, 1].map(|from| {
            let (mut sender, receiver) = spsc::unbounded();
            set.add(receiver);
            (0..70).for_each(|number| sender.send(from * 100 + number).unwrap());
            sender
        });
        let (mut idle, receiver) = spsc::unbounded();
        set.add(receiver);
        let events: Vec<_> = set.drain().collect();
        assert_eq!(events.len(), 2 * 70 + 3);
        let reasons = events.iter().filter_map(|event| match event {
            PortEvent::Closed(_, reason) => Some(*reason),
            PortEvent::Message(..) => None,
        });
        assert!(reasons.eq([CloseReason::ClosedByReceiver; 3]));
        assert_eq!(
            set.recv().unwrap_err().reason(),
            CloseReason::ClosedByReceiver
        );
        assert_eq!(idle.send(0), Err(SendError(0)));
        drop(senders);
    }
}

/// Ports that others add while a set is drained are neither closed nor looked at.
#[test]
fn a_drain_ends_whatever_is_added() {
    for mut set in sets() {
        let (mut sender, receiver) = spsc::unbounded();
        set.add(receiver);
        (0..3).for_each(|number| sender.send(number).unwrap());
        let adder = set.adder();
        let mut drain = set.drain();
        assert_eq!(drain.next().unwrap().into_message(), Some(0));
        let (mut late, receiver) = spsc::unbounded();
        let added = adder.add(receiver).unwrap();
        late.send(9).unwrap();
        assert_eq!(
            drain
                .by_ref()
                .filter_map(PortEvent::into_message)
                .sum::<i32>(),
            3
        );
        assert_eq!(drain.next(), None);
        assert_eq!(set.recv(), Ok(PortEvent::Message(added, 9)));
        late.send(10).unwrap();
    }
}

#[test]
fn ports_that_were_added_by_others_count() {
    let (mut set, mut other) = (PortSet::new(), PortSet::<u8>::new());
    let (mut sender, receiver) = spsc::unbounded::<u8>();
    let key = set.adder().add(receiver).unwrap();
    assert!(set.contains(key) && !set.is_empty() && set.len() == 1);
    let (_sender, receiver) = spsc::unbounded();
    let foreign = other.add(receiver);
    assert_ne!(foreign, key);
    assert!(!set.contains(foreign) && set.remove(foreign).is_none());
    let mut receiver = set.remove(key).unwrap();
    assert!(set.is_empty() && !set.contains(key));
    sender.send(1).unwrap();
    assert_eq!(receiver.recv(), Ok(1));
}

/// Ports are taken out in the order in which they were added, and others come in their places.
#[test]
fn places_are_used_again() {
    for mut set in sets() {
        let mut ports = VecDeque::new();
        for number in 0..1_000 {
            let (mut sender, receiver) = spsc::unbounded();
            sender.send(number).unwrap();
            ports.push_back((set.add(receiver), number, sender));
            if number % 3 > 0 {
                let (key, number, _sender) = ports.pop_front().unwrap();
                assert_eq!(set.remove(key).unwrap().recv(), Ok(number));
            }
        }
        assert_eq!(set.len(), ports.len());
        let mut received: Vec<_> = (0..ports.len())
            .map(|_| set.recv().unwrap().into_message().unwrap())
            .collect();
        received.sort_unstable();
        assert!(received.into_iter().eq(ports.iter().map(|port| port.1)));
        assert_eq!(set.try_recv(), Err(TryRecvError::Empty));
    }
}

#[test]
fn times() {
    for mut set in sets::<u8>() {
        let (mut sender, receiver) = spsc::unbounded();
        set.add(receiver);
        let late = Err(RecvTimeoutError::Timeout);
        assert_eq!(set.recv_timeout(Duration::from_millis(1)), late);
        assert_eq!(set.recv_deadline(Instant::now()), late);
        sender.send(1).unwrap();
        let event = set.recv_timeout(Duration::MAX).unwrap();
        assert_eq!(event.into_message(), Some(1));
    }
}

/// A's message to C comes after B's reply, which A's message to B has caused. The end of A's port
/// comes after all that A has sent.
#[test]
fn closing_restores_the_order_that_ports_relax() {
    let mut set = PortSet::biased();
    let (mut b_to_c, from_b) = spsc::unbounded();
    let (mut a_to_c, from_a) = spsc::unbounded();
    let (from_b, from_a) = (set.add(from_b), set.add(from_a));
    let (mut a_to_b, mut b) = spsc::unbounded();
    let b = thread::spawn(move || {
        let caused = b.recv().unwrap();
        b_to_c.send(caused).unwrap();
    });
    a_to_c.send("cause").unwrap();
    a_to_b.send("effect").unwrap();
    b.join().unwrap();
    // The port of B was added first.
    assert_eq!(set.recv(), Ok(PortEvent::Message(from_b, "effect")));
    assert_eq!(
        set.recv(),
        Ok(PortEvent::Closed(from_b, CloseReason::Dropped))
    );
    assert_eq!(set.recv(), Ok(PortEvent::Message(from_a, "cause")));
    a_to_c.send("more").unwrap();
    a_to_c.finish();
    assert_eq!(
        until_closed(&mut set),
        (vec!["more"], from_a, CloseReason::Finished)
    );
}

/// Many senders on threads; some of their ports are taken out and put back meanwhile.
#[test]
fn ports_come_and_go_while_senders_send() {
    const EACH: usize = 2_000;
    for (seed, mut set) in sets::<(usize, usize)>().into_iter().enumerate() {
        ends(move || {
            let mut random = Random::new(seed as u64 + 1);
            let mut next = [0; 8];
            let threads: Vec<_> = (0..next.len())
                .map(|from| {
                    let (mut sender, receiver) = match from % 3 {
                        0 => spsc::unbounded(),
                        1 => spsc::bounded(1),
                        _ => spsc::bounded(20),
                    };
                    set.add(receiver);
                    thread::spawn(move || {
                        (0..EACH).for_each(|number| sender.send((from, number)).unwrap());
                    })
                })
                .collect();
            let mut outside = VecDeque::new();
            let mut closed = 0;
            let mut last = None;
            while closed < next.len() {
                let taken_out = last.filter(|_| random.below(20) == 0);
                if let Some(receiver) = taken_out.and_then(|port| set.remove(port)) {
                    outside.push_back(receiver);
                }
                if random.below(30) == 0 || set.is_empty() {
                    outside.drain(..).for_each(|receiver| {
                        set.add(receiver);
                    });
                }
                if set.is_empty() {
                    continue;
                }
                match set.recv().unwrap() {
                    PortEvent::Message(port, (from, number)) => {
                        assert_eq!(number, next[from], "of {from}");
                        next[from] += 1;
                        last = Some(port);
                    }
                    PortEvent::Closed(..) => closed += 1,
                }
            }
            assert_eq!(next, [EACH; 8]);
            threads
                .into_iter()
                .for_each(|thread| thread.join().unwrap());
        });
    }
}

#[test]
fn ports_are_added_by_others_while_the_set_waits() {
    fn serve(adder: PortAdder<usize>, depth: usize) {
        for _ in 0..2 {
            let (mut sender, receiver) = spsc::bounded(1);
            adder.add(receiver).unwrap();
            let adder = (depth > 0).then(|| adder.clone());
            thread::spawn(move || {
                (0..50).for_each(|number| sender.send(number).unwrap());
                if let Some(adder) = adder {
                    serve(adder, depth - 1);
                }
            });
        }
    }
    for mut set in sets() {
        ends(move || {
            serve(set.adder(), 4);
            let (mut messages, mut closed) = (0, 0);
            for event in &mut set {
                match event {
                    PortEvent::Message(_, number) => messages += number,
                    PortEvent::Closed(_, reason) => {
                        assert_eq!(reason, CloseReason::Dropped);
                        closed += 1;
                    }
                }
            }
            assert_eq!((messages, closed), (62 * 1225, 62));
        });
    }
}

#[test]
fn a_waiting_set_is_in_the_table() {
    ends(|| {
        let mut set = PortSet::<u8>::new();
        let (mut sender, receiver) = spsc::unbounded();
        set.add(receiver);
        let waiting = thread::spawn(move || until_closed(&mut set));
        eventually("a set waits", || {
            let is_set = |kind| kind == ChannelKind::PortSet;
            waiters().iter().any(|waiter| is_set(waiter.channel_kind()))
        });
        sender.send(5).unwrap();
        drop(sender);
        assert_eq!(waiting.join().unwrap().0, [5]);
    });
}

#[test]
fn a_future_that_is_dropped_has_received_nothing() {
    for mut set in sets() {
        let (mut sender, receiver) = spsc::unbounded();
        set.add(receiver);
        let calls = Calls::new();
        let waker = Waker::from(Arc::clone(&calls));
        let mut future = set.recv_async();
        assert_eq!(poll(&mut future, &waker), Poll::Pending);
        sender.send(1).unwrap();
        assert_eq!(calls.count(), 1);
        drop(future);
        let event = drumline::block_on(set.recv_async()).unwrap();
        assert_eq!(event.into_message(), Some(1));
        // And one that is dropped before anything has come.
        let mut future = set.recv_async();
        assert_eq!(poll(&mut future, &waker), Poll::Pending);
        drop(future);
        sender.send(2).unwrap();
        assert_eq!(calls.count(), 1);
        assert_eq!(set.recv().unwrap().into_message(), Some(2));
    }
}

#[test]
fn tasks_receive_from_sets() {
    for jobs in [1, 2] {
        for mut set in sets() {
            ends(move || {
                let pool = pool(jobs);
                let mut tasks = Vec::new();
                for from in 0..10 {
                    let (mut sender, receiver) = spsc::bounded(3);
                    set.add(receiver);
                    tasks.push(pool.spawn_future(async move {
                        for number in 0..200 {
                            sender.send_async(from * number).await.unwrap();
                        }
                    }));
                }
                let sum = pool.spawn_future(async move {
                    let mut sum = 0;
                    while let Ok(event) = set.recv_async().await {
                        sum += event.into_message().unwrap_or(0);
                    }
                    sum
                });
                assert_eq!(sum.join().unwrap(), 45 * 19_900);
                tasks.into_iter().for_each(|task| task.join().unwrap());
            });
        }
    }
}

#[test]
fn streams_take_from_sets() {
    ends(|| {
        let pool = pool(2);
        let mut set = PortSet::new();
        let adder = set.adder();
        let (mut sender, receiver) = spsc::unbounded();
        set.add(receiver);
        let thread = thread::spawn(move || {
            (0..100).for_each(|number: u64| sender.send(number).unwrap());
            let (mut other, receiver) = spsc::unbounded();
            adder.add(receiver).unwrap();
            (100..200).for_each(|number| other.send(number).unwrap());
        });
        let sum = AtomicU64::new(0);
        pool.install(|| {
            stream(&mut set)
                .map(|number| number * 2)
                .for_each(|number| _ = sum.fetch_add(number, Ordering::SeqCst));
        });
        let sum = sum.into_inner();
        assert_eq!(sum, 39_800);
        thread.join().unwrap();
    });
}

/// Of ten thousand ports, only those that have something are looked at: the others are not touched,
/// and so their wakers stay where they are.
#[test]
fn ports_that_have_nothing_are_left_alone() {
    for mut set in sets() {
        let mut senders = Vec::new();
        for _ in 0..10_000 {
            let (sender, receiver) = spsc::unbounded();
            set.add(receiver);
            senders.push(sender);
        }
        assert_eq!(set.try_recv(), Err(TryRecvError::Empty));
        for round in 0..3 {
            for active in [9_999, 5_000, 3] {
                senders[active].send((active, round)).unwrap();
                let event = set.recv().unwrap();
                assert_eq!(event.into_message(), Some((active, round)));
                assert_eq!(set.try_recv(), Err(TryRecvError::Empty));
            }
        }
        drop(senders);
        assert_eq!(set.iter().count(), 10_000);
    }
}

/// Random steps of one thread, against queues.
#[test]
fn random_steps() {
    #[derive(Default)]
    struct Model {
        sent: VecDeque<usize>,
        sender: Option<spsc::Sender<usize>>,
        outside: Option<spsc::Receiver<usize>>,
        key: Option<PortKey>,
        is_over: bool,
    }
    for seed in 0..300 {
        let mut random = Random::new(seed + 1);
        for mut set in sets() {
            let mut ports: Vec<Model> = Vec::new();
            for step in 0..200 {
                let one = (!ports.is_empty()).then(|| random.below(ports.len() as u64) as usize);
                match (random.below(8), one) {
                    (0, _) | (_, None) => {
                        let (sender, receiver) = spsc::unbounded();
                        ports.push(Model {
                            sender: Some(sender),
                            outside: Some(receiver),
                            ..Model::default()
                        });
                    }
                    (1, Some(one)) => {
                        if let Some(receiver) = ports[one].outside.take() {
                            ports[one].key = Some(set.add(receiver));
                        }
                    }
                    (2, Some(one)) => {
                        if let Some(key) = ports[one].key.take() {
                            ports[one].outside = set.remove(key);
                            assert_eq!(ports[one].outside.is_none(), ports[one].is_over);
                        }
                    }
                    (3, Some(one)) if random.below(3) == 0 => drop(ports[one].sender.take()),
                    (3 | 4, Some(one)) => {
                        if let Some(sender) = &mut ports[one].sender {
                            sender.send(step).unwrap();
                            ports[one].sent.push_back(step);
                        }
                    }
                    _ => {
                        let received = set.try_recv();
                        let of = |key| ports.iter().position(|port| port.key == Some(key)).unwrap();
                        match received {
                            Ok(PortEvent::Message(key, number)) => {
                                let port = of(key);
                                assert_eq!(ports[port].sent.pop_front(), Some(number));
                            }
                            Ok(PortEvent::Closed(key, _)) => {
                                let port = of(key);
                                assert!(ports[port].sent.is_empty());
                                assert!(ports[port].sender.is_none());
                                ports[port].is_over = true;
                            }
                            Err(_) => {
                                let is_quiet = |port: &Model| {
                                    port.key.is_none()
                                        || port.is_over
                                        || port.sent.is_empty() && port.sender.is_some()
                                };
                                assert!(ports.iter().all(is_quiet), "seed {seed}, step {step}");
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A message that panics in its drop does not keep the set from what comes next.
#[test]
fn drops_that_panic() {
    struct Panics(Arc<AtomicBool>);
    impl Drop for Panics {
        fn drop(&mut self) {
            if self.0.swap(false, Ordering::SeqCst) {
                quiet_panic("the drop panics");
            }
        }
    }
    let panics = Arc::new(AtomicBool::new(true));
    let mut set = PortSet::new();
    let (mut sender, receiver) = spsc::unbounded();
    set.add(receiver);
    sender.send(Panics(Arc::clone(&panics))).unwrap();
    sender.send(Panics(Arc::clone(&panics))).unwrap();
    let thread = thread::spawn(move || drop(set));
    assert!(thread.join().is_err());
    drop(sender);
    assert_eq!(
        Arc::strong_count(&panics),
        1,
        "the other message was dropped"
    );
}
