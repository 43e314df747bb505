//! Names of actors, as programs use them.

use super::ActorDirectory;
use crate::actor::{Actor, ActorRef, ActorSystem, Context, FindError, NameTaken};

impl ActorSystem {
    /// Gives an actor a name by which it can be [found](Self::find). It may have several.
    ///
    /// A name does not keep its actor alive. It is free again when the actor has ended, is killed,
    /// or has no reference left. An actor that a [supervisor](crate::actor::Supervisor) starts
    /// again keeps its names. To register an actor by a name that it has already does nothing, so
    /// the hook [`started`](Actor::started) may do it each time. An actor that has ended gets no
    /// name: the name stays free.
    ///
    /// The actor may be of another system. The name is one of this system.
    ///
    /// O(log n) with n names, on average.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, FindError};
    ///
    /// struct Printer;
    /// impl Actor for Printer {}
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let printer = system.spawn(Printer);
    /// system.register("printer", &printer)?;
    /// assert_eq!(system.find("printer")?, printer);
    ///
    /// let other = system.spawn(Printer);
    /// let taken = system.register("printer", &other).unwrap_err();
    /// assert_eq!(taken.name(), "printer");
    ///
    /// drop(printer); // the last reference
    /// let gone = system.find::<Printer>("printer");
    /// assert!(matches!(gone, Err(FindError::Unknown { .. })));
    /// system.register("printer", &other)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If another actor that lives has the name.
    pub fn register<A: Actor>(
        &self,
        name: impl Into<String>,
        actor: &ActorRef<A>,
    ) -> Result<(), NameTaken> {
        self.shared()
            .directory
            .register::<A>(name.into(), actor.core())
    }

    /// The actor that has a name. O(log n) with n names.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, FindError};
    ///
    /// struct Printer;
    /// impl Actor for Printer {}
    /// struct Scanner;
    /// impl Actor for Scanner {}
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let printer = system.spawn(Printer);
    /// system.register("device", &printer)?;
    /// assert!(system.find::<Printer>("device").is_ok());
    /// let wrong = system.find::<Scanner>("device");
    /// assert!(matches!(wrong, Err(FindError::OtherType { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If no actor that lives has the name, or if that actor is of another type. These are two
    /// errors, because the second one is a mistake in the program.
    pub fn find<A: Actor>(&self, name: &str) -> Result<ActorRef<A>, FindError> {
        self.shared().directory.find::<A>(name).map(ActorRef::new)
    }

    /// Takes a name from its actor, which lives on. Returns whether an actor that lives had it.
    /// O(log n) with n names.
    ///
    /// ```
    /// # use drumline::Pool;
    /// # use drumline::actor::{Actor, ActorSystem};
    /// # struct Printer;
    /// # impl Actor for Printer {}
    /// # let pool = Pool::builder().jobs(1).build()?;
    /// # let system = ActorSystem::new(&pool);
    /// let printer = system.spawn(Printer);
    /// system.register("printer", &printer)?;
    /// assert!(system.unregister("printer"));
    /// assert!(!system.unregister("printer"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unregister(&self, name: &str) -> bool {
        self.shared().directory.unregister(name)
    }

    /// The names of actors that live, sorted by their bytes. O(n) with n names.
    ///
    /// ```
    /// # use drumline::Pool;
    /// # use drumline::actor::{Actor, ActorSystem};
    /// # struct Printer;
    /// # impl Actor for Printer {}
    /// # let pool = Pool::builder().jobs(1).build()?;
    /// # let system = ActorSystem::new(&pool);
    /// let printer = system.spawn(Printer);
    /// system.register("printer", &printer)?;
    /// system.register("laser", &printer)?;
    /// assert_eq!(system.names(), ["laser", "printer"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.shared().directory.names()
    }
}

/// Names of actors of the same system, as those of [`ActorSystem`].
impl<A: Actor> Context<A> {
    /// Gives an actor a name, as [`ActorSystem::register`] does.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    ///
    /// struct Clock;
    /// impl Actor for Clock {
    ///     fn started(&mut self, context: &mut Context<Self>) {
    ///         let registered = context.register("clock", &context.actor_ref());
    ///         registered.expect("there is one clock");
    ///     }
    /// }
    /// impl Handler<()> for Clock {
    ///     type Reply = bool;
    ///     fn handle(&mut self, (): (), context: &mut Context<Self>) -> bool {
    ///         context.find("clock") == Ok(context.actor_ref())
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let clock = system.spawn(Clock);
    /// assert_eq!(clock.ask(()).recv(), Ok(true));
    /// assert_eq!(system.find("clock"), Ok(clock));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If another actor that lives has the name.
    pub fn register<B: Actor>(
        &self,
        name: impl Into<String>,
        actor: &ActorRef<B>,
    ) -> Result<(), NameTaken> {
        self.directory().register::<B>(name.into(), actor.core())
    }

    /// The actor that has a name, as [`ActorSystem::find`] says.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl Handler<()> for Worker {
    ///     type Reply = bool;
    ///     fn handle(&mut self, (): (), context: &mut Context<Self>) -> bool {
    ///         context.find::<Worker>("boss").is_ok()
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// assert_eq!(worker.ask(()).recv(), Ok(false));
    /// system.register("boss", &worker).unwrap();
    /// assert_eq!(worker.ask(()).recv(), Ok(true));
    /// ```
    ///
    /// # Errors
    ///
    /// As there.
    pub fn find<B: Actor>(&self, name: &str) -> Result<ActorRef<B>, FindError> {
        self.directory().find::<B>(name).map(ActorRef::new)
    }

    /// Takes a name from its actor, as [`ActorSystem::unregister`] does.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl Handler<()> for Worker {
    ///     type Reply = bool;
    ///     fn handle(&mut self, (): (), context: &mut Context<Self>) -> bool {
    ///         context.unregister("boss")
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// system.register("boss", &worker).unwrap();
    /// assert_eq!(worker.ask(()).recv(), Ok(true));
    /// assert!(system.names().is_empty());
    /// ```
    pub fn unregister(&self, name: &str) -> bool {
        self.directory().unregister(name)
    }

    /// The names of actors that live, as [`ActorSystem::names`] says.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl Handler<()> for Worker {
    ///     type Reply = Vec<String>;
    ///     fn handle(&mut self, (): (), context: &mut Context<Self>) -> Vec<String> {
    ///         context.names()
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// system.register("boss", &worker).unwrap();
    /// assert_eq!(worker.ask(()).recv(), Ok(vec!["boss".to_owned()]));
    /// ```
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.directory().names()
    }

    fn directory(&self) -> &ActorDirectory {
        // SAFETY: the run has the actor.
        let system = unsafe { &(*self.frame.core).system };
        &system.directory
    }
}
