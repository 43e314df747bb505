//! What a future asks of an end: the futures of this module, and those of
//! [`protocol`](crate::protocol), which own their ends.

use std::panic::Location;
use std::task::{Context, Poll, Waker, ready};

use super::{Receiver, Sender, receiver, sender};
use crate::channel::lane::{Nothing, sending};
use crate::channel::{RecvError, WaitingFor};
use crate::wait::budget;

impl<T: Send> Receiver<T> {
    /// Whether there is a message, or will never be one again. If not, the waker is called then.
    /// `is_listed` is the memory of the future between two polls.
    pub(crate) fn poll_ready(
        &mut self,
        cx: &mut Context<'_>,
        is_listed: &mut bool,
        location: &'static Location<'static>,
    ) -> Poll<()> {
        let Receiver {
            lane,
            reader,
            entry,
            ..
        } = self;
        let has_waited = *is_listed;
        if !reader.is_ready(lane) {
            let is_ready = || reader.is_ready(lane);
            if !lane.messages().list(cx.waker(), is_listed, is_ready) {
                entry.pend(receiver::site(lane, location));
                return Poll::Pending;
            }
        }
        if has_waited {
            entry.clear();
        }
        budget::proceed(cx)
    }

    /// Receives the next message, or says why none comes.
    pub(crate) fn poll_recv(
        &mut self,
        cx: &mut Context<'_>,
        is_listed: &mut bool,
        location: &'static Location<'static>,
    ) -> Poll<Result<T, RecvError>> {
        ready!(self.poll_ready(cx, is_listed, location));
        match self.pop() {
            Ok(message) => Poll::Ready(Ok(message)),
            Err(Nothing::Ever(reason)) => Poll::Ready(Err(RecvError::new(reason))),
            Err(Nothing::Yet) => unreachable!("it was ready, and this is the one receiver"),
        }
    }

    /// The future is not polled again.
    pub(crate) fn forget_poll(&mut self, is_listed: &mut bool) {
        if *is_listed {
            self.lane.unlist(is_listed);
            self.entry.clear();
        }
    }
}

impl<T: Send> Sender<T> {
    /// Whether there is room, or the receiver is gone. If not, the waker is called then.
    /// `is_listed` is the memory of the future between two polls.
    pub(crate) fn poll_room(
        &mut self,
        cx: &mut Context<'_>,
        is_listed: &mut bool,
        location: &'static Location<'static>,
    ) -> Poll<()> {
        let Sender {
            lane,
            writer,
            entry,
        } = self;
        let site = || sender::site(lane, WaitingFor::Capacity, location);
        sending::poll_room(lane, writer, entry, cx, is_listed, site)
    }

    /// Waits for the end of the receiver.
    pub(in crate::channel) fn poll_closed(
        &mut self,
        cx: &mut Context<'_>,
        is_listed: &mut bool,
        location: &'static Location<'static>,
    ) -> Poll<()> {
        let Sender {
            lane,
            writer,
            entry,
        } = self;
        let site = || sender::site(lane, WaitingFor::Close, location);
        sending::poll_closed(lane, writer, entry, cx, is_listed, site)
    }

    /// The future is not polled again.
    pub(crate) fn forget_poll(&mut self, is_listed: &mut bool) {
        if *is_listed {
            self.unlisten(is_listed);
            self.entry.clear();
        }
    }
}

/// A receiver of any messages, for those that wait for several.
pub trait Listen {
    /// Whether there is a message, or will never be one again.
    fn is_ready(&mut self) -> bool;

    /// Has `waker` called by what the sender does next. If this returns `true`,
    /// [`settle`](crate::wait::settle) has to follow; and then, in each case, a look. `is_listed`
    /// is the memory between two calls.
    fn listen(
        &mut self,
        waker: &Waker,
        is_listed: &mut bool,
        location: &'static Location<'static>,
    ) -> bool;

    /// Listens no more.
    fn forget(&mut self, is_listed: &mut bool);
}

impl<T: Send> Listen for Receiver<T> {
    fn is_ready(&mut self) -> bool {
        self.reader.is_ready(&self.lane)
    }

    fn listen(
        &mut self,
        waker: &Waker,
        is_listed: &mut bool,
        location: &'static Location<'static>,
    ) -> bool {
        let is_unsettled = self.lane.messages().list_unsettled(waker, is_listed);
        self.entry.pend(receiver::site(&self.lane, location));
        is_unsettled
    }

    fn forget(&mut self, is_listed: &mut bool) {
        self.forget_poll(is_listed);
    }
}
