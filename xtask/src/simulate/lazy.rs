//! Lazy loops: `iter::engine::lazy` for items that are counted, with a minimum of one.

use super::chunk_len::{ChunkLen, halfway};
use super::clock::ThreadId;
use super::deque::{Entry, State};
use super::program::{Items, Job};
use super::world::World;

/// How far a loop has come with what it does not offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// All of it has been gone through.
    Open,
    /// What was left went into the loop that is shared with the thief.
    Shared,
}

impl World {
    /// Goes through `items`, and offers half of what is left, over and over.
    pub async fn lazy(&self, me: ThreadId, mut items: Items) {
        let mut chunk_len = ChunkLen::new(items.len());
        let mut offers = 0;
        loop {
            if items.len() <= chunk_len.hidden {
                return self.fold(me, items).await;
            }
            let is_first = offers == 0 && !chunk_len.is_helped;
            let start = self.clock.now();
            let is_late = offers > 1 && !chunk_len.is_helped;
            let at = if is_first {
                chunk_len.items
            } else {
                halfway(items.len(), is_late)
            };
            let (own, other) = items.split(at);
            let (offer, is_asked) = self.push(me, Job::Part(other)).await;
            let part = if is_asked {
                chunk_len = ChunkLen::helped();
                self.in_helped_chunks(me, own, &mut chunk_len, &offer).await
            } else {
                self.in_chunks(me, own, &mut chunk_len, &offer).await
            };
            if !self.pop(me).await {
                let shared = offer.joint().expect("a thief founds a team");
                return self.wait_for_team(me, &shared).await;
            }
            debug_assert_eq!(part, Part::Open, "only what is taken is shared");
            items = other;
            if is_asked {
                if is_first && items.len() > chunk_len.hidden {
                    self.request_next(me);
                }
                offers = 2;
            } else {
                if is_first {
                    // The pool believes the time of an earlier run, which is the same here.
                    chunk_len.learn(self.clock.now() - start, items.len());
                }
                offers += 1;
            }
        }
    }

    /// Goes through what is not on offer, in chunks.
    async fn in_chunks(
        &self,
        me: ThreadId,
        mut own: Items,
        chunk_len: &mut ChunkLen,
        offer: &Entry,
    ) -> Part {
        if chunk_len.is_helped {
            return self.in_helped_chunks(me, own, chunk_len, offer).await;
        }
        loop {
            if own.len() <= chunk_len.items {
                self.fold(me, own).await;
                return Part::Open;
            }
            let start = self.clock.now();
            let (chunk, rest) = own.split(chunk_len.items);
            self.fold(me, chunk).await;
            chunk_len.learn(self.clock.now() - start, rest.len());
            let items = chunk_len.items;
            own = rest;
            if self.is_taken(me, offer).await {
                *chunk_len = ChunkLen::helped();
                chunk_len.items = items;
                return self.in_helped_chunks(me, own, chunk_len, offer).await;
            }
        }
    }

    /// The same where a thread has asked for the offer, or has it.
    async fn in_helped_chunks(
        &self,
        me: ThreadId,
        mut own: Items,
        chunk_len: &mut ChunkLen,
        offer: &Entry,
    ) -> Part {
        loop {
            if own.len() <= chunk_len.items {
                self.fold(me, own).await;
                return Part::Open;
            }
            if offer.state.get() == State::Done
                && let Some(shared) = offer.joint()
            {
                self.bring_in(me, &shared, own, *chunk_len).await;
                return Part::Shared;
            }
            let start = self.clock.now();
            let (chunk, rest) = own.split(chunk_len.items);
            self.fold(me, chunk).await;
            // What costs nothing must not be looked at for ever at the same time.
            self.clock.pass(self.times.attend).await;
            chunk_len.learn(self.clock.now() - start, rest.len());
            own = rest;
            self.answer(me).await;
        }
    }
}
