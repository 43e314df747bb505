//! Lazy loops: `iter::plumbing::{lazy, helped}` for items that are counted, with a minimum of one.

use super::clock::{Course, ThreadId};
use super::pace::{Pace, halfway};
use super::program::{Items, Job};
use super::world::World;

/// How far a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// All its items have been gone through by this thread.
    Open,
    /// A piece of it was taken, and the folder was completed before the wait.
    Closed,
}

impl World {
    /// Goes through `items`, and offers half of what is left, over and over.
    pub async fn lazy(&self, me: ThreadId, mut items: Items, mut pace: Pace, folder: bool) {
        let mut has_folder = folder;
        let mut offers = if folder { 2 } else { 0 };
        loop {
            if items.len() <= pace.hidden {
                return self.fold(me, items).await;
            }
            let is_first = offers == 0 && !pace.is_helped;
            let is_late = offers > 1 && !pace.is_helped;
            let at = if is_first {
                pace.run
            } else {
                halfway(items.len(), is_late)
            };
            let (own, other) = items.split(at);
            let (_, is_asked) = self.push(me, Job::Part(other)).await;
            let part = if is_asked || pace.is_helped {
                self.helped(me, own, &mut pace, has_folder).await
            } else {
                self.in_runs(me, own, &mut pace).await
            };
            if !self.pop(me).await {
                return;
            }
            items = other;
            has_folder = part == Part::Open;
            match part {
                Part::Open if is_asked => offers = 2,
                Part::Open => {
                    if is_first && !pace.is_timed() {
                        pace.learn_nothing();
                    }
                    offers += 1;
                }
                Part::Closed => {
                    pace.run = 1;
                    offers = 0;
                }
            }
        }
    }

    /// Goes through what is not on offer, in runs.
    async fn in_runs(&self, me: ThreadId, mut own: Items, pace: &mut Pace) -> Part {
        let offer = self.deques[me].newest();
        loop {
            if own.len() <= pace.run {
                self.fold(me, own).await;
                return Part::Open;
            }
            let start = self.clock.now();
            let (run, rest) = own.split(pace.run);
            let is_timed = pace.is_timed();
            self.fold(me, run).await;
            if is_timed {
                pace.learn(self.clock.now() - start);
            } else {
                pace.learn_nothing();
            }
            own = rest;
            if self.is_taken(me, &offer).await {
                return self.helped(me, own, pace, true).await;
            }
        }
    }

    /// The same where another thread helps: what is left is on offer during every run.
    async fn helped(
        &self,
        me: ThreadId,
        mut own: Items,
        pace: &mut Pace,
        has_folder: bool,
    ) -> Part {
        let offer = self.deques[me].newest();
        let mut is_open = has_folder;
        loop {
            if is_open && self.is_taken(me, &offer).await {
                let fresh = Pace::helped(own.len());
                let run = pace.run.min(fresh.run);
                let alone: Course<'_> = Box::pin(self.lazy(me, own, Pace { run, ..fresh }, true));
                alone.await;
                return Part::Closed;
            }
            if own.len() <= pace.run {
                self.fold(me, own).await;
                return Part::Open;
            }
            let start = self.clock.now();
            let (run, rest) = own.split(pace.run);
            self.push(me, Job::Part(rest)).await;
            self.fold(me, run).await;
            is_open = true;
            if !self.pop(me).await {
                return Part::Closed;
            }
            pace.learn(self.clock.now() - start);
            own = rest;
        }
    }

    /// A part that this thread has taken: its last item comes first.
    pub async fn stolen(&self, me: ThreadId, items: Items) {
        let pace = Pace::helped(items.len());
        if items.len() <= 2 {
            return self.lazy(me, items, pace, false).await;
        }
        let (rest, last) = items.split(items.len() - 1);
        self.push(me, Job::Part(rest)).await;
        self.fold(me, last).await;
        if self.pop(me).await {
            self.lazy(me, rest, pace, true).await;
        }
    }
}
