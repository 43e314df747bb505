//! Selects in tasks and in jobs, and many of them at once.

mod common;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Waker};
use std::thread;

use common::eventually;
use common::messages::{Accounts, Calls, poll};
use drumline::Pool;
use drumline::channel::{PortSet, Select, lanes, mpmc, mpsc, oneshot, select, select_async, spsc};

/// A waker that counts, and how many copies of it there are.
fn counted() -> (Arc<Calls>, Waker) {
    let calls = Calls::new();
    let waker = Waker::from(Arc::clone(&calls));
    (calls, waker)
}

/// A future that is dropped half-way leaves no waker, takes nothing, and sends nothing.
#[test]
fn a_future_that_is_dropped_leaves_nothing() {
    let (mut to_spsc, mut of_spsc) = spsc::bounded(1);
    let (mut to_lanes, mut of_lanes) = lanes::per_lane(1);
    let (to_mpsc, mut of_mpsc) = mpsc::bounded(1);
    let (to_mpmc, of_mpmc) = mpmc::bounded(1);
    let (to_once, mut of_once) = oneshot::channel();
    let (mut to_port, port) = spsc::unbounded();
    let mut ports = PortSet::new();
    ports.add(port);
    let accounts = Accounts::default();
    for _ in 0..3 {
        let (calls, waker) = counted();
        let mut waiting = Box::pin(async {
            select_async! {
                recv(of_spsc) -> _ => (),
                recv(of_lanes) -> _ => (),
                recv(of_mpsc) -> _ => (),
                recv(of_mpmc) -> _ => (),
                recv(of_once) -> _ => (),
                recv(ports) -> _ => (),
            }
        });
        let mut cx = Context::from_waker(&waker);
        assert!(waiting.as_mut().poll(&mut cx).is_pending());
        // Another waker each time, as in a task that moves.
        let (second, other) = counted();
        let mut cx = Context::from_waker(&other);
        assert!(waiting.as_mut().poll(&mut cx).is_pending());
        drop(waiting);
        drop((waker, other));
        assert_eq!(
            (Arc::strong_count(&calls), Arc::strong_count(&second)),
            (1, 1)
        );
    }
    // A message that comes then is there, for any receive.
    to_spsc.send(accounts.message(0)).unwrap();
    to_lanes.send(accounts.message(1)).unwrap();
    to_mpsc.send(accounts.message(2)).unwrap();
    to_mpmc.send(accounts.message(3)).unwrap();
    to_once.send(accounts.message(4)).unwrap();
    to_port.send(accounts.message(5)).unwrap();
    // All are full: the same for senders.
    for _ in 0..3 {
        let (calls, waker) = counted();
        let mut sources = [(); 4].map(|()| Some(accounts.message(9)));
        let [a, b, c, d] = &mut sources;
        let mut select = Select::new();
        select.send(&mut to_spsc, || a.take(), |_| ());
        select.send(&mut to_lanes, || b.take(), |_| ());
        select.send(&to_mpsc, || c.take(), |_| ());
        select.send(&to_mpmc, || d.take(), |_| ());
        assert!(poll(&mut select.wait_async(), &waker).is_pending());
        drop(select);
        drop(waker);
        assert_eq!(Arc::strong_count(&calls), 1);
        assert!(sources.iter().all(Option::is_some));
    }
    assert_eq!(of_spsc.recv().unwrap().number, 0);
    assert_eq!(of_lanes.recv().unwrap().number, 1);
    assert_eq!(of_mpsc.recv().unwrap().number, 2);
    assert_eq!(of_mpmc.recv().unwrap().number, 3);
    assert_eq!(of_once.recv().unwrap().number, 4);
    assert_eq!(ports.recv().unwrap().into_message().unwrap().number, 5);
    accounts.settle();
}

/// A job of a pool that waits leaves its place to another one.
#[test]
fn a_select_in_a_job_gives_its_place_up() {
    let pool = Pool::builder().jobs(1).build().unwrap();
    let (to_first, first) = mpmc::bounded::<u32>(1);
    let (to_second, mut second) = mpsc::bounded::<u32>(1);
    let waits = pool.spawn(move || {
        select! {
            recv(first) -> message => message.unwrap(),
            recv(second) -> message => message.unwrap(),
        }
    });
    let sends = pool.spawn(move || {
        to_second.send(5).unwrap();
        to_second
    });
    assert_eq!(waits.join().unwrap(), 5);
    drop((sends.join(), to_first));
}

