//! Links and monitors in cases that few programs come to: actors without references, links that
//! are made from both sides at once, and many panics at once.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use common::actors::{Call, Caller, caller, inside, tolerant_pool};
use common::{Event, Random, quiet_panic};
use drumline::actor::{
    Actor, ActorRef, ActorSystem, Context, Exit, ExitReason, HandScheduler, Handler, SpawnOptions,
    SupervisorOptions, WeakActorRef,
};

type Watcher = Caller<Exit>;

fn crash(actor: &ActorRef<Watcher>) {
    let call: Call<Exit> = Box::new(|_| quiet_panic("on purpose"));
    actor.tell(call).unwrap();
}

/// Has an actor watch another one by `watch` while no reference to it is left, and that one end by
/// `end`. Then the actor makes a reference to itself, which comes back.
fn revived_after(
    system: &ActorSystem,
    watcher: ActorRef<Watcher>,
    watch: impl FnOnce(&mut Context<Watcher>, &ActorRef<Watcher>) + Send + 'static,
    end: impl FnOnce(&ActorRef<Watcher>),
) -> ActorRef<Watcher> {
    let (other, _exits) = caller(system);
    let go_on = Arc::new(Event::new());
    let (watches, is_watching) = mpsc::channel();
    let (revive, revived) = mpsc::channel();
    let (watched, until) = (other.clone(), Arc::clone(&go_on));
    let call: Call<Exit> = Box::new(move |context| {
        watch(context, &watched);
        watches.send(()).unwrap();
        drumline::blocking(|| until.wait());
        revive.send(context.actor_ref()).unwrap();
    });
    watcher.tell(call).unwrap();
    is_watching.recv().unwrap();
    drop(watcher);
    // Those that watch are told in the order in which they began.
    let has_ended = other.ended();
    end(&other);
    has_ended.recv();
    go_on.set();
    revived.recv().unwrap()
}

#[test]
fn an_actor_without_references_is_told_of_an_end() {
    let pool = tolerant_pool(2);
    let system = ActorSystem::new(&pool);
    let (watcher, exits) = caller(&system);
    let watch = |context: &mut Context<Watcher>, other: &ActorRef<Watcher>| {
        context.monitor(other);
    };
    let watcher = revived_after(&system, watcher, watch, ActorRef::stop);
    assert_eq!(exits.recv().unwrap().reason(), ExitReason::Stopped);
    drop(watcher);
    assert!(exits.recv().is_err(), "it has not become immortal");
}

#[test]
fn an_actor_without_references_fails_with_a_linked_one() {
    let pool = tolerant_pool(2);
    let system = ActorSystem::new(&pool);
    let (watcher, _exits) = caller(&system);
    let link = |context: &mut Context<Watcher>, other: &ActorRef<Watcher>| {
        context.link(other);
    };
    let watcher = revived_after(&system, watcher, link, crash);
    assert_eq!(watcher.ended().recv().reason(), ExitReason::Panicked);
}

/// Says that it is there, and waits until two have said so.
fn meet(arrived: &AtomicUsize) {
    arrived.fetch_add(1, Ordering::SeqCst);
    while arrived.load(Ordering::SeqCst) < 2 {
        std::thread::yield_now();
    }
}

#[test]
fn a_link_that_both_have_made_at_once_is_cut_by_either() {
    let pool = tolerant_pool(4);
    let system = ActorSystem::new(&pool);
    for _ in 0..1_000 {
        let [one, other] = [(); 2].map(|()| caller::<Exit>(&system).0);
        let arrived = Arc::new(AtomicUsize::new(0));
        let (send, links) = mpsc::channel();
        for (own, peer) in [(&one, &other), (&other, &one)] {
            let (peer, arrived, send) = (peer.clone(), Arc::clone(&arrived), send.clone());
            let call: Call<Exit> = Box::new(move |context| {
                meet(&arrived);
                send.send(context.link(&peer)).unwrap();
            });
            own.tell(call).unwrap();
        }
        let made = [links.recv().unwrap(), links.recv().unwrap()];
        assert!(made[0].cut());
        assert!(!made[1].cut(), "it is one link");
        let ended = one.ended();
        crash(&one);
        ended.recv();
        inside(&other, |_| ());
        assert!(other.is_alive());
    }
}

/// Is linked with some others whenever it starts.
struct Knot {
    linked: Vec<usize>,
    all: Arc<Mutex<Vec<WeakActorRef<Knot>>>>,
}

impl Actor for Knot {
    fn started(&mut self, context: &mut Context<Self>) {
        let all = self.all.lock().unwrap().clone();
        for other in self.linked.iter().filter_map(|number| all.get(*number)) {
            if let Some(other) = other.upgrade() {
                context.link(&other);
            }
        }
    }
}

impl Handler<String> for Knot {
    type Reply = ();

    fn handle(&mut self, why: String, _: &mut Context<Self>) {
        quiet_panic(why);
    }
}

/// Has this many supervised actors fail of this many panics, in an order that comes from the seed.
/// Returns for each failure the actor and the panic.
fn failures(actors: usize, panics: usize, seed: usize) -> Vec<(String, String)> {
    let pool = tolerant_pool(1);
    let by_hand = HandScheduler::new(seed);
    let builder = ActorSystem::builder().scheduler(by_hand.scheduler());
    let system = builder.build(&pool);
    let (send, failures) = mpsc::channel();
    system.on_failure(move |failure, _| {
        // A linked actor says last what the first one has said.
        let cause = failure.panic_message().rsplit(": ").next().unwrap();
        let _ = send.send((failure.actor().to_owned(), cause.to_owned()));
    });
    let any = SupervisorOptions::new().max_restarts(usize::MAX, Duration::from_secs(3_600));
    let supervisor = system.supervisor(any);
    let mut random = Random::new(seed as u64);
    let all = Arc::<Mutex<Vec<_>>>::default();
    let knots: Vec<_> = (0..actors)
        .map(|number| {
            let linked: Vec<_> = (0..actors).filter(|_| random.below(4) > 0).collect();
            let mine = Arc::clone(&all);
            let make = move || Knot {
                linked: linked.clone(),
                all: Arc::clone(&mine),
            };
            let options = SpawnOptions::new().name(number.to_string());
            let knot = supervisor.spawn_with(make, options);
            all.lock().unwrap().push(knot.downgrade());
            knot
        })
        .collect();
    by_hand.run_until_idle();
    for number in 0..panics {
        let knot = &knots[random.below(actors as u64) as usize];
        knot.tell(format!("panic {number}")).unwrap();
        if random.below(2) > 0 {
            by_hand.step();
        }
    }
    by_hand.run_until_idle();
    failures.try_iter().collect()
}

#[test]
fn no_actor_fails_twice_of_one_of_many_panics() {
    for seed in 0..12 {
        let mut failures = failures(36, 48, seed);
        let count = failures.len();
        failures.sort();
        failures.dedup();
        assert_eq!(failures.len(), count, "seed {seed}");
    }
}
