//! A receiver of which only an address is left.

use std::mem::ManuallyDrop;
use std::task::Waker;

use super::Receiver;
use crate::channel::lane::{LaneAddress, Nothing, Reader};
use crate::wait::WakeFlag;

/// A [`Receiver`] in a set, which may have many. It takes 8 bytes: what it knows of its lane lies
/// in the lane, once there is a message.
pub(in crate::channel) struct StoredReceiver<T: Send>(
    /// Moved out of it at the end. The one reader of the lane.
    ManuallyDrop<LaneAddress<T>>,
);

impl<T: Send> From<Receiver<T>> for StoredReceiver<T> {
    fn from(receiver: Receiver<T>) -> Self {
        let (lane, reader) = receiver.into_parts();
        // SAFETY: the one reader of its lane.
        unsafe { lane.put_reader(reader) };
        StoredReceiver(ManuallyDrop::new(LaneAddress::new(lane)))
    }
}

impl<T: Send> StoredReceiver<T> {
    pub(in crate::channel) fn into_receiver(self) -> Receiver<T> {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: it is not used again, also not by its drop.
        unsafe { this.take() }
    }

    /// # Safety
    ///
    /// This is not used again.
    unsafe fn take(&mut self) -> Receiver<T> {
        // SAFETY: the caller's obligation.
        let lane = unsafe { ManuallyDrop::take(&mut self.0) }.into_lane();
        // SAFETY: the one receiver of its lane, and borrowed mutably.
        let reader = unsafe { lane.take_reader() };
        Receiver::from_parts(lane, reader)
    }

    /// Takes the next message, if there is one. Does not say why there is none.
    #[inline(always)]
    pub(in crate::channel) fn pop_further(&mut self) -> Option<T> {
        // SAFETY: the one receiver of its lane, and borrowed mutably.
        unsafe { self.0.pop_further() }
    }

    /// Has the processor fetch what [`pop_further`](Self::pop_further) uses.
    #[inline(always)]
    pub(in crate::channel) fn prefetch(&self) {
        self.0.prefetch();
    }

    /// Has the processor fetch the next message. The rest should be there by now.
    #[inline(always)]
    pub(in crate::channel) fn prefetch_message(&self) {
        // SAFETY: the one receiver of its lane, and borrowed.
        unsafe { self.0.prefetch_message() };
    }

    pub(in crate::channel) fn pop(&mut self) -> Result<T, Nothing> {
        // SAFETY: the one receiver of its lane, and borrowed mutably.
        unsafe { self.0.lane().with_reader(|reader, lane| reader.pop(lane)) }
    }

    /// Whether there is a message, or will never be one again.
    pub(in crate::channel) fn is_ready(&mut self) -> bool {
        // SAFETY: as above.
        unsafe { self.0.lane().with_reader(Reader::is_ready) }
    }

    /// How many messages are in the channel, about.
    pub(in crate::channel) fn len(&self) -> usize {
        self.0.lane().len()
    }

    /// As [`Receiver::close`].
    pub(in crate::channel) fn close(&mut self) {
        // SAFETY: as above.
        let _was_resting = unsafe { self.0.lane().with_reader(Reader::close) };
    }

    /// Whether it costs a barrier to [listen](Self::listen).
    pub(in crate::channel) fn is_sender_lazy(&self) -> bool {
        self.0.is_writer_lazy()
    }

    /// What the sender tells.
    pub(in crate::channel) fn messages(&self) -> &WakeFlag {
        self.0.lane().messages()
    }

    /// As [`Receiver::listen`], to one of `ports` channels that are listened to, about.
    pub(in crate::channel) fn listen(
        &mut self,
        waker: &Waker,
        is_listed: &mut bool,
        ports: usize,
    ) -> bool {
        let messages = self.0.lane().messages();
        messages.list_among(waker, is_listed, ports)
    }

    /// Listens no more.
    pub(in crate::channel) fn unlisten(&mut self, is_listed: &mut bool) {
        self.0.lane().unlist(is_listed);
    }
}

impl<T: Send> Drop for StoredReceiver<T> {
    fn drop(&mut self) {
        // SAFETY: it is not used again.
        drop(unsafe { self.take() });
    }
}
