//! Messages that no actor handles.

use std::fmt;

use crate::actor::AskError;

/// Why a message is discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The actor has stopped.
    Dead,
    /// A handler of the actor has panicked.
    Panicked,
    /// There was no room.
    Full,
}

impl Loss {
    /// What the asker gets, if the message was one.
    pub(crate) fn ask_error(self) -> AskError {
        match self {
            Loss::Dead => AskError::Dead,
            Loss::Panicked => AskError::Panicked,
            Loss::Full => AskError::Full,
        }
    }
}

/// A message that was told to an actor and that the actor will not handle.
///
/// [`ActorSystem::on_dead_letter`](crate::actor::ActorSystem::on_dead_letter) has a function called
/// with each.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, Context, HandScheduler, Handler};
/// use std::sync::mpsc;
///
/// struct Doubler;
/// impl Actor for Doubler {}
/// impl Handler<u32> for Doubler {
///     type Reply = u32;
///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
///         2 * number
///     }
/// }
///
/// let by_hand = HandScheduler::new(1);
/// let system = ActorSystem::builder().scheduler(by_hand.scheduler()).build_here();
/// let (send, letters) = mpsc::channel();
/// system.on_dead_letter(move |letter| drop(send.send(format!("{letter:?}"))));
/// let doubler = system.spawn(Doubler);
/// doubler.tell(1).unwrap();
/// doubler.stop_now();
/// by_hand.run_until_idle();
/// assert_eq!(letters.try_iter().count(), 1);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DeadLetter {
    actor: String,
    message: &'static str,
    loss: Loss,
}

impl DeadLetter {
    pub(crate) fn new(actor: String, message: &'static str, loss: Loss) -> Self {
        DeadLetter {
            actor,
            message,
            loss,
        }
    }

    /// The name of the actor, or of its type if it has none.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, HandScheduler, Handler};
    /// use std::sync::mpsc;
    ///
    /// struct Doubler;
    /// impl Actor for Doubler {}
    /// impl Handler<u32> for Doubler {
    ///     type Reply = u32;
    ///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
    ///         2 * number
    ///     }
    /// }
    ///
    /// let by_hand = HandScheduler::new(1);
    /// let system = ActorSystem::builder().scheduler(by_hand.scheduler()).build_here();
    /// let (send, letters) = mpsc::channel();
    /// system.on_dead_letter(move |letter| drop(send.send(letter.actor().to_owned())));
    /// let doubler = system.spawn(Doubler);
    /// doubler.tell(1).unwrap();
    /// doubler.stop_now();
    /// by_hand.run_until_idle();
    /// assert!(letters.recv().unwrap().ends_with("Doubler"));
    /// ```
    #[must_use]
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// The type of the message.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, HandScheduler, Handler};
    /// use std::sync::mpsc;
    ///
    /// struct Doubler;
    /// impl Actor for Doubler {}
    /// impl Handler<u32> for Doubler {
    ///     type Reply = u32;
    ///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
    ///         2 * number
    ///     }
    /// }
    ///
    /// let by_hand = HandScheduler::new(1);
    /// let system = ActorSystem::builder().scheduler(by_hand.scheduler()).build_here();
    /// let (send, letters) = mpsc::channel();
    /// system.on_dead_letter(move |letter| drop(send.send(letter.message_type())));
    /// let doubler = system.spawn(Doubler);
    /// doubler.tell(1).unwrap();
    /// doubler.stop_now();
    /// by_hand.run_until_idle();
    /// assert_eq!(letters.recv(), Ok("u32"));
    /// ```
    #[must_use]
    pub fn message_type(&self) -> &'static str {
        self.message
    }

    /// Whether there was no room in the mailbox. Otherwise the actor is dead.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, HandScheduler, Handler};
    /// use std::sync::mpsc;
    ///
    /// struct Doubler;
    /// impl Actor for Doubler {}
    /// impl Handler<u32> for Doubler {
    ///     type Reply = u32;
    ///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
    ///         2 * number
    ///     }
    /// }
    ///
    /// let by_hand = HandScheduler::new(1);
    /// let system = ActorSystem::builder().scheduler(by_hand.scheduler()).build_here();
    /// let (send, letters) = mpsc::channel();
    /// system.on_dead_letter(move |letter| drop(send.send(letter.is_overflow())));
    /// let doubler = system.spawn(Doubler);
    /// doubler.tell(1).unwrap();
    /// doubler.stop_now();
    /// by_hand.run_until_idle();
    /// assert_eq!(letters.recv(), Ok(false)); // the actor had ended
    /// ```
    #[must_use]
    pub fn is_overflow(&self) -> bool {
        self.loss == Loss::Full
    }
}

impl fmt::Debug for DeadLetter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeadLetter")
            .field("actor", &self.actor)
            .field("message_type", &self.message)
            .field("is_overflow", &self.is_overflow())
            .finish()
    }
}
