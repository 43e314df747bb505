//! The table of what is attached to actors.
//!
//! Few actors have anything of the kind, so their cells have no room for it. It lies in a table of
//! the process, by the address of the actor and a number. The table is cut into shards by the
//! address, each under a lock.
//!
//! ```text
//!            attach: under the lock of the shard      end, by the run that ends the actor
//!   nothing ─────────────────────────────────► ATTACHED ─────────────────────────► ENDED
//!      │                                          that run takes out what it finds   ▲
//!      └─────────────────────────────────────────────────────────────────────────────┘
//!                            end: there is nothing to be taken out
//! ```
//!
//! **The race feared** is an entry of an actor that has ended: nothing would take it out, and the
//! next actor at that address would find it. `attach` and `end` are one step each, of one word. If
//! `end` comes first, `attach` sees ENDED and makes no entry. If `attach` comes first, `end` sees
//! ATTACHED. The run that ends the actor asks for the lock after that, and `attach` has the lock
//! until the entry is made. So the run finds it.
//!
//! **What an entry is good for.** As long as it is in the table, the run that is to take it out
//! has not done so, and the memory of the actor is there: that run has a reference. So a thread
//! that holds the lock and finds an entry may use the word of that actor, and may
//! [upgrade](LifeWord::upgrade) it. Numbers are never used twice. So a thread that knows address
//! and number of an entry does not find one of another actor.

use std::collections::BTreeMap;

use crate::actor::life_word::LifeWord;
use crate::sync::{Apart, Mutex, lock, planted};

#[cfg(not(drumline_loom))]
crate::sync::process_wide! {
    /// The number that was given last.
    static NUMBERS: crate::sync::atomic::AtomicU64 = crate::sync::atomic::AtomicU64::new(0);
}

/// A number for an entry, or for the two of a pair.
#[cfg(not(drumline_loom))]
pub(super) fn next_number() -> u64 {
    // Relaxed: each is given once, and that is all.
    NUMBERS.fetch_add(1, crate::sync::atomic::Ordering::Relaxed) + 1
}

const SHARDS: usize = 16;

/// Entries of actors, by address and number.
pub(crate) struct AttachTable<E> {
    shards: [Apart<Mutex<AttachShard<E>>>; SHARDS],
}

/// The entries of some actors; used under the lock.
pub(crate) struct AttachShard<E>(BTreeMap<(usize, u64), E>);

impl<E> AttachTable<E> {
    #[cfg(not(drumline_loom))]
    pub(crate) const fn new() -> Self {
        AttachTable {
            shards: [const { Apart(Mutex::new(AttachShard(BTreeMap::new()))) }; SHARDS],
        }
    }

    /// As above; a mutex of the model checker is no constant.
    #[cfg(all(test, drumline_loom))]
    pub(crate) fn new() -> Self {
        let shard = |_| Apart(Mutex::new(AttachShard(BTreeMap::new())));
        AttachTable {
            shards: std::array::from_fn(shard),
        }
    }

    /// Takes out the questions for the length of the mailbox that an actor has to answer. To be
    /// called by its run; see [`census`](super::census).
    pub(crate) fn take_census(
        &self,
        word: &LifeWord,
        address: usize,
        is_question: impl Fn(u64, &E) -> bool,
    ) -> Vec<(u64, E)> {
        if planted!(CensusClearedLast) {
            let taken = self.with(address, |shard| shard.take(address, is_question));
            word.end_census();
            return taken;
        }
        word.end_census();
        self.with(address, |shard| shard.take(address, is_question))
    }

    /// Calls `use_shard` with the entries among which those of the actor at `address` are. It calls
    /// no code of the program.
    pub(crate) fn with<R>(
        &self,
        address: usize,
        use_shard: impl FnOnce(&mut AttachShard<E>) -> R,
    ) -> R {
        // As in the list of a system: allocations of this size lie 32 bytes apart or more.
        let shard = &self.shards[((address >> 5) ^ (address >> 12)) % SHARDS];
        use_shard(&mut lock(shard))
    }
}

impl<E> AttachShard<E> {
    /// Makes an entry. It comes back if the actor has ended.
    pub(crate) fn attach(
        &mut self,
        word: &LifeWord,
        (address, number): (usize, u64),
        entry: E,
    ) -> Result<(), E> {
        if word.attach() {
            self.0.insert((address, number), entry);
            Ok(())
        } else {
            Err(entry)
        }
    }

    pub(crate) fn get(&mut self, address: usize, number: u64) -> Option<&mut E> {
        self.0.get_mut(&(address, number))
    }

    /// The entries of one actor, with their numbers.
    pub(crate) fn of(&self, address: usize) -> impl Iterator<Item = (u64, &E)> {
        let of_actor = self.0.range((address, 0)..=(address, u64::MAX));
        of_actor.map(|((_, number), entry)| (*number, entry))
    }

    pub(crate) fn remove(&mut self, address: usize, number: u64) -> Option<E> {
        self.0.remove(&(address, number))
    }

    /// Takes out those entries of one actor for which `is_meant` holds, with their numbers.
    pub(crate) fn take(
        &mut self,
        address: usize,
        is_meant: impl Fn(u64, &E) -> bool,
    ) -> Vec<(u64, E)> {
        let numbers: Vec<u64> = self
            .of(address)
            .filter(|(number, entry)| is_meant(*number, entry))
            .map(|(number, _)| number)
            .collect();
        let take = |number| Some((number, self.0.remove(&(address, number))?));
        numbers.into_iter().filter_map(take).collect()
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;
    use crate::actor::life_word::RunOrder;

    #[test]
    fn entries_are_those_of_their_actor() {
        let table = AttachTable::new();
        let word = LifeWord::new(RunOrder::Managed);
        for (address, number) in [(64, 1), (64, 2), (96, 3), (64, 4)] {
            let entry = (address, number);
            let made = table.with(address, |shard| shard.attach(&word, entry, number));
            assert_eq!(made, Ok(()));
        }
        let take = |shard: &mut AttachShard<u64>| shard.take(64, |_, number| *number != 2);
        assert_eq!(table.with(64, take), [(1, 1), (4, 4)]);
        assert_eq!(table.with(64, |shard| shard.remove(64, 2)), Some(2));
        assert_eq!(table.with(64, |shard| shard.remove(64, 2)), None);
        assert_eq!(table.with(96, |shard| shard.get(96, 3).copied()), Some(3));
        word.die(false);
        let dying = table.with(64, |shard| shard.attach(&word, (64, 6), 6));
        assert_eq!(dying, Ok(()), "it is dead, and has not ended");
        assert!(word.end(), "there was something attached");
        let late = table.with(64, |shard| shard.attach(&word, (64, 5), 5));
        assert_eq!(late, Err(5));
    }
}
