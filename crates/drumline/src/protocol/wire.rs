//! What one side of a session holds, whatever its state: two lanes, and the name of the step.
//!
//! An endpoint is moved in each step, so it is a pointer to this. A step costs what its message
//! costs in a lane, and a plain store. The store is of the next step: its name is read when the
//! side leaves in the middle. A step that leads to itself leaves that out.

use super::PeerLeft;
use super::departure::{Departures, Step};
use crate::channel::spsc::{self, Receiver, Sender};

/// One side of a session. What it sends is an `Out`, what it receives an `In`.
#[doc(hidden)]
#[derive(Debug)]
pub struct Wire<Out: Send, In: Send>(Box<Ends<Out, In>>);

/// The lanes are dropped after the departure was written, the sender first.
#[derive(Debug)]
struct Ends<Out: Send, In: Send> {
    sender: Sender<Out>,
    receiver: Receiver<In>,
    /// `None` once the session is over.
    step: Option<&'static Step>,
    departures: Departures,
}

impl<Out: Send, In: Send> Drop for Ends<Out, In> {
    fn drop(&mut self) {
        if let Some(step) = self.step {
            self.departures.leave(step);
        }
    }
}

impl<Out: Send, In: Send> Wire<Out, In> {
    /// The next step. The step of the peer is its dual, or comes before that.
    #[inline]
    pub fn at(mut self, step: &'static Step) -> Self {
        self.0.step = Some(step);
        self
    }

    /// The session is over.
    pub fn end(mut self) {
        self.0.step = None;
    }

    #[inline]
    pub(super) fn sender(&mut self) -> &mut Sender<Out> {
        &mut self.0.sender
    }

    #[inline]
    pub(super) fn receiver(&mut self) -> &mut Receiver<In> {
        &mut self.0.receiver
    }

    /// Why a lane is closed that the peer does not close before the end. This side leaves as well.
    ///
    /// By value, here and in what calls it: if the address of an endpoint is taken, it is written
    /// to the stack in each step.
    #[cold]
    pub(super) fn peer_left(self) -> PeerLeft {
        self.0
            .departures
            .of_peer()
            .expect("a side that ends a lane has left before, or this side is at the end, too")
    }

    pub(super) fn has_peer_left(&self) -> bool {
        self.0.departures.of_peer().is_some()
    }
}

/// Both sides of a new session, made of these lanes.
fn connect<Up: Send, Down: Send>(
    up: (Sender<Up>, Receiver<Up>),
    down: (Sender<Down>, Receiver<Down>),
) -> (Wire<Up, Down>, Wire<Down, Up>) {
    let [first, second] = Departures::new();
    let first = Ends {
        sender: up.0,
        receiver: down.1,
        step: None,
        departures: first,
    };
    let second = Ends {
        sender: down.0,
        receiver: up.1,
        step: None,
        departures: second,
    };
    (Wire(Box::new(first)), Wire(Box::new(second)))
}

/// A session in which a send never waits.
#[doc(hidden)]
pub fn unbounded<Up: Send, Down: Send>() -> (Wire<Up, Down>, Wire<Down, Up>) {
    connect(spsc::unbounded(), spsc::unbounded())
}

/// A session with at most `capacity` messages on their way in each direction.
#[doc(hidden)]
pub fn bounded<Up: Send, Down: Send>(capacity: usize) -> (Wire<Up, Down>, Wire<Down, Up>) {
    connect(spsc::bounded(capacity), spsc::bounded(capacity))
}
