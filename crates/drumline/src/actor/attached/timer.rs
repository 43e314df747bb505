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

use std::marker::PhantomData;
use std::mem;
use std::ptr::NonNull;
use std::task::{Wake, Waker};
use std::time::{Duration, Instant};

use super::entry::{Attachment, EntryCore, TimerEntry, with_shard};
use super::sealed_message::SealedMessage;
use super::table::next_number;
use crate::actor::api::ReplyTo;
use crate::actor::life::NameOnUnwind;
use crate::actor::mail::{Content, Envelope, OpenFn, ToldMessage};
use crate::actor::memory::{ActorCell, ActorCore, CoreRef, RunFrame};
use crate::actor::{Accept, Actor, ActorRef, AsyncContext, Context};
use crate::deadline::{Registration, sleep_until};
use crate::pool::SharedRegistry;
use crate::spawn::spawn_future_in;

/// When a tick is tried again after its actor could not be reached: no reference was left, but a
/// handler that still runs may make one.
const RETRY: Duration = Duration::from_millis(10);

/// A message that an actor sends itself later; made by [`Context::send_after`] and
/// [`Context::send_every`].
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
    actor: usize,
    number: u64,
}

/// What the timer thread wakes.
struct TimerWaker(ActorTimer);

impl Wake for TimerWaker {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.fire();
    }
}

/// Makes a message at each time.
struct Tick<M, F, K> {
    number: u64,
    period: Duration,
    /// The time of this one. `None`: later than the clock can say.
    at: Option<Instant>,
    make: F,
    kind: PhantomData<fn(K) -> M>,
}

impl ActorTimer {
    fn new(core: &CoreRef) -> Self {
        ActorTimer {
            actor: core.as_ptr().as_ptr().addr(),
            number: next_number(),
        }
    }

    /// The message is not sent, or not again. Returns whether it was still to be sent: `false` if
    /// it has been, if this was cancelled before, or if the actor has ended or started again.
    ///
    /// A message of [`send_every`](Context::send_every) that is in the mailbox is not handled any
    /// more. One of [`send_after`](Context::send_after) is.
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
}

impl<A, M, F, K> Content<A> for Tick<M, F, K>
where
    A: Accept<M, K>,
    M: 'static,
    F: FnMut() -> M + Send + 'static,
    K: 'static,
{
    const OPEN: OpenFn = open_tick::<A, M, F, K>;
}

/// # Safety
///
/// As for [`OpenFn`], with this content; the actor is of this type.
unsafe fn open_tick<A, M, F, K>(envelope: NonNull<Envelope>, frame: &mut RunFrame)
where
    A: Accept<M, K>,
    M: 'static,
    F: FnMut() -> M + Send + 'static,
    K: 'static,
{
    // SAFETY: the content is of this type.
    let mut tick = unsafe { Envelope::unseal::<Tick<M, F, K>>(envelope) };
    let core = frame.core;
    let timer = ActorTimer {
        actor: core.addr(),
        number: tick.number,
    };
    // The message has not been made, so nothing is lost.
    if frame.loss.is_some() || !timer.is_pending() {
        return;
    }
    let frame: *mut RunFrame = frame;
    // SAFETY: the frame is the caller's, and borrowed for the call below only.
    let name = unsafe { NameOnUnwind::<M>::new(frame) };
    let message = (tick.make)();
    tick.at = next_time(tick.at, tick.period, Instant::now());
    // SAFETY: the run has the actor.
    if unsafe { timer.put_back::<A, _, _, _>(core, tick) } {
        // SAFETY: the run has the state, which is of this type, and leaves it alone after this; the
        // frame is borrowed for the call only.
        unsafe {
            let actor = ActorCell::<A>::state(core);
            A::accept(actor, message, ReplyTo(None), Context::of(&mut *frame));
        };
    }
    mem::forget(name);
}

