//! The futures that wait, so that the end of a pool or of a scope finds them.
//!
//! A future that is queued or polled needs no list: some thread has it. One that waits is known to
//! its wakers alone, and they may never wake it. So the run that leaves it waiting for the first
//! time links it here, and the run that ends it takes it out again. Most futures are ready at their
//! first poll and never come here.
//!
//! The list is cut into shards by the address of the node, each under a lock for a few
//! instructions. A node lies in the future's own allocation: to link it costs no memory.
//!
//! # The end
//!
//! `close` marks each shard under its lock and evicts what is in it. A run that comes later finds
//! the mark under the same lock, and drops its future instead of linking it. **The race feared** is
//! a node that is freed while `close` looks at it. It cannot happen: the run that ends a future
//! takes the node out, under the lock, before it drops its reference.

use std::cell::Cell;
use std::ptr;

use crate::job::JobRef;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Apart, SpinCell};

/// A place in the list; a part of what is listed.
#[derive(Debug)]
pub(crate) struct Node {
    /// Used under the lock of the shard.
    previous: Cell<*const Node>,
    next: Cell<*const Node>,
    /// Written and read by the run that has the future.
    linked: Cell<bool>,
}

// SAFETY: the links are used under the lock of the shard, and `linked` by the one run that there is
// at a time; the protocol of the future hands it on.
unsafe impl Send for Node {}
// SAFETY: as for `Send`.
unsafe impl Sync for Node {}

impl Node {
    pub(crate) fn new() -> Self {
        Node {
            previous: Cell::new(ptr::null()),
            next: Cell::new(ptr::null()),
            linked: Cell::new(false),
        }
    }

    /// The run: whether the node is in the list.
    #[inline]
    pub(crate) fn is_linked(&self) -> bool {
        self.linked.get()
    }
}

/// Has a listed future dropped. Returns a run that is to be queued for that, if none is under way.
pub(crate) type Evict = unsafe fn(*const Node) -> Option<JobRef>;

/// Futures that wait.
#[derive(Debug)]
pub(crate) struct SuspendedList {
    shards: Box<[Apart<Shard>]>,
    closed: AtomicBool,
}

#[derive(Debug)]
struct Shard {
    content: SpinCell<Content>,
    /// Written under the lock.
    len: AtomicUsize,
}

#[derive(Debug)]
struct Content {
    first: *const Node,
    /// Known as soon as something is linked.
    evict: Option<Evict>,
    closed: bool,
}

// SAFETY: the nodes are reached under the lock of the shard.
unsafe impl Send for Content {}

impl SuspendedList {
    pub(crate) fn new(shards: usize) -> Self {
        let shard = |_| {
            Apart(Shard {
                content: SpinCell::new(Content {
                    first: ptr::null(),
                    evict: None,
                    closed: false,
                }),
                len: AtomicUsize::new(0),
            })
        };
        SuspendedList {
            shards: (0..shards.max(1)).map(shard).collect(),
            closed: AtomicBool::new(false),
        }
    }

    fn shard(&self, node: *const Node) -> &Shard {
        // Allocations lie 16 bytes apart or more.
        &self.shards[(node.addr() >> 6) % self.shards.len()]
    }

    /// Links a node that is not linked. `false`: the list is closed. The pointer is what `evict`
    /// gets: it may be good for more than the node.
    ///
    /// # Safety
    ///
    /// The node stays where it is until it has been taken out. `evict` is for all nodes of the
    /// list.
    #[must_use]
    pub(crate) unsafe fn link(&self, pointer: *const Node, evict: Evict) -> bool {
        let shard = self.shard(pointer);
        // SAFETY: the node is there, says the caller.
        let node = unsafe { &*pointer };
        let linked = shard.content.with(|content| {
            if content.closed {
                return false;
            }
            content.evict = Some(evict);
            node.previous.set(ptr::null());
            node.next.set(content.first);
            // SAFETY: what is linked stays where it is.
            if let Some(first) = unsafe { content.first.as_ref() } {
                first.previous.set(pointer);
            }
            content.first = pointer;
            shard.change_len(1);
            true
        });
        node.linked.set(linked);
        linked
    }

    /// Takes a linked node out.
    pub(crate) fn unlink(&self, node: &Node) {
        let shard = self.shard(node);
        shard.content.with(|content| {
            let (previous, next) = (node.previous.get(), node.next.get());
            // SAFETY: what is linked stays where it is.
            match unsafe { previous.as_ref() } {
                Some(previous) => previous.next.set(next),
                None => content.first = next,
            }
            // SAFETY: as above.
            if let Some(next) = unsafe { next.as_ref() } {
                next.previous.set(previous);
            }
            shard.change_len(usize::MAX);
        });
        node.linked.set(false);
    }

    /// Evicts all that is listed, and lets nothing in from now on. Returns the runs to be queued.
    pub(crate) fn close(&self) -> Vec<JobRef> {
        // Relaxed: set before the pool closes, which orders it (`is_draining`).
        self.closed.store(true, Ordering::Relaxed);
        let mut runs = Vec::new();
        for shard in &self.shards {
            shard.content.with(|content| {
                content.closed = true;
                let mut next = content.first;
                // SAFETY: what is linked stays where it is.
                while let Some(node) = unsafe { next.as_ref() } {
                    // SAFETY: the function is for all nodes of the list, says `link`.
                    runs.extend(content.evict.and_then(|evict| unsafe { evict(next) }));
                    next = node.next.get();
                }
            });
        }
        runs
    }

    /// Whether the list is closed: a future that would wait is dropped instead.
    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        // Relaxed: `link` asks again under the lock, and what is listed is evicted.
        self.closed.load(Ordering::Relaxed)
    }

    /// Whether the list is closed, and something in it is not gone yet: a thread is about to queue
    /// its run. To be asked with a lock that orders it after the last link.
    pub(crate) fn is_draining(&self) -> bool {
        // Relaxed: the lock orders it.
        self.closed.load(Ordering::Relaxed)
            && self
                .shards
                .iter()
                .any(|shard| shard.len.load(Ordering::Relaxed) > 0)
    }
}

impl Shard {
    /// Under the lock: counts.
    fn change_len(&self, by: usize) {
        // Relaxed: written under the lock.
        let len = self.len.load(Ordering::Relaxed);
        self.len.store(len.wrapping_add(by), Ordering::Relaxed);
    }
}
