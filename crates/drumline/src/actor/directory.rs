//! The names by which the actors of a system are found.
//!
//! All names are under one lock of the system. It is held for a search and for a move of words:
//! no code of the program runs under it, and no reference is dropped there, because the last one
//! ends its actor. An entry does not keep its actor alive.
//!
//! The entries of actors that have ended are taken out by the search that finds them. Those that no
//! search finds are swept when there are twice as many entries as the last sweep has left. So a
//! name costs O(log n) on average, and there are at most about twice as many entries as names of
//! living actors.

use std::any::{self, TypeId};
use std::collections::BTreeMap;

use super::actor_ref::CoreRef;
use super::name_error::{FindError, NameTaken};
use super::weak_core_ref::WeakCoreRef;
use super::{Actor, ActorRef, ActorSystem, Context};
use crate::sync::{Mutex, lock, planted};

/// With fewer entries there is no sweep.
const FEWEST_TO_SWEEP: usize = 32;

/// The names of a system.
#[derive(Default)]
pub(super) struct ActorDirectory {
    names: Mutex<NameTable>,
}

struct NameTable {
    by_name: BTreeMap<String, NameEntry>,
    /// With this many entries the next sweep is due.
    sweep_at: usize,
}

impl Default for NameTable {
    fn default() -> Self {
        NameTable {
            by_name: BTreeMap::new(),
            sweep_at: FEWEST_TO_SWEEP,
        }
    }
}

/// What has a name.
struct NameEntry {
    core: WeakCoreRef,
    actor_type: TypeId,
    type_name: &'static str,
}

impl ActorDirectory {
    fn register<A: Actor>(&self, name: String, actor: &ActorRef<A>) -> Result<(), NameTaken> {
        let entry = NameEntry {
            core: WeakCoreRef::new(actor.core()),
            actor_type: TypeId::of::<A>(),
            type_name: any::type_name::<A>(),
        };
        let mut names = lock(&self.names);
        let owner = names.by_name.get(&name);
        let is_same = owner.is_some_and(|owner| owner.core.identity() == entry.core.identity());
        let living = owner.and_then(|owner| owner.core.upgrade());
        if planted!(NameTakenTwice) && living.is_none() {
            drop(names);
            names = lock(&self.names);
        }
        if !is_same && living.is_none() {
            names.insert(name, entry);
            return Ok(());
        }
        // Before the reference is dropped, which may end its actor.
        drop(names);
        if is_same {
            Ok(())
        } else {
            Err(NameTaken::new(name))
        }
    }

    fn find<A: Actor>(&self, name: &str) -> Result<ActorRef<A>, FindError> {
        let unknown = || FindError::Unknown {
            name: name.to_owned(),
        };
        let mut names = lock(&self.names);
        let entry = names.by_name.get(name).ok_or_else(unknown)?;
        let (actor_type, type_name) = (entry.actor_type, entry.type_name);
        let living = entry.core.upgrade();
        if living.is_none() {
            names.by_name.remove(name);
        }
        // As above.
        drop(names);
        match living {
            None => Err(unknown()),
            Some(core) if actor_type == TypeId::of::<A>() => Ok(ActorRef::new(core)),
            Some(_) => Err(FindError::OtherType {
                name: name.to_owned(),
                type_name,
            }),
        }
    }

    fn unregister(&self, name: &str) -> bool {
        let entry = lock(&self.names).by_name.remove(name);
        entry.is_some_and(|entry| entry.core.upgrade().is_some())
    }

    fn names(&self) -> Vec<String> {
        let names = lock(&self.names);
        let living = names.by_name.iter().filter_map(|(name, entry)| {
            let core = entry.core.upgrade()?;
            Some((name.clone(), core))
        });
        let living: Vec<(String, CoreRef)> = living.collect();
        // As above.
        drop(names);
        living.into_iter().map(|(name, _)| name).collect()
    }
}

impl NameTable {
    fn insert(&mut self, name: String, entry: NameEntry) {
        if self.by_name.len() >= self.sweep_at {
            self.by_name.retain(|_, entry| !entry.core.is_dead());
            self.sweep_at = FEWEST_TO_SWEEP.max(2 * self.by_name.len());
        }
        self.by_name.insert(name, entry);
    }
}

/// Names of actors. Another thing than [`SpawnOptions::name`](super::SpawnOptions::name), which is
/// a label for people: many actors may have the same, and none is found by it.
impl ActorSystem {
    /// Gives an actor a name by which it can be [found](Self::find). It may have several.
    ///
    /// A name does not keep its actor alive. It is free again when the actor has ended, is killed,
    /// or has no reference left. An actor that a [supervisor](super::Supervisor) starts again keeps
    /// its names. To register an actor by a name that it has already does nothing, so the hook
    /// [`started`](Actor::started) may do it each time. An actor that has ended gets no name: the
    /// name stays free.
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
        self.shared().directory.register(name.into(), actor)
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
        self.shared().directory.find(name)
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
        self.directory().register(name.into(), actor)
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
        self.directory().find(name)
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

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;
    use crate::Pool;

    struct Named;

    impl Actor for Named {}

    fn entries(system: &ActorSystem) -> usize {
        lock(&system.shared().directory.names).by_name.len()
    }

    #[test]
    fn entries_of_actors_that_have_ended_do_not_pile_up() {
        let pool = Pool::builder().jobs(1).build().unwrap();
        let system = ActorSystem::new(&pool);
        let staying: Vec<_> = (0..20).map(|_| system.spawn(Named)).collect();
        for (number, actor) in staying.iter().enumerate() {
            system.register(format!("staying {number}"), actor).unwrap();
        }
        for number in 0..1_000 {
            let ending = system.spawn(Named);
            system
                .register(format!("ending {number}"), &ending)
                .unwrap();
            drop(ending);
            while system.actors() > staying.len() {
                std::thread::yield_now();
            }
        }
        assert!(entries(&system) <= 40, "{} entries", entries(&system));
        assert_eq!(system.names().len(), staying.len());
        // A search takes its entry out.
        drop(staying);
        let before = entries(&system);
        assert!(system.find::<Named>("staying 3").is_err());
        assert_eq!(entries(&system), before - 1);
    }
}
