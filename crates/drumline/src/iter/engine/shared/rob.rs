//! How a participant gets what others have left.

use std::cmp::Reverse;
use std::mem;

use super::participant::Participant;
use super::place::{Held, Place, Rest};
use super::tree::{Dest, Node};
use crate::iter::engine::plant::planted;
use crate::iter::engine::steps::{HeapFrame, Look, Split};
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
use crate::join::forced;
use crate::sync::{self, Arc, lock};
use crate::team::Team;
use crate::unwind::{self, Payload};

/// A participant looks at no more open places than these before it chooses one.
const PROBES: usize = 8;

impl Participant<'_> {
    /// Takes half of what another participant has left. Returns how much, if there is any.
    pub(super) fn rob(&mut self) -> Option<usize> {
        loop {
            if let Some((work, dest)) = self.shared.strays.take() {
                count_taken();
                return Some(self.begin_with_last(work, dest));
            }
            let used = self.shared.team.used();
            // From a random one on: participants that find the same place each get half of what the
            // one before has left there. (100,000 items on 128 simulated cores: 7,083 robberies
            // from the same place on, and 1,003 so.)
            let start = self.random.below(used);
            let places = (0..used).map(|offset| {
                let index = (start + offset) % used;
                (self.shared.places.get(index).left(), index)
            });
            let mut seen = [(0, 0); PROBES];
            let mut count = 0;
            for (slot, place) in seen.iter_mut().zip(places.filter(|&(left, _)| left > 0)) {
                *slot = place;
                count += 1;
            }
            let open = &mut seen[..count];
            if open.is_empty() {
                return None;
            }
            // The largest first. If another participant was faster there, the next largest: with 64
            // of them, to look at all places again takes about as long as a wake-up.
            open.sort_unstable_by_key(|&(left, _)| Reverse(left));
            for &mut (_, index) in open {
                let place = self.shared.places.get(index);
                if place.left() > 0
                    && let Some((work, dest)) = self.rob_place(place, index == Team::FIRST)
                {
                    return Some(self.begin_with_last(work, dest));
                }
            }
        }
    }

    /// Takes half of what is left in `place`; all of it where that is too little, or where it waits
    /// for the first participant.
    fn rob_place(&mut self, place: &Place, is_first: bool) -> Option<(HeapFrame, Dest)> {
        let mut held = place.hold(|held| matches!(held, Held::Detaching { .. }));
        place.set_left(0);
        let rest = match &mut *held {
            Held::Rest(rest) if rest.work.look().has_items => rest,
            Held::Detaching { is_missed } => {
                *is_missed = true;
                return None;
            }
            _ => return None,
        };
        let (is_whole, split) = share(&rest.work.look(), self.shared.min);
        if is_first || is_whole && !rest.is_begun {
            let Rest { mut work, dest, .. } = held.take_rest();
            drop(held);
            if !is_first {
                work.steps().arrive();
            }
            count_taken();
            return Some((work, dest));
        }
        let is_begun = rest.is_begun;
        let Rest { work, dest, .. } = held.take_rest();
        let node = Node::before_split(&work, dest);
        *held = Held::Robbed {
            node: Arc::clone(&node),
            is_begun,
        };
        drop(held);
        self.split_robbed(place, work, split, &node, is_begun)
    }

    /// Splits what this thread has taken out of `place`, and puts the first half back.
    fn split_robbed(
        &mut self,
        place: &Place,
        mut stays: HeapFrame,
        split: Split<'_>,
        node: &Arc<Node>,
        is_begun: bool,
    ) -> Option<(HeapFrame, Dest)> {
        let locked = sync::planted!(SplitsLocked).then(|| lock(&place.held));
        let goes = unwind::catch(|| split_off(&mut stays, split));
        drop(locked);
        let mut held = lock(&place.held);
        let is_awaited = sync::planted!(OwnerUnheeded) || held.is_robbed_for(node) && !has_come();
        let mut goes = match goes {
            Ok(goes) => goes,
            Err(payload) => {
                if held.is_robbed_for(node) {
                    *held = Held::Lost(Arc::clone(node).into_dest(), payload);
                    drop(held);
                } else {
                    drop(held);
                    self.fail(node, is_begun, payload);
                }
                unwind::discard(stays);
                return None;
            }
        };
        count_taken();
        if is_awaited {
            node.set_reducer(&mut goes);
            // It could not be divided otherwise, and cannot the next time.
            let is_divisible = goes.look().left > 0;
            place.set_left(if is_divisible { stays.look().left } else { 0 });
            *held = Held::Rest(Rest {
                work: stays,
                dest: Dest::Left(Arc::clone(node)),
                is_begun,
            });
            return Some((goes, Dest::Right(Arc::clone(node))));
        }
        drop(held);
        if !is_begun {
            node.set_reducer(&mut goes);
            self.shared
                .strays
                .add((stays, Dest::Left(Arc::clone(node))));
            return Some((goes, Dest::Right(Arc::clone(node))));
        }
        // What the owner has done comes before both halves.
        let rest = unwind::catch(|| {
            let has_items = stays.look().has_items;
            let rest = has_items.then(|| split_off(&mut stays, Split::At(0)));
            drop(stays);
            rest
        });
        match rest {
            Ok(None) => {
                node.set_reducer(&mut goes);
                Some((goes, Dest::Right(Arc::clone(node))))
            }
            Ok(Some(mut rest)) => {
                node.set_reducer(&mut rest);
                let halves = Node::new(&mut goes, Dest::Right(Arc::clone(node)));
                let mut left = Dest::Left(Arc::clone(&halves));
                let mut right = Dest::Right(halves);
                if planted!(StraySwapped) {
                    mem::swap(&mut left, &mut right);
                }
                self.shared.strays.add((rest, left));
                Some((goes, right))
            }
            Err(payload) => {
                unwind::discard(goes);
                self.fail(node, is_begun, payload);
                None
            }
        }
    }

    /// The rest that this thread has taken out is lost, and the owner is gone.
    fn fail(&mut self, node: &Arc<Node>, is_begun: bool, payload: Payload) {
        let node = Arc::clone(node);
        let dest = if is_begun {
            Dest::Right(node)
        } else {
            node.into_dest()
        };
        self.deliver(dest, Err(payload));
    }

    /// Begins a part that another participant had, with the last item: those at the end of a loop
    /// are the ones that all threads wait for, and where cost grows with the index they are the
    /// dearest (longest processing time first: Graham 1969). The rest is in this thread's place.
    fn begin_with_last(&mut self, mut work: HeapFrame, dest: Dest) -> usize {
        let min = self.shared.min;
        let look = work.look();
        if look.counted && look.at_most(min) {
            // No other participant can take it from here: a single item could be passed on for as
            // long as there are participants without any.
            self.last = Some((work, dest));
            return 1;
        }
        match unwind::catch(|| split_last(&mut work, min)) {
            Ok(None) => self.begin(work, dest, false),
            Ok(Some(mut last)) => {
                let node = Node::new(&mut last, dest);
                self.last = Some((last, Dest::Right(Arc::clone(&node))));
                self.begin(work, Dest::Left(node), false)
            }
            Err(payload) => {
                unwind::discard(work);
                self.deliver(dest, Err(payload));
                0
            }
        }
    }
}

