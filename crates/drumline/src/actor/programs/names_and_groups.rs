//! Names, groups and routers, in random schedules.
//!
//! Two threads register a name for two actors. Actors join and leave a group, and end, while other
//! threads tell all of it something, or one member after the other. What is said of it:
//!
//! * One of the threads gets the name, and the name leads to its actor.
//! * What was told is handled, or is a dead letter, and the reports count it.
//! * A thread that knows that an actor has left tells it nothing, though its router has a list.
//! * No schedule ends in a deadlock, and all memory is given back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use shuttle::rand::{Rng, thread_rng};
use shuttle::sync::atomic::{AtomicBool, Ordering as ShuttleOrdering};

use super::{in_random_schedules, iterations, tolerant_pool, with_few_preemptions};
use crate::Pool;
use crate::actor::{Actor, ActorGroup, ActorRef, ActorSystem, Context, Handler, Router};
use crate::sync::Instant;
use crate::sync::plant::{Plant, must_catch};

/// Counts what it is told.
struct Listener {
    is_leaver: bool,
    heard: Arc<AtomicUsize>,
}

impl Actor for Listener {}

/// Whether its sender knows that the leaver has left.
#[derive(Clone)]
struct Word(bool);

impl Handler<Word> for Listener {
    type Reply = ();

    fn handle(&mut self, Word(is_late): Word, _: &mut Context<Self>) {
        assert!(!(self.is_leaver && is_late), "it has left");
        self.heard.fetch_add(1, Ordering::SeqCst);
    }
}

fn end(system: &ActorSystem, pool: Pool) {
    let far = Instant::now() + Duration::from_secs(3_600);
    assert!(system.shutdown(far).is_complete());
    assert_eq!(system.stats().panicked, 0, "told what it is not to hear");
    assert!(pool.shutdown().is_ok(), "this thread is outside");
}

fn names() {
    let pool = tolerant_pool();
    let system = Arc::new(ActorSystem::new(&pool));
    let heard = Arc::new(AtomicUsize::new(0));
    let spawn = || {
        system.spawn(Listener {
            is_leaver: false,
            heard: Arc::clone(&heard),
        })
    };
    // The name of an actor that ends meanwhile.
    let ending = spawn();
    assert!(system.register("name", &ending).is_ok());
    let actors = [spawn(), spawn()];
    ending.stop_now();
    let threads = actors.clone().map(|actor| {
        let system = Arc::clone(&system);
        shuttle::thread::spawn(move || system.register("name", &actor).is_ok())
    });
    drop(ending);
    let got = threads.map(|thread| thread.join().expect("it does not panic"));
    let found: ActorRef<Listener> = system.find("name").expect("one has it");
    assert_ne!(got[0], got[1], "one thread gets the name");
    assert!(found == actors[usize::from(got[1])]);
    drop(found);
    drop(actors);
    assert!(system.find::<Listener>("name").is_err());
    end(&system, pool);
    assert_eq!(Arc::strong_count(&heard), 1);
}

fn groups() {
    let pool = tolerant_pool();
    let system = ActorSystem::new(&pool);
    let heard = Arc::new(AtomicUsize::new(0));
    let spawn = |is_leaver| {
        let heard = Arc::clone(&heard);
        system.spawn(Listener { is_leaver, heard })
    };
    let (stays, leaver, joiner) = (spawn(false), spawn(true), spawn(false));
    let group = ActorGroup::new();
    group.join(&stays);
    group.join(&leaver);
    let has_left = Arc::new(AtomicBool::new(false));
    let mut rng = thread_rng();
    let by_key = rng.r#gen();
    let tellers = [false, true].map(|tells_all| {
        let (group, has_left) = (group.clone(), Arc::clone(&has_left));
        shuttle::thread::spawn(move || {
            let router = if by_key {
                Router::by_key(&group, |_: &Word| thread_rng().r#gen::<u8>())
            } else {
                Router::round_robin(&group)
            };
            let mut told = 0;
            for _ in 0..3 {
                let word = Word(has_left.load(ShuttleOrdering::SeqCst));
                if tells_all {
                    told += group.tell_all(word).told();
                } else {
                    assert!(router.tell(word).is_ok(), "one member stays");
                    told += 1;
                }
            }
            told
        })
    });
    if rng.r#gen() {
        assert!(group.leave(&leaver));
        has_left.store(true, ShuttleOrdering::SeqCst);
    } else {
        leaver.stop();
    }
    group.join(&joiner);
    let told: usize = tellers
        .map(|t| t.join().expect("it does not panic"))
        .iter()
        .sum();
    assert!(group.leave(&joiner));
    assert!(told >= 6, "one member stays");
    end(&system, pool);
    assert_eq!(heard.load(Ordering::SeqCst) + system.dead_letters(), told);
    drop((stays, leaver, joiner));
    assert_eq!(Arc::strong_count(&heard), 1);
}

#[test]
fn shuttle_names_and_groups() {
    for program in [names, groups] {
        in_random_schedules(program, iterations(3_000));
        with_few_preemptions(program, iterations(1_000));
    }
}

#[test]
fn shuttle_plants_in_names_and_groups() {
    must_catch(Plant::NameTakenTwice, || {
        in_random_schedules(names, 20_000);
    });
    must_catch(Plant::GroupVersionStays, || {
        in_random_schedules(groups, 20_000);
    });
}
