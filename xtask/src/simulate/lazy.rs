//! Lazy loops: `iter::plumbing::{lazy, helped}` for items that are counted, with a minimum of one.

use super::chunk_len::{ChunkLen, halfway};
use super::clock::{ThreadFuture, ThreadId};
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
    pub async fn lazy(
        &self,
        me: ThreadId,
        mut items: Items,
        mut chunk_len: ChunkLen,
        folder: bool,
    ) {
        let mut has_folder = folder;
        let mut offers = if folder { 2 } else { 0 };
        loop {
            if items.len() <= chunk_len.hidden {
                return self.fold(me, items).await;
            }
            let is_first = offers == 0 && !chunk_len.is_helped;
            let is_late = offers > 1 && !chunk_len.is_helped;
            let at = if is_first {
                chunk_len.run
            } else {
                halfway(items.len(), is_late)
            };
            let (own, other) = items.split(at);
            let (_, is_asked) = self.push(me, Job::Part(other)).await;
            let part = if is_asked || chunk_len.is_helped {
                self.helped(me, own, &mut chunk_len, has_folder).await
            } else {
                self.in_runs(me, own, &mut chunk_len).await
            };
            if !self.pop(me).await {
                return;
            }
            items = other;
            has_folder = part == Part::Open;
            match part {
                Part::Open if is_asked => offers = 2,
                Part::Open => {
                    if is_first && !chunk_len.is_timed() {
                        chunk_len.learn_nothing();
                    }
                    offers += 1;
                }
                Part::Closed => {
                    chunk_len.run = 1;
                    offers = 0;
                }
            }
        }
    }

    /// Goes through what is not on offer, in runs.
    async fn in_runs(&self, me: ThreadId, mut own: Items, chunk_len: &mut ChunkLen) -> Part {
        let offer = self.deques[me].newest();
        loop {
            if own.len() <= chunk_len.run {
                self.fold(me, own).await;
                return Part::Open;
            }
            let start = self.clock.now();
            let (run, rest) = own.split(chunk_len.run);
            let is_timed = chunk_len.is_timed();
            self.fold(me, run).await;
            if is_timed {
                chunk_len.learn(self.clock.now() - start);
            } else {
                chunk_len.learn_nothing();
            }
            own = rest;
            if self.is_taken(me, &offer).await {
                return self.helped(me, own, chunk_len, true).await;
            }
        }
    }

    /// The same where another thread helps: what is left is on offer during every run.
    async fn helped(
        &self,
        me: ThreadId,
        mut own: Items,
        chunk_len: &mut ChunkLen,
        has_folder: bool,
    ) -> Part {
        let offer = self.deques[me].newest();
        let mut is_open = has_folder;
        loop {
            if is_open && self.is_taken(me, &offer).await {
                let fresh = ChunkLen::helped(own.len());
                let run = chunk_len.run.min(fresh.run);
                let alone: ThreadFuture<'_> =
                    Box::pin(self.lazy(me, own, ChunkLen { run, ..fresh }, true));
                alone.await;
                return Part::Closed;
            }
            if own.len() <= chunk_len.run {
                self.fold(me, own).await;
                return Part::Open;
            }
            let start = self.clock.now();
            let (run, rest) = own.split(chunk_len.run);
            self.push(me, Job::Part(rest)).await;
            self.fold(me, run).await;
            is_open = true;
            if !self.pop(me).await {
                return Part::Closed;
            }
            chunk_len.learn(self.clock.now() - start);
            own = rest;
        }
    }

    /// A part that this thread has taken: its last item comes first.
    pub async fn stolen(&self, me: ThreadId, items: Items) {
        let chunk_len = ChunkLen::helped(items.len());
        if items.len() <= 2 {
            return self.lazy(me, items, chunk_len, false).await;
        }
        let (rest, last) = items.split(items.len() - 1);
        self.push(me, Job::Part(rest)).await;
        self.fold(me, last).await;
        if self.pop(me).await {
            self.lazy(me, rest, chunk_len, true).await;
        }
    }
}
