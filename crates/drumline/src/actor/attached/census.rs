//! How many messages are in a mailbox.
//!
//! The mailbox has no count: a counter would cost each message a step, and only its run may go
//! along the chain. So the run is asked: the thread that wants to know attaches the place for its
//! answer, says CENSUS in the word, and sends a notice, so that the run comes to a message. If
//! CENSUS is said already, such a notice is on its way, and there is no second one. The run
//! looks at the word before each message, counts what is in the chain, and sends the answer. Its
//! notice may be in the chain, and does not count. A mailbox that is idle is empty. A bounded one
//! knows its length.
//!
//! **The race feared** is a question without an answer although the run goes on. The run clears
//! CENSUS first, and then takes the places under the lock of the table. A place that is attached
//! too late for that is followed by a CENSUS that was not cleared, and by a notice.

use std::ptr;

use super::entry::{Attachment, attached, with_shard};
use super::table::next_number;
use crate::actor::life::current;
use crate::actor::mail::{Envelope, envelope};
use crate::actor::mailbox::Mailbox;
use crate::actor::memory::{ActorCore, CoreRef, RunFrame};
use crate::channel::RecvTimeoutError;
use crate::channel::oneshot::{self, Receiver};
use crate::sync::Instant;

/// How many messages are in a mailbox, or the question.
pub(crate) enum Census {
    Known(usize),
    /// With the number of the place for the answer.
    Asked(Receiver<usize>, usize, u64),
    /// The actor is in no position to answer.
    Unknown,
    /// The actor has ended.
    Ended,
}

impl Census {
    /// Asks an actor, which may be the one that the calling thread runs.
    pub(crate) fn ask(actor: &CoreRef) -> Self {
        let core = actor.core();
        if core.word.is_dead() {
            return Census::Ended;
        }
        if let Some(bounded) = core
            .extra
            .as_deref()
            .and_then(|extra| extra.bounded.as_ref())
        {
            return Census::Known(bounded.len());
        }
        if core.mailbox.is_idle() {
            return Census::Known(0);
        }
        if current::current() == actor.as_ptr().as_ptr().cast_const() {
            // It cannot answer before this returns.
            return Census::Unknown;
        }
        let (sender, receiver) = oneshot::channel();
        let Some(number) = attach_census(actor, sender) else {
            return Census::Ended;
        };
        if core.word.ask_census() {
            // SAFETY: the reference stays meanwhile.
            unsafe { ActorCore::notify(actor.as_ptr(), Envelope::notice(envelope::open_nudge)) };
        }
        Census::Asked(receiver, actor.as_ptr().as_ptr().addr(), number)
    }

    /// The answer, if it comes until `deadline`.
    pub(crate) fn wait(self, deadline: Instant) -> Self {
        let Census::Asked(mut receiver, actor, number) = self else {
            return self;
        };
        match receiver.recv_deadline(deadline) {
            Ok(length) => Census::Known(length),
            Err(RecvTimeoutError::Timeout) => {
                // The answer may come in this moment.
                let place = with_shard(actor, |shard| shard.remove(actor, number));
                drop(place);
                Census::Unknown
            }
            Err(RecvTimeoutError::Closed(_)) => Census::Ended,
        }
    }
}

impl RunFrame {
    /// Answers those that have asked for the length of the mailbox.
    ///
    /// # Safety
    ///
    /// The frame is that of a run, and the envelope at hand is not open.
    #[cold]
    pub(crate) unsafe fn answer_census(&mut self) {
        // SAFETY: the actor is alive.
        let places = take_census(unsafe { &*self.core });
        let mut length = 0;
        let mut link = self.at_hand;
        loop {
            // SAFETY: the run has all that is in the chain.
            let is_nudge = unsafe { Envelope::is_nudge(Envelope::of(link)) };
            length += usize::from(!is_nudge);
            // SAFETY: as above.
            match unsafe { Mailbox::next(link) } {
                Some(next) => link = next,
                None => break,
            }
        }
        for sender in places {
            // The one that has asked may wait no longer.
            let _ = sender.send(length);
        }
    }
}

/// Attaches the place for the length of the mailbox of an actor, and returns its number. `None`:
/// the actor is dead.
fn attach_census(actor: &CoreRef, answer: oneshot::Sender<usize>) -> Option<u64> {
    let address = actor.as_ptr().as_ptr().addr();
    let number = next_number();
    let key = (address, number);
    let entry = Attachment::Census(answer);
    let made = with_shard(address, |shard| {
        shard.attach(&actor.core().word, key, entry)
    });
    made.is_ok().then_some(number)
}

/// The places for the length of the mailbox of an actor, for its run.
fn take_census(core: &ActorCore) -> Vec<oneshot::Sender<usize>> {
    let is_census = |_, entry: &Attachment| matches!(entry, Attachment::Census(_));
    let address = ptr::from_ref(core).addr();
    let taken = attached().take_census(&core.word, address, is_census);
    let senders = taken.into_iter().filter_map(|(_, entry)| match entry {
        Attachment::Census(answer) => Some(answer),
        _ => None,
    });
    senders.collect()
}
