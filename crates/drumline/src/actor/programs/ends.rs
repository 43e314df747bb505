//! Actors that end while others watch them, are linked with them, and wait for them, in random
//! schedules.
//!
//! A watcher monitors some actors, which are linked with each other at random, also supervised
//! ones. Threads outside tell them to fail, to stop, and to watch each other. What is said of it:
//!
//! * The watcher, which outlives them, is told of each monitor that it has not cancelled, once.
//! * Each thread that waits for an end goes on.
//! * What is linked with an actor that a panic has ended, before that, fails as well.
//! * No schedule ends in a deadlock, and all memory is given back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use shuttle::rand::{Rng, thread_rng};

use super::{await_that, in_random_schedules, iterations, tolerant_pool, with_few_preemptions};
use crate::Pool;
use crate::actor::{
    Actor, ActorRef, ActorSystem, Context, Exit, ExitReason, Handler, Monitor, SupervisorOptions,
    WeakActorRef,
};
use crate::sync::plant::{Plant, must_catch};
use crate::sync::{Instant, Mutex, lock};

const FAR: Duration = Duration::from_secs(3_600);

/// What became of the monitors of the watcher.
#[derive(Default)]
struct Watch {
    made: AtomicUsize,
    cancelled: AtomicUsize,
    told: AtomicUsize,
}

#[derive(Clone)]
struct Member(Arc<Watch>);

impl Actor for Member {}

enum Deed {
    /// To watch this one, and to count it.
    Count(ActorRef<Member>),
    /// To watch this one.
    Watch(ActorRef<Member>),
    Link(ActorRef<Member>),
    /// To be linked for a moment.
    Touch(ActorRef<Member>),
    Fail,
    Stop,
}

impl Handler<Deed> for Member {
    type Reply = Option<Monitor>;

    fn handle(&mut self, deed: Deed, context: &mut Context<Self>) -> Option<Monitor> {
        match deed {
            Deed::Count(other) => {
                self.0.made.fetch_add(1, Ordering::SeqCst);
                return Some(context.monitor(&other));
            }
            Deed::Watch(other) => return Some(context.monitor(&other)),
            Deed::Link(other) => {
                context.link(&other);
            }
            Deed::Touch(other) => {
                context.link(&other).cut();
            }
            // Without the hook, which would print.
            Deed::Fail => std::panic::resume_unwind(Box::new("on purpose")),
            Deed::Stop => context.stop(),
        }
        None
    }
}

/// The watcher only is told of what it counts: others count with a watch of their own.
impl Handler<Exit> for Member {
    type Reply = ();

    fn handle(&mut self, _: Exit, _: &mut Context<Self>) {
        self.0.told.fetch_add(1, Ordering::SeqCst);
    }
}

/// Tells the actors something, at random.
fn act(actors: &[ActorRef<Member>]) {
    for _ in 0..thread_rng().gen_range(1..4) {
        let one = || actors[thread_rng().gen_range(0..actors.len())].clone();
        let (actor, other) = (one(), one());
        let _ = match thread_rng().gen_range(0..6) {
            0 => actor.tell(Deed::Watch(other)),
            1 => actor.tell(Deed::Link(other)),
            2 => actor.tell(Deed::Touch(other)),
            3 => actor.tell(Deed::Fail),
            4 => actor.tell(Deed::Stop),
            _ => {
                actor.stop_now();
                Ok(())
            }
        };
    }
}

fn ends() {
    let mut rng = thread_rng();
    let pool = tolerant_pool();
    let system = ActorSystem::new(&pool);
    let (watch, others) = (Arc::new(Watch::default()), Arc::new(Watch::default()));
    let watcher = system.spawn(Member(Arc::clone(&watch)));
    let supervisor = system.supervisor(SupervisorOptions::new());
    let actors: Vec<_> = (0..rng.gen_range(1..4))
        .map(|_| {
            let member = Member(Arc::clone(&others));
            if thread_rng().r#gen() {
                supervisor.spawn(move || member.clone())
            } else {
                system.spawn(member)
            }
        })
        .collect();
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let actors = actors.clone();
            shuttle::thread::spawn(move || {
                act(&actors);
                let ended = actors[0].ended();
                drop(actors);
                ended
            })
        })
        .collect();
    for actor in &actors {
        let counted = watcher.ask(Deed::Count(actor.clone())).recv();
        let monitor = counted.expect("it lives").expect("it watches");
        if rng.gen_ratio(1, 4) && monitor.cancel() {
            watch.cancelled.fetch_add(1, Ordering::SeqCst);
        }
    }
    act(&actors);
    let waits: Vec<_> = threads
        .into_iter()
        .map(|thread| thread.join().expect("it does not panic"))
        .collect();
    for actor in &actors {
        actor.stop();
    }
    for actor in &actors {
        actor.ended().recv();
    }
    drop((actors, supervisor));
    for wait in waits {
        wait.recv();
    }
    let count = |of: &AtomicUsize| of.load(Ordering::SeqCst);
    await_that(|| count(&watch.told) + count(&watch.cancelled) == count(&watch.made));
    drop((watcher, system));
    assert!(pool.shutdown().is_ok(), "this thread is outside");
    assert_eq!(
        count(&watch.told) + count(&watch.cancelled),
        count(&watch.made),
        "told more than once"
    );
    await_that(|| Arc::strong_count(&watch) == 1 && Arc::strong_count(&others) == 1);
}

