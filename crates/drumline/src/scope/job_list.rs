//! A list of a scope's jobs, and the tickets for them.
//!
//! One list is filled by one thread as a rule, so its lock is free as a rule, too. It is held for a
//! few instructions, and never while code of the program runs.
//!
//! **Where a job is left in a list, a ticket for that list is out**, or in the hands of a thread
//! that is about to put it out. Jobs and tickets are counted under one lock, so there is no moment
//! at which a thread could see the one without the other.
//!
//! Futures that are to be polled stand in a queue of their own, first-in first-out. The newest of
//! them must not come first: a future that yields would keep all others from running. Closures come
//! before futures, but not more than [`MOST_IN_A_ROW`] of them.

use std::collections::VecDeque;

use super::state::{Body, ScopeState, SpawnOrder};
use crate::job::JobRef;
use crate::sync::{Arc, SpinCell, planted};
use crate::unwind::Payload;

/// Of closures, while a future is to be polled.
const MOST_IN_A_ROW: usize = 16;

/// A closure that no thread has begun.
struct Entry {
    body: Body<'static>,
    /// The seat that spawned it, or `NOWHERE`.
    home: usize,
}

/// What a thread begins for a scope.
pub(super) enum ScopeJob {
    /// A spawned closure.
    Closure(Body<'static>),
    /// A run of a future.
    Run(JobRef),
}

impl ScopeJob {
    /// Runs it to its end. It hands the state back, with its panic.
    pub(super) fn run(self, state: Arc<ScopeState>) -> (Arc<ScopeState>, Result<(), Payload>) {
        match self {
            ScopeJob::Closure(body) => body(state),
            ScopeJob::Run(run) => {
                // SAFETY: the job was queued once, and has been taken out of its list.
                unsafe { run.run() };
                (state, Ok(()))
            }
        }
    }
}

/// Some of the jobs of a scope.
pub(super) struct JobList {
    content: SpinCell<Content>,
}

struct Content {
    jobs: VecDeque<Entry>,
    /// Futures that are to be polled.
    runs: VecDeque<JobRef>,
    /// How many closures were taken since the last future.
    in_a_row: usize,
    /// How many tickets are out.
    tickets: usize,
}

/// From which end of the closures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Newest,
    Oldest,
}

impl Content {
    fn take(&mut self, end: End) -> Option<ScopeJob> {
        if (self.jobs.is_empty() || self.in_a_row >= MOST_IN_A_ROW)
            && let Some(run) = self.take_run()
        {
            return Some(run);
        }
        let entry = match end {
            End::Newest => self.jobs.pop_back()?,
            End::Oldest => self.jobs.pop_front()?,
        };
        self.in_a_row += 1;
        Some(ScopeJob::Closure(entry.body))
    }

    fn take_run(&mut self) -> Option<ScopeJob> {
        let run = self.runs.pop_front()?;
        self.in_a_row = 0;
        Some(ScopeJob::Run(run))
    }

    /// Whether another ticket is to be put out; counts it as out.
    fn needs_ticket(&mut self, most: usize) -> bool {
        let more = self.tickets < most.min(self.jobs.len() + self.runs.len());
        self.tickets += usize::from(more);
        more
    }
}

impl JobList {
    pub(super) fn new() -> Self {
        JobList {
            content: SpinCell::new(Content {
                jobs: VecDeque::new(),
                runs: VecDeque::new(),
                in_a_row: 0,
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

    /// Adds a run of a future. Says whether a ticket is to be put out; it is counted as out.
    #[must_use]
    pub(super) fn push_run(&self, run: JobRef, most: usize) -> bool {
        self.content.with(|content| {
            content.runs.push_back(run);
            content.needs_ticket(most)
        })
    }

    /// Whether a ticket is to be put out, for the jobs that are left; it is counted as out.
    #[must_use]
    pub(super) fn needs_ticket(&self, most: usize) -> bool {
        self.content.with(|content| content.needs_ticket(most))
    }

    /// Whether a closure is left.
    pub(super) fn has_closures(&self) -> bool {
        self.content.with(|content| !content.jobs.is_empty())
    }

    /// Whether a job is left.
    pub(super) fn has_some(&self) -> bool {
        self.content
            .with(|content| !content.jobs.is_empty() || !content.runs.is_empty())
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
    ) -> Option<(ScopeJob, bool)> {
        self.content.with(|content| {
            content.tickets -= 1;
            let is_own = content
                .jobs
                .back()
                .is_some_and(|newest| newest.home == seat);
            let end = if order == SpawnOrder::Lifo && is_own {
                End::Newest
            } else {
                End::Oldest
            };
            let job = content.take(end)?;
            let more = content.needs_ticket(most) && !planted!(TicketForgotten);
            Some((job, more))
        })
    }

    /// A future that is to be polled.
    pub(super) fn take_run(&self) -> Option<ScopeJob> {
        self.content.with(Content::take_run)
    }

    pub(super) fn take_newest(&self) -> Option<ScopeJob> {
        self.content.with(|content| content.take(End::Newest))
    }

    pub(super) fn take_oldest(&self) -> Option<ScopeJob> {
        self.content.with(|content| content.take(End::Oldest))
    }
}
