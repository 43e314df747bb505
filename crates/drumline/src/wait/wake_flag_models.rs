//! Loom models of a flag: what is published is seen, and no side sleeps for ever, which loom
//! reports as a deadlock.

// The standard library's `Arc`: wakers are made of it.
use std::sync::Arc;
use std::task::{Wake, Waker};

use loom::thread;

use super::{Parker, Teller, Told, WakeFlag};
use crate::sync::CheckedCell;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::exploration::bounded;
use crate::sync::plant::{Plant, must_catch};

/// A task that sleeps between its polls.
struct Task(Parker);

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// What the tellers publish, and what they wrote before.
struct Channel<const TELLERS: usize> {
    flag: WakeFlag,
    published: [AtomicUsize; TELLERS],
    written: [CheckedCell<usize>; TELLERS],
}

// SAFETY: a cell is written before its count is published, and read after it was seen; loom checks.
unsafe impl<const TELLERS: usize> Send for Channel<TELLERS> {}
// SAFETY: as above.
unsafe impl<const TELLERS: usize> Sync for Channel<TELLERS> {}

impl<const TELLERS: usize> Channel<TELLERS> {
    fn new() -> Arc<Self> {
        Arc::new(Channel {
            flag: WakeFlag::new(),
            published: std::array::from_fn(|_| AtomicUsize::new(0)),
            written: std::array::from_fn(|_| CheckedCell::new(0)),
        })
    }

    fn publish(&self, teller: usize, count: usize) {
        if count == 1 {
            // SAFETY: read by the other side after it has seen the count.
            self.written[teller].with_mut(|cell| unsafe { *cell = 1 });
        }
        self.published[teller].store(count, Ordering::Release);
    }

    fn is_all_seen(&self, count: usize) -> bool {
        self.published.iter().zip(&self.written).all(|(now, cell)| {
            let is_there = now.load(Ordering::Acquire) == count;
            if is_there {
                // SAFETY: the count was seen.
                cell.with_mut(|cell| assert_eq!(unsafe { *cell }, 1));
            }
            is_there
        })
    }
}

/// How the other side waits.
#[derive(Clone, Copy)]
enum Waits {
    AsThread,
    AsTask,
    /// A task that goes on although it was not told, and then waits with another waker.
    AsHastyTask,
}

fn wait<const TELLERS: usize>(channel: &Channel<TELLERS>, count: usize, waits: Waits) {
    let is_ready = || channel.is_all_seen(count);
    let mut is_listed = false;
    let task = || {
        let task = Arc::new(Task(Parker::new()));
        (Arc::clone(&task), Waker::from(task))
    };
    match waits {
        Waits::AsThread => channel.flag.sleep(is_ready),
        Waits::AsTask | Waits::AsHastyTask => {
            let (mut now, mut waker) = task();
            let mut is_hasty = matches!(waits, Waits::AsHastyTask);
            while !channel.flag.list(&waker, &mut is_listed, is_ready) {
                if std::mem::take(&mut is_hasty) {
                    (now, waker) = task();
                    continue;
                }
                now.0.park();
            }
        }
    }
    channel.flag.unlist(&mut is_listed);
}

fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    bounded(preemptions).check(model);
}

/// One teller, lazy from its third message on.
fn one_teller(count: usize, waits: Waits) {
    let channel = Channel::<1>::new();
    let telling = {
        let channel = Arc::clone(&channel);
        thread::spawn(move || {
            let mut teller = Teller::default();
            for count in 1..=count {
                channel.publish(0, count);
                assert_eq!(channel.flag.tell(&mut teller), Told::Done);
            }
        })
    };
    wait(&channel, count, waits);
    telling.join().unwrap();
}

/// Two tellers, which are loud.
fn two_tellers(waits: Waits) {
    let channel = Channel::<2>::new();
    let telling = [0, 1].map(|teller| {
        let channel = Arc::clone(&channel);
        thread::spawn(move || {
            channel.publish(teller, 1);
            assert_eq!(channel.flag.tell_loudly(), Told::Done);
        })
    });
    wait(&channel, 1, waits);
    for thread in telling {
        thread.join().unwrap();
    }
}

#[test]
fn loom_one_teller() {
    for waits in [Waits::AsThread, Waits::AsTask, Waits::AsHastyTask] {
        explore(4, move || one_teller(1, waits));
        explore(3, move || one_teller(4, waits));
    }
    must_catch(Plant::FlagToldBlindly, || {
        explore(4, || one_teller(1, Waits::AsThread));
    });
    for plant in [Plant::FlagUnsettled, Plant::NoHeavyBarrier] {
        must_catch(plant, || explore(3, || one_teller(4, Waits::AsThread)));
    }
}

#[test]
fn loom_two_tellers() {
    for waits in [Waits::AsThread, Waits::AsTask, Waits::AsHastyTask] {
        explore(3, move || two_tellers(waits));
    }
    must_catch(Plant::FlagSlotUnasked, || {
        explore(3, || two_tellers(Waits::AsHastyTask));
    });
}
