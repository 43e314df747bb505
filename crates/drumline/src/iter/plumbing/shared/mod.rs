//! A loop that several threads share: its parts, and how their results are joined.
//!
//! ```text
//!   caller: [ done ][ chunk ][ rest ]│[ taken first                                   ]
//!                              ▲     │  participant 1: [ chunk ][ rest ]│[ participant 2 …
//!                              └── half of any rest goes to the participant that looks for one
//! ```
//!
//! The threads are a [team](crate::team), which says who takes part and when the loop is done. Each
//! participant has a *place* for the rest of its part. It
//! takes a chunk off, and goes through that, while the others may take half of the rest. Both is
//! done under the lock of the place. A chunk takes some microseconds, or is one item, so that the
//! lock is in no participant's way.
//!
//! A participant that has no items left takes half of what another one has left: the work is shared
//! as long as there is any (lazy binary splitting, with the halves taken by those who need them;
//! Tzannes, Caragea, Barua, Vishkin 2010). It looks from a random place on, at a few that have any
//! left, and chooses the one with the most. It never waits for a part that another thread took. The
//! results meet in a tree, of one [`Node`] for each part that was taken: the participant that comes
//! second joins the two, and goes on to the node above. So a thread that has nothing left to take
//! is free for other work of the pool, except for the caller.
//!
//! | file | noun |
//! |---|---|
//! | `place` | what a participant has not begun, and where others find it |
//! | `tree` | where results meet |
//! | `participant` | what a thread does that takes part |
//! | `typed` | what is of the loop's own types, behind addresses |
//!
//! Only `typed` is compiled for each loop of a program, and [`Joint`] here.
//!
//! # What is open
//!
//! A participant says after each chunk how much it has left, for those who look. What is less than
//! a chunk is not worth a look, and does not count.
//!
//! # Panics
//!
//! If an item panics, the rest of its part is dropped, and the payload is the result of that part.
//! Where two results meet, a panic wins over a value, and the left one over the right one. All
//! other parts are gone through. The caller panics with what comes out at the end.

mod participant;
mod place;
mod tree;
mod typed;

use std::marker::PhantomData;

use super::chunk_len::ChunkLen;
use super::items::Items;
use super::part::Part;
use super::{Consumer, Reducer};
use crate::sync::{Arc, Mutex, lock};
use crate::team::{self, Team};
use crate::unwind::{self, Payload};
use participant::Participant;
use place::{Held, Places};
use tree::{Dest, Meeting, reduce};
use typed::{Typed, Value, Work, reveal};

/// What came of a part.
type Outcome = Result<Value, Payload>;

/// A loop that several threads share.
pub(super) struct SharedLoop {
    team: Team,
    /// No part is to be shorter.
    min: usize,
    places: Places,
    /// [`take_part`] for the types of the loop.
    take_part: fn(&Arc<SharedLoop>),
    /// What came of the part that the caller brought in.
    left: Mutex<Option<Outcome>>,
    /// What came of the part that was taken first.
    right: Mutex<Option<Outcome>>,
}

/// Goes through what the others have left.
fn take_part<I, C>(shared: &Arc<SharedLoop>)
where
    I: Items,
    C: Consumer<I::Item>,
{
    Participant::enter(shared, &mut Typed::<I, C>::new(None)).take_part();
}

impl SharedLoop {
    /// A loop of which this thread has just taken `work`. It lies ready for all participants.
    fn found(work: Box<dyn Work>, min: usize, take_part: fn(&Arc<SharedLoop>)) -> Arc<Self> {
        let shared = SharedLoop {
            team: Team::found(),
            min,
            places: Places::new(),
            take_part,
            left: Mutex::new(None),
            right: Mutex::new(None),
        };
        let first = shared.places.get(Team::FIRST);
        // One at least: nothing else says that it is there.
        first.set_left(work.left().max(1));
        *lock(&first.held) = Held::Rest(place::Rest {
            work,
            dest: Dest::First,
            is_begun: false,
        });
        Arc::new(shared)
    }

