//! What systems count, and actors that were started with [`SpawnOptions::counted`].
//!
//! The counter is in the box of an actor's extras. Neither a run nor a message looks for it: the
//! run of an actor that counts is another function, and so is what opens a message for one. An
//! actor that does not count pays nothing.
//!
//! The counter is shared because a run ends when it leaves the actor to another thread. From then
//! on the actor may be gone, and another run may be under way.
//!
//! [`SpawnOptions::counted`]: crate::actor::SpawnOptions::counted

use std::time::Duration;

use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::{Arc, Instant};

/// What a system has counted; see [`ActorSystem::stats`](crate::actor::ActorSystem::stats).
///
/// The numbers are of moments that lie close together, not of one.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem};
///
/// struct Idler;
/// impl Actor for Idler {}
///
/// let system = ActorSystem::builder().build_here();
/// let idler = system.spawn(Idler);
/// idler.stop();
/// idler.ended().recv();
/// let stats = system.stats();
/// assert_eq!((stats.started, stats.alive, stats.dead_letters), (1, 0, 0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActorStats {
    /// Actors that were started.
    pub started: usize,
    /// Actors that are alive.
    pub alive: usize,
    /// Actors that a panic has ended.
    pub panicked: usize,
    /// How many times a supervisor has had an actor start again.
    pub restarts: usize,
    /// Messages that no actor came to, or for which there was no room.
    pub dead_letters: usize,
}

/// What an actor has counted; see [`ActorRef::stats`](crate::actor::ActorRef::stats).
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
    /// [set aside](crate::actor::Context::stash) counts again when it is handled again. The output
    /// of a future that the actor has [started](crate::actor::Context::spawn_then) is no message.
    pub handled: u64,
    /// How many times a thread has begun to run the actor: to handle the messages that it has, or
    /// to poll the future of an [async handler](crate::actor::AsyncHandler).
    pub runs: u64,
    /// How long those runs took together, as far as they have ended. An actor that is a function is
    /// run from a call until it finds no message.
    pub busy: Duration,
}

/// The counter of one actor. Its runs write it, and any thread reads it.
#[derive(Debug, Default)]
pub(crate) struct MessageCounter {
    handled: AtomicU64,
    runs: AtomicU64,
    busy_nanos: AtomicU64,
}

impl MessageCounter {
    pub(crate) fn read(&self) -> MessageCounts {
        // Relaxed: counts, beside which nothing is published. A reader that knows of a message has
        // learned of it by something that was published after its count.
        MessageCounts {
            handled: self.handled.load(Ordering::Relaxed),
            runs: self.runs.load(Ordering::Relaxed),
            busy: Duration::from_nanos(self.busy_nanos.load(Ordering::Relaxed)),
        }
    }

    /// The run is about to call a handler. It has the actor, so no other thread writes.
    pub(crate) fn count_message(&self) {
        // Relaxed: as in `read`. Runs see what earlier ones have written.
        let before = self.handled.load(Ordering::Relaxed);
        self.handled.store(before + 1, Ordering::Relaxed);
    }
}

/// A run of an actor that counts, until this is dropped. The actor may be gone before.
pub(crate) struct CountedRun {
    counter: Arc<MessageCounter>,
    begin: Instant,
}

impl CountedRun {
    /// Begins a run of an actor with this counter. `None`: the actor does not count.
    pub(crate) fn begin(counter: Option<&Arc<MessageCounter>>) -> Option<Self> {
        let counter = Arc::clone(counter?);
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
