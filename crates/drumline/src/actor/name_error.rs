//! What can go wrong with the names of actors.

use std::error::Error;
use std::fmt;

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
    pub(super) fn new(name: String) -> Self {
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