/// Another part was taken.
fn count_taken() {
    #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
    forced::count_taken();
}

/// Whether a forced scheduler acts as if the owner had come meanwhile, which it cannot on one
/// thread. The owner finds the node when it comes later, and does the same then.
fn has_come() -> bool {
    #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
    return forced::is_active() && forced::below(3) == 0;
    #[cfg(not(all(test, not(any(drumline_loom, drumline_shuttle)))))]
    false
}

/// How work is divided with another participant, and whether that one should have all, as there is
/// too little of it.
fn share(look: &Look, min: usize) -> (bool, Split<'static>) {
    if look.nests {
        return (look.left <= 1, Split::Share);
    }
    let at = look.share(min);
    (at == 0, Split::At(at))
}

/// Splits the last items off, if they can be counted and are not all.
fn split_last(work: &mut HeapFrame, min: usize) -> Option<HeapFrame> {
    let look = work.look();
    if !look.counted || look.at_most(min.saturating_mul(2)) {
        return None;
    }
    Some(split_off(work, Split::At(look.left - min)))
}

fn split_off(work: &mut HeapFrame, split: Split<'_>) -> HeapFrame {
    // SAFETY: a participant does this, so the caller of the loop waits.
    let mut second = unsafe { work.fresh() };
    // SAFETY: just made by the other one.
    let is_split = unsafe { work.steps().split(split, second.steps()) };
    debug_assert!(is_split, "a place to split at was given");
    second
}
