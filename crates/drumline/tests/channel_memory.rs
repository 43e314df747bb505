//! The memory that channels take, and give back.

use std::alloc::{GlobalAlloc, Layout, System};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::task::{Context, Waker};

use drumline::channel::{PortSet, lanes, mpmc, mpsc, oneshot, spsc};

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

/// Has this process registered for the barrier of the system, as far as the calling thread has a
/// part in that. A thread that uses a channel may start the thread that registers the process,
/// once. That thread frees some hundred bytes that the first one has allocated.
///
/// A sender asks for the barrier at each message after some 130, if the receiver does not wait.
/// With the 256th question in vain, if not before, the registration begins.
fn register() {
    let (mut sender, mut receiver) = spsc::unbounded::<u64>();
    for number in 0..1_000 {
        sender.send(number).unwrap();
        assert_eq!(receiver.recv(), Ok(number));
    }
}

/// Two blocks of slots, of about 2 KiB each: one that is in use, and a spare one.
const BLOCKS: isize = 2 * 2_100;

/// After a burst no more is kept than after a single message, but for two blocks.
#[test]
fn the_memory_of_an_spsc_burst_is_given_back() {
    register();
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
            bytes() - empty <= one + BLOCKS,
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
    register();
    let (mut sender, mut receiver) = lanes::unbounded::<[u64; 8]>();
    let empty = bytes();
    sender.send([0; 8]).unwrap();
    receiver.recv().unwrap();
    let one = bytes() - empty;
    (0..50_000).for_each(|number| sender.send([number; 8]).unwrap());
    assert_eq!(receiver.try_iter().count(), 50_000);
    assert!(
        bytes() - empty <= one + BLOCKS,
        "{} bytes are kept",
        bytes() - empty
    );
    drop((sender, receiver));
    assert!(bytes() <= empty);
}

