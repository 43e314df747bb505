//! Wakers that panic when they are cloned, called or dropped, at `mpsc` and `mpmc`, and in a
//! select.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::task::{Poll, RawWaker, RawWakerVTable, Waker};

use common::messages::{Accounts, Calls, panicking_waker, poll};
use common::quiet_panic;
use drumline::channel::{
    RecvError, Select, SendError, TrySendError, lanes, mpmc, mpsc, oneshot, spsc,
};

/// What panics.
const CLONE: u8 = 1;
const DROP: u8 = 2;

/// Panics where `fault` says, once. Counts the wakers that are there.
struct Faulty {
    fault: AtomicU8,
    wakers: AtomicUsize,
}

impl Faulty {
    const fn new() -> Self {
        Faulty {
            fault: AtomicU8::new(0),
            wakers: AtomicUsize::new(0),
        }
    }

    /// The next clone or drop panics.
    fn fails_at(&self, fault: u8) {
        self.fault.store(fault, Ordering::SeqCst);
    }

    fn panics_if(&self, fault: u8) {
        let is_due = self
            .fault
            .compare_exchange(fault, 0, Ordering::SeqCst, Ordering::SeqCst);
        if is_due.is_ok() {
            quiet_panic("the waker panics");
        }
    }

    fn waker(&'static self) -> Waker {
        self.wakers.fetch_add(1, Ordering::SeqCst);
        // SAFETY: the functions of the table use what lives for good, from any thread.
        unsafe { Waker::from_raw(RawWaker::new((&raw const *self).cast(), &TABLE)) }
    }

    fn wakers(&self) -> usize {
        self.wakers.load(Ordering::SeqCst)
    }
}

static TABLE: RawWakerVTable = RawWakerVTable::new(
    |data| {
        let faulty = faulty(data);
        faulty.panics_if(CLONE);
        faulty.wakers.fetch_add(1, Ordering::SeqCst);
        RawWaker::new(data, &TABLE)
    },
    |data| {
        faulty(data).wakers.fetch_sub(1, Ordering::SeqCst);
    },
    |_| {},
    |data| {
        let faulty = faulty(data);
        faulty.wakers.fetch_sub(1, Ordering::SeqCst);
        faulty.panics_if(DROP);
    },
);

fn faulty(data: *const ()) -> &'static Faulty {
    // SAFETY: `waker` has made it of such a reference.
    unsafe { &*data.cast::<Faulty>() }
}

/// Calls `f`, which panics.
#[track_caller]
fn panics<R>(f: impl FnOnce() -> R) {
    assert!(
        catch_unwind(AssertUnwindSafe(f)).is_err(),
        "it should panic"
    );
}

/// Calls `f` with a waker that has this fault. The channel drops a panic of the waker's drop.
#[track_caller]
fn fails<R>(fault: u8, f: impl FnOnce() -> R) {
    if fault == CLONE {
        panics(f);
    } else {
        drop(f());
    }
}

/// A receive is polled again, with a waker that panics. It is dropped: the message wakes the other.
#[test]
fn a_receive_whose_waker_panics_leaves_nothing_behind() {
    for fault in [CLONE, DROP] {
        let (sender, receiver) = mpmc::unbounded();
        static FAULTY: Faulty = Faulty::new();
        let faulty = &FAULTY;
        let calls = Calls::new();
        let waker = faulty.waker();
        let mut first = receiver.recv_async();
        assert!(poll(&mut first, &waker).is_pending());
        let mut second = receiver.recv_async();
        assert!(poll(&mut second, &Arc::clone(&calls).into()).is_pending());
        faulty.fails_at(fault);
        fails(fault, || poll(&mut first, &waker));
        drop(first);
        sender.send(1).unwrap();
        assert_eq!(
            calls.count(),
            1,
            "the wake-up went to a future that is gone"
        );
        assert_eq!(poll(&mut second, Waker::noop()), Poll::Ready(Ok(1)));
        drop(second);
        drop((sender, receiver, waker));
        assert_eq!(faulty.wakers(), 0, "a waker is kept");
    }
}

