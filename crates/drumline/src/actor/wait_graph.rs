//! Which actors wait for the replies of which others, so that none waits for itself.
//!
//! An actor with a handler that blocks for a reply, or awaits one with the mailbox closed, enters
//! that here. Then it looks for a circle: from the actor that it has asked to those that this waits
//! for, and so on; and from itself to those that wait for it, and so on. It takes a step in each
//! direction in turn, and there is no circle as soon as one of them has come to its end. So an
//! actor that is asked by thousands, or has asked thousands, costs the others nothing. If there
//! seems to be a circle, it looks again, with all parts locked. If there is one, it does not wait.
//! A handler that awaits may wait for several replies at once. It counts as one that needs all of
//! them.
//!
//! A wait that is waited out never comes here: a reply that is there already needs no place. Each
//! actor belongs to one of [`SHARDS`] parts, with a lock each. A wait stands in two of them:
//!
//! | step | part of | what |
//! |---|---|---|
//! | 1 | the asker | what it waits for |
//! | 2 | the asked | that it owes this reply, its *debt*; and a look whether it waits itself |
//! | 3 | those on the way, one after the other | the look for a circle, if it does |
//! | 4 | all, in their order | the second look, if there seems to be a circle |
//! | 5, 6 | the asker, the asked | both are taken out again |
//!
//! **The race feared** is that the actors of a circle enter at once, and none sees it. Take the one
//! that is the last to do step 2. All the others have done steps 1 and 2 before, and this one does
//! step 3 after it. So it sees the whole circle, in both directions. The waits of a circle do not
//! leave by themselves.
//!
//! **The other one** is an actor that is told of a circle which there is not: the parts are looked
//! at one after the other, and a wait may be over when the next one is seen. Therefore the second
//! look, with all parts locked. There, a wait that has its reply does not count, nor does one's
//! own: its actor has not woken yet, or is about to enter. A wait without a reply stays while the
//! locks are held, if the actor that owes the reply waits itself, or is the one that looks. So a
//! circle that is seen is one. Of two actors that see the same circle, the first takes its wait out
//! before the other looks again. A wait that is about to be refused counts until then: if circles
//! overlap and close in the same moment, an actor may be told of one which another wait, of those
//! that are refused, has closed.
//!
//! Waits with a deadline count like others: the circle would last until then.

use std::collections::{BTreeSet, VecDeque};

use super::wait_shard::{FIRST, Wait, WaitKey, WaitShard};
#[cfg(not(drumline_loom))]
use crate::sync::PerProcess;
use crate::sync::{Apart, Mutex, MutexGuard, lock, planted};

/// Parts of the graph. A model checker has few: it tries the order of all locks.
const SHARDS: usize = if cfg!(any(drumline_loom, drumline_shuttle)) {
    2
} else {
    64
};

/// After this many steps in both directions, all parts are locked: waits that come and go cannot
/// keep a search busy for ever.
const MOST_STEPS: usize = 10_000;

/// The waits of all actors of the process.
#[derive(Debug)]
pub(super) struct WaitGraph {
    shards: [Apart<Mutex<WaitShard>>; SHARDS],
}

#[cfg(not(drumline_loom))]
crate::sync::process_wide! {
    static GRAPH: PerProcess<WaitGraph> = PerProcess::new();
}

/// The part that an actor belongs to.
fn index(actor: usize) -> usize {
    if cfg!(drumline_loom) {
        return actor % SHARDS;
    }
    // Actors lie 64 bytes apart or more: the upper bits of the product depend on all bits.
    let product = (actor as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (product >> 32) as usize % SHARDS
}

/// The waits of all actors of the process.
#[cfg(not(drumline_loom))]
pub(super) fn graph() -> &'static WaitGraph {
    GRAPH.get(|| WaitGraph {
        shards: [const { Apart(Mutex::new(WaitShard::NONE)) }; SHARDS],
    })
}

impl WaitGraph {
    #[cfg(all(test, drumline_loom))]
    pub(super) fn new() -> Self {
        WaitGraph {
            shards: std::array::from_fn(|_| Apart(Mutex::new(WaitShard::NONE))),
        }
    }

