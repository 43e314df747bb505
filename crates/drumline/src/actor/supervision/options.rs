//! How a supervisor acts.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::failure::{Directive, Failure};

/// Which actors a supervisor starts again when one of them has failed.
///
/// ```
/// use drumline::actor::{ActorSystem, Strategy, SupervisorOptions};
///
/// let options = SupervisorOptions::new().strategy(Strategy::OneForAll);
/// let system = ActorSystem::builder().build_here();
/// assert!(system.supervisor(options).is_alive());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Strategy {
    /// That actor.
    #[default]
    OneForOne,
    /// All of them: they depend on each other.
    OneForAll,
    /// That one, and those that were started after it: each may depend on earlier ones.
    RestForOne,
}

impl Strategy {
    fn words(self) -> &'static str {
        match self {
            Strategy::OneForOne => "one for one",
            Strategy::OneForAll => "one for all",
            Strategy::RestForOne => "rest for one",
        }
    }
}

/// Asked about each failure.
pub(super) type Decide = dyn Fn(&Failure) -> Directive + Send + Sync;

/// How a supervisor acts.
///
/// ```
/// use drumline::actor::{Strategy, SupervisorOptions};
/// use std::time::Duration;
///
/// let options = SupervisorOptions::new()
///     .strategy(Strategy::RestForOne)
///     .max_restarts(10, Duration::from_secs(60))
///     .backoff(Duration::from_millis(10), Duration::from_secs(1));
/// # drop(options);
/// ```
#[derive(Clone)]
#[must_use = "options do nothing until a supervisor is made with them"]
pub struct SupervisorOptions {
    pub(super) name: Option<String>,
    pub(super) strategy: Strategy,
    pub(super) max_restarts: usize,
    pub(super) within: Duration,
    pub(super) backoff: (Duration, Duration),
    pub(super) restart_timeout: Duration,
    pub(super) decide: Option<Arc<Decide>>,
}

impl SupervisorOptions {
    /// One for one, 3 restarts within 5 seconds, no delay, and 5 seconds for siblings.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, SupervisorOptions};
    ///
    /// let options = SupervisorOptions::new();
    /// let system = ActorSystem::builder().build_here();
    /// assert!(system.supervisor(options).is_alive());
    /// ```
    pub fn new() -> Self {
        SupervisorOptions {
            name: None,
            strategy: Strategy::OneForOne,
            max_restarts: 3,
            within: Duration::from_secs(5),
            backoff: (Duration::ZERO, Duration::ZERO),
            restart_timeout: Duration::from_secs(5),
            decide: None,
        }
    }

    /// What the supervisor is called, or its strategy.
    pub(super) fn title(&self) -> String {
        match &self.name {
            Some(name) => name.clone(),
            None => format!("supervisor, {}", self.strategy.words()),
        }
    }

    /// What the supervisor is called, in logs and [trees](crate::actor::ActorSystem::tree).
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, SupervisorOptions};
    ///
    /// let options = SupervisorOptions::new().name("workers");
    /// println!("{options:?}"); // with its name
    /// let system = ActorSystem::builder().build_here();
    /// assert!(system.supervisor(options).is_alive());
    /// ```
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Which actors are started again.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Strategy, SupervisorOptions};
    ///
    /// let options = SupervisorOptions::new().strategy(Strategy::RestForOne);
    /// let system = ActorSystem::builder().build_here();
    /// assert!(system.supervisor(options).is_alive());
    /// ```
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// How many restarts there may be within a time. With one more, the supervisor escalates: the
    /// supervisor above takes it for the one that has failed. If there is none above, the
    /// supervisor gives up, and all of its actors end.
    ///
    /// Several actors that are started again because of one failure count once. `usize::MAX`: there
    /// may be any number. The supervisor keeps 16 bytes for each restart within the time.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler, SupervisorOptions};
    /// use std::time::Duration;
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
    /// let options = SupervisorOptions::new().max_restarts(1, Duration::from_secs(3_600));
    /// let supervisor = system.supervisor(options);
    /// let divider = supervisor.spawn(|| Divider);
    /// assert!(divider.ask(0).recv().is_err()); // one restart
    /// assert!(divider.ask(0).recv().is_err()); // one too many
    /// divider.ended().recv();
    /// assert!(!supervisor.is_alive());
    /// ```
    pub fn max_restarts(mut self, restarts: usize, within: Duration) -> Self {
        self.max_restarts = restarts;
        self.within = within;
        self
    }

    /// A delay before the restart: `first` after the first failure within the time of
    /// [`max_restarts`](Self::max_restarts), and twice the delay before for each further one, up to
    /// `most`. The messages wait meanwhile.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler, SupervisorOptions};
    /// use std::time::Duration;
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
    /// let options = SupervisorOptions::new()
    ///     .backoff(Duration::from_millis(1), Duration::from_millis(100));
    /// let divider = system.supervisor(options).spawn(|| Divider);
    /// divider.tell(0).unwrap();
    /// assert_eq!(divider.ask(1).recv(), Ok(42)); // after a moment
    /// ```
    pub fn backoff(mut self, first: Duration, most: Duration) -> Self {
        self.backoff = (first, most.max(first));
        self
    }

    /// How long the restart waits for actors that have not failed but are to be started again: each
    /// ends the message at hand before. After this time the others go on, and the late one is
    /// started again when it is done.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Strategy, SupervisorOptions};
    /// use std::time::Duration;
    ///
    /// let options = SupervisorOptions::new()
    ///     .strategy(Strategy::OneForAll)
    ///     .restart_timeout(Duration::from_secs(1));
    /// let system = ActorSystem::builder().build_here();
    /// assert!(system.supervisor(options).is_alive());
    /// ```
    pub fn restart_timeout(mut self, timeout: Duration) -> Self {
        self.restart_timeout = timeout;
        self
    }

    /// Has `decide` asked about each failure. It is called by the thread on which the actor has
    /// failed. If it panics, the actor is started again. So is an actor that is about to be started
    /// again because of another one, unless it is to stop; its failure counts in no limit.
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
    /// let options = SupervisorOptions::new().on_failure(|_| Directive::Stop);
    /// let divider = system.supervisor(options).spawn(|| Divider);
    /// divider.tell(0).unwrap();
    /// divider.ended().recv(); // it was not started again
    /// ```
    pub fn on_failure(
        mut self,
        decide: impl Fn(&Failure) -> Directive + Send + Sync + 'static,
    ) -> Self {
        self.decide = Some(Arc::new(decide));
        self
    }
}

impl Default for SupervisorOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SupervisorOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SupervisorOptions")
            .field("name", &self.name)
            .field("strategy", &self.strategy)
            .field("max_restarts", &self.max_restarts)
            .field("within", &self.within)
            .field("backoff", &self.backoff)
            .field("restart_timeout", &self.restart_timeout)
            .finish_non_exhaustive()
    }
}