    /// Delivers what came of a part.
    fn deliver(&self, mut dest: Dest, mut result: Outcome) {
        let side = loop {
            let (node, is_left) = match dest {
                Dest::Caller => break &self.left,
                Dest::First => break &self.right,
                Dest::Left(node) => (node, true),
                Dest::Right(node) => (node, false),
            };
            let mut meeting = lock(&node.0);
            let Some(met) = meeting.take() else {
                unreachable!("two results meet in a node");
            };
            let Some(other) = met.first else {
                *meeting = Some(Meeting {
                    first: Some(result),
                    ..met
                });
                return;
            };
            drop(meeting);
            let (left, right) = if is_left {
                (result, other)
            } else {
                (other, result)
            };
            // SAFETY: all that is delivered here is of this loop.
            result = unsafe { reduce(met.joiner, left, right) };
            dest = met.dest;
        };
        *lock(side) = Some(result);
        self.team.settle();
    }
}

impl team::Shared for SharedLoop {
    fn team(&self) -> &Team {
        &self.team
    }

    fn is_open(&self) -> bool {
        (0..self.team.used()).any(|place| self.places.get(place).left() > 0)
    }

    fn take_part(self: &Arc<Self>) {
        if self.is_open() {
            (self.take_part)(self);
        }
    }
}

/// The caller's end of a shared loop. It waits for the loop if it is dropped before that is done.
pub(super) struct Joint<I, C> {
    shared: Option<Arc<SharedLoop>>,
    _loop: PhantomData<fn(I, C)>,
}

impl<I, C> Joint<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    /// This thread has taken `part` from the caller. It takes part as soon as that has been
    /// reported.
    pub(super) fn found(mut part: Part<I, C>, min: usize) -> Self {
        part.items.arrive();
        let work = typed::Rest::hide(part);
        let shared = SharedLoop::found(work, min, take_part::<I, C>);
        team::redeem_next(&shared);
        Joint {
            shared: Some(shared),
            _loop: PhantomData,
        }
    }

    /// The caller brings in what it has left, and takes part until nothing is open.
    pub(super) fn bring_in(
        &self,
        part: Part<I, C>,
        folder: Option<C::Folder>,
        chunk_len: ChunkLen,
    ) {
        let shared = self.shared();
        shared.team.add_side();
        let is_begun = folder.is_some();
        let work = typed::Rest::hide(part);
        let mut accumulator = Typed::<I, C>::new(folder);
        Participant::enter(shared, &mut accumulator).bring_in(work, is_begun, chunk_len);
    }

    /// Waits for all items. Returns what came of the caller's part, if it brought one in, and of
    /// the part that was taken.
    #[expect(clippy::type_complexity, reason = "two results, as parts have them")]
    pub(super) fn wait(
        mut self,
    ) -> (
        Option<Result<C::Result, Payload>>,
        Result<C::Result, Payload>,
    ) {
        let (left, right) = wait(self.shared());
        self.shared = None;
        // SAFETY: they are results of this loop.
        unsafe { (left.map(|left| reveal(left)), reveal(right)) }
    }

    fn shared(&self) -> &Arc<SharedLoop> {
        match &self.shared {
            Some(shared) => shared,
            None => unreachable!("it is waited for once"),
        }
    }
}

/// Waits for all items, and takes the results.
fn wait(shared: &Arc<SharedLoop>) -> (Option<Outcome>, Outcome) {
    team::wait(shared, !std::thread::panicking());
    let left = lock(&shared.left).take();
    match lock(&shared.right).take() {
        Some(right) => (left, right),
        None => unreachable!("all sides are done"),
    }
}

/// Waits for all items, and drops the results.
#[cold]
fn abandon(shared: Arc<SharedLoop>) {
    team::wait(&shared, !std::thread::panicking());
    unwind::discard(lock(&shared.left).take());
    unwind::discard(lock(&shared.right).take());
}

impl<I, C> Drop for Joint<I, C> {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.take() {
            // The loop's own part has panicked.
            abandon(shared);
        }
    }
}

/// What came of the two sides of a loop that has been shared.
pub(super) fn join_sides<R>(
    reducer: impl Reducer<R>,
    left: Result<R, Payload>,
    right: Result<R, Payload>,
) -> R {
    match (left, right) {
        (Ok(left), Ok(right)) if super::plant::planted!(HalvesSwapped) => {
            reducer.reduce(right, left)
        }
        (Ok(left), Ok(right)) => reducer.reduce(left, right),
        (Err(payload), other) => {
            unwind::discard((reducer, other));
            unwind::resume(payload)
        }
        (Ok(left), Err(payload)) => {
            unwind::discard((reducer, left));
            unwind::resume(payload)
        }
    }
}