impl ActorTimer {
    /// Has a tick sent at its next time. `false`: it was cancelled meanwhile.
    ///
    /// # Safety
    ///
    /// The caller is the run of this actor, which is of the type `A`.
    unsafe fn put_back<A, M, F, K>(self, core: *const ActorCore, tick: Tick<M, F, K>) -> bool
    where
        Tick<M, F, K>: Content<A>,
        A: Actor,
    {
        // SAFETY: the actor is alive.
        let core = unsafe { &*core };
        let at = tick.at;
        let mut due = Some(SealedMessage::new::<A, _>(core, tick));
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
    fn start(self, core: &CoreRef, due: SealedMessage, keeps: bool, at: Option<Instant>) {
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

/// The time after `at`. Times that have passed by `now` are left out.
fn next_time(at: Option<Instant>, period: Duration, now: Instant) -> Option<Instant> {
    let next = at?.checked_add(period)?;
    if next > now {
        return Some(next);
    }
    let behind = now.duration_since(next).as_nanos() % period.as_nanos();
    // What is less than a period, and has passed, is no more than the clock can say.
    let behind = Duration::from_nanos(u64::try_from(behind).ok()?);
    now.checked_add(period - behind)
}

impl<A: Actor> Context<A> {
    /// Sends this actor a message when `delay` has passed.
    ///
    /// From then on it is a message like any other, except that it needs no room in a
    /// [bounded](crate::actor::SpawnOptions::bounded) mailbox. Until then it keeps the actor alive,
    /// as an [`ActorRef`](crate::actor::ActorRef) does. If the actor ends before, or its supervisor
    /// starts it again, the message is dropped: timers are those of a state.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    /// use std::time::{Duration, Instant};
    ///
    /// struct Kettle(Instant);
    /// struct Whistle;
    /// impl Actor for Kettle {
    ///     fn started(&mut self, context: &mut Context<Self>) {
    ///         context.send_after(Duration::from_millis(2), Whistle);
    ///     }
    /// }
    /// impl Handler<Whistle> for Kettle {
    ///     type Reply = ();
    ///     fn handle(&mut self, Whistle: Whistle, context: &mut Context<Self>) {
    ///         assert!(self.0.elapsed() >= Duration::from_millis(2));
    ///         context.stop();
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let kettle = system.spawn(Kettle(Instant::now()));
    /// kettle.ended().recv();
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Precision
    ///
    /// As for [`sleep`](crate::task::sleep()). A delay that ends later than the clock can say is
    /// one that never ends.
    ///
    /// # Complexity
    ///
    /// O(log n), for n timers, monitors and links of all actors, under one of 16 locks, and as for
    /// [`sleep`](crate::task::sleep()). The same when the time has come.
    pub fn send_after<M, K>(&self, delay: Duration, message: M) -> ActorTimer
    where
        A: Accept<M, K>,
        M: Send + 'static,
        K: 'static,
    {
        send_after(&self.actor_ref(), delay, message)
    }

    /// Sends this actor what `make` makes, again and again: for the first time when `period` has
    /// passed, and then at each multiple of it.
    ///
    /// `make` is called by the actor itself when it comes to the message, and the next time begins
    /// to count then. So at most one of these messages is in the mailbox, however slow the actor
    /// is. Times that have passed meanwhile are left out. The times that are left are still
    /// multiples of the period, and do not drift. The messages need no room in a
    /// [bounded](crate::actor::SpawnOptions::bounded) mailbox.
    ///
    /// It does not keep the actor alive. It ends with the actor, and when its supervisor starts
    /// the actor again: the hook [`started`](Actor::started) may begin it anew.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, ActorTimer, Context, Handler};
    /// use std::time::Duration;
    ///
    /// /// Beats three times.
    /// #[derive(Default)]
    /// struct Heart(u32);
    /// struct Beat;
    /// impl Actor for Heart {
    ///     fn started(&mut self, context: &mut Context<Self>) {
    ///         context.send_every(Duration::from_millis(1), || Beat);
    ///     }
    /// }
    /// impl Handler<Beat> for Heart {
    ///     type Reply = ();
    ///     fn handle(&mut self, Beat: Beat, context: &mut Context<Self>) {
    ///         self.0 += 1;
    ///         if self.0 == 3 {
    ///             context.stop();
    ///         }
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let heart = system.spawn(Heart::default());
    /// heart.ended().recv();
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the period is zero. A panic of `make` is one of a handler.
    ///
    /// # Precision
    ///
    /// As for [`sleep`](crate::task::sleep()).
    ///
    /// # Complexity
    ///
    /// As for [`send_after`](Self::send_after), each time.
    pub fn send_every<M, K, F>(&self, period: Duration, make: F) -> ActorTimer
    where
        A: Accept<M, K>,
        M: 'static,
        K: 'static,
        F: FnMut() -> M + Send + 'static,
    {
        send_every(&self.actor_ref(), period, make)
    }
}

impl<A: Actor> AsyncContext<A> {
    /// As [`Context::send_after`].
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, AsyncContext, AsyncHandler, Context, Handler};
    /// use std::time::Duration;
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl AsyncHandler<()> for Worker {
    ///     type Reply = ();
    ///     async fn handle(&mut self, (): (), context: AsyncContext<Self>) {
    ///         context.send_after(Duration::from_millis(1), "time to go");
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
    /// worker.tell(()).unwrap();
    /// worker.ended().recv();
    /// assert!(!worker.is_alive());
    /// ```
    ///
    /// # Complexity
    ///
    /// As there.
    pub fn send_after<M, K>(&self, delay: Duration, message: M) -> ActorTimer
    where
        A: Accept<M, K>,
        M: Send + 'static,
        K: 'static,
    {
        send_after(&self.actor_ref(), delay, message)
    }

    /// As [`Context::send_every`].
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, AsyncContext, AsyncHandler, Context, Handler};
    /// use std::time::Duration;
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl AsyncHandler<()> for Worker {
    ///     type Reply = ();
    ///     async fn handle(&mut self, (): (), context: AsyncContext<Self>) {
    ///         context.send_every(Duration::from_millis(1), || "time to go");
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
    /// worker.tell(()).unwrap();
    /// worker.ended().recv();
    /// assert!(!worker.is_alive());
    /// ```
    ///
    /// # Panics
    ///
    /// As there.
    ///
    /// # Complexity
    ///
    /// As there.
    pub fn send_every<M, K, F>(&self, period: Duration, make: F) -> ActorTimer
    where
        A: Accept<M, K>,
        M: 'static,
        K: 'static,
        F: FnMut() -> M + Send + 'static,
    {
        send_every(&self.actor_ref(), period, make)
    }
}

fn send_after<A, M, K>(own: &ActorRef<A>, delay: Duration, message: M) -> ActorTimer
where
    A: Accept<M, K>,
    M: Send + 'static,
    K: 'static,
{
    let core = own.core();
    let timer = ActorTimer::new(core);
    let due = SealedMessage::new::<A, _>(core.core(), ToldMessage::<M, K>::new(message));
    timer.start(core, due, true, Instant::now().checked_add(delay));
    timer
}

fn send_every<A, M, K, F>(own: &ActorRef<A>, period: Duration, make: F) -> ActorTimer
where
    A: Accept<M, K>,
    M: 'static,
    K: 'static,
    F: FnMut() -> M + Send + 'static,
{
    assert!(
        period > Duration::ZERO,
        "with a period of zero the actor would do nothing else: give a longer one"
    );
    let core = own.core();
    let timer = ActorTimer::new(core);
    let at = Instant::now().checked_add(period);
    let tick = Tick {
        number: timer.number,
        period,
        at,
        make,
        kind: PhantomData::<fn(K) -> M>,
    };
    let due = SealedMessage::new::<A, _>(core.core(), tick);
    timer.start(core, due, false, at);
    timer
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn times_are_multiples_of_the_period() {
        let begin = Instant::now();
        let second = Duration::from_secs(1);
        let next = |at, now| next_time(Some(begin + at), second, begin + now);
        assert_eq!(next(second, second), Some(begin + 2 * second));
        assert_eq!(next(second, second * 3 / 2), Some(begin + 2 * second));
        // Late by so much that two times have passed.
        assert_eq!(next(second, second * 7 / 2), Some(begin + 4 * second));
        assert_eq!(next(second, second * 4), Some(begin + 5 * second));
        assert_eq!(next_time(None, second, begin), None);
        assert_eq!(next_time(Some(begin), Duration::MAX, begin), None);
    }
}
