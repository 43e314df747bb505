//! The actors of a system that are alive, so that its end finds them.
//!
//! The links lie in the actors, so the list costs no memory of its own. It is cut into shards by
//! the address of the actor, each under a lock for a few instructions.
//!
//! An actor is linked before it is first run, and taken out by the run that ends it. The list has
//! no reference. **The race feared** is an actor that is freed while a thread goes through the
//! list. It cannot happen: the run that ends an actor has a reference until it has taken the actor
//! out, under the lock. So a thread that holds the lock can make a reference, too.

use std::ptr::{self, NonNull};

use crate::actor::mail::{Envelope, OpenFn};
use crate::actor::mailbox::Pushed;
use crate::actor::memory::{ActorCore, CoreRef};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Apart, SpinCell};

/// Actors that are alive.
pub(crate) struct ActorList {
    shards: [Apart<ListShard>; SHARDS],
}

const SHARDS: usize = 16;

struct ListShard {
    content: SpinCell<ListContent>,
    /// Written under the lock.
    len: AtomicUsize,
    /// How many there have been. Likewise.
    linked: AtomicUsize,
}

struct ListContent {
    first: *const ActorCore,
    is_closed: bool,
}

// SAFETY: the actors are reached under the lock of the shard.
unsafe impl Send for ListContent {}

impl ActorList {
    pub(crate) fn new() -> Self {
        let shard = |_| {
            Apart(ListShard {
                content: SpinCell::new(ListContent {
                    first: ptr::null(),
                    is_closed: false,
                }),
                len: AtomicUsize::new(0),
                linked: AtomicUsize::new(0),
            })
        };
        ActorList {
            shards: std::array::from_fn(shard),
        }
    }

    fn shard(&self, core: *const ActorCore) -> &ListShard {
        // Allocations of this size lie 32 bytes apart or more.
        let address = core.addr();
        &self.shards[((address >> 5) ^ (address >> 12)) % SHARDS]
    }

    /// Links an actor. `false`: the list is closed.
    ///
    /// # Safety
    ///
    /// The actor is not linked, and stays until it has been taken out.
    #[must_use]
    pub(crate) unsafe fn link(&self, core: NonNull<ActorCore>) -> bool {
        let core = core.as_ptr().cast_const();
        let shard = self.shard(core);
        shard.content.with(|content| {
            if content.is_closed {
                return false;
            }
            // SAFETY: what is linked stays, and so does this one.
            let links = unsafe { &(*core).links };
            links.next.set(content.first);
            if !content.first.is_null() {
                // SAFETY: as above.
                let first = unsafe { &(*content.first).links };
                first.previous.set(core);
            }
            content.first = core;
            shard.change_len(1);
            // Relaxed: written under the lock.
            let linked = shard.linked.load(Ordering::Relaxed);
            shard.linked.store(linked + 1, Ordering::Relaxed);
            true
        })
    }

    /// Takes an actor out, if it is linked. Returns whether the list is closed.
    ///
    /// # Safety
    ///
    /// The actor is alive, and may be in this list and in no other.
    pub(crate) unsafe fn unlink(&self, core: *const ActorCore) -> bool {
        let shard = self.shard(core);
        shard.content.with(|content| {
            // SAFETY: the actor is alive.
            let links = unsafe { &(*core).links };
            let (previous, next) = (links.previous.get(), links.next.get());
            if !previous.is_null() {
                // SAFETY: what is linked stays.
                unsafe { &(*previous).links }.next.set(next);
            } else if ptr::eq(content.first, core) {
                content.first = next;
            } else {
                return content.is_closed;
            }
            if !next.is_null() {
                // SAFETY: as above.
                unsafe { &(*next).links }.previous.set(previous);
            }
            shard.change_len(usize::MAX);
            content.is_closed
        })
    }

    /// Lets no actor in from now on.
    pub(crate) fn close(&self) {
        for shard in &self.shards {
            shard.content.with(|content| content.is_closed = true);
        }
    }

    /// How many actors there are. Exact for a thread that holds a lock which each thread takes
    /// after it has taken an actor out, if the list is closed.
    pub(crate) fn len(&self) -> usize {
        // Relaxed: ordered by that lock.
        let len = |shard: &Apart<ListShard>| shard.len.load(Ordering::Relaxed);
        self.shards.iter().map(len).sum()
    }

    /// How many actors there have been.
    pub(crate) fn linked(&self) -> usize {
        // Relaxed: a count, beside which nothing is published.
        let linked = |shard: &Apart<ListShard>| shard.linked.load(Ordering::Relaxed);
        self.shards.iter().map(linked).sum()
    }

    /// Sends each actor a notice; kills it first if that `is_kill`. Returns the actors that
    /// were idle, for which the caller has to act, and the envelopes.
    pub(crate) fn notify_all(
        &self,
        notice: OpenFn,
        is_kill: bool,
    ) -> Vec<(CoreRef, NonNull<Envelope>)> {
        let mut idle = Vec::new();
        self.for_each(|core| {
            // SAFETY: it stays while the lock of its shard is held.
            let (word, mailbox) = unsafe { (&(*core.as_ptr()).word, &(*core.as_ptr()).mailbox) };
            if is_kill {
                word.kill();
            // SAFETY: as above.
            } else if unsafe { (*core.as_ptr()).table.child.is_some() } {
                // Its supervisor tells it, when it is its turn.
                return;
            }
            let envelope = Envelope::notice(notice);
            // SAFETY: the envelope is fresh, and the actor is alive: its run takes it out first.
            if unsafe { mailbox.push(Envelope::link(envelope)) } == Pushed::FoundIdle {
                word.add_ref();
                // SAFETY: counted just now. What is in the list has a reference.
                idle.push((unsafe { CoreRef::from_raw(core) }, envelope));
            }
        });
        idle
    }

    /// References to the actors that have no supervisor.
    pub(crate) fn without_supervisors(&self) -> Vec<CoreRef> {
        let mut actors = Vec::new();
        self.for_each(|core| {
            // SAFETY: it stays while the lock of its shard is held.
            let (word, table) = unsafe { (&(*core.as_ptr()).word, (*core.as_ptr()).table) };
            if table.child.is_none() {
                word.add_ref();
                // SAFETY: counted just now. What is in the list has a reference.
                actors.push(unsafe { CoreRef::from_raw(core) });
            }
        });
        actors
    }

    /// The names of all actors.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.for_each(|core| {
            // SAFETY: it stays while the lock of its shard is held.
            names.push(unsafe { core.as_ref() }.name());
        });
        names
    }

    fn for_each(&self, mut visit: impl FnMut(NonNull<ActorCore>)) {
        for shard in &self.shards {
            shard.content.with(|content| {
                let mut next = content.first;
                while let Some(core) = NonNull::new(next.cast_mut()) {
                    visit(core);
                    // SAFETY: what is linked stays.
                    next = unsafe { &(*core.as_ptr()).links }.next.get();
                }
            });
        }
    }
}

impl ListShard {
    /// Under the lock: counts.
    fn change_len(&self, by: usize) {
        // Relaxed: written under the lock.
        let len = self.len.load(Ordering::Relaxed);
        self.len.store(len.wrapping_add(by), Ordering::Relaxed);
    }
}
