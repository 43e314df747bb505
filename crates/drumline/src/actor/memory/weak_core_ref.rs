//! References to actors of any type that do not keep them alive.
//!
//! The cell of an actor has no room for what weak references need, and few actors have any. So the
//! [links](crate::actor::weak_link) are in a table of the process, by the address of the actor, and
//! a bit of the word says that there is one. The table is cut into shards by that address, each
//! under a lock for one step: an actor that gets its first weak reference, or is freed, seldom
//! meets another one there.

use std::collections::BTreeMap;
use std::ptr::NonNull;

use super::{ActorCore, CoreRef};
use crate::actor::weak_link::WeakLink;
use crate::sync::{Apart, Arc, Mutex, PerProcess, lock};

/// The place of an actor of any type. It is used for its word only.
#[repr(transparent)]
struct WeakCore(ActorCore);

// SAFETY: any thread may use the word of an actor.
unsafe impl Sync for WeakCore {}

/// Shards of the table. A model checker has few: it tries the order of all locks.
const SHARDS: usize = if cfg!(drumline_shuttle) { 2 } else { 16 };

/// The links of some of the actors that have weak references, by address.
type LinkShard = Apart<Mutex<BTreeMap<usize, Arc<WeakLink<WeakCore>>>>>;

/// The links of actors that have weak references.
struct WeakLinks {
    shards: [LinkShard; SHARDS],
}

crate::sync::process_wide! {
    static LINKS: PerProcess<WeakLinks> = PerProcess::new();
}

impl WeakLinks {
    /// Those of this process.
    fn get() -> &'static Self {
        LINKS.get(|| WeakLinks {
            shards: [const { Apart(Mutex::new(BTreeMap::new())) }; SHARDS],
        })
    }

    fn shard(&self, address: usize) -> &LinkShard {
        // Allocations of this size lie 32 bytes apart or more.
        &self.shards[((address >> 5) ^ (address >> 12)) % SHARDS]
    }
}

/// The memory of an actor that has a link is about to be freed.
#[cold]
pub(crate) fn close_link(core: *const ActorCore) {
    let link = lock(WeakLinks::get().shard(core.addr())).remove(&core.addr());
    if let Some(link) = link {
        link.close();
    }
}

/// A reference to an actor of any type that does not keep it alive.
#[derive(Clone)]
pub(crate) struct WeakCoreRef {
    link: Arc<WeakLink<WeakCore>>,
}

impl WeakCoreRef {
    /// O(log n), with n actors that have weak references.
    pub(crate) fn new(core: &CoreRef) -> Self {
        let address = core.as_ptr().as_ptr().addr();
        core.core().word.note_weak();
        let mut links = lock(WeakLinks::get().shard(address));
        let link = links
            .entry(address)
            .or_insert_with(|| Arc::new(WeakLink::new(core.as_ptr().cast())));
        WeakCoreRef {
            link: Arc::clone(link),
        }
    }

    /// A reference that keeps the actor alive, if it may be made.
    pub(crate) fn upgrade(&self) -> Option<CoreRef> {
        let upgrade = |core: NonNull<WeakCore>| {
            // SAFETY: the memory stays until this returns.
            let has_ref = unsafe { core.as_ref() }.0.word.upgrade();
            // SAFETY: counted just now.
            has_ref.then(|| unsafe { CoreRef::from_raw(core.cast()) })
        };
        self.link.with(upgrade).flatten()
    }

    /// Whether the state of the actor is gone. Makes no reference, so it may be asked under a lock.
    pub(crate) fn is_dead(&self) -> bool {
        // SAFETY: the memory stays until the closure returns.
        let is_dead = |core: NonNull<WeakCore>| unsafe { core.as_ref() }.0.word.is_dead();
        self.link.with(is_dead).unwrap_or(true)
    }

    /// A number that no other actor has while there is a weak reference to this one.
    pub(crate) fn identity(&self) -> usize {
        Arc::as_ptr(&self.link).addr()
    }
}
