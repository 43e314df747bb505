//! The ends that a select can wait at: one way to use them for all of them.

use std::task::Waker;

use super::waiting::Listened;
use crate::channel::lane::Nothing;
use crate::channel::shared::{RecvWatch, SendWatch, Unsent};
use crate::channel::{PortEvent, PortSet, TryRecvError, TrySendError};
use crate::channel::{lanes, mpmc, mpsc, oneshot, spsc};

/// A receiving end, borrowed as it has to be to receive.
pub trait RecvEnd {
    /// What it receives.
    type Message: Send;
    /// What the select remembers of it.
    type Watch: Default + Send;

    /// Takes a message if there is one.
    fn take(&mut self, watch: &mut Self::Watch) -> Result<Self::Message, TryRecvError>;

    /// Has `waker` called by what comes next, also if it listens already.
    fn listen(&mut self, watch: &mut Self::Watch, waker: &Waker) -> Listened;

    /// Leaves nothing behind.
    fn unlisten(&mut self, watch: &mut Self::Watch);
}

/// A sending end, borrowed as it has to be to send.
pub trait SendEnd {
    /// What it sends.
    type Message;
    /// What the select remembers of it.
    type Watch: Default + Send;

    /// Whether the channel has places that can be kept: a rendezvous has none.
    fn has_places(&self) -> bool {
        true
    }

    /// Keeps a place for a message, if there is one.
    fn reserve(&mut self, watch: &mut Self::Watch) -> Result<(), TrySendError<()>>;

    /// Sends a message in the place that is kept. It comes back if the channel is closed.
    fn send(
        &mut self,
        watch: &mut Self::Watch,
        message: Self::Message,
    ) -> Result<(), Self::Message>;

    /// Has `waker` called when there is room, also if it listens already.
    fn listen(&mut self, watch: &mut Self::Watch, waker: &Waker) -> Listened;

    /// Leaves nothing behind, but for the place that is kept, if the caller says so.
    fn unlisten(&mut self, watch: &mut Self::Watch, keeps_place: bool);
}

impl<T: Send> RecvEnd for &mut spsc::Receiver<T> {
    type Message = T;
    type Watch = bool;

    // Always: each caller is one path of a select, called by its address for each message.
    #[inline(always)]
    fn take(&mut self, _: &mut bool) -> Result<T, TryRecvError> {
        self.pop().map_err(|nothing| match nothing {
            Nothing::Yet => TryRecvError::Empty,
            Nothing::Ever(reason) => TryRecvError::Closed(reason),
        })
    }

    fn listen(&mut self, is_listed: &mut bool, waker: &Waker) -> Listened {
        Listened::unsettled(spsc::Receiver::listen(self, waker, is_listed))
    }

    fn unlisten(&mut self, is_listed: &mut bool) {
        spsc::Receiver::unlisten(self, is_listed);
    }
}

impl<T: Send> RecvEnd for &mut lanes::Receiver<T> {
    type Message = T;
    type Watch = bool;

    #[inline]
    fn take(&mut self, _: &mut bool) -> Result<T, TryRecvError> {
        self.try_recv()
    }

    fn listen(&mut self, is_listed: &mut bool, waker: &Waker) -> Listened {
        Listened::waits(lanes::Receiver::listen(self, waker, is_listed))
    }

    fn unlisten(&mut self, is_listed: &mut bool) {
        lanes::Receiver::unlisten(self, is_listed);
    }
}

impl<T: Send> RecvEnd for &mut PortSet<T> {
    type Message = PortEvent<T>;
    type Watch = bool;

    #[inline]
    fn take(&mut self, _: &mut bool) -> Result<PortEvent<T>, TryRecvError> {
        self.try_recv()
    }

    fn listen(&mut self, is_listed: &mut bool, waker: &Waker) -> Listened {
        Listened::waits(PortSet::listen(self, waker, is_listed))
    }

    fn unlisten(&mut self, is_listed: &mut bool) {
        PortSet::unlisten(self, is_listed);
    }
}

