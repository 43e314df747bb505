//! The messages of an actor with a bound on its mailbox.
//!
//! They wait in a queue under a lock. For each of them the mailbox has a *ticket*. The run that
//! comes to a ticket takes the oldest message from the queue. So the mailbox itself needs no bound:
//! it has as many tickets as the queue has messages, and what the library sends goes past the
//! bound. When a new message takes the place of the oldest one, the ticket of that is for the next.
//!
//! **The race feared** is a message with a place in the queue that is not that of its ticket:
//! another sender's ticket takes it first, and a stop that was sent behind that ticket comes before
//! the message of the first sender. So the ticket is pushed under the lock, and the order is one.
//! What follows the push may run code of the program, and comes after the lock.
//!
//! The end of the actor closes the queue. A sender sees that under the lock, so its message comes
//! back or was in the queue when it was closed. Tickets that are left find nothing.

use std::collections::VecDeque;
use std::fmt;
use std::ptr::NonNull;

use super::cell::ActorCore;
use super::dead_letter::Loss;
use super::envelope::{Envelope, SpentEnvelope};
use super::mailbox::Pushed;
use super::options::Overflow;
use super::run::RunFrame;
use crate::sync::{Arc, Mutex, lock, planted};
use crate::wait::Gate;

/// A queue with a bound.
pub(super) struct BoundedMail {
    bound: usize,
    overflow: Overflow,
    state: Mutex<BoundedState>,
}

struct BoundedState {
    queue: VecDeque<NonNull<Envelope>>,
    /// Senders that wait for room.
    waiting: VecDeque<Arc<Gate>>,
    is_closed: bool,
}

// SAFETY: the envelopes are owned by the queue, and their content is `Send`.
unsafe impl Send for BoundedState {}

/// What became of a message.
#[must_use]
#[derive(Debug)]
pub(super) enum Offered {
    /// It is in the queue, and its ticket in the mailbox. What is to follow the push of that is the
    /// caller's.
    Queued(NonNull<Envelope>, Pushed),
    /// This one is lost: the new one, or the oldest, which leaves its ticket to the new one.
    Overflow(NonNull<Envelope>),
}

/// Why a message was not queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    Full,
    Dead,
}

impl BoundedMail {
    pub(super) fn new(bound: usize, overflow: Overflow) -> Self {
        BoundedMail {
            bound,
            overflow,
            state: Mutex::new(BoundedState {
                queue: VecDeque::new(),
                waiting: VecDeque::new(),
                is_closed: false,
            }),
        }
    }

    /// How many messages wait.
    pub(super) fn len(&self) -> usize {
        lock(&self.state).queue.len()
    }

    /// Queues a message if there is room, or as the policy says. `push` pushes a ticket.
    pub(super) fn offer(
        &self,
        envelope: NonNull<Envelope>,
        may_wait: bool,
        push: impl Fn(NonNull<Envelope>) -> Pushed,
    ) -> Result<Offered, Refused> {
        loop {
            let mut state = lock(&self.state);
            if state.is_closed {
                return Err(Refused::Dead);
            }
            if state.queue.len() < self.bound {
                let ticket = Envelope::notice(open_ticket);
                state.queue.push_back(envelope);
                if planted!(BoundedTicketUnlocked) {
                    drop(state);
                }
                return Ok(Offered::Queued(ticket, push(ticket)));
            }
            match self.overflow {
                Overflow::DropNewest => return Ok(Offered::Overflow(envelope)),
                Overflow::DropOldest => {
                    state.queue.push_back(envelope);
                    let oldest = state.queue.pop_front().expect("pushed just now");
                    return Ok(Offered::Overflow(oldest));
                }
                Overflow::Wait if may_wait => {
                    let gate = Arc::new(Gate::new());
                    state.waiting.push_back(Arc::clone(&gate));
                    drop(state);
                    // Opened by the next message that is taken, or by the end.
                    gate.wait();
                }
                Overflow::Wait | Overflow::Fail => return Err(Refused::Full),
            }
        }
    }

    /// Takes the oldest message.
    fn take(&self) -> Option<NonNull<Envelope>> {
        let mut state = lock(&self.state);
        let oldest = state.queue.pop_front();
        let next = state.waiting.pop_front();
        drop(state);
        if let Some(gate) = next {
            gate.open();
        }
        oldest
    }

    /// The actor has ended: discards what is here, and lets nothing in from now on.
    pub(super) fn close(&self, frame: &mut RunFrame) {
        let mut state = lock(&self.state);
        state.is_closed = true;
        let queue = std::mem::take(&mut state.queue);
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        for gate in waiting {
            gate.open();
        }
        for envelope in queue {
            let memory = SpentEnvelope(envelope);
            // SAFETY: the queue had the envelope, which has not been opened.
            frame.report_panic(|frame| unsafe { Envelope::open(memory.0, frame) });
        }
    }
}

impl fmt::Debug for BoundedMail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundedMail")
            .field("bound", &self.bound)
            .field("overflow", &self.overflow)
            .finish_non_exhaustive()
    }
}

/// Opens a ticket: the run handles the oldest message of the queue.
///
/// # Safety
///
/// As for [`OpenFn`](super::envelope::OpenFn).
pub(super) unsafe fn open_ticket(_: NonNull<Envelope>, frame: &mut RunFrame) {
    // SAFETY: the actor is alive.
    let extra = unsafe { (*frame.core).extra.as_deref() };
    let oldest = extra
        .and_then(|extra| extra.bounded.as_ref())
        .and_then(BoundedMail::take);
    if let Some(envelope) = oldest {
        let memory = SpentEnvelope(envelope);
        // SAFETY: the queue had the envelope, which has not been opened.
        unsafe { Envelope::open(memory.0, frame) };
    }
}

impl RunFrame {
    /// Discards a message for which there was no room.
    ///
    /// # Safety
    ///
    /// The envelope is for this actor, in no queue, and has not been opened. The caller has a
    /// reference.
    pub(super) unsafe fn overflow(core: NonNull<ActorCore>, envelope: NonNull<Envelope>) {
        let mut frame = RunFrame::new(core.as_ptr(), envelope);
        frame.loss = Some(Loss::Full);
        let memory = SpentEnvelope(envelope);
        // SAFETY: the caller's obligation. Envelopes that are discarded do not use the state.
        frame.report_panic(|frame| unsafe { Envelope::open(memory.0, frame) });
    }
}
