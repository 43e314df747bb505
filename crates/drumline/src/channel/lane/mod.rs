//! A lane: messages from one writer to one reader.
//!
//! # What it owns
//!
//! A chain of [blocks](block). The writer fills their slots in order and counts the messages that
//! it has published (`tail`). The reader empties the slots and counts what it has taken (`head`).
//! Each side keeps what it knows of the other one's count, and reads it again only where that is
//! not enough.
//!
//! At the end of a block the writer looks whether the reader has emptied it. If so, it comes back
//! to the first slot. If not, it links a further block. A block that the reader has left goes back
//! to the writer; of several, one. The first block is small, and a part of the [`Traffic`]: a lane
//! in which there are never more than a few messages touches no other memory.
//!
//! ```text
//!   oldest                                  the writer's
//!     ▼                                      ▼
//!   [.  .  m  m  m  m]──►[ m  m  m  m  m  m]──►[ m  m  .  .  .  .]
//!          ▲ head                                    ▲ tail
//! ```
//!
//! # Two parts
//!
//! A program has many lanes in which there never was a message. So a lane is small at first. What
//! the two sides use for messages is the [`Traffic`]: each side writes to a line of memory of its
//! own there. The writer makes it for the first message.
//!
//! ```text
//!             the writer opens it
//!   NEW ──────────────────────────────► OPEN
//!     │       the reader closes it
//!     └──────────────────────────────► NEVER OPEN
//! ```
//!
//! `traffic` has the state: null, an address, or [`NEVER`]. It changes once, by an exchange. The
//! writer opens the lane for its first message, or to wait for the end of the reader.
//!
//! The reader waits at `first` while it sees no traffic, and at the flag of the traffic from then
//! on. The writer tells both flags of its first message, and of its end if it has sent none. Of
//! all else it tells the flag of the traffic alone.
//!
//! # Steps
//!
//! * **push**: open the lane, if this is the first message; write the slot; publish `tail`
//!   (Release); [tell](WakeFlag::tell) the reader.
//! * **pop**: read `tail` (Acquire); read the slot; publish `head` (Release), so that the writer
//!   may use the place again; where there is a bound, tell the writer.
//! * **end** (writer): say why, then tell the reader. The reader looks for the reason only after it
//!   has found no message, and then looks for messages once more: what was sent before the end
//!   comes before it.
//! * **close** (reader): see below.
//!
//! # The cut
//!
//! A reader that closes still receives what was sent before, and a message that the reader does not
//! get goes back to the writer. So both must agree which message is the last. The reader says that
//! it closes, [silences](WakeFlag::silence) its flags, and reads `tail`: this is the *cut*, and it
//! publishes that. The writer looks at the end of each push whether the reader has begun to close.
//! If so, it waits for the cut, and takes its message back if that lies behind.
//!
//! The lane says that it is closing. The traffic says it once more, a moment later: that is what a
//! push looks at. So the writer asks whether the lane [refuses](Lane::refuses) messages, which is
//! what the next push will find.
//!
//! # The races feared
//!
//! *A push sees nothing of the close, and its message is behind the cut.* The writer publishes its
//! message, tells, and looks for the close; the reader says that it closes, silences, and looks for
//! messages. To tell and to silence are swaps of one word, or a light and a heavy barrier. So at
//! least one side sees the other.
//!
//! *The reader goes on to the next block, and the writer had come back to this one*, and linked the
//! next block after that: the messages in between are passed over. So the link has the count of
//! messages at which it was made, and the reader goes on only at that count.
//!
//! *The writer comes back to a slot that the reader has not emptied.* It does so only if the counts
//! are equal, by an Acquire of the head, which the reader publishes after it has emptied the slot.
//!
//! *The first message, and a reader that closes a lane without traffic.* Both exchange `traffic`,
//! and one of them is first. If it is the reader, the writer keeps its message. If it is the
//! writer, the reader finds the traffic, and there is a cut as above.
//!
//! *The first message, and a reader that waits at `first`.* The reader has seen no traffic. It
//! announces itself at `first`, and looks once more, for the traffic as well. The writer publishes
//! the traffic and the message, and tells `first` then. By the proof of [`WakeFlag`], either the
//! look finds the message, or the tell finds the reader. A later message finds no reader there: the
//! reader has taken the first message by then, so it has seen the traffic.
//!
//! *A reader that rests at `first`, and at the flag of the traffic as well*, and is reported twice.
//! A reader that rests at `first` has the lane in hand again only after the report, or after it has
//! risen there.
//!
//! # Memory order
//!
//! What is relaxed publishes nothing: `oldest` is written by one side at a time, and read by the
//! last owner of the lane; `is_closing` is read by the writer after its tell, see above.
//!
//! # Rejected
//!
//! *One flag, in the small part.* Small parts of many lanes share lines of memory. Two lanes in
//! which messages go to and fro would slow each other down. *What the writer looks at for each
//! message (the cut, the flag), in the line of the tail*: one line less for a writer of many lanes.
//! But each look waits then for the line that the reader has taken: 11 to 14 ns a message in place
//! of 7.5. *Full blocks of 16 slots*: no difference with 10,000 lanes, and 30 % slower with ten.