/// Lanes without senders are gone as well, but for a part that is bounded.
#[test]
fn the_memory_of_lanes_that_are_gone_is_given_back() {
    register();
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
    register();
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

/// The figures of `docs/src/channels.md`: run it with `--nocapture`.
#[test]
fn channels_are_small_while_they_are_empty() {
    register();
    type Message = [u64; 4];

    let before = bytes();
    let since = || bytes() - before;
    let (mut sender, mut receiver) = spsc::unbounded::<Message>();
    let empty = since();
    assert!(empty <= 64);
    sender.send([0; 4]).unwrap();
    let with_block = since();
    receiver.recv().unwrap();
    let empty_again = since();
    drop((sender, receiver));

    let (sender, receiver) = lanes::unbounded::<Message>();
    let one = since();
    assert!(one <= 256);
    let mut senders = Vec::with_capacity(1_000);
    let without = since();
    senders.extend((0..1_000).map(|_| sender.clone()));
    let further = (since() - without) / 1_000;
    assert!(further <= 96);
    drop((senders, sender, receiver));

    let channel = oneshot::channel::<Message>();
    let once = since();
    assert!(once <= 128);
    drop(channel);

    let (mut senders, mut receivers) = (Vec::with_capacity(1_000), Vec::with_capacity(1_000));
    for _ in 0..1_000 {
        let (sender, receiver) = spsc::unbounded::<Message>();
        senders.push(sender);
        receivers.push(receiver);
    }
    let without = since();
    let mut set = PortSet::new();
    receivers.drain(..).for_each(|receiver| {
        set.add(receiver);
    });
    assert!(set.try_recv().is_err());
    let port = (since() - without) / 1_000;
    assert!(port <= 64);
    drop((set, senders, receivers));
    assert_eq!(since(), 0);
    // At the end: what is printed takes memory while it is captured.
    println!("spsc: {empty} bytes");
    println!("spsc with a block of slots: {with_block} bytes");
    println!("spsc, empty again: {empty_again} bytes");
    println!("lanes with one sender: {one} bytes");
    println!("lanes, each further sender: {further} bytes");
    println!("oneshot: {once} bytes");
    println!("a port of a set, besides its channel: {port} bytes");
    assert_eq!(size_of::<spsc::SharedSender<Message>>(), 16);
    for (channel, [sender, receiver]) in ends::<Message>() {
        println!("{channel}: ends of {sender} and {receiver} bytes");
        assert!(
            sender + receiver <= 256,
            "{channel}: {sender} and {receiver}"
        );
    }
}

/// A program may have lanes by the ten thousand, most of which have nothing. All is counted: the
/// lane, which both ends share, and what a set of ports or a receiver of lanes keeps of it.
#[test]
fn idle_lanes_take_128_bytes() {
    register();
    // Also where a table that doubles its size has just done so.
    let counts: &[usize] = if cfg!(miri) {
        &[300]
    } else {
        &[300, 1_000, 1_025, 10_000, 16_385]
    };
    let mut figures = Vec::with_capacity(3 * counts.len());
    for &count in counts {
        let mut senders = Vec::with_capacity(count);
        let before = bytes();
        for mut set in [PortSet::new(), PortSet::biased()] {
            for _ in 0..count {
                let (sender, receiver) = spsc::unbounded::<[u64; 4]>();
                set.add(receiver);
                senders.push(sender);
            }
            // It visits all of them, and listens to them.
            assert!(set.try_recv().is_err());
            // The other set is empty.
            figures.push(("ports", count, (bytes() - before) as usize));
            drop(set);
            senders.clear();
        }
        assert_eq!(bytes(), before);
        let mut senders = Vec::with_capacity(count);
        let before = bytes();
        let (sender, mut receiver) = lanes::unbounded::<[u64; 4]>();
        senders.extend((1..count).map(|_| sender.clone()));
        assert!(receiver.try_recv().is_err());
        figures.push(("lanes", count, (bytes() - before) as usize));
    }
    for (what, count, bytes) in figures {
        println!("{count} {what}: {} bytes each", bytes / count);
        assert!(bytes <= 128 * count, "{count} {what}: {bytes} bytes");
    }
}

/// The lane of a channel in which there was a message keeps what it has made for that, in a set and
/// out of it.
#[test]
fn a_receiver_keeps_its_place_in_a_set() {
    register();
    let before = bytes();
    let mut set = PortSet::new();
    let (mut sender, mut receiver) = spsc::unbounded::<u64>();
    (0..100).for_each(|number| sender.send(number).unwrap());
    assert_eq!(receiver.try_iter().take(70).sum::<u64>(), (0..70).sum());
    let port = set.add(receiver);
    for number in 70..90 {
        let event = set.try_recv().unwrap();
        assert_eq!(event.into_message(), Some(number));
    }
    let mut receiver = set.remove(port).unwrap();
    (100..200).for_each(|number| sender.send(number).unwrap());
    assert!((90..200).eq(receiver.try_iter()));
    drop((sender, receiver, set));
    assert_eq!(bytes(), before);
}

/// The sizes of a sender and of a receiver of each channel.
fn ends<T: Send>() -> [(&'static str, [usize; 2]); 5] {
    const fn sizes<S, R>() -> [usize; 2] {
        [size_of::<S>(), size_of::<R>()]
    }
    [
        ("spsc", sizes::<spsc::Sender<T>, spsc::Receiver<T>>()),
        ("lanes", sizes::<lanes::Sender<T>, lanes::Receiver<T>>()),
        ("mpsc", sizes::<mpsc::Sender<T>, mpsc::Receiver<T>>()),
        ("mpmc", sizes::<mpmc::Sender<T>, mpmc::Receiver<T>>()),
        (
            "oneshot",
            sizes::<oneshot::Sender<T>, oneshot::Receiver<T>>(),
        ),
    ]
}

/// An end that waits is listed, in 200 bytes at most. When it is gone, they are given back, but for
/// those that the ends that come next will need.
#[test]
fn the_memory_of_ends_that_have_waited_is_given_back() {
    register();
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

/// After a burst no more is kept than after a single message, but for a spare segment.
#[test]
fn the_memory_of_an_mpsc_burst_is_given_back() {
    register();
    let (sender, mut receiver) = mpsc::unbounded::<[u64; 8]>();
    let empty = bytes();
    sender.send([0; 8]).unwrap();
    receiver.recv().unwrap();
    let one = bytes() - empty;
    assert!(one <= 4_096, "{one} bytes for a message of 64");
    for _ in 0..3 {
        (0..50_000).for_each(|number| sender.send([number; 8]).unwrap());
        assert!(bytes() - empty > 50_000 * 64);
        assert_eq!(receiver.try_iter().count(), 50_000);
        let kept = bytes() - empty;
        assert!(kept <= 2 * one + 64, "{kept} bytes are kept");
    }
    drop((sender, receiver));
    assert!(bytes() <= empty, "a channel that is gone keeps memory");
}

/// A channel takes the memory of what is in it, and not that of its bound.
#[test]
fn a_large_bound_takes_no_memory() {
    register();
    let before = bytes();
    let (sender, receiver) = mpmc::bounded::<[u64; 8]>(usize::MAX / 2);
    (0..100_000).for_each(|number| {
        sender.send([number; 8]).unwrap();
        receiver.recv().unwrap();
    });
    assert!(bytes() - before < 12_000, "{} bytes", bytes() - before);
    drop((sender, receiver));
    assert_eq!(bytes(), before);
}

/// Permits that are taken and dropped, while no message comes: nothing piles up.
#[test]
fn permits_that_are_not_used_do_not_pile_up() {
    register();
    let (sender, mut receiver) = mpsc::bounded::<u64>(4);
    sender.try_send(0).unwrap();
    receiver.recv().unwrap();
    drop(sender.try_reserve().unwrap());
    let before = bytes();
    for _ in 0..100_000 {
        drop(sender.try_reserve().unwrap());
    }
    let more = bytes() - before;
    assert!(more < 16_000, "{more} bytes for permits that are gone");
    sender.try_send(1).unwrap();
    assert_eq!(receiver.recv(), Ok(1));
}

/// The same beside a receiver that waits.
#[test]
fn permits_that_are_not_used_do_not_pile_up_beside_a_receiver() {
    register();
    let (sender, receiver) = mpmc::bounded::<u64>(4);
    let mut context = Context::from_waker(Waker::noop());
    let mut receiving = receiver.recv_async();
    assert!(Pin::new(&mut receiving).poll(&mut context).is_pending());
    let before = bytes();
    for _ in 0..100_000 {
        let Ok(permit) = sender.try_reserve() else {
            panic!("there is room");
        };
        drop(permit);
        assert!(Pin::new(&mut receiving).poll(&mut context).is_pending());
    }
    let more = bytes() - before;
    assert!(more < 16_000, "{more} bytes for permits that are gone");
}

/// What may be kept of 10,000 that have waited: other tests use the table too.
fn assert_kept(before: isize) {
    let kept = bytes() - before;
    assert!(kept < 8_192, "{kept} bytes are kept");
}

/// The memory of those that wait comes back with the last of them.
#[test]
fn the_memory_of_those_that_wait_is_given_back() {
    register();
    let mut context = Context::from_waker(Waker::noop());
    let (sender, receiver) = mpmc::bounded::<u64>(1);
    let mut wait_to_receive = || {
        let mut receives: Vec<_> = (0..10_000).map(|_| receiver.recv_async()).collect();
        for future in &mut receives {
            assert!(Pin::new(future).poll(&mut context).is_pending());
        }
    };
    // The table of what waits is for all channels. It grows here, unless it has grown already.
    wait_to_receive();
    let before = bytes();
    wait_to_receive();
    assert_kept(before);
    sender.try_send(0).unwrap();
    let mut wait_to_send = || {
        let mut sends: Vec<_> = (0..10_000).map(|n| sender.send_async(n)).collect();
        for future in &mut sends {
            assert!(Pin::new(future).poll(&mut context).is_pending());
        }
    };
    wait_to_send();
    wait_to_send();
    assert_kept(before);
    drop((sender, receiver));
    assert_kept(before);
}

#[test]
fn channels_of_many_senders_are_small_while_they_are_empty() {
    register();
    let before = bytes();
    let channel = mpsc::unbounded::<[u64; 100]>();
    let one = bytes() - before;
    assert!(one <= 768, "{one} bytes");
    let further = (channel.0.clone(), channel.0.clone());
    assert_eq!(bytes() - before, one, "a clone takes memory");
    drop((channel, further));
    let channels: Vec<_> = (0..1_000).map(|_| mpmc::bounded::<u8>(1_000)).collect();
    assert!(
        bytes() - before <= 1_000 * 800,
        "{} bytes",
        bytes() - before
    );
    drop(channels);
    let channel = mpmc::rendezvous::<[u64; 100]>();
    assert!(bytes() - before <= 768, "{} bytes", bytes() - before);
    drop(channel);
    assert_eq!(bytes(), before);
}
