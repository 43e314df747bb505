//! Those that sleep at a channel.

use std::collections::VecDeque;
use std::task::Waker;

use super::segments::{Pass, Segments, Sent};
use super::wait_list::{WaitKey, WaitList};
use crate::wait::{call, let_go};

#[derive(Debug)]
pub(super) struct Sleepers<T> {
    pub(super) senders: WaitList<Outgoing<T>>,
    /// With what was handed to them.
    pub(super) receivers: WaitList<Option<Handed<T>>>,
    /// Those that wait for the end.
    pub(super) closers: WaitList<()>,
    /// Places that are kept for permits.
    pub(super) reserved: usize,
    /// Rendezvous: what was handed to receivers that have given up, in the order in which it was
    /// sent. While there is any, no receiver waits.
    returned: VecDeque<Handed<T>>,
    /// How many messages have been handed over.
    handed: u64,
}

/// A message that was handed to a receiver, and its number.
#[derive(Debug)]
pub(in crate::channel) struct Handed<T> {
    number: u64,
    pub(super) message: T,
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

    /// Drops them, without a call.
    pub(super) fn let_go(self) {
        self.first.into_iter().chain(self.more).for_each(let_go);
    }
}

impl<T> Sleepers<T> {
    pub(super) fn new() -> Self {
        Sleepers {
            senders: WaitList::new(),
            receivers: WaitList::new(),
            closers: WaitList::new(),
            reserved: 0,
            returned: VecDeque::new(),
            handed: 0,
        }
    }

    /// Wakes the receiver that has waited longest.
    pub(super) fn call_receiver(&mut self, queue: &Segments<T>, calls: &mut Calls) {
        calls.add(self.receivers.call());
        if self.receivers.is_empty() {
            queue.unlist_receivers();
        }
    }

    /// Sends for those that wait, as long as there is room. Newcomers are stopped.
    pub(super) fn refill(&mut self, queue: &Segments<T>, calls: &mut Calls) {
        let mut room = queue.room().saturating_sub(self.reserved);
        while room > 0
            && let Some(outgoing) = self.senders.first()
        {
            match std::mem::replace(outgoing, Outgoing::Done) {
                Outgoing::Message(message) => match queue.push(message, Pass::Admitted) {
                    Ok(Sent::Quietly) => {}
                    Ok(Sent::WakesReceiver) => self.call_receiver(queue, calls),
                    Err((_, message)) => {
                        // It is closed.
                        *outgoing = Outgoing::Message(message);
                        break;
                    }
                },
                Outgoing::Permit => self.reserved += 1,
                Outgoing::Done => unreachable!("it waits"),
            }
            calls.add(self.senders.call());
            room -= 1;
        }
        self.tidy(queue);
    }

    /// Says what senders need not heed any more.
    pub(super) fn tidy(&self, queue: &Segments<T>) {
        if self.senders.is_empty() {
            queue.unlist_senders();
            if self.reserved == 0 && self.returned.is_empty() {
                queue.admit_newcomers();
            }
        }
    }

    /// Hands a message to the receiver that has waited longest. It comes back if there is none.
    pub(super) fn hand_over(
        &mut self,
        message: T,
        queue: &Segments<T>,
        calls: &mut Calls,
    ) -> Result<(), T> {
        let Some(place) = self.receivers.first() else {
            return Err(message);
        };
        let number = self.handed;
        *place = Some(Handed { number, message });
        self.handed += 1;
        self.call_receiver(queue, calls);
        Ok(())
    }

    /// Takes the message that was sent first: one that came back, or that of a sender that waits.
    pub(super) fn accept(&mut self, queue: &Segments<T>, calls: &mut Calls) -> Option<T> {
        let message = match self.returned.pop_front() {
            Some(handed) => handed.message,
            None => {
                let outgoing = self.senders.first()?;
                let outgoing = std::mem::replace(outgoing, Outgoing::Done);
                let Outgoing::Message(message) = outgoing else {
                    unreachable!("a rendezvous gives no permits");
                };
                calls.add(self.senders.call());
                message
            }
        };
        self.tidy(queue);
        Some(message)
    }

    /// Gives a message that comes back to the receiver that has waited longest, or keeps it.
    pub(super) fn take_back(&mut self, handed: Handed<T>, queue: &Segments<T>, calls: &mut Calls) {
        if let Some(place) = self.receivers.first() {
            *place = Some(handed);
            self.call_receiver(queue, calls);
            return;
        }
        let later = |other: &Handed<T>| other.number > handed.number;
        let index = self.returned.iter().position(later);
        let index = index.unwrap_or(self.returned.len());
        self.returned.insert(index, handed);
        // For those that look whether there is something to take.
        queue.stop_newcomers();
    }
}
