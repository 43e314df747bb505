//! References to actors of both kinds: with handlers, and functions.

use drumline::actor::{ActorRef, Answer, TellError, ThreadActor, WeakActorRef};

use crate::talker::Talker;
use crate::tally::Message;

/// A message that may carry a reference.
pub type Mail = Message<Peer>;

/// A message that is handled by an async handler.
pub struct Awaited(pub Mail);

/// A reference to an actor.
#[derive(Clone)]
pub struct Peer {
    /// Senders wait for room.
    pub waits: bool,
    reference: PeerRef,
}

#[derive(Clone)]
enum PeerRef {
    Handlers(ActorRef<Talker>),
    Function(ActorRef<ThreadActor<Mail>>),
}

/// A reference that keeps no actor alive.
#[derive(Clone)]
pub struct WeakPeer {
    waits: bool,
    reference: WeakPeerRef,
}

#[derive(Clone)]
enum WeakPeerRef {
    Handlers(WeakActorRef<Talker>),
    Function(WeakActorRef<ThreadActor<Mail>>),
}

impl Peer {
    /// To an actor with handlers.
    pub fn talker(waits: bool, reference: ActorRef<Talker>) -> Self {
        let reference = PeerRef::Handlers(reference);
        Peer { waits, reference }
    }

    /// To an actor that is a function.
    pub fn function(waits: bool, reference: ActorRef<ThreadActor<Mail>>) -> Self {
        let reference = PeerRef::Function(reference);
        Peer { waits, reference }
    }

    /// Whether it has an async handler.
    pub fn has_async_handler(&self) -> bool {
        matches!(self.reference, PeerRef::Handlers(_))
    }

    pub fn stop(&self) {
        match &self.reference {
            PeerRef::Handlers(actor) => actor.stop(),
            PeerRef::Function(actor) => actor.stop(),
        }
    }

    pub fn stop_now(&self) {
        match &self.reference {
            PeerRef::Handlers(actor) => actor.stop_now(),
            PeerRef::Function(actor) => actor.stop_now(),
        }
    }

    /// Tells it a message, for the async handler if that says so. Waits for room only if it may.
    pub fn tell(&self, mail: Mail, may_wait: bool) -> Result<(), TellError<Mail>> {
        match &self.reference {
            PeerRef::Handlers(actor) if mail.is_awaited => {
                let told = if may_wait {
                    actor.tell(Awaited(mail))
                } else {
                    actor.try_tell(Awaited(mail))
                };
                told.map_err(|error| match error {
                    TellError::Dead(Awaited(mail)) => TellError::Dead(mail),
                    TellError::Full(Awaited(mail)) => TellError::Full(mail),
                })
            }
            PeerRef::Handlers(actor) if may_wait => actor.tell(mail),
            PeerRef::Handlers(actor) => actor.try_tell(mail),
            PeerRef::Function(actor) if may_wait => actor.tell(mail),
            PeerRef::Function(actor) => actor.try_tell(mail),
        }
    }

    pub fn ask(&self, mail: Mail) -> Answer<()> {
        match &self.reference {
            PeerRef::Handlers(actor) if mail.is_awaited => actor.ask(Awaited(mail)),
            PeerRef::Handlers(actor) => actor.ask(mail),
            PeerRef::Function(actor) => actor.ask(mail),
        }
    }

    pub fn downgrade(&self) -> WeakPeer {
        let reference = match &self.reference {
            PeerRef::Handlers(actor) => WeakPeerRef::Handlers(actor.downgrade()),
            PeerRef::Function(actor) => WeakPeerRef::Function(actor.downgrade()),
        };
        let waits = self.waits;
        WeakPeer { waits, reference }
    }
}

impl WeakPeer {
    pub fn upgrade(&self) -> Option<Peer> {
        let reference = match &self.reference {
            WeakPeerRef::Handlers(actor) => PeerRef::Handlers(actor.upgrade()?),
            WeakPeerRef::Function(actor) => PeerRef::Function(actor.upgrade()?),
        };
        let waits = self.waits;
        Some(Peer { waits, reference })
    }
}
