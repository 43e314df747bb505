//! Supervisors, as programs have them.

use std::fmt;

use super::node::NodeId;
use super::options::SupervisorOptions;
use super::supervised_cell::SupervisedCell;
use super::supervision_tree::SupervisionTree;
use super::tree_state::ROOT;
use crate::actor::life::start;
use crate::actor::{Actor, ActorRef, ActorSystem, ShutdownReport, SpawnOptions};
use crate::sync::{Arc, Instant};

/// A supervisor: it starts actors, and starts them again when they have panicked.
///
/// An actor that has panicked loses its state, and the message at hand. Then a function makes
/// another state, and the actor goes on with the messages that it has. References to it stay good.
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{Actor, ActorSystem, AskError, Context, Handler, SupervisorOptions};
///
/// struct Divider;
/// impl Actor for Divider {}
/// impl Handler<(u32, u32)> for Divider {
///     type Reply = u32;
///     fn handle(&mut self, (a, b): (u32, u32), _: &mut Context<Self>) -> u32 {
///         a / b
///     }
/// }
///
/// let pool = Pool::builder().jobs(2).panic_handler(|_| {}).build()?;
/// let system = ActorSystem::new(&pool);
/// let supervisor = system.supervisor(SupervisorOptions::new());
/// let divider = supervisor.spawn(|| Divider);
/// assert_eq!(divider.ask((1, 0)).recv(), Err(AskError::Panicked));
/// assert_eq!(divider.ask((42, 6)).recv(), Ok(7));
/// # Ok::<(), drumline::BuildError>(())
/// ```
///
/// # What a restart keeps
///
/// The mailbox, the messages that were set aside (they are handled next), the name, and all
/// references. The message that the handler has panicked with is not handled again:
/// [`ActorSystem::on_failure`] tells its type. Futures that the actor has
/// [started](crate::actor::Context::spawn_then) go on, and the new state gets their output.
///
/// # How long actors live
///
/// The supervisor keeps them alive, also if no other reference is left. An actor that is stopped
/// ends, and is not started again.
///
/// # Dropping
///
/// To drop a `Supervisor` does nothing: it lives until it is [stopped](Self::stop), gives up, or
/// its system ends.
///
/// # Cost
///
/// A supervised actor takes 24 bytes more than another one, and its place in the list of its
/// supervisor. Messages cost the same. To start or end a supervised actor takes the lock of the
/// whole tree of supervisors for a moment.
#[derive(Clone)]
pub struct Supervisor {
    tree: Arc<SupervisionTree>,
    node: NodeId,
}

impl ActorSystem {
    /// Starts a supervisor.
    ///
    /// ```
    /// # use drumline::Pool;
    /// # use drumline::actor::{ActorSystem, SupervisorOptions};
    /// # let pool = Pool::builder().jobs(1).build()?;
    /// # let system = ActorSystem::new(&pool);
    /// let supervisor = system.supervisor(SupervisorOptions::new());
    /// assert!(supervisor.is_alive());
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn supervisor(&self, options: SupervisorOptions) -> Supervisor {
        let tree = SupervisionTree::new(Arc::clone(self.shared()), options);
        if !self.shared().trees.add(&tree) {
            tree.stop(ROOT);
        }
        Supervisor { tree, node: ROOT }
    }
}

impl Supervisor {
    /// Starts a supervisor below this one: it is a child, and an actor of its own fails for this
    /// one if there are too many restarts.
    ///
    /// ```
    /// # use drumline::Pool;
    /// # use drumline::actor::{ActorSystem, Strategy, SupervisorOptions};
    /// # let pool = Pool::builder().jobs(1).build()?;
    /// # let system = ActorSystem::new(&pool);
    /// let root = system.supervisor(SupervisorOptions::new().strategy(Strategy::OneForAll));
    /// let readers = root.supervisor(SupervisorOptions::new());
    /// assert_eq!((root.children(), readers.children()), (1, 0));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    #[must_use = "it has no actors yet"]
    pub fn supervisor(&self, options: SupervisorOptions) -> Supervisor {
        let tree = Arc::clone(&self.tree);
        // A number that no supervisor has: it has ended.
        let node = tree.add_node(self.node, options).unwrap_or(NodeId::MAX);
        Supervisor { tree, node }
    }