    /// Enters a wait, until the guard is dropped.
    ///
    /// # Errors
    ///
    /// If the actor would wait for itself: the names of the actors in the circle, in the order in
    /// which each waits for the next. It is not entered.
    pub(super) fn enter(&self, wait: Wait) -> Result<Waiting<'_>, Vec<String>> {
        let (asker, asked) = (wait.asker.address(), wait.asked);
        let mut may_close = planted!(AskLooksFirst) && self.may_close(asker, asked);
        let key = self.shard(asker).insert(wait);
        let waiting = Waiting { graph: self, key };
        if planted!(AskDebtLate) {
            let asked_waits = self.shard(asked).waits_for_any(asked);
            may_close = asked_waits && self.may_close(asker, asked);
            self.shard(asked).insert_debt(asked, key);
        } else {
            let asked_waits = self.shard(asked).insert_debt(asked, key);
            if !planted!(AskLooksFirst) {
                may_close = asker == asked || asked_waits && self.may_close(asker, asked);
            }
        }
        if may_close {
            if planted!(AskSeenOnce) {
                return Err(Vec::new());
            }
            if let Some(circle) = self.circle(key) {
                return Err(circle);
            }
        }
        Ok(waiting)
    }

    /// The actor waits for nothing any more.
    #[cfg(not(drumline_loom))]
    pub(super) fn leave(&self, asker: usize) {
        loop {
            let first = self.shard(asker).of(asker).next().map(|(key, _)| key);
            let Some(key) = first else { return };
            self.remove(key);
        }
    }

    fn remove(&self, key: WaitKey) {
        let asked = self.shard(key.0).remove(key);
        if let Some(asked) = asked {
            self.shard(asked).remove_debt(asked, key);
        }
    }

    /// The part that an actor belongs to.
    fn shard(&self, actor: usize) -> MutexGuard<'_, WaitShard> {
        lock(&self.shards[index(actor)])
    }

    /// Whether there may be a circle by way of this asker, which waits for that actor. If there is
    /// one, and all of its waits were entered before this call, it returns `true`.
    fn may_close(&self, asker: usize, asked: usize) -> bool {
        // Those that the asker comes to wait for, and those that come to wait for the asker.
        let (mut ahead, mut behind) = (Search::from(asked), Search::from(asker));
        for _ in 0..MOST_STEPS {
            match self.step_ahead(&mut ahead) {
                Step::Reached(actor) if actor == asker => return true,
                Step::Over => return false,
                _ => {}
            }
            match self.step_behind(&mut behind) {
                Step::Reached(actor) if actor == asked => return true,
                Step::Over => return false,
                _ => {}
            }
        }
        true
    }

    /// Goes along one wait of the actor at which the search is.
    fn step_ahead(&self, search: &mut Search) -> Step {
        let shard = self.shard(search.at);
        let next = shard.after(search.at, search.last);
        let next = next.map(|(key, wait)| (key, wait.asked, wait.has_reply()));
        drop(shard);
        match next {
            None => search.next_actor(),
            Some((key, asked, has_reply)) => search.go(key, (!has_reply).then_some(asked)),
        }
    }

    /// Goes along one wait for the actor at which the search is, against its direction.
    fn step_behind(&self, search: &mut Search) -> Step {
        let next = self.shard(search.at).for_after(search.at, search.last);
        let Some(key) = next else {
            return search.next_actor();
        };
        let has_reply = self.shard(key.0).get(key).is_none_or(Wait::has_reply);
        search.go(key, (!has_reply).then_some(key.0))
    }

    /// The shortest circle that this wait closes. If there is one, the wait is taken out.
    #[cold]
    fn circle(&self, key: WaitKey) -> Option<Vec<String>> {
        let mut shards = self.shards.each_ref().map(|shard| lock(shard));
        // Waits, each with the place of the one that leads to it.
        let mut reached = vec![(0, key)];
        let mut seen = BTreeSet::new();
        let mut at = 0;
        while let Some(&(_, next)) = reached.get(at) {
            let wait = shards[index(next.0)].get(next)?;
            if !wait.has_reply() || planted!(AskAnsweredCounts) {
                let asked = wait.asked;
                if asked == key.0 {
                    let circle = names(&shards, &reached, at);
                    if let Some(asked) = shards[index(key.0)].remove(key) {
                        shards[index(asked)].remove_debt(asked, key);
                    }
                    return Some(circle);
                }
                if seen.insert(asked) {
                    let waits = shards[index(asked)].of(asked);
                    reached.extend(waits.map(|(next, _)| (at, next)));
                }
            }
            at += 1;
        }
        None
    }
}

