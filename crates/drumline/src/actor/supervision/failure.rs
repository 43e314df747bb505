//! What is known of a panic that has ended the state of an actor.

/// What a supervisor does about a failure; see
/// [`SupervisorOptions::on_failure`](super::SupervisorOptions::on_failure).
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, Context, Directive, Handler, SupervisorOptions};
///
/// struct Divider;
/// impl Actor for Divider {}
/// impl Handler<u32> for Divider {
///     type Reply = u32;
///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
///         42 / number
///     }
/// }
///
/// let system = ActorSystem::builder().build_here();
/// let options = SupervisorOptions::new().on_failure(|failure| {
///     match failure.message_type() {
///         Some(_) => Directive::Stop,  // its handler is wrong
///         None => Directive::Escalate, // it does not even start
///     }
/// });
/// let divider = system.supervisor(options).spawn(|| Divider);
/// assert!(divider.ask(0).recv().is_err());
/// divider.ended().recv();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Directive {
    /// It starts actors again as its strategy says, unless there were too many restarts.
    #[default]
    Restart,
    /// The actor ends.
    Stop,
    /// It leaves the failure to the supervisor above, or gives up if there is none.
    Escalate,
}

/// What became of an actor that has failed.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, Context, FailureOutcome, Handler, SupervisorOptions};
/// use std::sync::mpsc;
///
/// struct Divider;
/// impl Actor for Divider {}
/// impl Handler<u32> for Divider {
///     type Reply = u32;
///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
///         42 / number
///     }
/// }
///
/// let system = ActorSystem::builder().build_here();
/// let (send, outcomes) = mpsc::channel();
/// system.on_failure(move |_, outcome| drop(send.send(outcome)));
/// let supervised = system.supervisor(SupervisorOptions::new()).spawn(|| Divider);
/// supervised.tell(0).unwrap();
/// assert_eq!(outcomes.recv(), Ok(FailureOutcome::Restarts));
/// let alone = system.spawn(Divider);
/// alone.tell(0).unwrap();
/// assert_eq!(outcomes.recv(), Ok(FailureOutcome::Ends));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureOutcome {
    /// It goes on with another state, and with the messages that it has.
    Restarts,
    /// It ends.
    Ends,
}

/// A panic of an actor.
///
/// [`ActorSystem::on_failure`](crate::actor::ActorSystem::on_failure) has a function called with
/// each.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, Context, Handler};
/// use std::sync::mpsc;
///
/// struct Divider;
/// impl Actor for Divider {}
/// impl Handler<u32> for Divider {
///     type Reply = u32;
///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
///         42 / number
///     }
/// }
///
/// let system = ActorSystem::builder().build_here();
/// let (send, failures) = mpsc::channel();
/// system.on_failure(move |failure, _| drop(send.send(failure.clone())));
/// let divider = system.spawn(Divider);
/// divider.tell(0).unwrap();
/// let failure = failures.recv().unwrap();
/// let (actor, text) = (failure.actor(), failure.panic_message());
/// println!("{actor} has failed: {text}");
/// assert_eq!(failure.message_type(), Some("u32"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub(super) actor: String,
    pub(super) message: Option<&'static str>,
    pub(super) panic: String,
}

impl Failure {
    pub(super) fn new(actor: String, message: Option<&'static str>, panic: String) -> Self {
        Failure {
            actor,
            message,
            panic,
        }
    }

    /// The name of the actor, or of its type if it has none.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    /// use std::sync::mpsc;
    ///
    /// struct Divider;
    /// impl Actor for Divider {}
    /// impl Handler<u32> for Divider {
    ///     type Reply = u32;
    ///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
    ///         42 / number
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let (send, failures) = mpsc::channel();
    /// system.on_failure(move |failure, _| drop(send.send(failure.clone())));
    /// let divider = system.spawn(Divider);
    /// divider.tell(0).unwrap();
    /// let failure = failures.recv().unwrap();
    /// assert!(failure.actor().ends_with("Divider"));
    /// ```
    #[must_use]
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// The type of the message that was handled, and is lost with the state. `None`: the panic came
    /// from a hook, or from the function that makes the state.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    /// use std::sync::mpsc;
    ///
    /// struct Divider;
    /// impl Actor for Divider {}
    /// impl Handler<u32> for Divider {
    ///     type Reply = u32;
    ///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
    ///         42 / number
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let (send, failures) = mpsc::channel();
    /// system.on_failure(move |failure, _| drop(send.send(failure.clone())));
    /// let divider = system.spawn(Divider);
    /// divider.tell(0).unwrap();
    /// let failure = failures.recv().unwrap();
    /// assert_eq!(failure.message_type(), Some("u32"));
    /// ```
    #[must_use]
    pub fn message_type(&self) -> Option<&'static str> {
        self.message
    }

    /// What the panic says.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    /// use std::sync::mpsc;
    ///
    /// struct Divider;
    /// impl Actor for Divider {}
    /// impl Handler<u32> for Divider {
    ///     type Reply = u32;
    ///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
    ///         42 / number
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let (send, failures) = mpsc::channel();
    /// system.on_failure(move |failure, _| drop(send.send(failure.clone())));
    /// let divider = system.spawn(Divider);
    /// divider.tell(0).unwrap();
    /// let failure = failures.recv().unwrap();
    /// assert_eq!(failure.panic_message(), "attempt to divide by zero");
    /// ```
    #[must_use]
    pub fn panic_message(&self) -> &str {
        &self.panic
    }
}
