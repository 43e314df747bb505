//! One thread's part in a shared loop: chunk after chunk, and half of what another one has left.

use std::cell::Cell;

use super::place::{Held, Place, Rest};
use super::tree::{Dest, Node};
use super::{Outcome, SharedLoop};
use crate::iter::plumbing::chunk_len::ChunkLen;
use crate::iter::plumbing::items::Items;
use crate::iter::plumbing::part::{self, Part};
use crate::iter::plumbing::plant::planted;
use crate::iter::plumbing::{Consumer, Folder};
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
use crate::join::forced;
use crate::sync::{Arc, Ticks, XorShift, lock};
use crate::team::{self, Team};
use crate::unwind::{self, Payload};

/// A participant looks at no more open places than these before it chooses one.
const PROBES: usize = 8;

/// One thread's part in a shared loop.
pub(super) struct Participant<'s, I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    shared: &'s Arc<SharedLoop<I, C>>,
    place: usize,
    folder: Option<C::Folder>,
    /// The folder is of an earlier part, which is over but for that; this is where its result goes.
    before: Option<Dest<I::Item, C>>,
    /// The other threads know that something is left here.
    is_open: Cell<bool>,
    /// The last items of a part that has just been taken, and where their result goes.
    last: Option<(I, C, Dest<I::Item, C>)>,
    /// Where it begins to look for others.
    random: XorShift,
}

/// What [`share`] needs to know of a [`Participant`]: compiled once for all loops.
trait Sharing {
    /// Takes half of what another participant has left. Returns how much, if there is any.
    fn rob(&mut self) -> Option<usize>;

    /// Takes a chunk off, and goes through it. `false`: the part is over.
    fn chunk(&mut self, chunk_len: &mut ChunkLen) -> bool;

    /// Tells the threads of the pool that something is open, of which so much is this one's.
    fn announce(&self, left: usize);

    /// Whether something is open.
    fn is_open(&self) -> bool;

    /// Ends what is left of the last part.
    fn end(&mut self);

    /// In tests with a forced scheduler: perhaps another participant comes, and goes through what
    /// it finds.
    #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
    fn force(&self);
}

/// Goes through the part in this thread's place, if there is one, which has `own` items; then
/// through those of others, until nothing is open.
fn share(sharing: &mut dyn Sharing, mut own: Option<usize>, mut chunk_len: ChunkLen) {
    loop {
        let found = match own.take() {
            Some(own) => own,
            // What it would begin may need what the panicking frames hold.
            None if std::thread::panicking() => break,
            None => match sharing.rob() {
                Some(found) => found,
                None => break,
            },
        };
        if found > 1 || sharing.is_open() {
            sharing.announce(found);
        }
        let mut start = Ticks::now();
        while {
            #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
            sharing.force();
            sharing.chunk(&mut chunk_len)
        } {
            start = chunk_len.learn_shared(start);
        }
        if team::must_stand_down() {
            break;
        }
        chunk_len.begin_anew();
    }
    sharing.end();
    if sharing.is_open() {
        // This thread stands down, or unwinds.
        sharing.announce(1);
    }
}

