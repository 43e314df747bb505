//! Actors that are told of the end of another one.

use super::entry::{Attachment, EntryCore, Watching, with_shard};
use super::exit::{Exit, ExitReason};
use super::sealed_message::SealedMessage;
use super::table::next_number;
use crate::actor::mail::ToldMessage;
use crate::actor::memory::{ActorCore, CoreRef};
use crate::actor::{Accept, Actor, ActorRef, AsyncContext, Context};

/// What an actor watches another one by; made by [`Context::monitor`].
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Monitor {
    number: u64,
    /// Addresses of the actors.
    watcher: usize,
    watched: usize,
}

impl Monitor {
    pub(super) fn number(self) -> u64 {
        self.number
    }

    /// Watches no longer. Returns whether the actor has not been told yet; it will not be, then.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorRef, ActorSystem, Context, Exit, Handler};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl Handler<Exit> for Worker {
    ///     type Reply = ();
    ///     fn handle(&mut self, _: Exit, _: &mut Context<Self>) {}
    /// }
    /// impl Handler<ActorRef<Idler>> for Worker {
    ///     type Reply = bool;
    ///     fn handle(&mut self, other: ActorRef<Idler>, context: &mut Context<Self>) -> bool {
    ///         context.monitor(&other).cancel()
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// let other = system.spawn(Idler);
    /// assert_eq!(worker.ask(other.clone()).recv(), Ok(true)); // it had not been told yet
    /// ```
    ///
    /// # Complexity
    ///
    /// O(log n), for n monitors, links and timers of all actors, under two locks, one after the
    /// other.
    pub fn cancel(&self) -> bool {
        let taken = with_shard(self.watcher, |shard| {
            shard.remove(self.watcher, self.number)
        });
        with_shard(self.watched, |shard| {
            shard.remove(self.watched, self.number)
        });
        taken.is_some()
    }
}

impl Watching {
    /// The actor that watches has ended.
    pub(super) fn forget(&self, number: u64) {
        let watched = self.watched;
        with_shard(watched, |shard| shard.remove(watched, number));
    }
}

fn seal<A, K>(core: &ActorCore, exit: Exit) -> SealedMessage
where
    A: Accept<Exit, K>,
    K: 'static,
{
    SealedMessage::new::<A, _>(core, ToldMessage::<Exit, K>::new(exit))
}

/// Tells the actor at the address `watcher` of an end, unless it has ended or watches no longer.
pub(super) fn tell(watcher: usize, number: u64, exit: &Exit) {
    let found = with_shard(watcher, |shard| {
        let Some(Attachment::Watching(watching)) = shard.remove(watcher, number) else {
            return None;
        };
        // SAFETY: found just now, under the lock.
        let core = unsafe { watching.core.reach() }?;
        Some((core, watching.seal))
    });
    if let Some((core, seal)) = found {
        // SAFETY: the entry was that of this actor.
        unsafe { seal(core.core(), exit.numbered(number)).send(&core) };
    }
}

/// How an actor has ended that is told of too late.
pub(super) fn exit_of_ended(core: &CoreRef) -> Exit {
    let core = core.core();
    let reason = if core.word.has_panicked() {
        ExitReason::Panicked
    } else {
        ExitReason::Stopped
    };
    Exit::new(&core.name(), reason, None)
}