/// A row of actors, each linked with the next. One of them fails.
fn links() {
    let mut rng = thread_rng();
    let pool = tolerant_pool();
    let system = ActorSystem::new(&pool);
    let watch = Arc::new(Watch::default());
    let actors: Vec<_> = (0..rng.gen_range(2..5))
        .map(|_| system.spawn(Member(Arc::clone(&watch))))
        .collect();
    for pair in actors.windows(2) {
        let (one, other) = if thread_rng().r#gen() {
            (&pair[0], &pair[1])
        } else {
            (&pair[1], &pair[0])
        };
        let linked = one.ask(Deed::Link(other.clone())).recv();
        assert!(linked.is_ok_and(|monitor| monitor.is_none()));
    }
    let ends: Vec<_> = actors.iter().map(ActorRef::ended).collect();
    // They are linked already, if in the other direction.
    let linker = actors.clone();
    let linker = shuttle::thread::spawn(move || {
        let _ = linker[0].tell(Deed::Link(linker[1].clone()));
    });
    let failing = &actors[rng.gen_range(0..actors.len())];
    failing.tell(Deed::Fail).expect("it lives");
    for ended in ends {
        assert_eq!(ended.recv().reason(), ExitReason::Panicked);
    }
    linker.join().expect("it does not panic");
    drop((actors, system));
    assert!(pool.shutdown().is_ok(), "this thread is outside");
    await_that(|| Arc::strong_count(&watch) == 1);
}

/// Links itself with the other one when it starts.
struct Twin {
    other: Arc<Mutex<Option<WeakActorRef<Twin>>>>,
    starts: Arc<AtomicUsize>,
}

impl Twin {
    fn link(&self, context: &mut Context<Self>) {
        let other = lock(&self.other).clone();
        if let Some(other) = other.and_then(|other| other.upgrade()) {
            context.link(&other);
        }
    }
}

impl Actor for Twin {
    fn started(&mut self, context: &mut Context<Self>) {
        self.link(context);
        self.starts.fetch_add(1, Ordering::SeqCst);
    }
}

/// To handle nothing else until the other one has started twice.
struct AwaitStarts(Arc<AtomicUsize>);

impl Handler<AwaitStarts> for Twin {
    type Reply = ();

    fn handle(&mut self, AwaitStarts(starts): AwaitStarts, _: &mut Context<Self>) {
        await_that(|| starts.load(Ordering::SeqCst) == 2);
    }
}

impl Handler<bool> for Twin {
    type Reply = ();

    /// Panics, or links itself also if the other one was not there when it started.
    fn handle(&mut self, panics: bool, context: &mut Context<Self>) {
        if panics {
            std::panic::resume_unwind(Box::new("on purpose"));
        }
        self.link(context);
    }
}

/// Two supervised actors link each other whenever they start. One panics once: each fails once at
/// most. If one `is_late`, the other has started again when it comes to the notice.
fn twins(is_late: bool) {
    let pool = if is_late {
        let pool = Pool::builder().jobs(2).panic_handler(|_| {});
        pool.build().expect("nothing can fail here")
    } else {
        tolerant_pool()
    };
    let system = ActorSystem::new(&pool);
    let failures = Arc::new(AtomicUsize::new(0));
    let told = Arc::clone(&failures);
    system.on_failure(move |_, _| {
        told.fetch_add(1, Ordering::SeqCst);
    });
    let others = [(); 2].map(|()| Arc::new(Mutex::new(None)));
    let starts = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
    let any = || SupervisorOptions::new().max_restarts(usize::MAX, Duration::MAX);
    let supervisors = [(); 2].map(|()| system.supervisor(any()));
    let spawn = |number: usize| {
        let (other, starts) = (Arc::clone(&others[1 - number]), Arc::clone(&starts[number]));
        supervisors[number].spawn(move || Twin {
            other: Arc::clone(&other),
            starts: Arc::clone(&starts),
        })
    };
    let twins = [spawn(0), spawn(1)];
    for (place, twin) in others.iter().zip(&twins) {
        *lock(place) = Some(twin.downgrade());
    }
    if is_late {
        assert_eq!(twins[0].ask(false).recv(), Ok(()));
        let awaits = twins[1].tell(AwaitStarts(Arc::clone(&starts[0])));
        awaits.expect("it lives");
    }
    twins[0].tell(true).expect("it lives");
    if is_late {
        // What a failure sends, it sends before the next start. So it is before the stop below.
        await_that(|| starts[1].load(Ordering::SeqCst) == 2);
    }
    drop((twins, supervisors));
    assert!(system.shutdown(Instant::now() + FAR).is_complete());
    assert!(pool.shutdown().is_ok(), "this thread is outside");
    let failures = failures.load(Ordering::SeqCst);
    assert!((1..=2).contains(&failures), "{failures} failures");
}

#[test]
fn shuttle_linked_twins_fail_once() {
    for is_late in [false, true] {
        in_random_schedules(move || twins(is_late), iterations(2_000));
        with_few_preemptions(move || twins(is_late), iterations(1_000));
    }
}

#[test]
fn shuttle_plants_in_links() {
    must_catch(Plant::CauseForgotten, || {
        in_random_schedules(|| twins(true), 1_000);
    });
}

#[test]
fn shuttle_actors_end_and_are_watched() {
    in_random_schedules(ends, iterations(3_000));
    with_few_preemptions(ends, iterations(1_000));
}

#[test]
fn shuttle_linked_actors_fail() {
    in_random_schedules(links, iterations(3_000));
    with_few_preemptions(links, iterations(1_000));
}

#[test]
fn shuttle_plants_in_monitors() {
    must_catch(Plant::AttachTwoSteps, || {
        in_random_schedules(ends, 20_000);
    });
}
