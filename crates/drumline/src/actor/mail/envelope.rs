//! One message in its block of memory.
//!
//! ```text
//!  Envelope: link │ function that opens it
//!  content: what is sent, or the box that it is in
//! ```
//!
//! What an envelope is for, only the function knows: a message, a message with a place for the
//! reply, or a notice of the library itself (`start`, `stop`, `final`, a nudge, a ticket of a
//! bounded mailbox). To open it takes the content out. The memory is given back by the run, when
//! the mailbox is done with the link.

use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};

use crate::actor::mailbox::MailLink;
use crate::actor::memory::{RunFrame, RunRequest};
use crate::blocks::{self, BLOCK_ALIGN, BLOCK_SIZE};

/// Takes the content out and deals with it, as the frame says: has the actor handle it, or discards
/// it. May unwind; the content is gone then, too.
///
/// Its caller is the run of the actor for which the envelope was made, or stands for it; it opens
/// each envelope once.
pub(crate) type OpenFn = unsafe fn(NonNull<Envelope>, &mut RunFrame);

/// What each message begins with.
#[repr(C)]
pub(crate) struct Envelope {
    /// First, so that the address of the link is that of the envelope.
    link: MailLink,
    open: OpenFn,
}

/// An envelope with content of one type.
#[repr(C)]
struct Filled<C> {
    envelope: Envelope,
    content: ManuallyDrop<C>,
}

impl Envelope {
    /// An envelope without content.
    #[inline]
    pub(crate) fn notice(open: OpenFn) -> NonNull<Envelope> {
        Self::seal((), open)
    }

    /// Puts `content` into an envelope, for `open` to take out with [`unseal`](Self::unseal).
    #[inline]
    pub(crate) fn seal<C>(content: C, open: OpenFn) -> NonNull<Envelope> {
        if const { fits::<C>() } {
            Self::write(content, open)
        } else {
            const { assert!(fits::<Box<C>>(), "a block has room for a box") };
            Self::write(Box::new(content), open)
        }
    }

    #[inline]
    fn write<C>(content: C, open: OpenFn) -> NonNull<Envelope> {
        let filled = blocks::take().cast::<Filled<C>>();
        // SAFETY: the block has room for it (`fits`; a box does), is aligned, and in no use.
        unsafe {
            filled.write(Filled {
                envelope: Envelope {
                    link: MailLink::new(),
                    open,
                },
                content: ManuallyDrop::new(content),
            });
        }
        filled.cast()
    }

    /// Takes the content out. The memory stays.
    ///
    /// # Safety
    ///
    /// The envelope was sealed with content of this type, which has not been taken out, and the
    /// caller owns it.
    #[inline]
    pub(crate) unsafe fn unseal<C>(envelope: NonNull<Envelope>) -> C {
        if const { fits::<C>() } {
            // SAFETY: the caller's obligation.
            unsafe { Self::read(envelope) }
        } else {
            // SAFETY: as above; `seal` has put it into a box.
            *unsafe { Self::read::<Box<C>>(envelope) }
        }
    }

    #[inline]
    unsafe fn read<C>(envelope: NonNull<Envelope>) -> C {
        let filled = envelope.cast::<Filled<C>>().as_ptr();
        // SAFETY: the content is of this type, and is not used in its place again.
        ManuallyDrop::into_inner(unsafe { (&raw const (*filled).content).read() })
    }

    /// The link of an envelope.
    #[inline]
    pub(crate) fn link(envelope: NonNull<Envelope>) -> *const MailLink {
        envelope.as_ptr().cast_const().cast()
    }

    /// The envelope to which a link belongs.
    ///
    /// # Safety
    ///
    /// The link comes from [`link`](Self::link).
    #[inline]
    pub(crate) unsafe fn of(link: *const MailLink) -> NonNull<Envelope> {
        // SAFETY: it is the address of an envelope.
        unsafe { NonNull::new_unchecked(link.cast_mut().cast()) }
    }

    /// Opens an envelope.
    ///
    /// # Safety
    ///
    /// As for [`OpenFn`].
    #[inline]
    pub(crate) unsafe fn open(envelope: NonNull<Envelope>, frame: &mut RunFrame) {
        // SAFETY: the run owns the envelope.
        let open = unsafe { (*envelope.as_ptr()).open };
        // SAFETY: the caller's obligation.
        unsafe { open(envelope, frame) };
    }

    /// Has the envelope opened by this function.
    ///
    /// # Safety
    ///
    /// The function takes content of that type out, and no other thread uses more than the link.
    pub(crate) unsafe fn set_open(envelope: NonNull<Envelope>, open: OpenFn) {
        // SAFETY: the caller's obligation.
        unsafe { (&raw mut (*envelope.as_ptr()).open).write(open) };
    }

    /// Makes an open envelope one that does nothing when it is opened once more.
    ///
    /// # Safety
    ///
    /// The content has been taken out, and the caller is the run that has it at hand.
    pub(crate) unsafe fn make_nudge(envelope: NonNull<Envelope>) {
        // SAFETY: senders use the link only.
        unsafe { Self::set_open(envelope, open_nudge) };
    }

    /// Whether opening it does nothing.
    ///
    /// # Safety
    ///
    /// The caller is the run that has it in its mailbox.
    pub(crate) unsafe fn is_nudge(envelope: NonNull<Envelope>) -> bool {
        // SAFETY: senders use the link only.
        let open = unsafe { (*envelope.as_ptr()).open };
        ptr::fn_addr_eq(open, open_nudge as OpenFn)
    }

    /// Gives the memory back.
    ///
    /// # Safety
    ///
    /// The content has been taken out, and no mailbox uses the link.
    #[inline]
    pub(crate) unsafe fn free(envelope: NonNull<Envelope>) {
        // SAFETY: the block is in no use any more.
        unsafe { blocks::give(envelope.cast()) };
    }
}

/// An envelope that gives its memory back when this is dropped, also by a panic.
pub(crate) struct SpentEnvelope(pub(crate) NonNull<Envelope>);

impl Drop for SpentEnvelope {
    fn drop(&mut self) {
        // SAFETY: its content has been taken out, and it is in no mailbox.
        unsafe { Envelope::free(self.0) };
    }
}

/// Opens `final`.
///
/// # Safety
///
/// As for [`OpenFn`]; so it is for the functions below.
pub(crate) unsafe fn open_final(_: NonNull<Envelope>, frame: &mut RunFrame) {
    frame.request = RunRequest::Final;
}

/// Opens `stop`.
pub(crate) unsafe fn open_stop(_: NonNull<Envelope>, frame: &mut RunFrame) {
    frame.request = RunRequest::Stop;
}

/// Opens a nudge: the run looks at the word after it.
///
/// A nudge is known by the address of this function. If it could be inlined, an optimized build
/// would have a copy in each codegen unit, with an address of its own.
#[inline(never)]
pub(crate) unsafe fn open_nudge(_: NonNull<Envelope>, _: &mut RunFrame) {}

/// Whether content of this type has room in a block.
const fn fits<C>() -> bool {
    size_of::<Filled<C>>() <= BLOCK_SIZE && align_of::<Filled<C>>() <= BLOCK_ALIGN
}
