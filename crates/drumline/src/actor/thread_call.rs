//! How senders call the thread of an actor, and what that thread has of the mailbox meanwhile.
//!
//! The sender that finds the actor idle does not queue a run, but calls the thread. There is one
//! call for each time that the actor was idle, so a call is never missed, and none is left over.
//!
//! **The race feared** is a call that comes when a wait has reached its deadline. Such a wait takes
//! no call without saying so: the call stays for the next wait.

use std::time::Duration;

use crate::sync::planted;
use crate::wait::Parker;

/// Where the thread of an actor is called.
#[derive(Debug)]
pub(crate) struct ThreadCall(Parker);

impl ThreadCall {
    pub(crate) fn new() -> Self {
        ThreadCall(Parker::new())
    }

    /// Calls the thread: the actor has a message.
    pub(crate) fn call(&self) {
        self.0.unpark();
    }

    /// Waits for the next call.
    pub(crate) fn await_call(&self) {
        self.0.park();
    }

    /// As [`await_call`](Self::await_call), for as long as `left` says. Returns whether there was a
    /// call.
    pub(crate) fn await_call_for(&self, mut left: impl FnMut() -> Duration) -> bool {
        loop {
            let left = left();
            if planted!(CallDroppedAtDeadline) && left.is_zero() {
                self.0.park_timeout(left);
                return false;
            }
            if left.is_zero() && !self.has_call() {
                return false;
            }
            if self.0.park_timeout(left) {
                return true;
            }
        }
    }

    /// Whether there is a call for which no wait has waited; asked by the thread itself.
    pub(crate) fn has_call(&self) -> bool {
        self.0.has_token()
    }
}

/// What the thread of an actor that is a function has of the mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InboxStage {
    /// It owns it, with an envelope at hand.
    Running,
    /// Nothing: it is called when there is a message, or when a future gives the mailbox back.
    Idle,
    /// It owns it, and receives nothing more.
    Ended { has_reference: bool },
}

impl InboxStage {
    /// The stage after a message whose future has the mailbox. That future calls the thread once,
    /// as the sender does that finds the mailbox idle.
    pub(crate) fn hold(self) -> Self {
        if planted!(InboxKeepsHeld) {
            return self;
        }
        InboxStage::Idle
    }

    /// Sees to it that the thread owns the mailbox, when its function has returned. Returns whether
    /// it has the reference of `final`.
    ///
    /// `nudge` sends the actor a message. `begin` takes up what the mailbox begins with.
    pub(crate) fn regain(
        self,
        call: &ThreadCall,
        nudge: impl FnOnce(),
        begin: impl FnOnce(),
    ) -> bool {
        match self {
            InboxStage::Running => false,
            InboxStage::Ended { has_reference } => has_reference,
            InboxStage::Idle => {
                if !planted!(InboxRegainsUncalled) {
                    nudge();
                    call.await_call();
                }
                begin();
                false
            }
        }
    }
}
