//! Which actors wait for the replies of which others, so that none waits for itself.
//!
//! An actor whose handler blocks for a reply, or awaits one with the mailbox closed, says so here,
//! and looks, in one step under a lock: from the actor that it has asked to those that this waits
//! for, and so on. If it comes back to itself, it does not wait. The last actor to close a circle
//! finds it. A handler that awaits may wait for several replies at once. It counts as one that
//! needs all of them.
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
//! lock is taken twice; all threads of the process share it. A walk takes time in proportion to
//! what the actors on the way wait for: an actor that awaits a thousand replies at once makes each
//! ask of it as long.
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

    #[cfg(not(drumline_loom))]
    fn first_of(&self, asker: usize) -> Option<WaitKey> {
        let mut range = self.by_asker.range((asker, 0)..=(asker, u64::MAX));
        range.next().map(|(key, _)| *key)
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

    /// The actor waits for nothing any more.
    #[cfg(not(drumline_loom))]
    pub(super) fn leave(&self, asker: usize) {
        let mut waits = lock(&self.waits);
        while let Some(key) = waits.first_of(asker) {
            waits.by_asker.remove(&key);
        }
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

    /// Whether it is in the graph: the handler that has entered it may be over.
    #[cfg(not(drumline_loom))]
    pub(super) fn counts(&self) -> bool {
        lock(&self.graph.waits).by_asker.contains_key(&self.key)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(&self.graph.waits).by_asker.remove(&self.key);
    }
}

#[cfg(all(test, drumline_loom))]
mod models {
    // As in the models of the mailbox.
    use std::sync::Arc;

    use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use loom::thread;

    use super::{ReplyProbe, Wait, WaitGraph};
    use crate::sync::plant::{Plant, must_catch};

    fn explore(model: impl Fn() + Sync + Send + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(model);
    }

    /// # Safety
    ///
    /// The address is that of a live flag.
    unsafe fn is_set(flag: *const ()) -> bool {
        // SAFETY: the caller's obligation.
        unsafe { &*flag.cast::<AtomicBool>() }.load(Ordering::Acquire)
    }

    fn wait(asker: usize, asked: usize, reply: &AtomicBool) -> Wait {
        Wait {
            asker,
            asked,
            name: asker.to_string(),
            // SAFETY: the flags of the models outlive their waits.
            reply: unsafe { ReplyProbe::new(std::ptr::from_ref(reply).cast(), is_set) },
        }
    }

    /// Two actors ask each other at once: one of them does not wait.
    fn ask_each_other() {
        explore(|| {
            let graph = Arc::new(WaitGraph::new());
            let other = Arc::clone(&graph);
            let waits = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&waits);
            let ask = |graph: &WaitGraph, waits: &AtomicUsize, asker, asked| {
                let reply = AtomicBool::new(false);
                match graph.enter(wait(asker, asked, &reply)) {
                    Ok(waiting) => {
                        waits.fetch_add(1, Ordering::Relaxed);
                        // It waits for ever: the other one never replies.
                        std::mem::forget((waiting, Box::leak(Box::new(reply))));
                    }
                    Err(names) => assert_eq!(names, [asker.to_string(), asked.to_string()]),
                }
            };
            let asker = thread::spawn(move || ask(&other, &counted, 1, 2));
            ask(&graph, &waits, 2, 1);
            asker.join().unwrap();
            assert!(waits.load(Ordering::Relaxed) < 2, "both wait");
        });
    }

    /// The actor that has replied asks the asker: that is no circle, also if the asker has not
    /// woken, or not begun to wait.
    fn ask_back() {
        explore(|| {
            let graph = Arc::new(WaitGraph::new());
            let reply = Arc::new(AtomicBool::new(false));
            let (other, replied) = (Arc::clone(&graph), Arc::clone(&reply));
            let asker = thread::spawn(move || {
                let waiting = other.enter(wait(1, 2, &replied));
                assert!(waiting.is_ok(), "it has its reply");
                while !replied.load(Ordering::Acquire) {
                    thread::yield_now();
                }
            });
            reply.store(true, Ordering::Release);
            let back = AtomicBool::new(false);
            assert!(graph.enter(wait(2, 1, &back)).is_ok(), "it has replied");
            asker.join().unwrap();
        });
    }

    #[test]
    fn loom_actor_ask() {
        ask_each_other();
        must_catch(Plant::AskLooksFirst, ask_each_other);
        ask_back();
        must_catch(Plant::AskAnsweredCounts, ask_back);
    }
}
