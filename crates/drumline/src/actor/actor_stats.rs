//! What a system counts, and what it tells the log of the program.

use super::cell::ActorCore;
use super::run;

/// What a system has counted; see [`ActorSystem::stats`](super::ActorSystem::stats).
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

/// The name of the actor that the calling thread runs: its handler, hook or future. If the actor
/// has no name, that of its type.
///
/// It is for logs, and for a panic hook that says which actor has panicked:
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{self, Actor, ActorSystem, Context, Handler, SpawnOptions};
///
/// struct Printer;
/// impl Actor for Printer {}
/// impl Handler<()> for Printer {
///     type Reply = Option<String>;
///     fn handle(&mut self, (): (), _: &mut Context<Self>) -> Option<String> {
///         actor::current_name()
///     }
/// }
///
/// let before = std::panic::take_hook();
/// std::panic::set_hook(Box::new(move |info| {
///     if let Some(name) = actor::current_name() {
///         eprint!("in actor {name}: ");
///     }
///     before(info);
/// }));
///
/// let pool = Pool::builder().jobs(1).build()?;
/// let system = ActorSystem::new(&pool);
/// let printer = system.spawn_with(Printer, SpawnOptions::new().name("printer"));
/// assert_eq!(printer.ask(()).recv(), Ok(Some("printer".to_owned())));
/// assert_eq!(actor::current_name(), None);
/// # Ok::<(), drumline::BuildError>(())
/// ```
#[must_use]
pub fn current_name() -> Option<String> {
    let core = run::current();
    // SAFETY: the thread runs the actor, which is alive.
    (!core.is_null()).then(|| unsafe { &*core }.name())
}

/// Tells `tracing` what happens to an actor, with the feature of that name.
///
/// A panic of the subscriber is reported: it would leave an actor with an end that is half done.
#[cfg(feature = "tracing")]
pub(super) fn trace(core: &ActorCore, what: &'static str) {
    let told = crate::unwind::catch(|| {
        tracing::debug!(target: "drumline", actor = core.name(), "{what}");
    });
    if let Err(payload) = told {
        core.system.registry().report_panic(payload);
    }
}

#[cfg(not(feature = "tracing"))]
#[inline]
pub(super) fn trace(_: &ActorCore, _: &'static str) {}
