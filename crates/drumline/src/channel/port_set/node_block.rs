//! The nodes of ports, many in one piece of memory.
//!
//! A node takes 16 bytes. It has no count of references of its own: a reference to it is one to its
//! [`NodeBlock`]. A node knows its number in the block, so the block is found by its address.

use std::mem::{ManuallyDrop, offset_of};
use std::ptr;
// The standard library's, also in models: a waker is made of it.
use std::sync::Arc;
use std::task::{RawWaker, RawWakerVTable, Waker};

use super::ready_list::ReadyList;
use crate::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use crate::sync::planted;

/// How many nodes a block has.
pub(super) const NODES: usize = if cfg!(drumline_loom) { 2 } else { 64 };

/// What a tell puts on the list: the part of a port that its sender uses.
#[derive(Debug)]
pub(super) struct ReadyNode {
    /// The next one in the list.
    pub(super) next: AtomicPtr<ReadyNode>,
    pub(super) is_listed: AtomicBool,
    /// Its number in the block.
    index: u8,
}

/// The nodes of the ports at [`NODES`] places in a row.
#[derive(Debug)]
pub(super) struct NodeBlock {
    list: Arc<ReadyList>,
    first_place: usize,
    nodes: [ReadyNode; NODES],
}

/// The reference to a node that a waker or the list has.
#[derive(Debug)]
pub(super) struct NodeRef(*const ReadyNode);

const VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_ref);

impl NodeBlock {
    /// The nodes of the ports that the receiver has at the places from this one on.
    pub(super) fn new(list: Arc<ReadyList>, first_place: usize) -> Arc<Self> {
        Arc::new(NodeBlock {
            list,
            first_place,
            nodes: std::array::from_fn(|index| ReadyNode {
                next: AtomicPtr::new(ptr::null_mut()),
                is_listed: AtomicBool::new(false),
                index: u8::try_from(index).expect("a block has few nodes"),
            }),
        })
    }

    /// Hands `listen` the waker of a node.
    pub(super) fn with_waker<R>(
        self: &Arc<Self>,
        index: usize,
        listen: impl FnOnce(&Waker) -> R,
    ) -> R {
        assert!(index < NODES);
        // By way of the counted address: that of a reference to the node would not reach the block.
        let block = Arc::as_ptr(self);
        // SAFETY: the block is there, and has this node.
        let node = unsafe { (&raw const (*block).nodes).cast::<ReadyNode>().add(index) };
        // SAFETY: the functions of the table count references to the block. This waker has none. It
        // is not dropped, and the block is there while it is.
        let waker =
            ManuallyDrop::new(unsafe { Waker::from_raw(RawWaker::new(node.cast(), &VTABLE)) });
        listen(&waker)
    }
}

impl NodeRef {
    /// # Safety
    ///
    /// The caller has a reference, and hands it over.
    pub(super) unsafe fn from_raw(node: *const ReadyNode) -> Self {
        NodeRef(node)
    }

    pub(super) fn into_raw(self) -> *const ReadyNode {
        ManuallyDrop::new(self).0
    }

    pub(super) fn node(&self) -> &ReadyNode {
        // SAFETY: this is a reference.
        unsafe { &*self.0 }
    }

    /// The address of the block.
    fn block(&self) -> *const NodeBlock {
        let index = usize::from(self.node().index);
        // SAFETY: the node lies in a block, as the one with this number.
        unsafe {
            let first = self.0.sub(index);
            first.byte_sub(offset_of!(NodeBlock, nodes)).cast()
        }
    }

    /// Where the receiver has the port.
    pub(super) fn place(&self) -> usize {
        // SAFETY: this is a reference to the block.
        let block = unsafe { &*self.block() };
        block.first_place + usize::from(self.node().index)
    }

    /// Puts the node on the list, unless it is there.
    fn wake(self) {
        let is_listed = &self.node().is_listed;
        let was_listed = if planted!(PortListedTwice) {
            // Relaxed: the plant.
            is_listed.store(true, Ordering::Relaxed);
            false
        } else {
            // AcqRel: see `ready_list`.
            is_listed.swap(true, Ordering::AcqRel)
        };
        if was_listed {
            return;
        }
        // SAFETY: this is a reference to the block.
        let list = Arc::clone(unsafe { &(*self.block()).list });
        list.push(self);
        if !planted!(PortUntold) {
            list.tell();
        }
    }
}

impl Clone for NodeRef {
    fn clone(&self) -> Self {
        // SAFETY: the address of an `Arc`, which is there as long as this reference is.
        unsafe { Arc::increment_strong_count(self.block()) };
        NodeRef(self.0)
    }
}

impl Drop for NodeRef {
    fn drop(&mut self) {
        // SAFETY: this is a reference, and is not used again.
        unsafe { Arc::decrement_strong_count(self.block()) };
    }
}

/// # Safety
///
/// The data of a waker of this table, which is not dropped meanwhile.
unsafe fn clone(node: *const ()) -> RawWaker {
    // SAFETY: the caller's obligation. The reference stays with the waker.
    let of_waker = ManuallyDrop::new(unsafe { NodeRef::from_raw(node.cast()) });
    let further = NodeRef::clone(&of_waker);
    RawWaker::new(further.into_raw().cast(), &VTABLE)
}

/// # Safety
///
/// The data of a waker of this table, with its reference.
unsafe fn wake(node: *const ()) {
    // SAFETY: the caller's obligation.
    unsafe { NodeRef::from_raw(node.cast()) }.wake();
}

/// # Safety
///
/// As for [`clone`].
unsafe fn wake_by_ref(node: *const ()) {
    // SAFETY: as in `clone`.
    let of_waker = ManuallyDrop::new(unsafe { NodeRef::from_raw(node.cast()) });
    NodeRef::clone(&of_waker).wake();
}

/// # Safety
///
/// As for [`wake`].
unsafe fn drop_ref(node: *const ()) {
    // SAFETY: the caller's obligation.
    drop(unsafe { NodeRef::from_raw(node.cast()) });
}
