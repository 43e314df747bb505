//! What waits at the end of a channel, as the program is told.

mod common;

use std::future::Future;
use std::panic::Location;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Waker};
use std::thread;
use std::time::{Duration, Instant};

use common::{Event, eventually, pool, without_guests};
use drumline::block_on;
use drumline::channel::{
    ChannelKind, RecvTimeoutError, Waiter, WaitingFor, lanes, oneshot, spsc, waiters,
};

/// Far away.
const LONG: Duration = Duration::from_secs(100_000);

/// Those that wait in this line. Tests run at the same time, but not in the same lines.
fn at(line: u32) -> Vec<Waiter> {
    let is_here = |location: &Location| location.file() == file!() && location.line() == line;
    let mut all = waiters();
    all.retain(|waiter| is_here(waiter.location()));
    all
}

/// The one that waits in this line, as soon as there is one.
#[track_caller]
fn one_at(line: u32) -> Waiter {
    let mut found = Vec::new();
    eventually("something waits there", || {
        found = at(line);
        !found.is_empty()
    });
    assert_eq!(found.len(), 1);
    found.remove(0)
}

#[track_caller]
fn none_at(line: u32) {
    assert_eq!(at(line).len(), 0, "nothing waits there any more");
}

/// Polls a future that is not ready, as another executor would.
#[track_caller]
fn is_pending(future: &mut (impl Future + Unpin)) {
    let mut cx = Context::from_waker(Waker::noop());
    assert!(Pin::new(future).poll(&mut cx).is_pending());
}

fn poll<F: Future>(future: Pin<&mut F>) -> bool {
    future
        .poll(&mut Context::from_waker(Waker::noop()))
        .is_ready()
}

/// Runs `wait` on a thread of this name, and sees that it waits as it says. Then `end` ends that.
#[track_caller]
fn waits<R: Send>(
    line: u32,
    kind: ChannelKind,
    waiting_for: WaitingFor,
    wait: impl FnOnce() -> R + Send,
    end: impl FnOnce(),
) -> R {
    let before = Instant::now();
    thread::scope(|scope| {
        let name = format!("waits in line {line}");
        let thread = thread::Builder::new()
            .name(name.clone())
            .spawn_scoped(scope, wait);
        let thread = thread.unwrap();
        let waiter = one_at(line);
        assert_eq!(waiter.thread().unwrap().name(), Some(&*name));
        assert_eq!(waiter.thread().unwrap().id(), thread.thread().id());
        assert_eq!(waiter.waiting_for(), waiting_for);
        assert_eq!(waiter.channel_kind(), kind);
        assert!(before <= waiter.since() + Duration::from_millis(1));
        assert!(waiter.since() <= Instant::now());
        end();
        let result = thread.join().unwrap();
        none_at(line);
        result
    })
}

#[test]
fn a_receiver_of_an_spsc_channel() {
    use ChannelKind::Spsc;
    use WaitingFor::Message;

    let (mut sender, mut receiver) = spsc::unbounded();
    let mut send = |number: u32| sender.send(number).unwrap();
    let line = line!() + 1;
    let recv = || receiver.recv();
    assert_eq!(waits(line, Spsc, Message, recv, || send(1)), Ok(1));
    let line = line!() + 1;
    let recv = || receiver.recv_timeout(LONG);
    assert_eq!(waits(line, Spsc, Message, recv, || send(2)), Ok(2));
    let deadline = Instant::now() + LONG;
    let line = line!() + 1;
    let recv = || receiver.recv_deadline(deadline);
    assert_eq!(waits(line, Spsc, Message, recv, || send(3)), Ok(3));
    let mut many = Vec::new();
    let line = line!() + 1;
    let recv = || receiver.recv_many(&mut many, 8);
    assert_eq!(waits(line, Spsc, Message, recv, || send(4)), Ok(1));
    let line = line!() + 1;
    let recv = || block_on(receiver.recv_async());
    assert_eq!(waits(line, Spsc, Message, recv, || send(5)), Ok(5));
}

