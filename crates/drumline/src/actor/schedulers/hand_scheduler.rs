//! A scheduler for tests: the test runs the actors, one message at a time.

use std::fmt;

use super::QueuedRun;
use crate::actor::life::{RunEnd, run};
use crate::actor::memory::ActorCore;
use crate::actor::run_queue::RunQueue;
use crate::actor::{HandQueue, Scheduler};
use crate::pool::{SharedRegistry, WakeOrigin, local};
use crate::sync::{Arc, Mutex, XorShift, lock};

/// Runs actors by hand, on the thread of a test. From one seed comes one order.
///
/// Of the actors that have messages each [`step`](Self::step) chooses one by chance, and has it
/// handle one message. With the same seed, and the same messages from outside, the choice is the
/// same each time. So a test can go through many orders, and a failure comes back with its seed.
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{Actor, ActorSystem, Context, HandScheduler, Handler, SpawnOptions};
/// use std::sync::mpsc;
///
/// struct Relay(mpsc::Sender<u32>);
/// impl Actor for Relay {}
/// impl Handler<u32> for Relay {
///     type Reply = ();
///     fn handle(&mut self, number: u32, _: &mut Context<Self>) {
///         let _ = self.0.send(number);
///     }
/// }
///
/// let order = |seed| {
///     let pool = Pool::builder().jobs(1).build().unwrap();
///     let by_hand = HandScheduler::new(seed);
///     let system = ActorSystem::builder().scheduler(by_hand.scheduler()).build(&pool);
///     let (send, receive) = mpsc::channel();
///     let relays = [(); 3].map(|()| system.spawn(Relay(send.clone())));
///     for number in 0..9 {
///         relays[number as usize % 3].tell(number).unwrap();
///     }
///     assert_eq!(by_hand.run_until_idle(), 12); // three starts, and nine messages
///     receive.try_iter().collect::<Vec<_>>()
/// };
/// assert_eq!(order(1), order(1));
/// assert!((2..20).any(|seed| order(seed) != order(1)));
/// ```
///
/// Futures that actors have started, and actors with another scheduler, are run by other threads,
/// in an order of their own.
///
/// # Dropping
///
/// When it is dropped, the pool runs the actors. Until then, the
/// [shutdown](crate::Pool::shutdown) of their pool waits for steps.
///
/// # Blocking
///
/// A handler that waits for the reply of an actor which is run by hand waits for ever: a test that
/// wants asks in handlers awaits the replies
/// ([`spawn_then`](crate::actor::Context::spawn_then)).
pub struct HandScheduler {
    queue: Arc<RunQueue<QueuedRun>>,
    random: Mutex<XorShift>,
}

impl HandScheduler {
    /// A scheduler that chooses by this seed.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, HandScheduler, Handler};
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
    /// let doubler = system.spawn(Doubler);
    /// let answer = doubler.ask(21);
    /// by_hand.run_until_idle();
    /// assert_eq!(answer.recv(), Ok(42));
    /// ```
    #[must_use]
    pub fn new(seed: usize) -> Self {
        HandScheduler {
            queue: Arc::new(RunQueue::new()),
            random: Mutex::new(XorShift::new(seed)),
        }
    }

    /// What actors and systems take, so that this runs them.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, HandScheduler, SpawnOptions};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let by_hand = HandScheduler::new(1);
    /// let system = ActorSystem::builder().build_here();
    /// let options = SpawnOptions::new().scheduler(by_hand.scheduler()); // this actor only
    /// let idler = system.spawn_with(Idler, options);
    /// idler.stop();
    /// by_hand.run_until_idle();
    /// assert!(!idler.is_alive());
    /// ```
    #[must_use]
    pub fn scheduler(&self) -> Scheduler {
        Scheduler::ByHand(HandQueue(Arc::clone(&self.queue)))
    }

    /// Has one actor handle one message, or a notice such as its start or its stop. `false`: no
    /// actor has any.
    ///
    /// A panic of a handler is reported to the pool, as everywhere.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, HandScheduler, Handler};
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
    /// let doubler = system.spawn(Doubler);
    /// assert!(by_hand.step()); // its start
    /// let answer = doubler.ask(21);
    /// assert!(by_hand.step());
    /// assert_eq!(answer.recv(), Ok(42));
    /// assert!(!by_hand.step());
    /// ```
    pub fn step(&self) -> bool {
        let random = &self.random;
        let Some(run) = self.queue.take(|runs| lock(random).below(runs)) else {
            return false;
        };
        let core = run.job.cast::<ActorCore>();
        // The pool, which the actor may be the last to keep, and which may run it at once.
        //
        // SAFETY: the actor is alive until it has been run.
        let registry = SharedRegistry::clone(unsafe { (*core.as_ptr()).system.registry() });
        let home = local::change_home(registry.id());
        // SAFETY: the run was queued here, once.
        if unsafe { run::run_and_count(core, 1) } == RunEnd::More {
            // SAFETY: the run leaves the mailbox to the next one. The pool is kept.
            unsafe { ActorCore::queue(core, WakeOrigin::Itself) };
        }
        local::set_home(home);
        true
    }

    /// Steps until no actor has a message. Returns the number of steps.
    ///
    /// Actors that go on sending to each other keep it busy for ever.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, HandScheduler, Handler};
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
    /// let doubler = system.spawn(Doubler);
    /// doubler.tell(1).unwrap();
    /// doubler.tell(2).unwrap();
    /// assert_eq!(by_hand.run_until_idle(), 3); // its start, and two messages
    /// ```
    pub fn run_until_idle(&self) -> usize {
        let mut steps = 0;
        while self.step() {
            steps += 1;
        }
        steps
    }

    /// How many actors have messages.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, HandScheduler, Handler};
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
    /// let doubler = system.spawn(Doubler);
    /// by_hand.run_until_idle();
    /// assert_eq!(by_hand.ready(), 0);
    /// doubler.tell(1).unwrap();
    /// doubler.tell(2).unwrap();
    /// assert_eq!(by_hand.ready(), 1); // one actor, with two messages
    /// by_hand.run_until_idle();
    /// ```
    #[must_use]
    pub fn ready(&self) -> usize {
        self.queue.len()
    }
}

impl Drop for HandScheduler {
    fn drop(&mut self) {
        for run in self.queue.hand_over() {
            let core = run.job.cast::<ActorCore>();
            // As in `step`.
            //
            // SAFETY: the actor is alive until it has been run.
            let registry = SharedRegistry::clone(unsafe { (*core.as_ptr()).system.registry() });
            // SAFETY: the run was queued here, and is handed on. The pool is kept.
            unsafe { ActorCore::queue(core, WakeOrigin::Itself) };
            drop(registry);
        }
    }
}

impl fmt::Debug for HandScheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandScheduler")
            .field("ready", &self.ready())
            .finish_non_exhaustive()
    }
}
