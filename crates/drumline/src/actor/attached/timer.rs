//! Messages that an actor sends itself later, once or again and again.
//!
//! ```text
//!   send_after ──► due: the message │ its time has come ──► mailbox      (the entry is gone)
//!   send_every ──► due: the tick    │ its time has come ──► mailbox ──► the run: makes the
//!                     ▲                                                 message, handles it
//!                     └───────────────────── the next time ◄────────────────────┘
//! ```
//!
//! The timer thread calls no code of the program. A *tick* is an envelope with the function that
//! makes the message. The timer thread only sends it, and the run of the actor calls the function.
//! A message for an actor that has just ended is discarded by a task of the pool, if that has not
//! ended as well.
//! The run puts the tick back before it handles the message, so at most one tick is in the mailbox.
//!
//! **The race feared** is a time that comes before the entry is there. The time is registered under
//! the lock of the table, in the step that makes the entry, and the timer thread asks for the lock
//! first.

use std::task::{Wake, Waker};
use std::time::{Duration, Instant};

use super::entry::{Attachment, EntryCore, TimerEntry, with_shard};
use super::sealed_message::SealedMessage;
use super::table::next_number;
use crate::actor::memory::{ActorCore, CoreRef};
use crate::deadline::{Registration, sleep_until};
use crate::pool::SharedRegistry;
use crate::spawn::spawn_future_in;

/// When a tick is tried again after its actor could not be reached: no reference was left, but a
/// handler that still runs may make one.
const RETRY: Duration = Duration::from_millis(10);

/// A message that an actor sends itself later; made by
/// [`Context::send_after`](crate::actor::Context::send_after) and
/// [`Context::send_every`](crate::actor::Context::send_every).
///
/// It may be dropped, and the message is sent all the same.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, ActorTimer, Context, Handler};
/// use std::time::Duration;
///
/// struct Worker;
/// impl Actor for Worker {}
/// impl Handler<()> for Worker {
///     type Reply = ActorTimer;
///     fn handle(&mut self, (): (), context: &mut Context<Self>) -> ActorTimer {
///         context.send_after(Duration::from_secs(3_600), "time to go")
///     }
/// }
/// impl Handler<&'static str> for Worker {
///     type Reply = ();
///     fn handle(&mut self, _: &'static str, context: &mut Context<Self>) {
///         context.stop();
///     }
/// }
///
/// let system = ActorSystem::builder().build_here();
/// let worker = system.spawn(Worker);
/// let timer = worker.ask(()).recv().unwrap();
/// assert!(timer.is_pending());
/// timer.cancel(); // it may stay
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ActorTimer {
    /// The address of the actor.
    pub(super) actor: usize,
    pub(super) number: u64,
}

/// What the timer thread wakes.
struct TimerWaker(ActorTimer);

impl Wake for TimerWaker {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.fire();
    }
}

impl ActorTimer {
    pub(super) fn new(core: &CoreRef) -> Self {
        ActorTimer {
            actor: core.as_ptr().as_ptr().addr(),
            number: next_number(),
        }
    }

