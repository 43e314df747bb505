//! Probe.
mod common;
use std::sync::Arc;
use std::task::{Poll, Waker};
use common::messages::{Calls, poll};
use drumline::channel::{mpmc, mpsc};

#[test]
fn returned_in_order() {
    let (sender, receiver) = mpmc::rendezvous();
    let calls = Calls::new();
    let w: Waker = Arc::clone(&calls).into();
    let mut a = receiver.recv_async();
    let mut b = receiver.recv_async();
    assert!(poll(&mut a, &w).is_pending());
    assert!(poll(&mut b, &w).is_pending());
    sender.try_send(1).unwrap();
    sender.try_send(2).unwrap();
    drop(b);
    drop(a);
    assert_eq!(receiver.try_recv(), Ok(1));
    assert_eq!(receiver.try_recv(), Ok(2));
}

#[test]
fn rendezvous_message_after_the_end() {
    let (sender, receiver) = mpmc::rendezvous();
    let mut a = receiver.recv_async();
    assert!(poll(&mut a, Waker::noop()).is_pending());
    sender.try_send(1).unwrap();
    drop(sender);
    let first = receiver.try_recv();
    drop(a);
    let second = receiver.try_recv();
    eprintln!("{first:?} {second:?}");
}

fn rss() -> usize {
    let s = std::fs::read_to_string("/proc/self/statm").unwrap();
    s.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
fn permits_pile_up() {
    let (sender, mut receiver) = mpsc::bounded::<u64>(1);
    let before = rss();
    for _ in 0..2_000_000 {
        drop(sender.try_reserve().unwrap());
    }
    let grown = rss() - before;
    eprintln!("grown {} MiB", grown >> 20);
    sender.send(1).unwrap();
    let t = std::time::Instant::now();
    assert_eq!(receiver.recv(), Ok(1));
    eprintln!("recv took {:?}", t.elapsed());
    assert!(grown < 4 << 20);
}

#[test]
fn forgotten_receives_pile_up() {
    let (sender, mut receiver) = mpsc::bounded::<u64>(1);
    let before = rss();
    for _ in 0..1_000_000 {
        let mut a = receiver.recv_async();
        let _ = poll(&mut a, Waker::noop());
        std::mem::forget(a);
    }
    eprintln!("forgotten grown {} MiB", (rss() - before) >> 20);
    drop(sender);
}
