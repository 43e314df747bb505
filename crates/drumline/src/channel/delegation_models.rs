//! Loom models of delegation: the receiving end of a lane is a message of another lane, while its
//! sender sends.

use std::sync::Arc;
use std::task::{Wake, Waker};

use loom::thread;

use super::CloseReason;
use super::lane::{Lane, Nothing, Reader, Writer};
use crate::sync::CheckedCell;
use crate::sync::exploration::bounded;
use crate::sync::plant::{Plant, must_catch};
use crate::wait::Parker;

/// A task that sleeps between its polls.
struct Task(Parker);

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// A receiving end, as `spsc::Receiver` is one.
struct End {
    lane: Arc<Lane<usize>>,
    reader: Reader<usize>,
    /// How many messages it has taken. Loom checks that each owner sees what the last one wrote.
    taken: CheckedCell<usize>,
}

impl End {
    /// Takes a message, which has to be the next one.
    fn take(&mut self) -> Result<(), Nothing> {
        // SAFETY: the one reader.
        let message = unsafe { self.reader.pop(&self.lane) }?;
        self.taken.with_mut(|taken| {
            // SAFETY: the end has one owner at a time.
            let taken = unsafe { &mut *taken };
            assert_eq!(message, *taken, "a message is lost, or comes twice");
            *taken += 1;
        });
        Ok(())
    }

    /// Receives on a thread, as `Receiver::recv` does. `Err`: why there are no more.
    fn recv(&mut self) -> Result<(), CloseReason> {
        loop {
            match self.take() {
                Ok(()) => return Ok(()),
                Err(Nothing::Ever(reason)) => return Err(reason),
                Err(Nothing::Yet) => {
                    let End { lane, reader, .. } = self;
                    lane.messages().sleep(|| reader.is_ready(lane));
                }
            }
        }
    }

    /// As [`recv`](Self::recv), in a task: `RecvAsync` is polled until it is ready, `polls` times
    /// at most, and dropped.
    fn recv_async(&mut self, polls: usize) -> Option<Result<(), CloseReason>> {
        let task = Arc::new(Task(Parker::new()));
        let waker = Waker::from(Arc::clone(&task));
        let mut is_listed = false;
        let mut outcome = None;
        for poll in 1..=polls {
            let End { lane, reader, .. } = self;
            let is_ready = lane
                .messages()
                .list(&waker, &mut is_listed, || reader.is_ready(lane));
            if is_ready {
                outcome = Some(match self.take() {
                    Ok(()) => Ok(()),
                    Err(Nothing::Ever(reason)) => Err(reason),
                    Err(Nothing::Yet) => unreachable!("it was ready"),
                });
                break;
            }
            if poll < polls {
                task.0.park();
            }
        }
        self.lane.unlist(&mut is_listed);
        outcome
    }
}

/// How the owners of the end wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    AsThread,
    /// The first owner polls once, and gives up.
    AsTask,
}

/// The first owner may receive a message, and sends the end to the second one, which receives all
/// others. Their sender is at work meanwhile.
fn delegated(messages: usize, waits: Waits) {
    let lane = Arc::new(Lane::new(usize::MAX));
    let delegation = Arc::new(Lane::new(usize::MAX));
    let sender = {
        let lane = Arc::clone(&lane);
        thread::spawn(move || {
            let mut writer = Writer::new();
            for message in 0..messages {
                // SAFETY: the one writer.
                let pushed = unsafe { writer.push(&lane, message) };
                assert!(pushed.is_ok(), "no owner closes the end");
            }
            let _report = writer.end(&lane, CloseReason::Dropped);
        })
    };
    let second = {
        let delegation: Arc<Lane<End>> = Arc::clone(&delegation);
        thread::spawn(move || {
            let mut reader = Reader::new();
            let mut end = loop {
                // SAFETY: the one reader.
                match unsafe { reader.pop(&delegation) } {
                    Ok(end) => break end,
                    Err(Nothing::Yet) => {
                        delegation.messages().sleep(|| reader.is_ready(&delegation));
                    }
                    Err(Nothing::Ever(_)) => unreachable!("the end is sent first"),
                }
            };
            let reason = loop {
                let received = match waits {
                    Waits::AsThread => Some(end.recv()),
                    Waits::AsTask => end.recv_async(usize::MAX),
                };
                if let Some(Err(reason)) = received {
                    break reason;
                }
            };
            (reason, end)
        })
    };
    let mut end = End {
        lane,
        reader: Reader::new(),
        taken: CheckedCell::new(0),
    };
    match waits {
        Waits::AsThread => end.recv().expect("there is a message"),
        Waits::AsTask => {
            let _received_or_not = end.recv_async(1);
        }
    }
    let mut writer = Writer::new();
    // SAFETY: the one writer.
    let pushed = unsafe { writer.push(&delegation, end) };
    assert!(pushed.is_ok(), "the second owner waits for it");
    let (reason, end) = second.join().unwrap();
    assert_eq!(reason, CloseReason::Dropped);
    // SAFETY: the second owner has ended.
    let taken = end.taken.with_mut(|taken| unsafe { *taken });
    assert_eq!(taken, messages, "a message is lost");
    sender.join().unwrap();
}

fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = bounded(preemptions);
    builder.max_branches = 10_000;
    builder.check(model);
}

#[test]
fn loom_delegated_by_threads() {
    explore(3, || delegated(2, Waits::AsThread));
    explore(2, || delegated(4, Waits::AsThread));
    must_catch(Plant::LaneUnpublished, || {
        explore(2, || delegated(2, Waits::AsThread));
    });
    must_catch(Plant::FlagToldBlindly, || {
        explore(2, || delegated(2, Waits::AsThread));
    });
}

#[test]
fn loom_delegated_by_tasks() {
    explore(3, || delegated(1, Waits::AsTask));
    explore(2, || delegated(3, Waits::AsTask));
    // The first owner has given its waker back, and a tell may still have it.
    must_catch(Plant::FlagSlotUnasked, || {
        explore(2, || delegated(1, Waits::AsTask));
    });
}
