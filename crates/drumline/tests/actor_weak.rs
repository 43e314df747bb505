//! Weak references: they keep no actor alive, and become references while there are others.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use common::{Event, eventually, pool, quiet_panic};
use drumline::Pool;
use drumline::actor::{
    Actor, ActorRef, ActorSystem, AskError, Context, Handler, Scheduler, SpawnOptions, ThreadActor,
    WeakActorRef,
};

/// Counts what it handles, until it is dropped.
struct Counter {
    handled: Arc<AtomicUsize>,
    _alive: Arc<()>,
    itself: Option<WeakActorRef<Counter>>,
}

impl Actor for Counter {}

/// What a counter is told.
enum Command {
    Count,
    Panic,
    /// To wait for this.
    Wait(Arc<Event>),
    Keep(WeakActorRef<Counter>),
    /// To say whether it can upgrade its reference to itself.
    Upgrade(Arc<AtomicUsize>),
}

impl Handler<Command> for Counter {
    type Reply = usize;

    fn handle(&mut self, command: Command, _: &mut Context<Self>) -> usize {
        match command {
            Command::Count => {}
            Command::Panic => quiet_panic("as it was told"),
            Command::Wait(event) => drumline::blocking(|| event.wait()),
            Command::Keep(itself) => self.itself = Some(itself),
            Command::Upgrade(upgraded) => {
                let own = self.itself.as_ref().and_then(WeakActorRef::upgrade);
                upgraded.store(1 + usize::from(own.is_some()), Ordering::SeqCst);
            }
        }
        self.handled.fetch_add(1, Ordering::SeqCst) + 1
    }
}

/// What a test knows of a counter besides references.
struct Traces {
    handled: Arc<AtomicUsize>,
    alive: Arc<()>,
}

impl Traces {
    fn new() -> Self {
        Traces {
            handled: Arc::default(),
            alive: Arc::default(),
        }
    }

    fn spawn(&self, system: &ActorSystem) -> ActorRef<Counter> {
        self.spawn_with(system, SpawnOptions::new())
    }

    fn spawn_with(&self, system: &ActorSystem, options: SpawnOptions) -> ActorRef<Counter> {
        let counter = Counter {
            handled: Arc::clone(&self.handled),
            _alive: Arc::clone(&self.alive),
            itself: None,
        };
        system.spawn_with(counter, options)
    }

    fn are_gone(&self) -> bool {
        Arc::strong_count(&self.alive) == 1
    }
}

#[test]
fn a_weak_reference_is_upgraded_while_there_is_another() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    for scheduler in [Scheduler::Managed, Scheduler::Pinned] {
        let traces = Traces::new();
        let counter = traces.spawn_with(&system, SpawnOptions::new().scheduler(scheduler));
        let weak = counter.downgrade();
        let other = weak.clone();
        drop(weak);
        let same = other.upgrade().expect("there is a reference");
        assert!(same == counter);
        drop(counter);
        // The upgraded one keeps it alive.
        assert_eq!(same.ask(Command::Count).recv(), Ok(1));
        let again = same.downgrade();
        drop(same);
        assert!(again.upgrade().is_none(), "no reference is left");
        eventually("the actor ends", || traces.are_gone());
        assert!(other.upgrade().is_none());
    }
}

#[test]
fn what_has_ended_is_not_upgraded() {
    let pool = Pool::builder().jobs(1).panic_handler(|_| ());
    let pool = pool.build().unwrap();
    let system = ActorSystem::new(&pool);
    let ends: [fn(&ActorRef<Counter>); 3] = [ActorRef::stop, ActorRef::stop_now, |counter| {
        drop(counter.tell(Command::Panic))
    }];
    for end in ends {
        let traces = Traces::new();
        let counter = traces.spawn(&system);
        let weak = counter.downgrade();
        end(&counter);
        eventually("the actor ends", || !counter.is_alive());
        assert!(weak.upgrade().is_none());
        // Nor when it is made afterwards.
        assert!(counter.downgrade().upgrade().is_none());
        drop(counter);
        assert!(weak.upgrade().is_none());
    }
}

#[test]
fn killed_actors_are_not_upgraded() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let traces = Traces::new();
    let counter = traces.spawn(&system);
    let weak = counter.downgrade();
    let event = Arc::new(Event::new());
    counter.tell(Command::Wait(Arc::clone(&event))).unwrap();
    counter.stop_now();
    assert!(weak.upgrade().is_none(), "it is about to end");
    event.set();
    assert_eq!(counter.ask(Command::Count).recv(), Err(AskError::Dead));
}

/// An actor that has a weak reference to itself ends with its last reference, after its messages.
#[test]
fn weak_circles_end() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let traces = Traces::new();
    let counter = traces.spawn(&system);
    let (event, upgraded) = (Arc::new(Event::new()), Arc::default());
    counter.tell(Command::Keep(counter.downgrade())).unwrap();
    counter.tell(Command::Wait(Arc::clone(&event))).unwrap();
    counter
        .tell(Command::Upgrade(Arc::clone(&upgraded)))
        .unwrap();
    drop(counter);
    event.set();
    eventually("the actor ends", || traces.are_gone());
    assert_eq!(upgraded.load(Ordering::SeqCst), 1, "no reference was left");
    assert_eq!(traces.handled.load(Ordering::SeqCst), 3);
}

#[test]
fn functions_have_weak_references() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let event = Arc::new(Event::new());
    let ends = Arc::clone(&event);
    let sum: ActorRef<ThreadActor<u32>> = system
        .spawn_thread(move |inbox| {
            while inbox.receive().is_some() {}
            ends.set();
        })
        .unwrap();
    let weak = sum.downgrade();
    assert!(weak.upgrade().is_some_and(|sum| sum.tell(1).is_ok()));
    drop(sum);
    event.wait();
    assert!(weak.upgrade().is_none());
}

/// The memory of an actor is used again for the next one, and no weak reference to the first is
/// upgraded to that.
#[test]
fn addresses_come_again() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let mut weak: Vec<WeakActorRef<Counter>> = Vec::new();
    for _ in 0..200 {
        let traces = Traces::new();
        let counter = traces.spawn(&system);
        assert!(weak.iter().all(|weak| weak.upgrade().is_none()));
        weak.push(counter.downgrade());
        drop(counter);
        eventually("the actor ends", || traces.are_gone());
    }
    drop(system);
}

/// Threads upgrade while the last reference is dropped. What is told by an upgraded one is handled.
#[test]
fn upgrades_race_with_the_last_reference() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let told = AtomicUsize::new(0);
    let all = Traces::new();
    for _ in 0..500 {
        let counter = all.spawn(&system);
        let weak = counter.downgrade();
        thread::scope(|scope| {
            let upgrade = || {
                while let Some(counter) = weak.upgrade() {
                    assert!(counter.tell(Command::Count).is_ok(), "it is alive");
                    told.fetch_add(1, Ordering::SeqCst);
                }
            };
            scope.spawn(upgrade);
            scope.spawn(move || drop(counter));
        });
    }
    eventually("all end", || all.are_gone());
    assert_eq!(all.handled.load(Ordering::SeqCst), told.into_inner());
    assert_eq!(system.dead_letters(), 0);
}
