//! A part of the graph of waits: what some of the actors wait for, and which actors wait for them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// One actor that waits for another.
#[derive(Debug)]
pub(super) struct Wait {
    pub(super) asker: Asker,
    /// The address of the actor that owes the reply.
    pub(super) asked: usize,
    /// Whether the reply has come.
    pub(super) reply: ReplyProbe,
}

impl Wait {
    /// Whether the reply has come. To be called with the lock of the part that the wait is in, or
    /// by the asker.
    pub(super) fn has_reply(&self) -> bool {
        // SAFETY: the wait is in the graph, or about to be.
        unsafe { (self.reply.has_come)(self.reply.data) }
    }
}

/// An actor that waits, and what it is called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asker {
    actor: *const (),
    name: unsafe fn(*const ()) -> String,
}

// SAFETY: `new` demands that any thread may ask.
unsafe impl Send for Asker {}

impl Asker {
    /// # Safety
    ///
    /// `name` may be called with `actor`, on any thread, until the wait has left the graph.
    pub(super) unsafe fn new(actor: *const (), name: unsafe fn(*const ()) -> String) -> Self {
        Asker { actor, name }
    }

    pub(super) fn address(self) -> usize {
        self.actor.addr()
    }

    /// To be called with the lock of the part that the wait is in.
    pub(super) fn name(self) -> String {
        // SAFETY: the wait is in the graph.
        unsafe { (self.name)(self.actor) }
    }
}

/// Whether a reply has come; of any type.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReplyProbe {
    data: *const (),
    has_come: unsafe fn(*const ()) -> bool,
}

// SAFETY: `new` demands that any thread may ask.
unsafe impl Send for ReplyProbe {}

impl ReplyProbe {
    /// # Safety
    ///
    /// `has_come` may be called with `data`, on any thread, until the wait has left the graph.
    pub(super) unsafe fn new(data: *const (), has_come: unsafe fn(*const ()) -> bool) -> Self {
        ReplyProbe { data, has_come }
    }
}

/// The address of the asker, and a number that no other wait of it has.
pub(super) type WaitKey = (usize, u64);

/// The place before the first wait of any actor, for [`WaitShard::after`] and
/// [`WaitShard::for_after`].
pub(super) const FIRST: WaitKey = (0, 0);

/// A part of the graph. An actor belongs to one, by its address.
#[derive(Debug)]
pub(super) struct WaitShard {
    /// What the actors of this part wait for.
    waits: BTreeMap<WaitKey, Wait>,
    /// By the actor of this part that owes the reply.
    by_asked: BTreeSet<(usize, WaitKey)>,
    /// How many waits there have been.
    entered: u64,
}

impl WaitShard {
    pub(super) const NONE: Self = WaitShard {
        waits: BTreeMap::new(),
        by_asked: BTreeSet::new(),
        entered: 0,
    };

    /// Enters what an actor of this part waits for.
    pub(super) fn insert(&mut self, wait: Wait) -> WaitKey {
        self.entered += 1;
        let key = (wait.asker.address(), self.entered);
        self.waits.insert(key, wait);
        key
    }

    /// Enters that an actor of this part owes a reply. Returns whether it waits itself.
    pub(super) fn insert_debt(&mut self, asked: usize, key: WaitKey) -> bool {
        self.by_asked.insert((asked, key));
        self.waits_for_any(asked)
    }

    /// Whether an actor of this part waits.
    pub(super) fn waits_for_any(&self, actor: usize) -> bool {
        self.of(actor).next().is_some()
    }

    /// Takes a wait out, if it is there; its debt is the next step. Returns the actor that owes the
    /// reply.
    pub(super) fn remove(&mut self, key: WaitKey) -> Option<usize> {
        self.waits.remove(&key).map(|wait| wait.asked)
    }

    pub(super) fn remove_debt(&mut self, asked: usize, key: WaitKey) {
        self.by_asked.remove(&(asked, key));
    }

    #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
    pub(super) fn is_empty(&self) -> bool {
        self.waits.is_empty() && self.by_asked.is_empty()
    }

    pub(super) fn get(&self, key: WaitKey) -> Option<&Wait> {
        self.waits.get(&key)
    }

    /// What an actor of this part waits for, by key.
    pub(super) fn of(&self, asker: usize) -> impl Iterator<Item = (WaitKey, &Wait)> {
        let range = self.waits.range((asker, 0)..=(asker, u64::MAX));
        range.map(|(key, wait)| (*key, wait))
    }

    /// The first wait of this actor behind that one.
    pub(super) fn after(&self, asker: usize, (_, number): WaitKey) -> Option<(WaitKey, &Wait)> {
        let behind = (
            Bound::Excluded((asker, number)),
            Bound::Included((asker, u64::MAX)),
        );
        let (key, wait) = self.waits.range(behind).next()?;
        Some((*key, wait))
    }

    /// The first wait for this actor behind that one.
    pub(super) fn for_after(&self, asked: usize, key: WaitKey) -> Option<WaitKey> {
        let behind = (
            Bound::Excluded((asked, key)),
            Bound::Included((asked, (usize::MAX, u64::MAX))),
        );
        self.by_asked.range(behind).next().map(|(_, key)| *key)
    }
}