/// The same with a send: it is dropped, so its message must not be sent later.
#[test]
fn a_send_whose_waker_panics_sends_nothing_later() {
    for fault in [CLONE, DROP] {
        let accounts = Accounts::default();
        let (sender, mut receiver) = mpsc::bounded(1);
        sender.try_send(accounts.message(0)).unwrap();
        static FAULTY: Faulty = Faulty::new();
        let faulty = &FAULTY;
        let waker = faulty.waker();
        let mut sending = sender.send_async(accounts.message(1));
        assert!(poll(&mut sending, &waker).is_pending());
        faulty.fails_at(fault);
        fails(fault, || poll(&mut sending, &waker));
        drop(sending);
        assert_eq!(receiver.recv().unwrap().number, 0);
        assert!(receiver.try_recv().is_err(), "a send that is gone has sent");
        sender.try_send(accounts.message(2)).unwrap();
        drop((sender, receiver, waker));
        accounts.settle();
        assert_eq!(faulty.wakers(), 0, "a waker is kept");
    }
}

/// The same with a reservation: its place comes back.
#[test]
fn a_reservation_whose_waker_panics_keeps_no_place() {
    for fault in [CLONE, DROP] {
        let (sender, mut receiver) = mpsc::bounded(1);
        sender.try_send(0).unwrap();
        static FAULTY: Faulty = Faulty::new();
        let faulty = &FAULTY;
        let waker = faulty.waker();
        let mut reserving = sender.reserve();
        assert!(poll(&mut reserving, &waker).is_pending());
        faulty.fails_at(fault);
        fails(fault, || poll(&mut reserving, &waker));
        drop(reserving);
        assert_eq!(receiver.recv(), Ok(0));
        assert_eq!(sender.try_send(1), Ok(()), "a place is lost");
        drop((sender, receiver, waker));
        assert_eq!(faulty.wakers(), 0, "a waker is kept");
    }
}

/// A waker panics at the first poll: nothing was done yet.
#[test]
fn a_first_poll_whose_waker_panics_does_nothing() {
    let (sender, receiver) = mpmc::bounded(1);
    static FAULTY: Faulty = Faulty::new();
    let faulty = &FAULTY;
    let waker = faulty.waker();
    for _ in 0..3 {
        faulty.fails_at(CLONE);
        panics(|| poll(&mut receiver.recv_async(), &waker));
        faulty.fails_at(CLONE);
        panics(|| poll(&mut sender.closed(), &waker));
    }
    sender.try_send(1).unwrap();
    for _ in 0..3 {
        let mut sending = sender.send_async(2);
        faulty.fails_at(CLONE);
        panics(|| poll(&mut sending, &waker));
        assert!(poll(&mut sending, &waker).is_pending());
        drop(sending);
        faulty.fails_at(CLONE);
        panics(|| poll(&mut sender.reserve(), &waker));
    }
    assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
    assert_eq!(receiver.recv(), Ok(1));
    assert_eq!(sender.try_send(3), Ok(()));
    drop(waker);
    assert_eq!(faulty.wakers(), 0, "a waker is kept");
}

/// A future is dropped, and the waker that it gave panics then: the entry is gone all the same.
#[test]
fn a_waker_that_panics_when_its_future_is_dropped() {
    let accounts = Accounts::default();
    let (sender, receiver) = mpmc::bounded(1);
    static FAULTY: Faulty = Faulty::new();
    let faulty = &FAULTY;
    let waker = faulty.waker();
    let mut receiving = receiver.recv_async();
    assert!(poll(&mut receiving, &waker).is_pending());
    faulty.fails_at(DROP);
    drop(receiving);
    let mut closing = sender.closed();
    assert!(poll(&mut closing, &waker).is_pending());
    faulty.fails_at(DROP);
    drop(closing);
    sender.try_send(accounts.message(0)).unwrap();
    let mut sending = sender.send_async(accounts.message(1));
    assert!(poll(&mut sending, &waker).is_pending());
    faulty.fails_at(DROP);
    drop(sending);
    let mut reserving = sender.reserve();
    assert!(poll(&mut reserving, &waker).is_pending());
    faulty.fails_at(DROP);
    drop(reserving);
    assert_eq!(receiver.recv().unwrap().number, 0);
    assert!(receiver.try_recv().is_err());
    sender.try_send(accounts.message(2)).unwrap();
    drop((sender, receiver, waker));
    accounts.settle();
    assert_eq!(faulty.wakers(), 0, "a waker is kept");
}

