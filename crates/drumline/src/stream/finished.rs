//! Finished batches that wait for the serial end.

use std::collections::VecDeque;

use super::load::Load;
use super::ticket::Ticket;

/// The batches of a stage that are done.
#[derive(Debug)]
pub(super) enum Finished<B> {
    /// The stage does not use its results.
    Unwanted,
    /// In the order in which they were finished.
    AsTheyCome(VecDeque<(Load, B)>),
    /// In the order of the source: a window that begins with the oldest result that was not taken.
    InOrder {
        first: u64,
        window: VecDeque<Option<(Load, B)>>,
    },
}

impl<B> Finished<B> {
    pub(super) fn as_they_come() -> Self {
        Finished::AsTheyCome(VecDeque::new())
    }

    pub(super) fn in_order() -> Self {
        Finished::InOrder {
            first: 0,
            window: VecDeque::new(),
        }
    }

    /// Adds a batch. `Some`: it is gone, and no longer in flight.
    pub(super) fn put(&mut self, ticket: Ticket, batch: B) -> Option<Load> {
        match self {
            Finished::Unwanted => return Some(ticket.load),
            Finished::AsTheyCome(queue) => queue.push_back((ticket.load, batch)),
            Finished::InOrder { first, window } => {
                let place = usize::try_from(ticket.batch - *first).expect("a window fits memory");
                while window.len() <= place {
                    window.push_back(None);
                }
                window[place] = Some((ticket.load, batch));
            }
        }
        None
    }

    /// The batch with this number, if it is the last, is finished, and has not been taken.
    pub(super) fn last(&mut self, number: u64) -> Option<&mut (Load, B)> {
        match self {
            Finished::Unwanted => None,
            Finished::AsTheyCome(queue) => queue.back_mut(),
            Finished::InOrder { first, window } => {
                let is_last = number.checked_sub(*first)? + 1 == window.len() as u64;
                window.back_mut().filter(|_| is_last)?.as_mut()
            }
        }
    }

    /// Takes the next batch.
    pub(super) fn take(&mut self) -> Option<(Load, B)> {
        match self {
            Finished::Unwanted => None,
            Finished::AsTheyCome(queue) => queue.pop_front(),
            Finished::InOrder { first, window } => {
                let batch = window.front_mut()?.take()?;
                window.pop_front();
                *first += 1;
                Some(batch)
            }
        }
    }

    /// How many there are, and are still missing before others.
    pub(super) fn len(&self) -> usize {
        match self {
            Finished::Unwanted => 0,
            Finished::AsTheyCome(queue) => queue.len(),
            Finished::InOrder { window, .. } => window.len(),
        }
    }

    /// Whether there is a next batch to be taken.
    pub(super) fn is_ready(&self) -> bool {
        match self {
            Finished::Unwanted => false,
            Finished::AsTheyCome(queue) => !queue.is_empty(),
            Finished::InOrder { window, .. } => matches!(window.front(), Some(Some(_))),
        }
    }
}