    /// Starts an actor with a state that `factory` makes: now, and after each failure.
    ///
    /// The factory is called on the threads that run the actor. If it panics, or the hook
    /// [`started`](Actor::started) does, that is a failure as well. If the supervisor has ended,
    /// the actor is dead at once.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler, SupervisorOptions};
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
    /// let supervisor = system.supervisor(SupervisorOptions::new());
    /// let divider = supervisor.spawn(|| Divider);
    /// divider.tell(0).unwrap(); // it panics, and is started again
    /// assert_eq!(divider.ask(1).recv(), Ok(42));
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn<A, F>(&self, factory: F) -> ActorRef<A>
    where
        A: Actor,
        F: FnMut() -> A + Send + 'static,
    {
        self.spawn_with(factory, SpawnOptions::new())
    }

    /// As [`spawn`](Self::spawn), for an actor with a name, a bound, or the like.
    ///
    /// ```
    /// use drumline::actor::{
    ///     Actor, ActorSystem, Context, Handler, SpawnOptions, SupervisorOptions,
    /// };
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
    /// let supervisor = system.supervisor(SupervisorOptions::new());
    /// let divider = supervisor.spawn_with(|| Divider, SpawnOptions::new().name("the divider"));
    /// assert_eq!(divider.name(), "the divider");
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn_with<A, F>(&self, factory: F, options: SpawnOptions) -> ActorRef<A>
    where
        A: Actor,
        F: FnMut() -> A + Send + 'static,
    {
        let shared = self.tree.system();
        let place = start::place_of(shared, &options);
        let first = SupervisedCell::<A, F>::first();
        let core = start::spawn_cell(shared, options, place, first, |plan| {
            self.tree.add_actor(self.node, |key| {
                SupervisedCell::allocate(factory, &self.tree, key, plan)
            })
        });
        ActorRef::new(core)
    }

    /// How many actors and supervisors it has.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, SupervisorOptions};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let supervisor = system.supervisor(SupervisorOptions::new());
    /// let _idlers = [supervisor.spawn(|| Idler), supervisor.spawn(|| Idler)];
    /// assert_eq!(supervisor.children(), 2);
    /// ```
    #[must_use]
    pub fn children(&self) -> usize {
        self.tree.children(self.node).unwrap_or(0)
    }

    /// Whether it starts actors: it has not been stopped, and has not given up.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, SupervisorOptions};
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let supervisor = system.supervisor(SupervisorOptions::new());
    /// assert!(supervisor.is_alive());
    /// supervisor.stop();
    /// assert!(!supervisor.is_alive());
    /// ```
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.tree.children(self.node).is_some()
    }

    /// Has all actors stop, and the supervisors below, and starts no further one.
    ///
    /// Each actor handles what it was told before, and is started again for that. It ends if its
    /// factory panics meanwhile, or the hook [`started`](crate::actor::Actor::started). With
    /// [`OneForOne`](super::Strategy::OneForOne) all are told at once. Otherwise the one that was
    /// started last is told first, and the one before it when that has ended.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, ExitReason, SupervisorOptions};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let supervisor = system.supervisor(SupervisorOptions::new());
    /// let idler = supervisor.spawn(|| Idler);
    /// supervisor.stop();
    /// assert_eq!(idler.ended().recv().reason(), ExitReason::Stopped);
    /// assert!(!supervisor.spawn(|| Idler).is_alive()); // no further one
    /// ```
    pub fn stop(&self) {
        self.tree.stop(self.node);
    }

    /// As [`stop`](Self::stop), and waits for the end of the actors, until `deadline` at most. What
    /// is not at its end by then is abandoned, and reported: it ends after the message at hand.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, SupervisorOptions};
    /// use std::time::{Duration, Instant};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let supervisor = system.supervisor(SupervisorOptions::new());
    /// let idler = supervisor.spawn(|| Idler);
    /// let report = supervisor.shutdown(Instant::now() + Duration::from_secs(10));
    /// assert!(report.is_complete());
    /// assert!(!idler.is_alive());
    /// ```
    ///
    /// # Blocking
    ///
    /// Until all actors have ended, or until `deadline`. A handler that calls it waits for its own
    /// actor, and so until the deadline.
    #[must_use = "it says which actors have not ended"]
    pub fn shutdown(&self, deadline: Instant) -> ShutdownReport {
        ShutdownReport::of(self.tree.shut_down(self.node, deadline))
    }
}

impl fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervisor")
            .field("children", &self.children())
            .field("is_alive", &self.is_alive())
            .finish_non_exhaustive()
    }
}