impl<'s, I, C> Participant<'s, I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    pub(super) fn enter(shared: &'s Arc<SharedLoop<I, C>>) -> Self {
        let place = shared.team.enter();
        Participant {
            shared,
            place,
            folder: None,
            before: None,
            is_open: Cell::new(false),
            last: None,
            random: XorShift::new(place),
        }
    }

    /// Goes through what the others have left.
    pub(super) fn take_part(mut self) {
        let chunk_len = ChunkLen::helped(self.shared.min);
        share(&mut self, None, chunk_len);
        self.leave();
    }

    /// Goes through the part that the caller brings in, and then through what the others have left.
    pub(super) fn bring_in(
        mut self,
        part: Part<I, C>,
        folder: Option<C::Folder>,
        chunk_len: ChunkLen,
    ) {
        let is_begun = folder.is_some();
        self.folder = folder;
        let left = self.begin(part.items, part.consumer, Dest::Caller, is_begun);
        share(&mut self, Some(left), chunk_len);
        self.leave();
    }

    fn leave(self) {
        self.shared.team.leave(self.place);
        team::withdraw(self.shared);
    }

    fn place(&self) -> &'s Place<I, C> {
        self.shared.places.get(self.place)
    }

    /// Puts a part in this thread's place. Returns how many items it has.
    fn begin(&self, items: I, consumer: C, dest: Dest<I::Item, C>, is_begun: bool) -> usize {
        let place = self.place();
        let left = items.left();
        let mut held = lock(&place.held);
        self.is_open.set(left > 1);
        place.set_left(left);
        *held = Held::Rest(Rest {
            items: Some(items),
            consumer,
            dest,
            is_begun,
        });
        left
    }

    /// Takes half of what is left in `place`; all of it where that is too little, or where it waits
    /// for the first participant.
    fn rob_place(&mut self, place: &Place<I, C>, is_first: bool) -> Option<usize> {
        let mut held = lock(&place.held);
        let (items, consumer, dest, is_begun) = match held.take() {
            Held::Rest(Rest {
                items: Some(items),
                consumer,
                dest,
                is_begun,
            }) => (items, consumer, dest, is_begun),
            nothing => {
                *held = nothing;
                place.set_left(0);
                return None;
            }
        };
        let (goes, stays) = if is_first {
            ((items, consumer, dest), None)
        } else {
            let min = self.shared.min;
            let split = unwind::catch(|| {
                let (stays, goes, at) = items.share(min);
                if stays.is_none() && !is_begun {
                    return (goes, consumer, None);
                }
                let (first, second, reducer) = consumer.split_at(at);
                (goes, second, Some((stays, first, reducer)))
            });
            match split {
                Ok((goes, consumer, None)) => ((goes, consumer, dest), None),
                Ok((goes, second, Some((stays, first, reducer)))) => {
                    let node = Node::new(reducer, dest);
                    let stays = Rest {
                        items: stays,
                        consumer: first,
                        dest: Dest::Left(Arc::clone(&node)),
                        is_begun,
                    };
                    ((goes, second, Dest::Right(node)), Some(stays))
                }
                Err(payload) => {
                    place.set_left(0);
                    *held = Held::Lost(dest, payload);
                    return None;
                }
            }
        };
        #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
        forced::count_taken();
        let left = match stays.as_ref().and_then(|rest| rest.items.as_ref()) {
            // It could not be divided, and cannot the next time.
            Some(_) if goes.0.left() == 0 => 0,
            Some(stays) => stays.left(),
            None => 0,
        };
        place.set_left(left);
        if let Some(stays) = stays {
            *held = Held::Rest(stays);
        }
        drop(held);
        let (items, consumer, dest) = goes;
        Some(self.begin_with_last(items, consumer, dest))
    }

    /// Begins a part that another participant had, with the last item: those at the end of a loop
    /// are the ones that all threads wait for, and where cost grows with the index they are the
    /// dearest (longest processing time first: Graham 1969). The rest is in this thread's place.
    fn begin_with_last(&mut self, items: I, consumer: C, dest: Dest<I::Item, C>) -> usize {
        let min = self.shared.min;
        if !I::COUNTED || items.at_most(min.saturating_mul(2)) {
            return self.begin(items, consumer, dest, false);
        }
        let at = items.left() - min;
        let split = unwind::catch(|| (items.split(at), consumer.split_at(at)));
        match split {
            Ok(((rest, last), (first, second, reducer))) => {
                let node = Node::new(reducer, dest);
                self.last = Some((last, second, Dest::Right(Arc::clone(&node))));
                self.begin(rest, first, Dest::Left(node), false)
            }
            Err(payload) => {
                self.shared.deliver(dest, Err(payload));
                0
            }
        }
    }

    /// Takes a chunk off the part in this thread's place. If that fails, so does the part.
    fn detach(&mut self, chunk_len: &ChunkLen) -> Detached<I, C> {
        let place = self.place();
        let mut held = lock(&place.held);
        let (items, consumer, dest) = match held.take() {
            Held::Rest(rest) => (rest.items, rest.consumer, rest.dest),
            Held::Lost(dest, payload) => return Detached::Failed(dest, payload),
            Held::Nothing => return Detached::Gone,
        };
        let Some(items) = items else {
            // The others have taken the rest.
            place.set_left(0);
            return Detached::Last(None, Some(consumer), dest);
        };
        // That of this part, if it has been begun.
        let folder = &mut self.folder;
        let folder = if self.before.is_none() {
            folder
        } else {
            &mut None
        };
        let detached = unwind::catch(|| {
            let at = items.chunk(chunk_len);
            let (chunk, rest) = items.detach(chunk_len);
            if rest.is_none() && !I::NESTS {
                return (chunk, Some(consumer), rest, None);
            }
            if let Some(so_far) = folder.take() {
                let (advanced, others) = consumer.advance(so_far, at);
                *folder = Some(advanced);
                return (chunk, None, rest, Some(others));
            }
            let (first, others) = consumer.split_chunk(at);
            (chunk, Some(first), rest, Some(others))
        });
        let (chunk, consumer, rest, others) = match detached {
            Ok(detached) => detached,
            Err(payload) => {
                place.set_left(0);
                return Detached::Failed(dest, payload);
            }
        };
        let Some(others) = others else {
            place.set_left(0);
            return Detached::Last(Some(chunk), consumer, dest);
        };
        let left = rest.as_ref().map_or(0, Items::left);
        // Less than a chunk is over before another thread has it.
        let left = if left < chunk_len.items { 0 } else { left };
        place.set_left(left);
        *held = Held::Rest(Rest {
            items: rest,
            consumer: others,
            dest,
            is_begun: true,
        });
        drop(held);
        self.has_left(left);
        Detached::Chunk(chunk, consumer)
    }

    /// The other threads can take so much of this part.
    fn has_left(&self, left: usize) {
        if left > 0 && !self.is_open.get() {
            self.announce(1);
        }
        self.is_open.set(left > 0);
    }

    /// Puts back what comes behind the chunk, and was found to be in it.
    fn put_back(&self, items: I) {
        let place = self.place();
        let mut held = lock(&place.held);
        let left = if let Held::Rest(rest) = &mut *held {
            let all = items.before(rest.items.take());
            let left = all.left();
            rest.items = Some(all);
            left
        } else {
            // Another participant has panicked when it took some of the rest.
            0
        };
        place.set_left(left);
        drop(held);
        self.has_left(left);
    }

    /// Drops the rest of the part in this thread's place, and says where its result goes; with the
    /// panic of that, or of the participant that lost the rest.
    fn drop_rest(&self) -> (Dest<I::Item, C>, Outcome<()>) {
        let place = self.place();
        let held = {
            let mut held = lock(&place.held);
            place.set_left(0);
            held.take()
        };
        match held {
            Held::Rest(rest) => {
                let dropped = unwind::catch(|| drop((rest.items, rest.consumer)));
                (rest.dest, dropped)
            }
            Held::Lost(dest, payload) => (dest, Err(payload)),
            Held::Nothing => unreachable!("the part is not over"),
        }
    }

    /// If there is a folder of an earlier part, completes that, and becomes one of the items of
    /// `consumer`, which it returns.
    fn inherit(&mut self, consumer: C) -> C {
        let Some(before) = self.before.take() else {
            return consumer;
        };
        let Some(folder) = self.folder.take() else {
            unreachable!("an earlier part has left its folder");
        };
        let split = || {
            let (nothing, consumer, _) = consumer.split_at(0);
            (nothing, consumer)
        };
        let (nothing, consumer) = match unwind::catch(split) {
            Ok(both) => both,
            Err(payload) => {
                self.shared
                    .deliver(before, unwind::catch(|| folder.close(false)));
                unwind::resume(payload);
            }
        };
        let result = unwind::catch(|| nothing.succeed(folder)).map(|(result, folder)| {
            self.folder = Some(folder);
            result
        });
        self.shared.deliver(before, result);
        consumer
    }

    /// Ends a part, of which all that is left to do is to complete the folder, or which has failed.
    fn finish(&mut self, dest: Dest<I::Item, C>, folded: Outcome<()>) {
        match folded {
            Ok(()) => {
                self.before = Some(dest);
                if !C::SUCCEEDS {
                    self.end();
                }
            }
            Err(payload) => {
                if self.before.is_none() {
                    unwind::discard(self.folder.take());
                }
                self.shared.deliver(dest, Err(payload));
            }
        }
    }

    /// Goes through a chunk of which more can come than it seems: that is open meanwhile.
    fn fold_nested(&self, mut items: I, folder: C::Folder, chunk_len: &mut ChunkLen) -> C::Folder {
        while let Some(second) = {
            let (first, second) = items.divide(chunk_len);
            items = first;
            second
        } {
            self.put_back(second);
        }
        let (folder, rest) = items.fold_divided(chunk_len, folder);
        if let Some(rest) = rest {
            self.put_back(rest);
        }
        folder
    }

    /// Goes through a chunk. Returns whether the folder wants no more.
    fn fold(
        &mut self,
        chunk: Option<I>,
        consumer: Option<C>,
        chunk_len: &mut ChunkLen,
    ) -> Outcome<bool> {
        unwind::catch(|| {
            let consumer = consumer.map(|consumer| self.inherit(consumer));
            let folder = self.folder.take();
            let folder = match (chunk, folder) {
                (Some(_), None) if planted!(StolenPartLost) => part::begin(consumer, None),
                (Some(items), folder) if !I::NESTS => part::fold_apart(items, consumer, folder),
                (Some(items), folder) => {
                    let folder = part::begin(consumer, folder);
                    self.fold_nested(items, folder, chunk_len)
                }
                (None, folder) => part::begin(consumer, folder),
            };
            let is_full = folder.full();
            self.folder = Some(folder);
            is_full
        })
    }
}

