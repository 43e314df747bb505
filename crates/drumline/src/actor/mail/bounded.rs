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

use crate::actor::Overflow;
use crate::actor::mailbox::MailLink;
use crate::sync::{Arc, Mutex, lock, planted};
use crate::wait::Gate;

/// A queue with a bound.
pub(crate) struct BoundedMail {
    bound: usize,
    overflow: Overflow,
    state: Mutex<BoundedState>,
}

struct BoundedState {
    /// Links of envelopes.
    queue: VecDeque<*const MailLink>,
    /// Senders that wait for room.
    waiting: VecDeque<Arc<Gate>>,
    is_closed: bool,
}

// SAFETY: the envelopes are owned by the queue, and their content is `Send`.
unsafe impl Send for BoundedState {}

/// What became of a message.
#[must_use]
#[derive(Debug)]
pub(crate) enum BoundedOutcome<P> {
    /// It is in the queue, and its ticket in the mailbox. What is to follow the push of that is the
    /// caller's.
    Queued(P),
    /// This one is lost: the new one, or the oldest, which leaves its ticket to the new one.
    Overflow(*const MailLink),
}

/// Why a message was not queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Full,
    Dead,
}

impl BoundedMail {
    pub(crate) fn new(bound: usize, overflow: Overflow) -> Self {
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
    pub(crate) fn len(&self) -> usize {
        lock(&self.state).queue.len()
    }

    /// Queues a message if there is room, or as the policy says. `push` pushes a ticket.
    pub(crate) fn offer<P>(
        &self,
        envelope: *const MailLink,
        may_wait: bool,
        push: impl Fn() -> P,
    ) -> Result<BoundedOutcome<P>, Refused> {
        loop {
            let mut state = lock(&self.state);
            if state.is_closed {
                return Err(Refused::Dead);
            }
            if state.queue.len() < self.bound {
                state.queue.push_back(envelope);
                if planted!(BoundedTicketUnlocked) {
                    drop(state);
                }
                return Ok(BoundedOutcome::Queued(push()));
            }
            match self.overflow {
                Overflow::DropNewest => return Ok(BoundedOutcome::Overflow(envelope)),
                Overflow::DropOldest => {
                    state.queue.push_back(envelope);
                    let oldest = state.queue.pop_front().expect("pushed just now");
                    return Ok(BoundedOutcome::Overflow(oldest));
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
    pub(crate) fn take(&self) -> Option<*const MailLink> {
        let mut state = lock(&self.state);
        let oldest = state.queue.pop_front();
        let next = state.waiting.pop_front();
        drop(state);
        if let Some(gate) = next {
            gate.open();
        }
        oldest
    }

    /// The actor has ended: takes all messages, and lets nothing in from now on.
    pub(crate) fn close(&self) -> VecDeque<*const MailLink> {
        let mut state = lock(&self.state);
        state.is_closed = true;
        let queue = std::mem::take(&mut state.queue);
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        for gate in waiting {
            gate.open();
        }
        queue
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