/// The names of the actors on the way to the wait at this place.
fn names(
    shards: &[MutexGuard<'_, WaitShard>; SHARDS],
    reached: &[(usize, WaitKey)],
    mut at: usize,
) -> Vec<String> {
    let mut names = Vec::new();
    loop {
        let (before, key) = reached[at];
        let wait = shards[index(key.0)].get(key);
        names.extend(wait.map(|wait| wait.asker.name()));
        if at == 0 {
            names.reverse();
            return names;
        }
        at = before;
    }
}

/// A walk in one direction, from actor to actor.
struct Search {
    /// The actor that it looks at: it goes along the waits, or debts, of that actor.
    at: usize,
    /// The one of them that it has come to.
    last: WaitKey,
    /// Where it goes on.
    next: VecDeque<usize>,
    seen: BTreeSet<usize>,
}

/// What a step of a search has found.
enum Step {
    /// An actor.
    Reached(usize),
    Nothing,
    /// There is nothing more.
    Over,
}

impl Search {
    fn from(actor: usize) -> Self {
        Search {
            at: actor,
            last: FIRST,
            next: VecDeque::new(),
            seen: BTreeSet::new(),
        }
    }

    /// Goes along a wait, which leads to that actor if it has no reply.
    fn go(&mut self, wait: WaitKey, actor: Option<usize>) -> Step {
        self.last = wait;
        let Some(actor) = actor else {
            return Step::Nothing;
        };
        if self.seen.insert(actor) {
            self.next.push_back(actor);
        }
        Step::Reached(actor)
    }

    fn next_actor(&mut self) -> Step {
        let Some(actor) = self.next.pop_front() else {
            return Step::Over;
        };
        (self.at, self.last) = (actor, FIRST);
        Step::Nothing
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
        self.graph.shard(self.key.0).get(self.key).is_some()
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.graph.remove(self.key);
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use std::ptr;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::wait_shard::{Asker, ReplyProbe};
    use super::*;

    fn name_of(actor: *const ()) -> String {
        actor.addr().to_string()
    }

    /// No reply ever comes, and the probes are counted. Relaxed, here and below: by one thread.
    unsafe fn count_probe(count: *const ()) -> bool {
        // SAFETY: that is what the tests give.
        unsafe { &*count.cast::<AtomicUsize>() }.fetch_add(1, Ordering::Relaxed);
        false
    }

    fn wait(asker: usize, asked: usize, probes: &AtomicUsize) -> Wait {
        Wait {
            // SAFETY: any address may be given.
            asker: unsafe { Asker::new(ptr::without_provenance(asker), name_of) },
            asked,
            // SAFETY: the tests drop their waits before the count.
            reply: unsafe { ReplyProbe::new(ptr::from_ref(probes).cast(), count_probe) },
        }
    }

    fn graph() -> WaitGraph {
        WaitGraph {
            shards: std::array::from_fn(|_| Apart(Mutex::new(WaitShard::NONE))),
        }
    }

    #[test]
    fn actors_with_many_waits_cost_the_others_nothing() {
        let probes = AtomicUsize::new(0);
        let graph = graph();
        let (asking, asked) = (1_001, 1_002);
        let enter = |asker, asked| graph.enter(wait(asker, asked, &probes)).unwrap();
        let mut waits = Vec::new();
        for other in 1..=1_000 {
            waits.push(enter(asking, other));
            waits.push(enter(2_000 + other, asked));
        }
        probes.store(0, Ordering::Relaxed);
        // The first is waited for by no actor, and the second waits for none.
        waits.push(enter(5_000, asking));
        waits.push(enter(asked, 5_001));
        // One step to each side.
        assert!(probes.load(Ordering::Relaxed) <= 4, "{probes:?}");
    }

    #[test]
    fn the_shortest_circle_is_told() {
        let probes = AtomicUsize::new(0);
        let graph = graph();
        let mut waits = Vec::new();
        for (asker, asked) in [(2, 3), (3, 4), (4, 1), (2, 5), (5, 1), (2, 6)] {
            waits.push(graph.enter(wait(asker, asked, &probes)).unwrap());
        }
        let circle = graph.enter(wait(1, 2, &probes)).unwrap_err();
        assert_eq!(circle, ["1", "2", "5"]);
        // The wait was refused: nothing of it is left.
        waits.push(graph.enter(wait(7, 1, &probes)).unwrap());
        drop(waits);
        assert!(graph.enter(wait(1, 2, &probes)).is_ok());
        for shard in &graph.shards {
            assert!(lock(shard).is_empty());
        }
    }

    #[test]
    fn an_actor_that_asks_itself_is_a_circle() {
        let probes = AtomicUsize::new(0);
        let graph = graph();
        assert_eq!(graph.enter(wait(9, 9, &probes)).unwrap_err(), ["9"]);
    }
}
