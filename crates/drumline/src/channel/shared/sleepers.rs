//! Those that sleep at a channel.

use std::task::Waker;

use super::segments::{Pass, Segments, Sent};
use super::wait_list::{WaitKey, WaitList};
use crate::wait::call;

#[derive(Debug)]
pub(super) struct Sleepers<T> {
    pub(super) senders: WaitList<Outgoing<T>>,
    /// With what was handed to them.
    pub(super) receivers: WaitList<Option<T>>,
    /// Those that wait for the end.
    pub(super) closers: WaitList<()>,
}

/// What a sender waits for.
#[derive(Debug)]
pub(in crate::channel) enum Outgoing<T> {
    /// That this message is sent.
    Message(T),
    /// A permit.
    Permit,
    /// It has been done.
    Done,
}

/// What came of the wish to wait.
#[derive(Debug)]
pub(in crate::channel) enum Listed<R> {
    /// To wait until this entry is called.
    Waits(WaitKey),
    /// There is no need.
    Ready(R),
}

/// Wakers to be called when the lock is open.
#[derive(Debug, Default)]
pub(super) struct Calls {
    first: Option<Waker>,
    more: Vec<Waker>,
}

impl Calls {
    pub(super) fn add(&mut self, waker: Option<Waker>) {
        match waker {
            Some(waker) if self.first.is_none() => self.first = Some(waker),
            waker => self.more.extend(waker),
        }
    }

    pub(super) fn call(self) {
        self.first.into_iter().chain(self.more).for_each(call);
    }
}

impl<T> Sleepers<T> {
    pub(super) fn new() -> Self {
        Sleepers {
            senders: WaitList::new(),
            receivers: WaitList::new(),
            closers: WaitList::new(),
        }
    }

    /// Wakes the receiver that has waited longest.
    pub(super) fn call_receiver(&mut self, queue: &Segments<T>, calls: &mut Calls) {
        calls.add(self.receivers.call());
        if self.receivers.is_empty() {
            queue.unlist_receivers();
        }
    }

    /// Sends for those that wait, as long as there is room.
    pub(super) fn refill(&mut self, queue: &Segments<T>, calls: &mut Calls) {
        while let Some(outgoing) = self.senders.first() {
            let sent = match std::mem::replace(outgoing, Outgoing::Done) {
                Outgoing::Message(message) => match queue.push(message, Pass::First) {
                    Ok(sent) => Some(sent),
                    Err((_, message)) => {
                        *outgoing = Outgoing::Message(message);
                        None
                    }
                },
                Outgoing::Permit => match queue.push_hole(Pass::First) {
                    Ok(()) => Some(Sent::Quietly),
                    Err(_) => {
                        *outgoing = Outgoing::Permit;
                        None
                    }
                },
                Outgoing::Done => unreachable!("it waits"),
            };
            let Some(sent) = sent else {
                break;
            };
            calls.add(self.senders.call());
            if sent == Sent::WakesReceiver {
                self.call_receiver(queue, calls);
            }
        }
        self.tidy_senders(queue);
    }

    pub(super) fn tidy_senders(&self, queue: &Segments<T>) {
        if self.senders.is_empty() && queue.has_listed_senders() {
            queue.unlist_senders();
        }
    }
}
