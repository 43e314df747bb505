//! Which ports may have messages.
//!
//! Each port has a [`ReadyNode`](super::node_block::ReadyNode). While its receiver finds nothing
//! there, the node is the waker of the lane. The tell that wakes it puts it on the [`ReadyList`]: a
//! chain, which the receiver takes as a whole by one swap. So a set of 10,000 ports, of which ten
//! are in use, looks at ten.
//!
//! ```text
//!                  a tell wakes it               the receiver takes the list
//!   listening ────────────────────► on the list ─────────────────────────────► held
//!      ▲                                                                         │
//!      └─────────────────────────────────────────────────────────────────────────┘
//!                       the receiver found nothing, and listens
//! ```
//!
//! A node is on the list once at most: its `is_listed` says whether it is there, and a waker that
//! finds it so has nothing to do. It can be woken while it is on the list, or held: a tell takes
//! the waker out of the lane, loses its processor, and calls it when the receiver has listened
//! anew.
//!
//! **The races feared.** *A message in a lane that no thread looks at.* The last look of the
//! receiver comes after it has listened ([`WakeFlag::list`]). So either it sees the message, or the
//! tell has the waker. If that finds `is_listed` set, the receiver has not taken the node off yet,
//! and looks into the lane after it has: both are read-modify-write operations of `is_listed`, and
//! the later one sees what was before the earlier one. *The receiver sleeps beside a list that is
//! not empty.* The node is put there first, and the flag of the set is told then; the receiver
//! looks at the list after it has said that it waits. *A node that is on the list twice*, and the
//! chain a ring: that is what `is_listed` is for. *A port that is taken out of the set, while its
//! waker is called.* The list has a reference to its node, and the set finds another port, or none,
//! in its place. The node is that of the place, so the set visits the other port in vain. If that
//! is woken meanwhile, its node is on the list already, and the set looks at it after it has taken
//! the node off, as above. *A set that is dropped before a waker is called*, which would put a node
//! on a list that no thread takes: the list ends with a mark, and a waker that meets it drops its
//! node.

use std::ptr;
// The standard library's, also in models: a waker is made of it.
use std::sync::Arc;

use super::node_block::{NodeRef, ReadyNode};
use crate::sync::atomic::{AtomicPtr, Ordering};
use crate::sync::planted;
use crate::wait::{Told, WakeFlag};

/// The end of a list that is closed; the address of no node.
const CLOSED: *mut ReadyNode = ptr::without_provenance_mut(align_of::<ReadyNode>());

/// The nodes of ports that may have messages, and the place where the receiver of the set waits.
#[derive(Debug)]
pub(super) struct ReadyList {
    /// The front of the chain. Each node in it is a reference.
    first: AtomicPtr<ReadyNode>,
    /// The receiver waits for nodes, or for ports.
    arrivals: WakeFlag,
}

impl ReadyList {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(ReadyList {
            first: AtomicPtr::new(ptr::null_mut()),
            arrivals: WakeFlag::new(),
        })
    }

    /// Where the receiver waits.
    pub(super) fn arrivals(&self) -> &WakeFlag {
        &self.arrivals
    }

    /// Tells the receiver that there is something.
    pub(super) fn tell(&self) {
        let told = self.arrivals.tell_loudly();
        debug_assert_eq!(told, Told::Done, "the receiver waits here only");
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        // Relaxed: the swap acquires what it finds.
        self.first.load(Ordering::Relaxed).is_null()
    }

    /// No node is put here any more.
    pub(super) fn close(&self) {
        self.take_and_leave(CLOSED, |_| ());
    }

    /// Takes all nodes, and hands `each` the places of their ports, the one that came first as the
    /// last.
    pub(super) fn take(&self, each: impl FnMut(usize)) {
        if !self.is_empty() {
            self.take_and_leave(ptr::null_mut(), each);
        }
    }

    fn take_and_leave(&self, left: *mut ReadyNode, mut each: impl FnMut(usize)) {
        // Acquire pairs with the Release in `push`.
        let mut next = self.first.swap(left, Ordering::Acquire);
        while !next.is_null() {
            // SAFETY: the list has a reference to each node in it, and this is the one that takes
            // them.
            let listed = unsafe { NodeRef::from_raw(next) };
            // Relaxed: acquired with the list. Before the flag: the next push writes it.
            next = listed.node().next.load(Ordering::Relaxed);
            if !planted!(PortListedForEver) {
                // AcqRel: see above.
                let was_listed = listed.node().is_listed.swap(false, Ordering::AcqRel);
                assert!(was_listed, "a port is on the list once");
            }
            each(listed.place());
        }
    }

    pub(super) fn push(&self, listed: NodeRef) {
        let node = listed.into_raw().cast_mut();
        // Relaxed, here and below: the list publishes nothing to a push.
        let mut first = self.first.load(Ordering::Relaxed);
        loop {
            if first == CLOSED && !planted!(PortListedUnseen) {
                // SAFETY: the reference of above.
                drop(unsafe { NodeRef::from_raw(node) });
                return;
            }
            // Relaxed: published by the Release below.
            // SAFETY: the reference that is now the list's.
            unsafe { &*node }.next.store(first, Ordering::Relaxed);
            // Release pairs with the Acquire in `take_and_leave`. Relaxed on failure: as above.
            match self.first.compare_exchange_weak(
                first,
                node,
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(now) => first = now,
            }
        }
    }
}
