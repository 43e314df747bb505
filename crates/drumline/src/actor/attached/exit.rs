//! How an actor has ended.

use std::fmt;

use super::monitor::Monitor;
use crate::sync::Arc;

/// Why an actor has ended.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, ExitReason, SpawnOptions};
///
/// struct Idler;
/// impl Actor for Idler {}
///
/// let system = ActorSystem::builder().build_here();
/// let idler = system.spawn_with(Idler, SpawnOptions::new().name("idler"));
/// let ended = idler.ended();
/// idler.stop_now();
/// match ended.recv().reason() {
///     ExitReason::Stopped => println!("after what it was told"),
///     ExitReason::Killed => println!("before what it was told"),
///     reason => panic!("{reason:?}"),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExitReason {
    /// It was told to [stop](crate::actor::ActorRef::stop), or has told itself; or its system
    /// ended, or no reference to it was left.
    Stopped,
    /// It was told to [stop now](crate::actor::ActorRef::stop_now), by a program or a deadline.
    Killed,
    /// A handler or a hook has panicked, and no supervisor starts the actor again.
    Panicked,
}

/// How an actor has ended: the message of a [monitor](crate::actor::Context::monitor), and what
/// [`ended`](crate::actor::ActorRef::ended) waits for.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, SpawnOptions};
///
/// struct Idler;
/// impl Actor for Idler {}
///
/// let system = ActorSystem::builder().build_here();
/// let idler = system.spawn_with(Idler, SpawnOptions::new().name("idler"));
/// idler.stop();
/// assert_eq!(idler.ended().recv().to_string(), "idler has stopped");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Exit {
    pub(super) name: Arc<str>,
    pub(super) reason: ExitReason,
    pub(super) panic: Option<Arc<str>>,
    /// That of the monitor, if there is one.
    pub(super) number: u64,
}

impl Exit {
    /// That of an actor with this name.
    pub(crate) fn new(name: &str, reason: ExitReason, panic: Option<&str>) -> Self {
        Exit {
            name: Arc::from(name),
            reason,
            panic: panic.map(Arc::from),
            number: 0,
        }
    }

    /// The same, as one monitor is told.
    pub(super) fn numbered(&self, number: u64) -> Self {
        Exit {
            number,
            ..self.clone()
        }
    }

    /// What the actor was called, or its type if it had no name.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, SpawnOptions};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let idler = system.spawn_with(Idler, SpawnOptions::new().name("idler"));
    /// idler.stop();
    /// assert_eq!(idler.ended().recv().name(), "idler");
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why it has ended.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, ExitReason, SpawnOptions};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let idler = system.spawn_with(Idler, SpawnOptions::new().name("idler"));
    /// idler.stop();
    /// assert_eq!(idler.ended().recv().reason(), ExitReason::Stopped);
    /// ```
    #[must_use]
    pub fn reason(&self) -> ExitReason {
        self.reason
    }

    /// What the panic that has ended it said, if its payload was a text. `None` also if the actor
    /// had ended before it was asked for, or if a supervisor has given it up after the panic; the
    /// listener of [failures](crate::actor::ActorSystem::on_failure) has heard it then.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
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
    /// let divider = system.spawn(Divider);
    /// let ended = divider.ended();
    /// divider.tell(0).unwrap();
    /// assert_eq!(ended.recv().panic_message(), Some("attempt to divide by zero"));
    /// ```
    #[must_use]
    pub fn panic_message(&self) -> Option<&str> {
        self.panic.as_deref()
    }

    /// Whether this is what that monitor was for.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorRef, ActorSystem, Context, Exit, Handler, Monitor};
    /// use std::sync::mpsc;
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// /// Watches another actor, and tells of its end.
    /// struct Watcher {
    ///     watched: ActorRef<Idler>,
    ///     monitor: Option<Monitor>,
    ///     ends: mpsc::Sender<bool>,
    /// }
    /// impl Actor for Watcher {
    ///     fn started(&mut self, context: &mut Context<Self>) {
    ///         self.monitor = Some(context.monitor(&self.watched));
    ///     }
    /// }
    /// impl Handler<Exit> for Watcher {
    ///     type Reply = ();
    ///     fn handle(&mut self, exit: Exit, _: &mut Context<Self>) {
    ///         let _ = self.ends.send(self.monitor.is_some_and(|monitor| exit.is_of(monitor)));
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let watched = system.spawn(Idler);
    /// let (ends, ended) = mpsc::channel();
    /// let _watcher = system.spawn(Watcher { watched: watched.clone(), monitor: None, ends });
    /// watched.stop();
    /// assert_eq!(ended.recv(), Ok(true));
    /// ```
    #[must_use]
    pub fn is_of(&self, monitor: Monitor) -> bool {
        self.number == monitor.number()
    }
}

impl fmt::Debug for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exit")
            .field("name", &self.name())
            .field("reason", &self.reason)
            .field("panic_message", &self.panic_message())
            .finish()
    }
}

/// As in a log: `printer has panicked: out of paper`.
impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.reason {
            ExitReason::Stopped => "has stopped",
            ExitReason::Killed => "was killed",
            ExitReason::Panicked => "has panicked",
        };
        write!(f, "{} {what}", self.name)?;
        match &self.panic {
            Some(message) => write!(f, ": {message}"),
            None => Ok(()),
        }
    }
}
