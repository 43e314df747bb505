//! What an actor counts that was started with [`SpawnOptions::counted`].
//!
//! The counter is in the box of an actor's extras. Neither a run nor a message looks for it: the
//! run of an actor that counts is another function, and so is what opens a message for one
//! ([`open_counted`]). An actor that does not count pays nothing.
//!
//! The counter is shared because a run ends when it leaves the actor to another thread. From then
//! on the actor may be gone, and another run may be under way.
//!
//! [`SpawnOptions::counted`]: super::SpawnOptions::counted

use std::ptr::NonNull;
use std::time::Duration;

use super::cell::ActorCore;
use super::envelope::Envelope;
use super::message::Content;
use super::run::RunFrame;
use super::{Actor, ActorRef};
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::{Arc, Instant};

/// What an actor has counted; see [`ActorRef::stats`].
///
/// The numbers are of moments that lie close together, not of one.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, Context, Handler, SpawnOptions};
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
/// let doubler = system.spawn_with(Doubler, SpawnOptions::new().counted());
/// doubler.ask(21).recv().unwrap();
/// let counts = doubler.stats().unwrap();
/// assert_eq!(counts.handled, 1);
/// println!("{} runs, which took {:?}", counts.runs, counts.busy);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageCounts {
    /// How many times a handler was called with a message. A message that was
    /// [set aside](super::Context::stash) counts again when it is handled again. The output of a
    /// future that the actor has [started](super::Context::spawn_then) is no message.
    pub handled: u64,
    /// How many times a thread has begun to run the actor: to handle the messages that it has, or
    /// to poll the future of an [async handler](super::AsyncHandler).
    pub runs: u64,
    /// How long those runs took together, as far as they have ended. An actor that is a function is
    /// run from a call until it finds no message.
    pub busy: Duration,
}

impl<A: Actor> ActorRef<A> {
    /// What the actor has counted so far, also after its end. `None`: it was not started with
    /// [`counted`](super::SpawnOptions::counted).
    ///
    /// A message is counted before its handler is called. So what the caller knows to be handled,
    /// by a reply for instance, is in the number.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler, SpawnOptions};
    ///
    /// struct Doubler;
    /// impl Actor for Doubler {}
    /// impl Handler<u64> for Doubler {
    ///     type Reply = u64;
    ///     fn handle(&mut self, number: u64, _: &mut Context<Self>) -> u64 {
    ///         2 * number
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(2).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let doubler = system.spawn_with(Doubler, SpawnOptions::new().counted());
    /// doubler.tell(4_u64)?;
    /// assert_eq!(doubler.ask(21_u64).recv(), Ok(42));
    /// assert_eq!(doubler.stats().map(|stats| stats.handled), Some(2));
    /// assert!(system.spawn(Doubler).stats().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Option<MessageCounts> {
        self.core().core().counter().map(|counter| counter.read())
    }
}

/// The counter of one actor. Its runs write it, and any thread reads it.
#[derive(Debug, Default)]
pub(super) struct MessageCounter {
    handled: AtomicU64,
    runs: AtomicU64,
    busy_nanos: AtomicU64,
}

impl MessageCounter {
    fn read(&self) -> MessageCounts {
        // Relaxed: counts, beside which nothing is published. A reader that knows of a message has
        // learned of it by something that was published after its count.
        MessageCounts {
            handled: self.handled.load(Ordering::Relaxed),
            runs: self.runs.load(Ordering::Relaxed),
            busy: Duration::from_nanos(self.busy_nanos.load(Ordering::Relaxed)),
        }
    }

    /// The run is about to call a handler. It has the actor, so no other thread writes.
    fn count_message(&self) {
        // Relaxed: as in `read`. Runs see what earlier ones have written.
        let before = self.handled.load(Ordering::Relaxed);
        self.handled.store(before + 1, Ordering::Relaxed);
    }
}

impl ActorCore {
    /// The counter, if the actor counts.
    pub(super) fn counter(&self) -> Option<&Arc<MessageCounter>> {
        self.extra.as_deref()?.counter.as_ref()
    }
}

/// A run of an actor that counts, until this is dropped. The actor may be gone before.
pub(super) struct CountedRun {
    counter: Arc<MessageCounter>,
    begin: Instant,
}

impl CountedRun {
    /// Begins a run. `None`: the actor does not count.
    ///
    /// # Safety
    ///
    /// The actor is alive.
    pub(super) unsafe fn begin(core: NonNull<ActorCore>) -> Option<Self> {
        // SAFETY: the caller's obligation.
        let counter = Arc::clone(unsafe { core.as_ref() }.counter()?);
        // Relaxed: as in `read`.
        counter.runs.fetch_add(1, Ordering::Relaxed);
        let begin = Instant::now();
        Some(CountedRun { counter, begin })
    }
}

impl Drop for CountedRun {
    fn drop(&mut self) {
        let nanos = u64::try_from(self.begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        // Relaxed: as in `read`. The next run may have begun, so this is one step.
        self.counter.busy_nanos.fetch_add(nanos, Ordering::Relaxed);
    }
}

/// Opens a message for an actor that counts.
///
/// # Safety
///
/// As for [`OpenFn`](super::envelope::OpenFn), with this content; the actor is of this type.
pub(super) unsafe fn open_counted<A, C>(envelope: NonNull<Envelope>, frame: &mut RunFrame)
where
    A: Actor,
    C: Content<A>,
{
    if frame.loss.is_none()
        // SAFETY: the actor is alive.
        && let Some(counter) = unsafe { &*frame.core }.counter()
    {
        counter.count_message();
    }
    // SAFETY: the caller's obligation.
    unsafe { C::OPEN(envelope, frame) };
}