/// A waker that panics when it is called does not reach the side that calls.
#[test]
fn a_waker_that_panics_takes_nothing_along() {
    let accounts = Accounts::default();
    let (sender, receiver) = mpmc::bounded(1);
    let mut receiving = receiver.recv_async();
    assert!(poll(&mut receiving, &panicking_waker()).is_pending());
    sender.send(accounts.message(1)).unwrap();
    // It passes its wake-up on to a second one that panics as well.
    let mut second = receiver.recv_async();
    assert!(matches!(
        poll(&mut second, &panicking_waker()),
        Poll::Ready(Ok(message)) if message.number == 1
    ));
    drop((receiving, second));
    // All that wait for room are called, also behind one that panics.
    sender.send(accounts.message(2)).unwrap();
    let calls = Calls::new();
    let mut first = sender.send_async(accounts.message(3));
    assert!(poll(&mut first, &panicking_waker()).is_pending());
    let mut second = sender.send_async(accounts.message(4));
    assert!(poll(&mut second, &Arc::clone(&calls).into()).is_pending());
    assert_eq!(receiver.recv().unwrap().number, 2);
    assert!(matches!(
        poll(&mut first, Waker::noop()),
        Poll::Ready(Ok(()))
    ));
    let mut closed = sender.closed();
    assert!(poll(&mut closed, &panicking_waker()).is_pending());
    receiver.close();
    assert_eq!(calls.count(), 1);
    let Poll::Ready(Err(SendError(back))) = poll(&mut second, Waker::noop()) else {
        panic!("the channel is closed");
    };
    assert_eq!(back.number, 4);
    assert!(poll(&mut closed, Waker::noop()).is_ready());
    assert_eq!(receiver.recv().unwrap().number, 3);
    drop((first, second, closed, back));
    drop((sender, receiver));
    accounts.settle();
}

/// A select waits no more, and a waker panics when it is dropped: the paths behind it are let go.
#[test]
fn a_select_whose_waker_panics_leaves_no_path_behind() {
    static FAULTY: Faulty = Faulty::new();
    for first in ["spsc", "lanes", "oneshot", "mpmc"] {
        let waker = FAULTY.waker();
        let (_spsc, mut of_spsc) = spsc::unbounded();
        let (_lanes, mut of_lanes) = lanes::unbounded();
        let (_oneshot, mut of_oneshot) = oneshot::channel();
        let (_mpmc, of_mpmc) = mpmc::unbounded();
        let (sender, receiver) = mpmc::bounded(1);
        sender.send(1).unwrap();
        let mut select = Select::<Result<u32, RecvError>>::new();
        match first {
            "spsc" => select.recv(&mut of_spsc, |message| message),
            "lanes" => select.recv(&mut of_lanes, |message| message),
            "oneshot" => select.recv(&mut of_oneshot, |message| message),
            _ => select.recv(&of_mpmc, |message| message),
        };
        select.send(&sender, || None, |sent| panic!("{sent:?}"));
        let mut waiting = select.wait_async();
        assert!(poll(&mut waiting, &waker).is_pending());
        FAULTY.fails_at(DROP);
        drop(waiting);
        assert_eq!(receiver.recv(), Ok(1));
        sender.try_send(2).expect(first);
        drop(select);
        drop(waker);
        assert_eq!(FAULTY.wakers(), 0, "a waker is kept");
    }
}