/// What a participant goes through next.
enum Detached<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    /// There is more behind it, or may be. Without a consumer, the folder is ready for it.
    Chunk(I, Option<C>),
    /// There is nothing behind it, nor in it, if others have taken all the rest; and where the
    /// result of the part goes.
    Last(Option<I>, Option<C>, Dest<I::Item, C>),
    /// Nothing: another participant has taken the part before it was begun.
    Gone,
    /// The rest is lost.
    Failed(Dest<I::Item, C>, Payload),
}

impl<I, C> Sharing for Participant<'_, I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    fn rob(&mut self) -> Option<usize> {
        loop {
            let used = self.shared.team.used();
            // From a random one on: participants that find the same place each get half of what the
            // one before has left there.
            let start = self.random.below(used);
            let places = (0..used).map(|offset| {
                let index = (start + offset) % used;
                let place = self.shared.places.get(index);
                (place.left(), index, place)
            });
            let open = places.filter(|(left, _, _)| *left > 0).take(PROBES);
            let (_, index, place) = open.max_by_key(|(left, _, _)| *left)?;
            if let Some(found) = self.rob_place(place, index == Team::FIRST) {
                return Some(found);
            }
        }
    }

    fn chunk(&mut self, chunk_len: &mut ChunkLen) -> bool {
        if let Some((items, consumer, dest)) = self.last.take() {
            // How long it takes says how long the next chunk should be.
            *chunk_len = ChunkLen::helped(self.shared.min);
            let folded = self.fold(Some(items), Some(consumer), chunk_len);
            self.finish(dest, folded.map(|_| ()));
            return true;
        }
        let (dest, folded) = match self.detach(chunk_len) {
            Detached::Gone => return false,
            Detached::Failed(dest, payload) => (dest, Err(payload)),
            Detached::Last(chunk, consumer, dest) => {
                let folded = self.fold(chunk, consumer, chunk_len);
                (dest, folded.map(|_| ()))
            }
            Detached::Chunk(chunk, consumer) => match self.fold(Some(chunk), consumer, chunk_len) {
                Ok(false) => return true,
                Ok(true) => self.drop_rest(),
                Err(payload) => {
                    let (dest, dropped) = self.drop_rest();
                    unwind::discard(dropped);
                    (dest, Err(payload))
                }
            },
        };
        self.finish(dest, folded);
        false
    }

    fn announce(&self, left: usize) {
        #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
        if forced::is_active() {
            return;
        }
        Team::announce(self.shared, left);
    }

    fn is_open(&self) -> bool {
        team::Shared::is_open(&**self.shared)
    }

    fn end(&mut self) {
        if let (Some(dest), Some(folder)) = (self.before.take(), self.folder.take()) {
            let result = unwind::catch(|| folder.close(false));
            self.shared.deliver(dest, result);
        }
    }

    #[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
    fn force(&self) {
        if forced::is_active() && self.place < 6 && forced::below(4) == 0 {
            team::Shared::take_part(self.shared);
        }
    }
}
