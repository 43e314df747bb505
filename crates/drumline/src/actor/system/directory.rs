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

use crate::actor::memory::{CoreRef, WeakCoreRef};
use crate::actor::{FindError, NameTaken};
use crate::sync::{Mutex, lock, planted};

/// With fewer entries there is no sweep.
const FEWEST_TO_SWEEP: usize = 32;

/// The names of a system.
#[derive(Default)]
pub(crate) struct ActorDirectory {
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
    pub(crate) fn register<A: 'static>(
        &self,
        name: String,
        actor: &CoreRef,
    ) -> Result<(), NameTaken> {
        let entry = NameEntry {
            core: WeakCoreRef::new(actor),
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

    pub(crate) fn find<A: 'static>(&self, name: &str) -> Result<CoreRef, FindError> {
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
            Some(core) if actor_type == TypeId::of::<A>() => Ok(core),
            Some(_) => Err(FindError::OtherType {
                name: name.to_owned(),
                type_name,
            }),
        }
    }

    pub(crate) fn unregister(&self, name: &str) -> bool {
        let entry = lock(&self.names).by_name.remove(name);
        entry.is_some_and(|entry| entry.core.upgrade().is_some())
    }

    pub(crate) fn names(&self) -> Vec<String> {
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

/// Names of actors. Another thing than [`SpawnOptions::name`](crate::actor::SpawnOptions::name),
/// which is a label for people: many actors may have the same, and none is found by it.
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;
    use crate::Pool;
    use crate::actor::{Actor, ActorSystem};

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