/// An iterator waits where it was made: what asks it for items may be the standard library.
#[test]
fn the_iterators_of_receivers() {
    use ChannelKind::{Lanes, Spsc};
    use WaitingFor::Message;

    let (sender, mut receiver) = spsc::unbounded::<u32>();
    let line = line!() + 1;
    let sum = || receiver.iter().sum::<u32>();
    assert_eq!(waits(line, Spsc, Message, sum, || drop(sender)), 0);

    let (sender, mut receiver) = spsc::unbounded::<u32>();
    let line = line!() + 2;
    let each = || {
        for _ in &mut receiver {}
    };
    waits(line, Spsc, Message, each, || drop(sender));

    let (sender, receiver) = spsc::unbounded::<u32>();
    let line = line!() + 1;
    let count = || receiver.into_iter().count();
    assert_eq!(waits(line, Spsc, Message, count, || drop(sender)), 0);

    let (sender, mut receiver) = lanes::unbounded::<u32>();
    let line = line!() + 1;
    let sum = || receiver.iter().sum::<u32>();
    assert_eq!(waits(line, Lanes, Message, sum, || drop(sender)), 0);
}

#[test]
fn a_sender_of_an_spsc_channel() {
    use ChannelKind::Spsc;
    use WaitingFor::{Capacity, Close};

    let (mut sender, mut receiver) = spsc::bounded(1);
    sender.send(0).unwrap();
    let mut recv = || assert!(receiver.recv().is_ok());
    let line = line!() + 1;
    let send = || sender.send(1).unwrap();
    waits(line, Spsc, Capacity, send, &mut recv);
    let line = line!() + 1;
    let send = || sender.send_timeout(2, LONG).unwrap();
    waits(line, Spsc, Capacity, send, &mut recv);
    let deadline = Instant::now() + LONG;
    let line = line!() + 1;
    let send = || sender.send_deadline(3, deadline).unwrap();
    waits(line, Spsc, Capacity, send, &mut recv);
    let line = line!() + 1;
    let send = || block_on(sender.send_async(4)).unwrap();
    waits(line, Spsc, Capacity, send, &mut recv);
    let line = line!() + 1;
    let reserve = || drop(block_on(sender.reserve()).unwrap());
    waits(line, Spsc, Capacity, reserve, &mut recv);
    let line = line!() + 1;
    let closed = || block_on(sender.closed());
    waits(line, Spsc, Close, closed, || drop(receiver));
    sender.finish();
}

#[test]
fn the_ends_of_lanes() {
    use ChannelKind::Lanes;
    use WaitingFor::{Capacity, Message};

    let (mut sender, mut receiver) = lanes::per_lane(1);
    let mut send = || sender.send(1).unwrap();
    let line = line!() + 1;
    let recv = || receiver.recv();
    assert_eq!(waits(line, Lanes, Message, recv, &mut send), Ok(1));
    let line = line!() + 1;
    let recv = || receiver.recv_timeout(LONG);
    assert_eq!(waits(line, Lanes, Message, recv, &mut send), Ok(1));
    let line = line!() + 1;
    let recv = || block_on(receiver.recv_async());
    assert_eq!(waits(line, Lanes, Message, recv, &mut send), Ok(1));

    send();
    let mut recv = || assert!(receiver.recv().is_ok());
    let line = line!() + 1;
    let send = || sender.send(2).unwrap();
    waits(line, Lanes, Capacity, send, &mut recv);
    let line = line!() + 1;
    let send = || sender.send_timeout(3, LONG).unwrap();
    waits(line, Lanes, Capacity, send, &mut recv);
    let line = line!() + 1;
    let send = || block_on(sender.send_async(4)).unwrap();
    waits(line, Lanes, Capacity, send, &mut recv);
    sender.finish();
}

#[test]
fn the_ends_of_a_oneshot_channel() {
    use ChannelKind::Oneshot;
    use WaitingFor::{Close, Message};

    let (sender, receiver) = oneshot::channel();
    let line = line!() + 1;
    let recv = || receiver.recv();
    let end = || sender.send(1).unwrap();
    assert_eq!(waits(line, Oneshot, Message, recv, end), Ok(1));

    let (sender, mut receiver) = oneshot::channel();
    let line = line!() + 1;
    let recv = || receiver.recv_timeout(LONG);
    let end = || sender.send(2).unwrap();
    assert_eq!(waits(line, Oneshot, Message, recv, end), Ok(2));

    let (sender, mut receiver) = oneshot::channel();
    let deadline = Instant::now() + LONG;
    let line = line!() + 1;
    let recv = || receiver.recv_deadline(deadline);
    let end = || sender.send(3).unwrap();
    assert_eq!(waits(line, Oneshot, Message, recv, end), Ok(3));

    let (mut sender, receiver) = oneshot::channel::<u32>();
    let line = line!() + 1;
    let closed = || block_on(sender.closed());
    waits(line, Oneshot, Close, closed, || drop(receiver));

    // No call makes this future: it waits where the channel was made.
    let line = line!() + 1;
    let (sender, receiver) = oneshot::channel();
    let recv = || block_on(receiver);
    let end = || sender.send(4).unwrap();
    assert_eq!(waits(line, Oneshot, Message, recv, end), Ok(4));
}

