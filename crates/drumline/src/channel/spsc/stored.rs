//! A receiver of which only the address of the lane is left.

use std::mem::ManuallyDrop;
use std::task::Waker;

use super::Receiver;
use crate::channel::lane::{Lane, Nothing, Reader};
use crate::sync::Arc;

/// A [`Receiver`] in a set, which may have many. It takes 8 bytes: what it knows of its lane lies
/// in the lane, once there is a message.
pub(in crate::channel) struct StoredReceiver<T: Send>(
    /// Moved out of it at the end.
    ManuallyDrop<Arc<Lane<T>>>,
);

impl<T: Send> From<Receiver<T>> for StoredReceiver<T> {
    fn from(receiver: Receiver<T>) -> Self {
        let (lane, reader) = receiver.into_parts();
        // SAFETY: the one reader of its lane.
        unsafe { lane.put_reader(reader) };
        StoredReceiver(ManuallyDrop::new(lane))
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
        let lane = unsafe { ManuallyDrop::take(&mut self.0) };
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

    pub(in crate::channel) fn pop(&mut self) -> Result<T, Nothing> {
        // SAFETY: as above.
        unsafe { self.0.with_reader(|reader, lane| reader.pop(lane)) }
    }

    /// Whether there is a message, or will never be one again.
    pub(in crate::channel) fn is_ready(&mut self) -> bool {
        // SAFETY: as above.
        unsafe { self.0.with_reader(Reader::is_ready) }
    }

    /// How many messages are in the channel, about.
    pub(in crate::channel) fn len(&self) -> usize {
        self.0.len()
    }

    /// As [`Receiver::close`].
    pub(in crate::channel) fn close(&mut self) {
        // SAFETY: as above.
        let _was_resting = unsafe { self.0.with_reader(Reader::close) };
    }

    /// Whether it costs a barrier to [listen](Self::listen).
    pub(in crate::channel) fn is_sender_lazy(&self) -> bool {
        self.0.is_writer_lazy()
    }

    /// As [`Receiver::listen`].
    pub(in crate::channel) fn listen(&mut self, waker: &Waker, is_listed: &mut bool) -> bool {
        self.0.messages().list_unsettled(waker, is_listed)
    }

    /// Listens no more.
    pub(in crate::channel) fn unlisten(&mut self, is_listed: &mut bool) {
        self.0.unlist(is_listed);
    }
}

impl<T: Send> Drop for StoredReceiver<T> {
    fn drop(&mut self) {
        // SAFETY: it is not used again.
        drop(unsafe { self.take() });
    }
}
