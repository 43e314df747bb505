//! What comes back instead: of a message, of a question, of a name.

use std::error::Error;
use std::fmt;

/// Why there is no reply.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, AskError, Context, Handler};
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
/// let system = ActorSystem::builder().build_here();
/// let doubler = system.spawn(Doubler);
/// doubler.stop();
/// match doubler.ask(1).recv() {
///     Ok(number) => println!("{number}"),
///     Err(error) => assert_eq!(error.to_string(), "the actor is dead"),
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskError {
    /// The actor was dead, or has ended before it came to the message; or the reply was received
    /// before.
    Dead,
    /// A handler of the actor has panicked: the one for this message, or one before it.
    Panicked,
    /// There was no room in the mailbox of the actor.
    Full,
    /// The reply did not come in time. It may still come.
    Timeout,
    /// The actor that waits would wait for itself. These are the names of the actors that wait for
    /// each other, each for the next one, and the last for the first.
    Cycle(Box<[String]>),
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::Dead => f.write_str("the actor is dead"),
            AskError::Panicked => f.write_str("a handler of the actor has panicked"),
            AskError::Full => f.write_str("there is no room in the mailbox of the actor"),
            AskError::Timeout => f.write_str("there was no reply until the deadline"),
            AskError::Cycle(names) => {
                f.write_str("the actor would wait for itself: ")?;
                for name in names {
                    write!(f, "{name} asks ")?;
                }
                f.write_str(names.first().map_or("itself", String::as_str))
            }
        }
    }
}

impl Error for AskError {}

/// The message was not told. It comes back.
///
/// ```
/// use drumline::actor::{ActorSystem, Probe, TellError};
///
/// let system = ActorSystem::builder().build_here();
/// let probe = Probe::new(&system);
/// probe.actor_ref().stop();
/// probe.actor_ref().ended().recv();
/// match probe.actor_ref().tell("hello") {
///     Ok(()) => unreachable!("it has ended"),
///     Err(TellError::Dead(message)) => assert_eq!(message, "hello"),
///     Err(TellError::Full(message)) => unreachable!("no bound: {message}"),
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TellError<M> {
    /// The actor is dead.
    Dead(M),
    /// There is no room in its mailbox.
    Full(M),
}

impl<M> TellError<M> {
    /// The message.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Probe};
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let probe = Probe::new(&system);
    /// probe.actor_ref().stop();
    /// probe.actor_ref().ended().recv();
    /// let message = probe.actor_ref().tell("come back").unwrap_err().into_inner();
    /// assert_eq!(message, "come back");
    /// ```
    #[must_use]
    pub fn into_inner(self) -> M {
        let (TellError::Dead(message) | TellError::Full(message)) = self;
        message
    }

    #[inline]
    pub(crate) fn map<N>(self, change: impl FnOnce(M) -> N) -> TellError<N> {
        match self {
            TellError::Dead(message) => TellError::Dead(change(message)),
            TellError::Full(message) => TellError::Full(change(message)),
        }
    }

    /// What an asker gets instead.
    pub(crate) fn ask_error(&self) -> AskError {
        match self {
            TellError::Dead(_) => AskError::Dead,
            TellError::Full(_) => AskError::Full,
        }
    }
}

impl<M> fmt::Debug for TellError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TellError::Dead(_) => "Dead(..)",
            TellError::Full(_) => "Full(..)",
        })
    }
}

impl<M> fmt::Display for TellError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TellError::Dead(_) => "the actor is dead; the message comes back",
            TellError::Full(_) => "there is no room in the mailbox of the actor; try later",
        })
    }
}

impl<M> Error for TellError<M> {}

/// A name was not given to an actor, because another one that lives has it.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem};
///
/// struct Idler;
/// impl Actor for Idler {}
///
/// let system = ActorSystem::builder().build_here();
/// let (one, other) = (system.spawn(Idler), system.spawn(Idler));
/// system.register("idler", &one).unwrap();
/// let taken = system.register("idler", &other).unwrap_err();
/// assert_eq!(taken.to_string(), "the name \"idler\" is taken: the actor that has it lives");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameTaken {
    name: String,
}

impl NameTaken {
    pub(crate) fn new(name: String) -> Self {
        NameTaken { name }
    }

    /// The name.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let (one, other) = (system.spawn(Idler), system.spawn(Idler));
    /// system.register("idler", &one).unwrap();
    /// let taken = system.register("idler", &other).unwrap_err();
    /// assert_eq!(taken.name(), "idler");
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the name {:?} is taken: the actor that has it lives",
            self.name
        )
    }
}

impl Error for NameTaken {}

/// No actor of the type was found by a name.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, FindError};
///
/// struct Idler;
/// impl Actor for Idler {}
///
/// let system = ActorSystem::builder().build_here();
/// match system.find::<Idler>("idler") {
///     Ok(_) => unreachable!("none is registered"),
///     Err(FindError::Unknown { name }) => assert_eq!(name, "idler"),
///     Err(FindError::OtherType { type_name, .. }) => println!("it is a {type_name}"),
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindError {
    /// No actor that lives has the name.
    Unknown {
        /// The name.
        name: String,
    },
    /// The actor that has the name is of another type.
    OtherType {
        /// The name.
        name: String,
        /// The type of that actor.
        type_name: &'static str,
    },
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::Unknown { name } => write!(f, "no actor has the name {name:?}"),
            FindError::OtherType { name, type_name } => {
                write!(f, "the actor with the name {name:?} is a {type_name}")
            }
        }
    }
}

impl Error for FindError {}