#[cfg(not(drumline_loom))]
mod address;
mod block;
#[cfg(all(test, drumline_loom))]
mod models;
mod reader;
#[cfg(not(drumline_loom))]
pub(in crate::channel) mod sending;
mod traffic;
mod writer;

use std::ptr::{self, NonNull};

use super::CloseReason;
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering};
use crate::sync::planted;
use crate::wait::{Told, WakeFlag};

#[cfg(not(drumline_loom))]
pub(super) use address::LaneAddress;
pub(super) use reader::Reader;
use traffic::Traffic;
pub(super) use writer::Writer;

/// The address of the traffic of a lane in which none will be.
const NEVER: usize = 1;

/// What writer and reader share. 48 bytes.
#[derive(Debug)]
pub(super) struct Lane<T> {
    /// Where the reader waits while there is no traffic.
    first: WakeFlag,
    /// Null: there was no message.
    traffic: AtomicPtr<Traffic<T>>,
    capacity: usize,
    /// The code of the reason for which no message follows; 0 as long as some may.
    ended: AtomicU8,
    is_closing: AtomicBool,
}

// SAFETY: the two sides use a slot in turn, as the counts say, and messages may go to another
// thread.
unsafe impl<T: Send> Send for Lane<T> {}
// SAFETY: as for `Send`. A shared lane gives out no reference to a message.
unsafe impl<T: Send> Sync for Lane<T> {}

/// Why a message was not pushed; it comes back.
#[derive(Debug)]
pub(super) enum Refused<T> {
    Full(T),
    /// And what the tell has met, if the message was published before it was taken back.
    Closed(T, Told),
}

/// Why there is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nothing {
    Yet,
    Ever(CloseReason),
}

impl<T> Lane<T> {
    pub(super) fn new(capacity: usize) -> Self {
        Self::with(WakeFlag::new(), capacity)
    }

    /// A lane of many, at which the reader rests.
    pub(super) fn resting(capacity: usize) -> Self {
        Self::with(WakeFlag::resting(), capacity)
    }

    fn with(first: WakeFlag, capacity: usize) -> Self {
        Lane {
            first,
            traffic: AtomicPtr::new(ptr::null_mut()),
            capacity,
            ended: AtomicU8::new(0),
            is_closing: AtomicBool::new(false),
        }
    }

    /// How many messages it holds at most; `usize::MAX`: without a bound.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// What the sides use for messages, if there was one.
    #[inline(always)]
    fn traffic(&self) -> Option<&Traffic<T>> {
        let traffic = self.traffic_address()?;
        // SAFETY: it lives as long as the lane does.
        Some(unsafe { traffic.as_ref() })
    }

    #[inline(always)]
    fn traffic_address(&self) -> Option<NonNull<Traffic<T>>> {
        // Acquire pairs with the Release in `Writer::open`: it is made.
        let traffic = self.traffic.load(Ordering::Acquire);
        NonNull::new(traffic).filter(|traffic| traffic.addr().get() != NEVER)
    }

    /// About how many messages there are.
    pub(super) fn len(&self) -> usize {
        self.traffic().map_or(0, Traffic::len)
    }

    /// Where the reader waits, if it sees no message.
    pub(super) fn messages(&self) -> &WakeFlag {
        self.traffic().map_or(&self.first, Traffic::messages)
    }

    /// The reader waits no more, as [`WakeFlag::unlist`].
    pub(super) fn unlist(&self, is_listed: &mut bool) {
        if let Some(traffic) = self.traffic() {
            let mut is_listed = *is_listed;
            traffic.messages().unlist(&mut is_listed);
        }
        // It may have been listed here before there was traffic.
        self.first.unlist(is_listed);
    }

    /// The reader rests no more, as [`WakeFlag::rise`].
    pub(super) fn rise(&self) -> bool {
        // It has rested at one of the two, which may be the first one, though there is traffic now.
        self.first.rise()
            || self
                .traffic()
                .is_some_and(|traffic| traffic.messages().rise())
    }