#[test]
fn a_timeout_ends_the_wait() {
    let (_sender, mut receiver) = spsc::unbounded::<u32>();
    let has_ended = Arc::new(Event::new());
    let line = line!() + 4;
    let thread = {
        let has_ended = Arc::clone(&has_ended);
        thread::spawn(move || {
            let received = receiver.recv_timeout(Duration::from_millis(5));
            has_ended.set();
            (received, receiver)
        })
    };
    has_ended.wait();
    none_at(line);
    let (received, _receiver) = thread.join().unwrap();
    assert_eq!(received, Err(RecvTimeoutError::Timeout));

    let (sender, mut receiver) = oneshot::channel::<u32>();
    let line = line!() + 1;
    let received = receiver.recv_timeout(Duration::from_millis(1));
    assert_eq!(received, Err(RecvTimeoutError::Timeout));
    none_at(line);
    drop(sender);
}

/// A future waits from the poll that leaves it pending until it is ready, or dropped.
#[test]
fn a_future_of_another_executor() {
    let (mut sender, mut receiver) = spsc::unbounded::<u32>();
    {
        let line = line!() + 1;
        let mut future = pin!(receiver.recv_async());
        none_at(line);
        assert!(!poll(future.as_mut()));
        let waiter = one_at(line);
        assert!(waiter.thread().is_none(), "it is a task, of some executor");
        assert_eq!(waiter.waiting_for(), WaitingFor::Message);
        // Polled again, it has waited since the first time.
        assert!(!poll(future.as_mut()));
        let again = one_at(line);
        let error = waiter.since().max(again.since()) - waiter.since().min(again.since());
        // Each look converts ticks of the processor to a time. One that is interrupted between its
        // two clocks is wrong by a part of that time.
        assert!(error < Duration::from_secs(1), "{error:?}");
        sender.send(1).unwrap();
        assert!(poll(future.as_mut()));
        none_at(line);
    }
    let line = line!() + 1;
    let mut future = receiver.recv_async();
    is_pending(&mut future);
    one_at(line);
    drop(future);
    none_at(line);
}

#[test]
fn futures_that_are_dropped_wait_no_more() {
    let (mut sender, _receiver) = spsc::bounded(1);
    sender.send(1).unwrap();
    let line = line!() + 1;
    let mut future = sender.send_async(2);
    is_pending(&mut future);
    assert_eq!(one_at(line).waiting_for(), WaitingFor::Capacity);
    drop(future);
    none_at(line);
    let line = line!() + 1;
    let mut future = sender.reserve();
    is_pending(&mut future);
    assert_eq!(one_at(line).waiting_for(), WaitingFor::Capacity);
    drop(future);
    none_at(line);
    let line = line!() + 1;
    let mut future = sender.closed();
    is_pending(&mut future);
    assert_eq!(one_at(line).waiting_for(), WaitingFor::Close);
    drop(future);
    none_at(line);

    let (mut sender, mut receiver) = lanes::per_lane(1);
    let line = line!() + 1;
    let mut future = receiver.recv_async();
    is_pending(&mut future);
    one_at(line);
    drop(future);
    none_at(line);
    sender.send(1).unwrap();
    let line = line!() + 1;
    let mut future = sender.send_async(2);
    is_pending(&mut future);
    one_at(line);
    drop(future);
    none_at(line);

    let line = line!() + 1;
    let (mut sender, mut receiver) = oneshot::channel::<u32>();
    is_pending(&mut receiver);
    assert_eq!(one_at(line).waiting_for(), WaitingFor::Message);
    let here = line!() + 1;
    let mut future = sender.closed();
    is_pending(&mut future);
    assert_eq!(one_at(here).channel(), one_at(line).channel());
    drop(future);
    none_at(here);
    drop(receiver);
    none_at(line);
}

/// Its end keeps the entry, which has no pointer to the future.
#[test]
fn a_future_that_is_forgotten_waits_until_its_end_is_gone() {
    let (_sender, mut receiver) = spsc::unbounded::<u32>();
    let line = line!() + 2;
    {
        let mut future = Box::new(receiver.recv_async());
        is_pending(&mut future);
        // Its memory is freed, without a drop.
        std::mem::forget(*future);
    }
    one_at(line);
    let here = line!() + 1;
    let mut future = receiver.recv_async();
    is_pending(&mut future);
    none_at(line);
    one_at(here);
    std::mem::forget(future);
    drop(receiver);
    none_at(here);

    let (mut sender, _receiver) = oneshot::channel::<u32>();
    let line = line!() + 1;
    let mut future = sender.closed();
    is_pending(&mut future);
    std::mem::forget(future);
    one_at(line);
    drop(sender);
    none_at(line);
}