impl<T: Send> RecvEnd for &mut oneshot::Receiver<T> {
    type Message = T;
    type Watch = ();

    #[inline]
    fn take(&mut self, (): &mut ()) -> Result<T, TryRecvError> {
        self.try_recv()
    }

    fn listen(&mut self, (): &mut (), waker: &Waker) -> Listened {
        Listened::waits(oneshot::Receiver::listen(self, waker))
    }

    fn unlisten(&mut self, (): &mut ()) {
        oneshot::Receiver::unlisten(self);
    }
}

impl<T: Send> RecvEnd for &mut mpsc::Receiver<T> {
    type Message = T;
    type Watch = RecvWatch;

    #[inline]
    fn take(&mut self, watch: &mut RecvWatch) -> Result<T, TryRecvError> {
        self.end.take_selected(watch)
    }

    fn listen(&mut self, watch: &mut RecvWatch, waker: &Waker) -> Listened {
        Listened::waits(watch.listen(self.end.queue(), waker))
    }

    fn unlisten(&mut self, watch: &mut RecvWatch) {
        watch.unlisten(self.end.queue());
    }
}

impl<T: Send> RecvEnd for &mpmc::Receiver<T> {
    type Message = T;
    type Watch = RecvWatch;

    #[inline]
    fn take(&mut self, watch: &mut RecvWatch) -> Result<T, TryRecvError> {
        self.end.take_selected(watch)
    }

    fn listen(&mut self, watch: &mut RecvWatch, waker: &Waker) -> Listened {
        Listened::waits(watch.listen(self.end.queue(), waker))
    }

    fn unlisten(&mut self, watch: &mut RecvWatch) {
        watch.unlisten(self.end.queue());
    }
}

/// What a lane says to a wish to send.
fn room(has_room: bool, is_closed: bool) -> Result<(), TrySendError<()>> {
    match (has_room, is_closed) {
        (false, _) => Err(TrySendError::Full(())),
        (true, true) => Err(TrySendError::Closed(())),
        // This is the one sender of the lane: there is room until it sends.
        (true, false) => Ok(()),
    }
}

/// The one sender of a lane.
macro_rules! lane_sender {
    ($Sender:path) => {
        impl<T: Send> SendEnd for &mut $Sender {
            type Message = T;
            type Watch = bool;

            #[inline]
            fn reserve(&mut self, _: &mut bool) -> Result<(), TrySendError<()>> {
                room(self.has_room(), self.is_closed())
            }

            #[inline]
            fn send(&mut self, _: &mut bool, message: T) -> Result<(), T> {
                self.try_send(message).map_err(TrySendError::into_inner)
            }

            fn listen(&mut self, is_listed: &mut bool, waker: &Waker) -> Listened {
                Listened::unsettled((**self).listen(waker, is_listed))
            }

            fn unlisten(&mut self, is_listed: &mut bool, _: bool) {
                (**self).unlisten(is_listed);
            }
        }
    };
}

lane_sender!(spsc::Sender<T>);
lane_sender!(lanes::Sender<T>);

impl<T: Send> SendEnd for &mpsc::Sender<T> {
    type Message = T;
    type Watch = SendWatch;

    fn has_places(&self) -> bool {
        self.capacity() != Some(0)
    }

    #[inline]
    fn reserve(&mut self, watch: &mut SendWatch) -> Result<(), TrySendError<()>> {
        watch
            .reserve(self.queue())
            .map_err(|refused| match refused {
                Unsent::Full(()) => TrySendError::Full(()),
                Unsent::Closed(()) => TrySendError::Closed(()),
            })
    }

    #[inline]
    fn send(&mut self, watch: &mut SendWatch, message: T) -> Result<(), T> {
        watch.send(self.queue(), message)
    }

    fn listen(&mut self, watch: &mut SendWatch, waker: &Waker) -> Listened {
        Listened::waits(watch.listen(self.queue(), waker))
    }

    fn unlisten(&mut self, watch: &mut SendWatch, keeps_place: bool) {
        watch.unlisten(self.queue(), keeps_place);
    }
}
