//! Loom models of a wait that another thread can end: no message and no stop leaves the thread
//! asleep, which loom reports as a deadlock, and a wait that was stopped loses no message.

use std::future::Future;
use std::pin::Pin;
// The standard library's `Arc`: the interrupt is a waker.
use std::sync::Arc;
use std::task::{Context, Poll};

use loom::thread;

use super::interrupt::{Interrupt, WaitOutcome};
use super::{Parker, Teller, Told, WakeFlag};
use crate::sync::CheckedCell;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::exploration::bounded;
use crate::sync::plant::{Plant, must_catch};

/// A channel for one message, as a receiver of a stream sees it.
struct Mailbox {
    flag: WakeFlag,
    has_message: AtomicBool,
    message: CheckedCell<usize>,
}

// SAFETY: the message is written before `has_message`, and read after it was seen; loom checks.
unsafe impl Send for Mailbox {}
// SAFETY: as above.
unsafe impl Sync for Mailbox {}

const MESSAGE: usize = 7;

impl Mailbox {
    fn new() -> Arc<Self> {
        Arc::new(Mailbox {
            flag: WakeFlag::new(),
            has_message: AtomicBool::new(false),
            message: CheckedCell::new(0),
        })
    }

    fn send(&self) {
        // SAFETY: read by the other side after it has seen `has_message`.
        self.message.with_mut(|cell| unsafe { *cell = MESSAGE });
        self.has_message.store(true, Ordering::Release);
        let told = self.flag.tell(&mut Teller::default());
        assert_eq!(told, Told::Done);
    }

    fn receive(&self) -> Receiving<'_> {
        Receiving {
            mailbox: self,
            is_listed: false,
        }
    }
}

/// As the future of a receiver: it leaves its waker and looks once more. If it is dropped, it takes
/// the waker back.
struct Receiving<'a> {
    mailbox: &'a Mailbox,
    is_listed: bool,
}

impl Future for Receiving<'_> {
    type Output = usize;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<usize> {
        let mailbox = self.mailbox;
        let has_message = || mailbox.has_message.load(Ordering::Acquire);
        let is_listed = &mut self.is_listed;
        if !mailbox.flag.list(context.waker(), is_listed, has_message) {
            return Poll::Pending;
        }
        // SAFETY: it was seen that there is a message.
        Poll::Ready(mailbox.message.with_mut(|cell| unsafe { *cell }))
    }
}

impl Drop for Receiving<'_> {
    fn drop(&mut self) {
        // A drop during a panic must not touch what belongs to loom.
        if !std::thread::panicking() {
            self.mailbox.flag.unlist(&mut self.is_listed);
        }
    }
}

/// Waits without a deadline.
fn wait(interrupt: &Arc<Interrupt>, mailbox: &Mailbox) -> WaitOutcome<usize> {
    interrupt.wait_with(mailbox.receive(), |parker: &Parker| {
        parker.park();
        true
    })
}

/// What another thread does.
#[derive(Clone, Copy)]
enum Other {
    Sends,
    Stops,
    SendsAndStops,
}

fn start(
    other: Other,
    interrupt: &Arc<Interrupt>,
    mailbox: &Arc<Mailbox>,
) -> thread::JoinHandle<()> {
    let (interrupt, mailbox) = (Arc::clone(interrupt), Arc::clone(mailbox));
    thread::spawn(move || {
        if let Other::Sends | Other::SendsAndStops = other {
            mailbox.send();
        }
        if let Other::Stops | Other::SendsAndStops = other {
            interrupt.stop();
        }
    })
}

fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    bounded(preemptions).check(model);
}

/// One thread waits, and another one ends that, in one way or the other.
fn one_ends_it(other: Other) {
    let (interrupt, mailbox) = (Interrupt::new(), Mailbox::new());
    let thread = start(other, &interrupt, &mailbox);
    let outcome = wait(&interrupt, &mailbox);
    match other {
        Other::Sends => assert_eq!(outcome, WaitOutcome::Ready(MESSAGE)),
        Other::Stops => assert_eq!(outcome, WaitOutcome::Stopped),
        // A stop that comes between the poll and the look is seen without the message.
        Other::SendsAndStops => assert_ne!(outcome, WaitOutcome::TooLate),
    }
    thread.join().unwrap();
}

/// One thread sends, and another one stops the wait. The next stream of the receiver, which begins
/// with a token that may be left, gets the message.
fn stopped_and_told() {
    let (interrupt, mailbox) = (Interrupt::new(), Mailbox::new());
    let sender = start(Other::Sends, &interrupt, &mailbox);
    let stopper = start(Other::Stops, &interrupt, &mailbox);
    let outcome = wait(&interrupt, &mailbox);
    stopper.join().unwrap();
    match outcome {
        WaitOutcome::Ready(message) => assert_eq!(message, MESSAGE),
        WaitOutcome::Stopped => {
            interrupt.reset();
            let later = wait(&interrupt, &mailbox);
            assert_eq!(later, WaitOutcome::Ready(MESSAGE), "the message is lost");
        }
        WaitOutcome::TooLate => panic!("there is no deadline"),
    }
    sender.join().unwrap();
}

#[test]
fn loom_interrupt_ends_the_sleep() {
    for other in [Other::Sends, Other::Stops, Other::SendsAndStops] {
        explore(4, move || one_ends_it(other));
    }
    must_catch(Plant::StopTokenFirst, || {
        explore(4, || one_ends_it(Other::Stops));
    });
    for other in [Other::Sends, Other::Stops] {
        must_catch(Plant::SleepDropsToken, move || {
            explore(4, move || one_ends_it(other));
        });
    }
    must_catch(Plant::FlagToldBlindly, || {
        explore(4, || one_ends_it(Other::Sends));
    });
}

#[test]
fn loom_interrupt_loses_no_message() {
    explore(3, stopped_and_told);
    must_catch(Plant::SleepDropsToken, || explore(3, stopped_and_told));
    must_catch(Plant::FlagToldBlindly, || explore(3, stopped_and_told));
}