/// Two selects in one loop are not in step with the choice of the first arm: a channel that has
/// ended is ready for ever, and does not hide the other one.
///
/// Many selects take from two channels and send into a third; all messages come once.
#[test]
fn many_selects_share_channels() {
    const EACH: usize = 2_000;
    let accounts = Accounts::default();
    let (left, of_left) = mpmc::bounded(4);
    let (right, of_right) = mpmc::unbounded();
    let (out, of_out) = mpmc::bounded(2);
    let passed = AtomicUsize::new(0);
    let mut numbers = thread::scope(|scope| {
        for _ in 0..3 {
            let (of_left, of_right, out) = (&of_left, &of_right, out.clone());
            let passed = &passed;
            scope.spawn(move || {
                let mut ended = [false, false];
                let mut pending = Vec::new();
                while ended != [true, true] || !pending.is_empty() {
                    let next = pending.is_empty();
                    select! {
                        recv(of_left) -> message => match message {
                            Ok(message) => pending.push(message),
                            Err(_) => ended[0] = true,
                        },
                        recv(of_right) -> message => match message {
                            Ok(message) => pending.push(message),
                            Err(_) => ended[1] = true,
                        },
                        default => {}
                    }
                    if !next {
                        select! {
                            send(out, pending.pop().unwrap()) -> sent => {
                                sent.unwrap();
                                // Relaxed: a count, read when the threads have been joined.
                                passed.fetch_add(1, Ordering::Relaxed);
                            }
                            recv(of_left) -> message => if let Ok(message) = message {
                                pending.push(message);
                            },
                        }
                    }
                }
            });
        }
        drop(out);
        for (number, sender) in [(0, left), (1, right)] {
            let accounts = accounts.clone();
            scope.spawn(move || {
                for message in 0..EACH {
                    let message = accounts.message(number * EACH + message);
                    select! { send(sender, message) -> sent => sent.unwrap() }
                }
            });
        }
        let mut select = Select::new();
        select.recv(&of_out, |message| message.map(|message| message.number));
        let mut numbers = Vec::new();
        while let Some(Ok(number)) = select.wait() {
            numbers.push(number);
        }
        numbers
    });
    numbers.sort_unstable();
    assert_eq!(numbers, Vec::from_iter(0..2 * EACH));
    assert_eq!(passed.into_inner(), 2 * EACH);
    accounts.settle();
}

/// Tasks that select are dropped at any moment; each message is received once, or comes back.
#[test]
fn tasks_are_aborted_and_nothing_is_lost() {
    const MESSAGES: usize = 3_000;
    let pool = Pool::builder().jobs(2).build().unwrap();
    let accounts = Accounts::default();
    let (sender, receiver) = mpmc::bounded(2);
    let (_open, silent) = mpmc::unbounded::<()>();
    let received = Arc::new(AtomicUsize::new(0));
    let sending = thread::spawn({
        let accounts = accounts.clone();
        move || (0..MESSAGES).for_each(|number| sender.send(accounts.message(number)).unwrap())
    });
    let mut tasks = Vec::new();
    while !receiver.is_closed() || !receiver.is_empty() {
        let (receiver, silent, received) =
            (receiver.clone(), silent.clone(), Arc::clone(&received));
        tasks.push(
            pool.spawn_future(async move {
                loop {
                    select_async! {
                        recv(receiver) -> message => match message {
                            Ok(_) => received.fetch_add(1, Ordering::SeqCst),
                            Err(_) => return,
                        },
                        recv(silent) -> _ => unreachable!(),
                    };
                }
            })
            .abort_on_drop(),
        );
        if tasks.len() > 3 {
            drop(tasks.remove(0));
        }
    }
    sending.join().unwrap();
    drop(tasks);
    drop(pool);
    let left = receiver.try_iter().count();
    // A task that was aborted may be in the middle of a poll. It counts a message, and drops it
    // then.
    eventually("all messages are dropped", || {
        accounts.dropped() == MESSAGES
    });
    assert_eq!(received.load(Ordering::SeqCst) + left, MESSAGES);
    accounts.settle();
}