/// Both ends of a channel say the same, and no other channel says it.
#[test]
fn ends_that_wait_for_each_other() {
    let (mut sender, mut receiver) = spsc::bounded::<u32>(1);
    let (mut other, mut receiver_of_other) = spsc::bounded::<u32>(1);
    let first = line!() + 1;
    let mut receives = receiver.recv_async();
    let second = line!() + 1;
    let mut closed = sender.closed();
    let third = line!() + 1;
    let mut stranger = receiver_of_other.recv_async();
    is_pending(&mut receives);
    is_pending(&mut closed);
    is_pending(&mut stranger);
    assert_eq!(one_at(first).channel(), one_at(second).channel());
    assert_ne!(one_at(first).channel(), one_at(third).channel());
    drop((stranger, receives, closed));
    other.send(1).unwrap();

    let (mut sender, mut receiver) = lanes::per_lane::<u32>(1);
    let mut clone = sender.clone();
    sender.send(1).unwrap();
    clone.send(1).unwrap();
    let line = line!() + 1;
    let mut sends = [&mut sender, &mut clone].map(|sender| sender.send_async(2));
    sends.iter_mut().for_each(is_pending);
    let both = at(line);
    assert_eq!(both.len(), 2);
    assert_eq!(both[0].channel(), both[1].channel());
    assert!(
        both[0].since() <= both[1].since(),
        "the longest comes first"
    );
    drop(sends);
    assert!(receiver.try_recv().is_ok());
}

/// Threads of a pool that block in a closure, tasks that await, and guests.
#[test]
fn those_of_a_pool() {
    let pool = without_guests(2);
    let other = common::pool(1);
    let (mut answer, mut receiver) = spsc::unbounded();
    let blocking = line!() + 1;
    let blocks = pool.spawn(move || receiver.recv());
    let (mut reply, mut receiver) = lanes::unbounded();
    let awaiting = line!() + 1;
    let awaits = pool.spawn_future(async move { receiver.recv_async().await });
    assert!(one_at(blocking).thread().is_some());
    assert!(one_at(awaiting).thread().is_none());
    let lines: Vec<_> = pool.waiters().iter().map(|w| w.location().line()).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines.contains(&blocking) && lines.contains(&awaiting));
    assert_eq!(other.waiters().len(), 0);
    answer.send(1).unwrap();
    reply.send(2).unwrap();
    assert_eq!(blocks.join().unwrap(), Ok(1));
    assert_eq!(awaits.join().unwrap(), Ok(2));
    assert_eq!(pool.waiters().len(), 0);
}

/// A thread that calls a pool is in it for the call; one that calls another pool from there is in
/// both.
#[test]
fn a_guest_of_two_pools() {
    let (outer, inner) = (pool(1), pool(1));
    let (mut sender, mut receiver) = spsc::unbounded();
    let line = line!() + 1;
    let recv = || outer.install(|| inner.install(|| receiver.recv()));
    let end = || {
        for pool in [&outer, &inner] {
            let waiters = pool.waiters();
            assert_eq!(waiters.len(), 1);
            assert_eq!(waiters[0].location().line(), line);
        }
        sender.send(1).unwrap();
    };
    let received = waits(line, ChannelKind::Spsc, WaitingFor::Message, recv, end);
    assert_eq!(received, Ok(1));
    assert_eq!(outer.waiters().len() + inner.waiters().len(), 0);
}

/// A thread in no pool belongs to none.
#[test]
fn a_thread_outside_of_pools() {
    let pool = pool(1);
    let (mut sender, mut receiver) = spsc::unbounded();
    let line = line!() + 1;
    let recv = || receiver.recv();
    let end = || {
        assert_eq!(pool.waiters().len(), 0);
        sender.send(1).unwrap();
    };
    let received = waits(line, ChannelKind::Spsc, WaitingFor::Message, recv, end);
    assert_eq!(received, Ok(1));
}

/// A future in `block_on` has a thread wait, also inside of a task.
#[test]
fn a_thread_that_blocks_on_a_future() {
    let pool = without_guests(1);
    let (mut sender, mut receiver) = spsc::unbounded();
    let line = line!() + 1;
    let task = pool.spawn_future(async move { block_on(receiver.recv_async()) });
    assert!(one_at(line).thread().is_some());
    assert_eq!(pool.waiters().len(), 1);
    sender.send(1).unwrap();
    assert_eq!(task.join().unwrap(), Ok(1));
}

