//! A list of a scope's jobs, and the tickets for them.
//!
//! One list is filled by one thread as a rule, so its lock is free as a rule, too. It is held for a
//! few instructions, and never while code of the program runs.
//!
//! **Where a job is left in a list, a ticket for that list is out**, or in the hands of a thread
//! that is about to put it out. Jobs and tickets are counted under one lock, so there is no moment
//! at which a thread could see the one without the other.

use std::collections::VecDeque;

use super::state::{Body, SpawnOrder};
use crate::sync::{SpinCell, planted};

/// A job that no thread has begun.
struct Entry {
    body: Body<'static>,
    /// The seat that spawned it, or `NOWHERE`.
    home: usize,
}

/// Some of the jobs of a scope.
pub(super) struct JobList {
    content: SpinCell<Content>,
}

struct Content {
    jobs: VecDeque<Entry>,
    /// How many tickets are out.
    tickets: usize,
}

impl Content {
    /// Whether another ticket is to be put out; counts it as out.
    fn needs_ticket(&mut self, most: usize) -> bool {
        let more = self.tickets < most.min(self.jobs.len());
        self.tickets += usize::from(more);
        more
    }
}

impl JobList {
    pub(super) fn new() -> Self {
        JobList {
            content: SpinCell::new(Content {
                jobs: VecDeque::new(),
                tickets: 0,
            }),
        }
    }

    /// Adds a job. With `for_others`, whether a ticket is to be put out; it is counted as out.
    #[must_use]
    pub(super) fn push(
        &self,
        body: Body<'static>,
        home: usize,
        for_others: bool,
        most: usize,
    ) -> bool {
        self.content.with(|content| {
            content.jobs.push_back(Entry { body, home });
            for_others && content.needs_ticket(most)
        })
    }

    /// Whether a ticket is to be put out, for the jobs that are left; it is counted as out.
    #[must_use]
    pub(super) fn needs_ticket(&self, most: usize) -> bool {
        self.content.with(|content| content.needs_ticket(most))
    }

    /// How many tickets are out.
    pub(super) fn tickets(&self) -> usize {
        self.content.with(|content| content.tickets)
    }

    /// Takes out the job that a ticket in `seat` is for, if one is left. Says also whether another
    /// ticket is to be put out.
    pub(super) fn redeem(
        &self,
        seat: usize,
        order: SpawnOrder,
        most: usize,
    ) -> Option<(Body<'static>, bool)> {
        self.content.with(|content| {
            content.tickets -= 1;
            let entry = match order {
                SpawnOrder::Lifo if content.jobs.back()?.home == seat => content.jobs.pop_back()?,
                _ => content.jobs.pop_front()?,
            };
            let more = content.needs_ticket(most) && !planted!(TicketForgotten);
            Some((entry.body, more))
        })
    }

    pub(super) fn take_newest(&self) -> Option<Body<'static>> {
        self.content
            .with(|content| Some(content.jobs.pop_back()?.body))
    }

    pub(super) fn take_oldest(&self) -> Option<Body<'static>> {
        self.content
            .with(|content| Some(content.jobs.pop_front()?.body))
    }
}
