//! A loop that several threads share: its parts, and how their results are joined.
//!
//! ```text
//!   caller: [ done ][ chunk ][ rest ]│[ taken first                                   ]
//!                              ▲     │  participant 1: [ chunk ][ rest ]│[ participant 2 …
//!                              └── half of any rest goes to the participant that looks for one
//! ```
//!
//! The threads are a [team](crate::team), which says which threads take part and when the loop is
//! done. Each participant has a *place* for the rest of its part. It takes a chunk off, and goes
//! through that, while the others may take half of the rest. To split a part is to call the
//! program, so that is not done under the lock of the place: the rest is taken out, and put back
//! ([`place`]). A chunk takes some microseconds, or is one item, so that the others seldom find the
//! rest away.
//!
//! A participant that has no items left takes half of what another one has left: the work is shared
//! as long as there is any (lazy binary splitting, with the halves taken by the threads that need
//! them; Tzannes, Caragea, Barua, Vishkin 2010). It looks from a random place on, at a few that
//! have any left, and chooses the one with the most. It never waits for a part that another thread
//! took. The results meet in a tree, of one [`Node`] for each part that was taken: the participant
//! that comes second joins the two, and goes on to the node above. So a thread that has nothing
//! left to take is free for other work of the pool, except for the caller.
//!
//! | file | noun |
//! |---|---|
//! | `place` | what a participant has not begun, and where others find it |
//! | `tree` | where results meet |
//! | `participant` | what a thread does that takes part |
//! | `rob` | how it gets what others have left |
//!
//! All of it is compiled once: it knows parts and results by the [frames](super::steps) that they
//! are in. What is not begun, and a result that waits for another one, is in one in the heap. A
//! participant has a chunk, and the folder that takes it, in one on its stack.
//!
//! # What is open
//!
//! A participant says after each chunk how much it has left, for those that look. What is less than
//! a chunk is not worth a look, and does not count. *Strays*, which are parts that no participant
//! has, count always.
//!
//! # Panics
//!
//! If an item panics, the rest of its part is dropped, and the payload is the result of that part.
//! Where two results meet, a panic wins over a value, and the left one over the right one. All
//! other parts are gone through. The caller panics with what comes out at the end.

mod participant;
mod place;
mod rob;
mod tree;

use super::chunk_len::ChunkLen;
use super::steps::{Content, HeapFrame, OnStack, Steps};
use crate::sync::{Arc, Mutex, lock};
use crate::team::{self, Team};
use crate::unwind::{self, Payload};
use participant::Participant;
use place::{Held, Places, Strays};
use tree::Dest;

/// What came of a part: a frame with the result.
pub(super) type Outcome = Result<HeapFrame, Payload>;

/// A loop that several threads share.
pub(super) struct SharedLoop {
    team: Team,
    /// No part is to be shorter.
    min: usize,
    places: Places,
    strays: Strays,
    /// Makes a frame for a participant.
    on_stack: OnStack,
    /// What came of the part that the caller brought in.
    left: Mutex<Option<Outcome>>,
    /// What came of the part that was taken first.
    right: Mutex<Option<Outcome>>,
}

impl SharedLoop {
    /// A loop of which this thread has just taken `work`. It lies ready for all participants.
    fn found(mut work: HeapFrame, min: usize) -> Arc<Self> {
        let shared = SharedLoop {
            team: Team::found(),
            min,
            places: Places::new(),
            strays: Strays::new(),
            on_stack: work.steps().on_stack(),
            left: Mutex::new(None),
            right: Mutex::new(None),
        };
        let first = shared.places.get(Team::FIRST);
        // One at least: nothing else says that it is there.
        first.set_left(work.look().left.max(1));
        *lock(&first.held) = Held::Rest(place::Rest {
            work,
            dest: Dest::First,
            is_begun: false,
        });
        Arc::new(shared)
    }
}

impl team::Shared for SharedLoop {
    fn team(&self) -> &Team {
        &self.team
    }

    fn is_open(&self) -> bool {
        !self.strays.is_empty()
            || (0..self.team.used()).any(|place| self.places.get(place).left() > 0)
    }

    fn take_part(self: &Arc<Self>) {
        if self.is_open() {
            (self.on_stack)(&mut |accumulator| Participant::enter(self, accumulator).take_part());
        }
    }
}

/// The caller's end of a shared loop. It waits for the loop if it is dropped before that is done.
pub(super) struct Joint(Option<Arc<SharedLoop>>);

impl Joint {
    /// This thread has taken `part`, which is fresh, from the caller. It takes part as soon as that
    /// has been reported.
    pub(super) fn found(part: &mut dyn Steps, min: usize) -> Self {
        // SAFETY: the caller of the loop waits until all parts are done, and all that was in their
        // frames has been joined or dropped.
        let mut work = unsafe { part.fresh() };
        // SAFETY: just made by the other one.
        unsafe { part.give(Content::Part, work.steps()) };
        work.steps().arrive();
        let shared = SharedLoop::found(work, min);
        team::redeem_next(&shared);
        Joint(Some(shared))
    }

    /// The caller brings in what it has left, and takes part until nothing is open. The accumulator
    /// has the folder for that, if there is one.
    pub(super) fn bring_in(
        &self,
        part: &mut dyn Steps,
        accumulator: &mut dyn Steps,
        chunk_len: ChunkLen,
    ) {
        let shared = self.shared();
        shared.team.add_side();
        // SAFETY: as in `found`.
        let mut work = unsafe { part.fresh() };
        // SAFETY: just made by the other one.
        unsafe { part.give(Content::Part, work.steps()) };
        Participant::enter(shared, accumulator).bring_in(work, chunk_len);
    }

    /// Waits for all items. Returns what came of the caller's part, if it brought one in, and of
    /// the part that was taken.
    pub(super) fn wait(mut self) -> (Option<Outcome>, Outcome) {
        let shared = self.shared();
        team::wait(shared, !std::thread::panicking());
        let left = lock(&shared.left).take();
        let right = lock(&shared.right).take();
        self.0 = None;
        match right {
            Some(right) => (left, right),
            None => unreachable!("all sides are done"),
        }
    }

    fn shared(&self) -> &Arc<SharedLoop> {
        match &self.0 {
            Some(shared) => shared,
            None => unreachable!("it is waited for once"),
        }
    }
}

impl Drop for Joint {
    fn drop(&mut self) {
        if let Some(shared) = self.0.take() {
            // The loop's own part has panicked.
            team::wait(&shared, !std::thread::panicking());
            unwind::discard(lock(&shared.left).take());
            unwind::discard(lock(&shared.right).take());
        }
    }
}
