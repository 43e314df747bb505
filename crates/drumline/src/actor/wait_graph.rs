//! Which actors wait for the replies of which others, so that none waits for itself.
//!
//! An actor whose handler blocks for a reply, or awaits one with the mailbox closed, says so here,
//! and looks, in one step under a lock: from the actor that it has asked to those that this waits
//! for, and so on. If it comes back to itself, it does not wait. The last actor to close a circle
//! finds it. A handler that awaits may wait for several replies at once. It counts as one that needs
//! all of them.
//!
//! **The race feared** is two actors that ask each other at once, and both wait. Each enters
//! and looks under the one lock, so one is second, and sees the other. **The other one** is an
//! actor that is told of a circle which there is not: an edge of an actor whose reply has come, but
//! that has not woken yet, or is only about to enter. Such an edge does not count, nor does one's
//! own. An edge without a reply stays while the looking actor holds the lock, if the actor that
//! owes the reply waits itself, or is the one that looks. So a circle that is seen is one.
//!
//! **Why there is a lock.** A walk without one reads the words of actors that end their wait, and
//! perhaps their lives, meanwhile. This path is about to put a thread to sleep; a lock is nothing
//! beside that. A reply that is there already never comes here. For a reply that is awaited, the
//! lock is taken twice; all threads of the process share it.
//!
//! Edges of an ask with a deadline count like others: the circle would last until then.

use std::collections::{BTreeMap, BTreeSet};

use crate::sync::{Mutex, lock, planted};

/// One actor that waits for another.
#[derive(Debug)]
pub(super) struct Wait {
    /// The address of the actor that waits.
    pub(super) asker: usize,
    /// That of the actor that owes the reply.
    pub(super) asked: usize,
    /// What the first is called.
    pub(super) name: String,
    /// Whether the reply has come.
    pub(super) reply: ReplyProbe,
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

/// The waits of all actors of the process.
#[derive(Debug)]
pub(super) struct WaitGraph {
    waits: Mutex<Waits>,
}

#[derive(Debug)]
struct Waits {
    /// By the asker, and a number.
    by_asker: BTreeMap<WaitKey, Wait>,
    /// How many there have been.
    entered: u64,
}

/// The asker, and a number.
type WaitKey = (usize, u64);

impl Waits {
    const NONE: Self = Waits {
        by_asker: BTreeMap::new(),
        entered: 0,
    };

    fn insert(&mut self, wait: Wait) -> WaitKey {
        self.entered += 1;
        let key = (wait.asker, self.entered);
        self.by_asker.insert(key, wait);
        key
    }

    /// What an actor waits for.
    fn of(&self, asker: usize) -> impl Iterator<Item = &Wait> {
        let range = self.by_asker.range((asker, 0)..=(asker, u64::MAX));
        range.map(|(_, wait)| wait)
    }
}

#[cfg(not(drumline_loom))]
crate::sync::process_wide! {
    static GRAPH: WaitGraph = WaitGraph { waits: Mutex::new(Waits::NONE) };
}

/// The waits of all actors of the process.
#[cfg(not(drumline_loom))]
pub(super) fn graph() -> &'static WaitGraph {
    &GRAPH
}

impl WaitGraph {
    #[cfg(all(test, drumline_loom))]
    pub(super) fn new() -> Self {
        WaitGraph {
            waits: Mutex::new(Waits::NONE),
        }
    }

    /// Enters a wait, until the guard is dropped.
    ///
    /// # Errors
    ///
    /// If the actor would wait for itself: the names of the actors in the circle, in the order in
    /// which each waits for the next. It is not entered.
    pub(super) fn enter(&self, wait: Wait) -> Result<Waiting<'_>, Vec<String>> {
        let mut waits = lock(&self.waits);
        if let Some(circle) = Self::circle(&waits, &wait) {
            return Err(circle);
        }
        if planted!(AskLooksFirst) {
            drop(waits);
            waits = lock(&self.waits);
        }
        let key = waits.insert(wait);
        Ok(Waiting { graph: self, key })
    }

    /// The shortest circle that `new` would close.
    fn circle(waits: &Waits, new: &Wait) -> Option<Vec<String>> {
        // Each with the place of the one that leads to it.
        let mut reached = vec![(0, new)];
        let mut seen = BTreeSet::new();
        let mut at = 0;
        while let Some(&(_, wait)) = reached.get(at) {
            if !wait.has_reply() || planted!(AskAnsweredCounts) {
                if wait.asked == new.asker {
                    return Some(Self::names(&reached, at));
                }
                if seen.insert(wait.asked) {
                    reached.extend(waits.of(wait.asked).map(|next| (at, next)));
                }
            }
            at += 1;
        }
        None
    }

    /// The names of the actors on the way to the wait at this place.
    fn names(reached: &[(usize, &Wait)], mut at: usize) -> Vec<String> {
        let mut names = Vec::new();
        loop {
            let (before, wait) = reached[at];
            names.push(wait.name.clone());
            if at == 0 {
                names.reverse();
                return names;
            }
            at = before;
        }
    }
}

impl Wait {
    /// Whether the reply has come. To be called with the lock of the graph, or by the asker.
    fn has_reply(&self) -> bool {
        // SAFETY: the wait is in the graph, or about to be.
        unsafe { (self.reply.has_come)(self.reply.data) }
    }
}

/// A wait that is in the graph until this is dropped.
#[must_use]
#[derive(Debug)]
pub(super) struct Waiting<'a> {
    graph: &'a WaitGraph,
    key: WaitKey,
}

impl Waiting<'_> {
    /// The address of the actor that waits.
    #[cfg(not(drumline_loom))]
    pub(super) fn asker(&self) -> usize {
        self.key.0
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(&self.graph.waits).by_asker.remove(&self.key);
    }
}