/// A task that is aborted while it waits.
#[test]
fn a_task_that_is_aborted() {
    let pool = pool(1);
    let (sender, mut receiver) = spsc::unbounded::<u32>();
    let line = line!() + 1;
    let task = pool.spawn_future(async move { receiver.recv_async().await });
    one_at(line);
    task.abort();
    assert!(task.join().is_err());
    none_at(line);
    drop(sender);
}

/// What is printed of a thread and of a task.
#[test]
fn it_can_be_read() {
    let (mut sender, mut receiver) = spsc::unbounded::<u32>();
    let line = line!() + 1;
    let recv = || receiver.recv();
    let end = || {
        let (waiter, name) = (one_at(line), format!("`waits in line {line}`"));
        let text = waiter.to_string();
        assert!(text.starts_with(&format!("thread {name} waits for a message")));
        let channel = waiter.channel();
        assert!(text.contains(&format!("of spsc channel {channel}, since")));
        assert!(text.contains(&format!("channel_waiters.rs:{line}:")));
        assert!(format!("{waiter:?}").contains("Message"));
        sender.send(1).unwrap();
    };
    let received = waits(line, ChannelKind::Spsc, WaitingFor::Message, recv, end);
    assert_eq!(received, Ok(1));

    let line = line!() + 1;
    let (mut sender, receiver) = oneshot::channel::<u32>();
    is_pending(&mut pin!(sender.closed()));
    none_at(line);
    let mut future = pin!(receiver);
    is_pending(&mut future);
    let text = one_at(line).to_string();
    assert!(text.starts_with("a task waits for a message of oneshot channel 0x"));
}

/// Many ends that wait, are asked, and go, on several threads.
#[test]
fn many_that_come_and_go() {
    let line = line!() + 6;
    let come_and_go = || {
        for round in 0..200 {
            let (mut senders, mut receivers): (Vec<_>, Vec<_>) =
                (0..round % 50).map(|_| spsc::unbounded::<u32>()).unzip();
            let recv = spsc::Receiver::recv_async;
            let mut futures: Vec<_> = receivers.iter_mut().map(|r| recv(r)).collect();
            futures.iter_mut().for_each(is_pending);
            senders.iter_mut().for_each(|s| s.send(round).unwrap());
            for waiter in at(line) {
                assert_eq!(waiter.channel_kind(), ChannelKind::Spsc);
                assert_eq!(waiter.waiting_for(), WaitingFor::Message);
                assert!(waiter.since() <= Instant::now());
            }
            // In another order.
            while !futures.is_empty() {
                drop(futures.swap_remove(futures.len() / 2));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(come_and_go);
        }
    });
    none_at(line);
}

/// A thread that receives while its local state is destroyed.
#[test]
fn a_thread_that_waits_at_its_end() {
    struct AtEnd(spsc::Receiver<u32>);
    let line = line!() + 3;
    impl Drop for AtEnd {
        fn drop(&mut self) {
            assert_eq!(self.0.recv(), Ok(1));
        }
    }
    thread_local! {
        static AT_END: std::cell::OnceCell<AtEnd> = const { std::cell::OnceCell::new() };
    }
    let (mut sender, receiver) = spsc::unbounded();
    let thread = thread::spawn(|| AT_END.with(|cell| assert!(cell.set(AtEnd(receiver)).is_ok())));
    assert!(one_at(line).thread().is_some());
    sender.send(1).unwrap();
    thread.join().unwrap();
    eventually("the thread is gone", || at(line).is_empty());
}

/// In a forked child nothing waits that waited in its parent. What waits there is listed.
#[cfg(target_os = "linux")]
#[test]
fn a_forked_child() {
    let (mut sender, mut receiver) = spsc::unbounded::<u32>();
    let line = line!() + 1;
    let mut future = receiver.recv_async();
    is_pending(&mut future);
    one_at(line);
    common::child::in_a_child(|| {
        let was_empty = waiters().is_empty();
        // An end with a slot of the parent's.
        is_pending(&mut future);
        let is_listed = at(line).len() == 1;
        sender.send(1).unwrap();
        let is_ready = poll(Pin::new(&mut future));
        let is_gone = waiters().is_empty();
        was_empty && is_listed && is_ready && is_gone
    });
    one_at(line);
}