    /// Whether it costs the reader a barrier to wait.
    pub(super) fn is_writer_lazy(&self) -> bool {
        self.traffic()
            .is_some_and(|traffic| traffic.messages().is_lazy())
    }

    /// Where the writer waits for room, or for the end of the reader. `None`: no message was sent,
    /// so there is room.
    pub(super) fn room(&self) -> Option<&WakeFlag> {
        self.traffic().map(Traffic::room)
    }

    /// Whether the reader has closed, or is gone; for the reader.
    #[inline]
    pub(super) fn is_closing(&self) -> bool {
        // Acquire: the writer may go on with what the reader did before.
        self.is_closing.load(Ordering::Acquire)
    }

    /// Whether each push that begins after this is refused, because the reader has closed, or is
    /// gone. For the writer: while the reader is about to make the cut, a lane may be closing and
    /// take messages still.
    #[inline]
    pub(super) fn refuses(&self) -> bool {
        let refuses = |traffic: &Traffic<T>| traffic.is_closing() || planted!(LaneRefusesEarly);
        self.is_closing() && self.traffic().is_none_or(refuses)
    }

    /// Why the writer has ended, if it has.
    pub(super) fn ended(&self) -> Option<CloseReason> {
        // Acquire: all messages were published before.
        CloseReason::from_code(self.ended.load(Ordering::Acquire).into())
    }

    /// Hands `access` the reader that lies in the lane: for many lanes that have one receiver. A
    /// reader that has seen no traffic knows nothing. So it needs no place while there is none.
    ///
    /// # Safety
    ///
    /// The caller is the receiver, and in no other call of this. The lane has no other reader.
    #[inline(always)]
    pub(super) unsafe fn with_reader<R>(
        &self,
        access: impl FnOnce(&mut Reader<T>, &Lane<T>) -> R,
    ) -> R {
        match self.traffic() {
            // SAFETY: the caller's obligation.
            Some(traffic) => traffic.with_reader(|reader| unsafe { access(&mut *reader, self) }),
            // SAFETY: the caller's obligation.
            None => unsafe { self.with_new_reader(access) },
        }
    }

    /// Takes the reader out of the lane again.
    ///
    /// # Safety
    ///
    /// As for [`with_reader`](Self::with_reader). The one in the lane is not used any more.
    #[cfg(not(drumline_loom))]
    pub(super) unsafe fn take_reader(&self) -> Reader<T> {
        let mut taken = Reader::new();
        if let Some(traffic) = self.traffic() {
            // SAFETY: the caller's obligation.
            traffic.with_reader(|reader| unsafe { reader.swap(&raw mut taken) });
        }
        taken
    }

    /// Takes the next message with the reader that lies in the lane, if there is one. Does not say
    /// why there is none.
    ///
    /// # Safety
    ///
    /// As for [`with_reader`](Self::with_reader).
    #[inline(always)]
    pub(super) unsafe fn pop_further(&self) -> Option<T> {
        // SAFETY: the caller's obligation.
        unsafe { self.traffic()?.pop_further() }
    }

    /// # Safety
    ///
    /// As for [`with_reader`](Self::with_reader).
    #[cold]
    #[inline(never)]
    unsafe fn with_new_reader<R>(&self, access: impl FnOnce(&mut Reader<T>, &Lane<T>) -> R) -> R {
        let mut reader = Reader::new();
        let result = access(&mut reader, self);
        // SAFETY: the caller's obligation.
        unsafe { self.put_reader(reader) };
        result
    }

    /// Puts a reader into the lane, for [`with_reader`](Self::with_reader).
    ///
    /// # Safety
    ///
    /// The caller has the one reader of the lane.
    pub(super) unsafe fn put_reader(&self, reader: Reader<T>) {
        if reader.has_seen_traffic()
            && let Some(traffic) = self.traffic()
        {
            // SAFETY: the caller's obligation.
            traffic.with_reader(|place| unsafe { *place = reader });
        }
    }
}

impl<T> Drop for Lane<T> {
    fn drop(&mut self) {
        if cfg!(drumline_loom) && std::thread::panicking() {
            // The model has failed, and its atomics are gone.
            return;
        }
        // Relaxed: this is the last owner.
        let traffic = self.traffic.load(Ordering::Relaxed);
        if traffic.addr() > NEVER {
            // SAFETY: made by the writer, and this is the last owner.
            unsafe { Traffic::free(traffic) };
        }
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::Lane;

    /// The size on which `docs/src/channels.md` counts.
    #[test]
    fn a_lane_is_small() {
        assert_eq!(size_of::<Lane<[u64; 100]>>(), 48);
    }
}
