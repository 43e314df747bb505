//! What was pulled from a source that cannot say whether a pull would wait.
//!
//! An iterator over a pipe gives some items at once and then waits, and nothing tells which pull
//! waits. So an item must not lie in a place of its consumer's own while that consumer pulls the
//! next one. There are two ways to pull from such a *blind* source:
//!
//! * *Alone.* A consumer pulls one item, and handles it, and hands in what came of it, before it
//!   pulls the next. It keeps the token for some of them if they are short.
//! * *Ahead.* A consumer opens the pocket, and puts each item into it before it pulls the next. It
//!   does so only while another one is *at hand*: at work on what will be done soon, or looking. A
//!   consumer of which a run was taken away is none: it is held up by an item. When the consumer
//!   that pulls has pulled enough, it takes its share, and the others take the rest.
//!
//! # The race feared
//!
//! The one that is at hand goes away, while the one that pulls puts an item into the pocket and
//! then waits for the next: the item is withheld. Both are steps under the lock of the pocket. If
//! the item comes first, the one that wants to go finds it, takes it and stays. If the leaving
//! comes first, it has left a note (`closing`). The one that pulls finds the note with its item,
//! and stops.
//!
//! *The others are held up* by items of batches that they took, while the one that pulls waits. The
//! consumer that is aside sees that a pull goes on for a whole nap, and that there are items in the
//! pocket: it comes forward (`aside`).
//!
//! A consumer that arrives while another one is in a run stays aside, because a run is quick. It
//! leaves under this lock as well (`leave_run`). The owner of the run may begin to pull ahead at
//! that moment, and counts the consumers at hand under the same lock.
//!
//! The serial end never waits in a blind source while there is anything that it could get instead:
//! it pulls only if no consumer is at work, and nothing is finished. Otherwise it takes from the
//! pocket.

use std::collections::VecDeque;

use super::stage_state::StageState;
use crate::sync::{Mutex, MutexGuard, lock, planted};

/// Items of a blind source that no consumer has taken.
#[derive(Debug)]
pub(super) struct Pocket<T>(Mutex<PocketItems<T>>);

#[derive(Debug)]
pub(super) struct PocketItems<T> {
    items: VecDeque<T>,
    /// A consumer pulls ahead.
    open: bool,
    /// One that was at hand has left: the consumer that pulls ahead stops.
    closing: bool,
}

impl<T> Pocket<T> {
    pub(super) fn new() -> Self {
        Pocket(Mutex::new(PocketItems {
            items: VecDeque::new(),
            open: false,
            closing: false,
        }))
    }

    /// What is in it. The lock of the stage state may be taken while this is held, and not the
    /// other way round.
    pub(super) fn look(&self) -> MutexGuard<'_, PocketItems<T>> {
        lock(&self.0)
    }

    /// A consumer that has arrived is at work no more, if another one is in a run. `false`: it
    /// stays at work.
    pub(super) fn leave_run<B>(&self, stage_state: &StageState<B>) -> bool {
        let pulled = self.look();
        let leaves = stage_state.is_run() && !pulled.is_open();
        let _pulled = (!planted!(LeavesRunUnlocked)).then_some(pulled);
        if leaves {
            stage_state.leave();
        }
        leaves
    }

    /// The consumer that pulls ahead adds an item. Whether it may pull another.
    pub(super) fn add(&self, item: T) -> bool {
        let mut pulled = self.look();
        pulled.items.push_back(item);
        !pulled.closing
    }
}

impl<T> PocketItems<T> {
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// A consumer begins to pull ahead.
    pub(super) fn open(&mut self) {
        self.open = true;
        self.closing = false;
    }

    /// It has stopped.
    pub(super) fn close(&mut self) {
        self.open = false;
    }

    /// One that was at hand leaves, with nothing in the pocket.
    pub(super) fn leave(&mut self) {
        self.closing = !planted!(LeavesUnnoticed);
    }

    /// Takes the oldest items, up to `most`.
    pub(super) fn take(&mut self, most: usize, batch: &mut Vec<T>) {
        let count = most.min(self.items.len());
        batch.extend(self.items.drain(..count));
    }
}
