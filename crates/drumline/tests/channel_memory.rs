//! The memory that channels take, and give back.

use std::alloc::{GlobalAlloc, Layout, System};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::task::{Context, Waker};

use drumline::channel::{lanes, oneshot, spsc};

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

/// After a burst no more is kept than after a single message, but for a spare block.
#[test]
fn the_memory_of_an_spsc_burst_is_given_back() {
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
fn the_memory_of_a_burst_in_a_lane_is_given_back() {
    let (mut sender, mut receiver) = lanes::unbounded::<[u64; 8]>();
    let empty = bytes();
    sender.send([0; 8]).unwrap();
    receiver.recv().unwrap();
    let one = bytes() - empty;
    (0..50_000).for_each(|number| sender.send([number; 8]).unwrap());
    assert_eq!(receiver.try_iter().count(), 50_000);
    assert!(
        bytes() - empty <= 3 * one,
        "{} bytes are kept",
        bytes() - empty
    );
    drop((sender, receiver));
    assert!(bytes() <= empty);
}

/// Lanes whose senders are gone are gone as well, but for a part that is bounded.
#[test]
fn the_memory_of_lanes_that_are_gone_is_given_back() {
    let (sender, mut receiver) = lanes::unbounded::<usize>();
    let few = bytes();
    let many: Vec<_> = (0..10_000).map(|_| sender.clone()).collect();
    let full = bytes() - few;
    drop(many);
    assert!(receiver.try_recv().is_err());
    assert!(
        bytes() - few < full / 4,
        "{} of {full} bytes are kept",
        bytes() - few
    );
}

/// For as long as senders come and go, only those that are there take memory.
#[test]
fn senders_that_come_and_go_do_not_pile_up() {
    let (mut sender, mut receiver) = lanes::unbounded();
    let come_and_go = |sender: &mut lanes::Sender<usize>, receiver: &mut lanes::Receiver<usize>| {
        for number in 0..5_000 {
            let mut further = sender.clone();
            further.send(number).unwrap();
            further.finish();
            assert!(receiver.recv().is_ok());
        }
    };
    sender.send(0).unwrap();
    come_and_go(&mut sender, &mut receiver);
    let once = bytes();
    for _ in 0..5 {
        come_and_go(&mut sender, &mut receiver);
    }
    assert!(bytes() - once < 100_000, "{} bytes more", bytes() - once);
}

/// The figures of `docs/channels.md`: run it with `--nocapture`.
#[test]
fn channels_are_small_while_they_are_empty() {
    type Message = [u64; 4];

    let before = bytes();
    let since = || bytes() - before;
    let (mut sender, mut receiver) = spsc::unbounded::<Message>();
    let empty = since();
    println!("spsc: {empty} bytes");
    assert!(empty <= 768);
    sender.send([0; 4]).unwrap();
    println!("spsc with a block of slots: {} bytes", since());
    receiver.recv().unwrap();
    println!("spsc, empty again: {} bytes", since());
    drop((sender, receiver));

    let (sender, receiver) = lanes::unbounded::<Message>();
    let one = since();
    println!("lanes with one sender: {one} bytes");
    assert!(one <= 2_048);
    let mut senders = Vec::with_capacity(1_000);
    let without = since();
    senders.extend((0..1_000).map(|_| sender.clone()));
    let further = (since() - without) / 1_000;
    println!("lanes, each further sender: {further} bytes");
    assert!(further <= 1_024);
    drop((senders, sender, receiver));

    let channel = oneshot::channel::<Message>();
    println!("oneshot: {} bytes", since());
    assert!(since() <= 256);
    drop(channel);
    assert_eq!(since(), 0);
}

/// An end that waits is listed, in 200 bytes at most. When it is gone, they are given back, but for
/// those that the ends that come next will need.
#[test]
fn the_memory_of_ends_that_have_waited_is_given_back() {
    let wait = |count: usize| {
        let (_senders, mut receivers): (Vec<_>, Vec<_>) =
            (0..count).map(|_| spsc::unbounded::<u64>()).unzip();
        let before = bytes();
        for receiver in &mut receivers {
            let mut future = receiver.recv_async();
            let mut cx = Context::from_waker(Waker::noop());
            assert!(Pin::new(&mut future).poll(&mut cx).is_pending());
        }
        bytes() - before
    };
    wait(1_000);
    let before = bytes();
    let taken = wait(10_000);
    assert!(taken <= 10_000 * 200, "{} bytes each", taken / 10_000);
    let kept = bytes() - before;
    assert!(kept <= 0, "{kept} bytes are kept");
}