impl<A: Actor> Context<A> {
    /// Watches another actor: when that has ended, this actor is told so, by a message of the type
    /// [`Exit`].
    ///
    /// It is told once for each call, after the hook [`stopped`](Actor::stopped) of the other actor
    /// and the drop of its state. If that has ended before, this actor is told at once; whether it
    /// was [killed](ExitReason::Killed) is not known then, and what a panic said is not either. The
    /// message needs no room in a [bounded](crate::actor::SpawnOptions::bounded) mailbox. An actor
    /// that its supervisor starts again has not ended.
    ///
    /// The monitor keeps neither actor alive. It stays when this actor is started again, and ends
    /// with it. An actor that watches itself is told nothing.
    ///
    /// Erlang has monitors of this kind.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorRef, ActorSystem, Context, Exit, ExitReason, Handler};
    /// use std::sync::mpsc;
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    ///
    /// struct Foreman {
    ///     worker: ActorRef<Worker>,
    ///     ends: mpsc::Sender<ExitReason>,
    /// }
    /// impl Actor for Foreman {
    ///     fn started(&mut self, context: &mut Context<Self>) {
    ///         context.monitor(&self.worker);
    ///     }
    /// }
    /// impl Handler<Exit> for Foreman {
    ///     type Reply = ();
    ///     fn handle(&mut self, exit: Exit, _: &mut Context<Self>) {
    ///         let _ = self.ends.send(exit.reason());
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(2).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let worker = system.spawn(Worker);
    /// let (ends, ended) = mpsc::channel();
    /// let foreman = system.spawn(Foreman { worker: worker.clone(), ends });
    /// worker.stop();
    /// assert_eq!(ended.recv(), Ok(ExitReason::Stopped));
    /// # drop(foreman);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(log n), for n monitors, links and timers of all actors, under two locks, one after the
    /// other. Each is one of 16, by the address of the actor.
    pub fn monitor<B, K>(&self, other: &ActorRef<B>) -> Monitor
    where
        A: Accept<Exit, K>,
        B: Actor,
        K: 'static,
    {
        monitor(&self.actor_ref(), other)
    }
}

impl<A: Actor> AsyncContext<A> {
    /// As [`Context::monitor`].
    ///
    /// ```
    /// use drumline::actor::{
    ///     Actor, ActorRef, ActorSystem, AsyncContext, AsyncHandler, Context, Exit, Handler,
    ///     Monitor,
    /// };
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl Handler<Exit> for Worker {
    ///     type Reply = ();
    ///     fn handle(&mut self, _: Exit, _: &mut Context<Self>) {}
    /// }
    /// impl AsyncHandler<ActorRef<Idler>> for Worker {
    ///     type Reply = Monitor;
    ///     async fn handle(
    ///         &mut self,
    ///         other: ActorRef<Idler>,
    ///         context: AsyncContext<Self>,
    ///     ) -> Monitor {
    ///         context.monitor(&other)
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// let other = system.spawn(Idler);
    /// let monitor = worker.ask(other.clone()).recv().unwrap();
    /// assert!(monitor.cancel());
    /// ```
    ///
    /// # Complexity
    ///
    /// As there.
    pub fn monitor<B, K>(&self, other: &ActorRef<B>) -> Monitor
    where
        A: Accept<Exit, K>,
        B: Actor,
        K: 'static,
    {
        monitor(&self.actor_ref(), other)
    }
}

fn monitor<A, B, K>(own: &ActorRef<A>, other: &ActorRef<B>) -> Monitor
where
    A: Accept<Exit, K>,
    B: Actor,
    K: 'static,
{
    let (own, other) = (own.core(), other.core());
    let [watcher, watched] = [own, other].map(|core| core.as_ptr().as_ptr().addr());
    let number = next_number();
    let monitor = Monitor {
        number,
        watcher,
        watched,
    };
    if watcher == watched {
        return monitor;
    }
    let entry = Attachment::Watching(Watching {
        core: EntryCore::new(own.as_ptr()),
        watched,
        seal: seal::<A, K>,
    });
    let made = with_shard(watcher, |shard| {
        shard.attach(&own.core().word, (watcher, number), entry)
    });
    if made.is_err() {
        // The context has left its handler, and the actor is dead.
        return monitor;
    }
    let made = with_shard(watched, |shard| {
        let entry = Attachment::Watched(watcher);
        shard.attach(&other.core().word, (watched, number), entry)
    });
    if made.is_err() {
        tell(watcher, number, &exit_of_ended(other));
    }
    monitor
}