    /// The message is not sent, or not again. Returns whether it was still to be sent: `false` if
    /// it has been, if this was cancelled before, or if the actor has ended or started again.
    ///
    /// A message of [`send_every`](crate::actor::Context::send_every) that is in the mailbox is not
    /// handled any more. One of [`send_after`](crate::actor::Context::send_after) is.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, ActorTimer, Context, Handler};
    /// use std::time::Duration;
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl Handler<()> for Worker {
    ///     type Reply = ActorTimer;
    ///     fn handle(&mut self, (): (), context: &mut Context<Self>) -> ActorTimer {
    ///         context.send_after(Duration::from_secs(3_600), "time to go")
    ///     }
    /// }
    /// impl Handler<&'static str> for Worker {
    ///     type Reply = ();
    ///     fn handle(&mut self, _: &'static str, context: &mut Context<Self>) {
    ///         context.stop();
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// let timer = worker.ask(()).recv().unwrap();
    /// assert!(timer.cancel());
    /// assert!(!timer.cancel()); // it was cancelled before
    /// ```
    ///
    /// # Complexity
    ///
    /// O(log n), for n monitors, links and timers of all actors, under one of 16 locks; then as for
    /// the drop of a [`Sleep`](crate::task::Sleep).
    pub fn cancel(&self) -> bool {
        let taken = with_shard(self.actor, |shard| shard.remove(self.actor, self.number));
        // Without the lock: the message is the program's.
        taken.is_some()
    }

    /// Whether the message is still to be sent, or is sent again and again.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, ActorTimer, Context, Handler};
    /// use std::time::Duration;
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl Handler<()> for Worker {
    ///     type Reply = ActorTimer;
    ///     fn handle(&mut self, (): (), context: &mut Context<Self>) -> ActorTimer {
    ///         context.send_after(Duration::from_millis(1), "time to go")
    ///     }
    /// }
    /// impl Handler<&'static str> for Worker {
    ///     type Reply = ();
    ///     fn handle(&mut self, _: &'static str, context: &mut Context<Self>) {
    ///         context.stop();
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// let timer = worker.ask(()).recv().unwrap();
    /// worker.ended().recv(); // the message has come
    /// assert!(!timer.is_pending());
    /// ```
    #[must_use]
    pub fn is_pending(&self) -> bool {
        with_shard(self.actor, |shard| {
            shard.get(self.actor, self.number).is_some()
        })
    }

    fn waker(self) -> Waker {
        std::sync::Arc::new(TimerWaker(self)).into()
    }

    /// Has this fired at `at` by a task, as the system refuses the timer thread.
    fn fire_in_task(self, core: &ActorCore, at: Instant) {
        let registry = SharedRegistry::clone(core.system.registry());
        let task = spawn_future_in(registry, async move {
            sleep_until(at).await;
            self.fire();
        });
        // It goes on by itself.
        drop(task);
    }

    /// Has the entry sent at `at`. Comes back with the time if the system refuses the timer thread.
    fn register(self, entry: &mut TimerEntry, at: Option<Instant>) -> Option<Instant> {
        let at = at?;
        match Registration::new(at, &self.waker()) {
            Ok(registration) => {
                entry.registration = Some(registration);
                None
            }
            Err(_refused) => Some(at),
        }
    }

    /// Its time has come.
    fn fire(self) {
        let found = with_shard(self.actor, |shard| {
            let Some(Attachment::Timer(entry)) = shard.get(self.actor, self.number) else {
                return None;
            };
            if entry.keeps.is_some() {
                let Some(Attachment::Timer(entry)) = shard.remove(self.actor, self.number) else {
                    unreachable!("it was there, and the lock is held");
                };
                return entry.keeps.zip(entry.due);
            }
            entry.registration = None;
            // Otherwise this comes twice, and the tick is in the mailbox.
            entry.due.as_ref()?;
            // SAFETY: found just now, under the lock.
            let core = unsafe { entry.core.upgrade() };
            if core.is_none() {
                // If this is refused, too, the process is short of threads, and the tick ends.
                let _ = self.register(entry, Instant::now().checked_add(RETRY));
                return None;
            }
            core.zip(entry.due.take())
        });
        if let Some((core, due)) = found {
            // SAFETY: the entry was that of this actor.
            unsafe { due.send_only(core) };
        }
    }

    /// Has a tick of this actor sent at its next time. `false`: it was cancelled meanwhile.
    pub(super) fn put_back(
        self,
        core: &ActorCore,
        due: SealedMessage,
        at: Option<Instant>,
    ) -> bool {
        let mut due = Some(due);
        let refused = with_shard(self.actor, |shard| {
            let Some(Attachment::Timer(entry)) = shard.get(self.actor, self.number) else {
                return None;
            };
            entry.due = due.take();
            self.register(entry, at)
        });
        if let Some(at) = refused {
            self.fire_in_task(core, at);
        }
        due.is_none()
    }

    /// Makes the entry. If the actor is dead, as a context that has left its handler may find it,
    /// the message is dropped.
    pub(super) fn start(
        self,
        core: &CoreRef,
        due: SealedMessage,
        keeps: bool,
        at: Option<Instant>,
    ) {
        let entry = Attachment::Timer(TimerEntry {
            core: EntryCore::new(core.as_ptr()),
            due: Some(due),
            keeps: keeps.then(|| core.clone()),
            registration: None,
        });
        let key = (self.actor, self.number);
        let started = with_shard(self.actor, |shard| {
            shard.attach(&core.core().word, key, entry)?;
            Ok(match shard.get(self.actor, self.number) {
                Some(Attachment::Timer(entry)) => self.register(entry, at),
                _ => unreachable!("it was made just now"),
            })
        });
        match started {
            Ok(Some(at)) => self.fire_in_task(core.core(), at),
            Ok(None) => {}
            // Without the lock: the message is the program's.
            Err(entry) => drop::<Attachment>(entry),
        }
    }
}
