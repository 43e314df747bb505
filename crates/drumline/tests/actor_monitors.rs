//! Monitors, links, and waiting for the end of an actor.

mod common;

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use common::actors::{Call, Caller, caller, inside, tolerant_pool as pool};
use common::eventually;
use drumline::actor::{
    Actor, ActorRef, ActorSystem, AsyncContext, AsyncHandler, Context, Exit, ExitReason,
    FailureOutcome, Handler, Inbox, Link, Monitor, Overflow, SpawnOptions, SupervisorOptions,
    WeakActorRef,
};

/// As long as a test may wait for what is not to come to an end otherwise.
const LONG: Duration = Duration::from_secs(3_600);

type Watcher = Caller<Exit>;

fn monitor(watcher: &ActorRef<Watcher>, other: &ActorRef<Watcher>) -> Monitor {
    let other = other.clone();
    inside(watcher, move |context| context.monitor(&other))
}

fn link(one: &ActorRef<Watcher>, other: &ActorRef<Watcher>) -> Link {
    let other = other.clone();
    inside(one, move |context| context.link(&other))
}

fn fail(actor: &ActorRef<Watcher>, why: &'static str) {
    let call: Call<Exit> = Box::new(move |_| panic!("{why}"));
    actor.tell(call).unwrap();
}

/// An actor that is told of the end of `actor` is told this.
fn exit_of(end: impl FnOnce(&ActorRef<Watcher>)) -> Exit {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (watched, _exits) = caller(&system);
    let (watcher, exits) = caller(&system);
    let monitor = monitor(&watcher, &watched);
    let ended = watched.ended();
    end(&watched);
    drop(watched);
    let exit = exits.recv().unwrap();
    assert!(exit.is_of(monitor));
    let other = ended.recv();
    assert_eq!((exit.name(), exit.reason()), (other.name(), other.reason()));
    assert_eq!(exit.panic_message(), other.panic_message());
    drop(watcher);
    assert!(exits.recv().is_err(), "told once");
    exit
}

#[test]
fn reasons_are_told() {
    let exit = exit_of(ActorRef::stop);
    assert_eq!(
        (exit.reason(), exit.panic_message()),
        (ExitReason::Stopped, None)
    );
    assert_eq!(exit.to_string(), "Caller<Exit> has stopped");

    let exit = exit_of(ActorRef::stop_now);
    assert_eq!(exit.reason(), ExitReason::Killed);
    assert_eq!(exit.to_string(), "Caller<Exit> was killed");

    let exit = exit_of(|actor| fail(actor, "out of paper"));
    assert_eq!(exit.reason(), ExitReason::Panicked);
    assert_eq!(exit.panic_message(), Some("out of paper"));
    assert_eq!(exit.to_string(), "Caller<Exit> has panicked: out of paper");

    // The last reference is dropped.
    assert_eq!(exit_of(|_| ()).reason(), ExitReason::Stopped);

    let stops_itself = |actor: &ActorRef<Watcher>| inside(actor, |context| context.stop_now());
    assert_eq!(exit_of(stops_itself).reason(), ExitReason::Stopped);
}

#[test]
fn an_actor_that_has_ended_is_told_of_at_once() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (watcher, exits) = caller(&system);
    for (end, reason) in [
        (
            ActorRef::stop as fn(&ActorRef<Watcher>),
            ExitReason::Stopped,
        ),
        (|actor| fail(actor, "lost"), ExitReason::Panicked),
    ] {
        let (watched, _exits) = caller(&system);
        end(&watched);
        assert_eq!(watched.ended().recv().reason(), reason);
        let monitor = monitor(&watcher, &watched);
        let exit = exits.recv().unwrap();
        assert!(exit.is_of(monitor));
        assert_eq!((exit.reason(), exit.panic_message()), (reason, None));
        let ended = watched.ended();
        assert!(ended.is_ready());
        assert_eq!(ended.recv().reason(), reason);
    }
}

#[test]
fn the_end_comes_after_the_hook_and_the_state() {
    struct Slow(Sender<&'static str>);
    impl Actor for Slow {
        fn stopped(&mut self, _: &mut Context<Self>) {
            self.0.send("stopped").unwrap();
        }
    }
    impl Drop for Slow {
        fn drop(&mut self) {
            self.0.send("dropped").unwrap();
        }
    }
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, events) = mpsc::channel();
    let slow = system.spawn(Slow(send));
    let ended = slow.ended();
    slow.stop();
    ended.recv();
    assert_eq!(
        events.try_iter().collect::<Vec<_>>(),
        ["stopped", "dropped"]
    );
}

#[test]
fn each_monitor_is_told_unless_it_is_cancelled() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (watched, _exits) = caller(&system);
    let (watcher, exits) = caller(&system);
    let monitors: Vec<Monitor> = (0..10).map(|_| monitor(&watcher, &watched)).collect();
    for monitor in monitors.iter().step_by(2) {
        assert!(monitor.cancel());
        assert!(!monitor.cancel());
    }
    watched.stop();
    drop(watcher);
    // The watcher has no reference, but is alive until it has handled what it was sent.
    let told: Vec<Exit> = exits.iter().collect();
    assert!(told.len() <= 5);
    for exit in &told {
        let of: Vec<_> = monitors
            .iter()
            .filter(|monitor| exit.is_of(**monitor))
            .collect();
        assert_eq!(of.len(), 1);
        assert!(!of[0].cancel(), "it has been told");
    }

    let (watched, _exits) = caller(&system);
    let (watcher, exits) = caller(&system);
    let monitors: Vec<Monitor> = (0..10).map(|_| monitor(&watcher, &watched)).collect();
    for monitor in monitors.iter().step_by(2) {
        assert!(monitor.cancel());
    }
    watched.stop();
    let told: Vec<Exit> = exits.iter().take(5).collect();
    let told = monitors
        .iter()
        .map(|monitor| told.iter().filter(|exit| exit.is_of(*monitor)).count());
    assert_eq!(told.collect::<Vec<_>>(), [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    drop(watcher);
    assert!(exits.recv().is_err());
}

#[test]
fn monitors_keep_no_actor_alive() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (one, ones) = caller(&system);
    let (other, others) = caller(&system);
    monitor(&one, &other);
    monitor(&other, &one);
    link(&one, &other);
    drop((one, other));
    // Whichever ends first, the other one may be told, or not, and both end.
    assert!(ones.iter().count() <= 1);
    assert!(others.iter().count() <= 1);
}

#[test]
fn an_actor_that_watches_itself_is_told_nothing() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (actor, exits) = caller(&system);
    let own = actor.downgrade();
    let handles = inside(&actor, move |context| {
        let own = own.upgrade().unwrap();
        (context.monitor(&own), context.link(&own))
    });
    assert!(!handles.0.cancel() && !handles.1.cut());
    actor.stop();
    assert!(exits.recv().is_err());
    assert_eq!(system.dead_letters(), 0);
}

#[test]
fn a_full_mailbox_has_room_for_an_end() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, exits) = mpsc::channel();
    let options = SpawnOptions::new().bounded(1, Overflow::Wait).counted();
    let watcher = system.spawn_with(Caller(send), options);
    for _ in 0..3 {
        let (watched, _exits) = caller(&system);
        monitor(&watcher, &watched);
        let (release, held) = mpsc::channel::<()>();
        let hold: Call<Exit> = Box::new(move |_| {
            let _ = drumline::blocking(|| held.recv());
        });
        watcher.tell(hold).unwrap();
        watched.stop();
        watched.ended().recv();
        // The mailbox is full as well.
        let nothing: Call<Exit> = Box::new(|_| ());
        let _ = watcher.try_tell(nothing);
        drop(release);
        assert_eq!(exits.recv().unwrap().reason(), ExitReason::Stopped);
    }
}

#[test]
fn an_actor_that_starts_again_has_not_ended() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let supervisor = system.supervisor(SupervisorOptions::new().max_restarts(2, LONG));
    let (send, _exits) = mpsc::channel();
    let watched = supervisor.spawn(move || Caller(send.clone()));
    let (watcher, exits) = caller(&system);
    let (send, own_exits) = mpsc::channel();
    let restarted = supervisor.spawn(move || Caller(send.clone()));
    monitor(&watcher, &watched);
    // That of an actor that is started again stays.
    monitor(&restarted, &watched);
    fail(&restarted, "for the monitor");
    inside(&restarted, |_| ());
    let mut ended = watched.ended();
    fail(&watched, "once");
    inside(&watched, |_| ());
    assert!(!ended.is_ready());
    assert_eq!(ended.recv_timeout(Duration::ZERO), None);
    assert!(exits.try_recv().is_err());
    // Too many.
    fail(&watched, "twice");
    let exit = exits.recv().unwrap();
    assert_eq!(exit.reason(), ExitReason::Panicked);
    assert_eq!(
        ended.recv_timeout(LONG).as_ref().map(Exit::reason),
        Some(exit.reason())
    );
    assert_eq!(
        ended.recv().reason(),
        exit.reason(),
        "it can be asked again"
    );
    // The supervisor has given up, so its other actor ends, too; it may have been told before.
    drop(restarted);
    assert!(own_exits.iter().count() <= 1);
}

#[test]
fn linked_actors_fail_together() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    // A chain: each is linked with the next.
    let chain: Vec<_> = (0..20).map(|_| caller(&system)).collect();
    for pair in chain.windows(2) {
        link(&pair[0].0, &pair[1].0);
    }
    let ends: Vec<_> = chain.iter().map(|(actor, _)| actor.ended()).collect();
    fail(&chain[10].0, "the first cause");
    for (ended, at) in ends.into_iter().zip(0_usize..) {
        let exit = ended.recv();
        assert_eq!(exit.reason(), ExitReason::Panicked);
        // It does not grow with the chain.
        let expected = match at.abs_diff(10) {
            0 => "the first cause",
            1 => "a linked actor has failed: Caller<Exit>: the first cause",
            _ => {
                "a linked actor has failed: Caller<Exit>, \
                 because of Caller<Exit>: the first cause"
            }
        };
        assert_eq!(exit.panic_message(), Some(expected));
    }
}

#[test]
fn a_link_ends_with_either_actor_or_when_it_is_cut() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (one, _ones) = caller(&system);
    for end in [ActorRef::stop, ActorRef::stop_now] {
        let (other, _others) = caller(&system);
        let made = link(&one, &other);
        end(&other);
        other.ended().recv();
        inside(&one, |_| ());
        assert!(one.is_alive());
        assert!(!made.cut(), "it is gone");
    }
    let (other, _others) = caller(&system);
    let made = link(&one, &other);
    assert!(made.cut());
    fail(&other, "alone");
    other.ended().recv();
    inside(&one, |_| ());
    // One that a panic has ended before.
    let ended = one.ended();
    let call: Call<Exit> = Box::new(move |context| {
        context.link(&other);
    });
    one.tell(call).unwrap();
    let exit = ended.recv();
    assert_eq!(
        exit.panic_message(),
        Some("a linked actor has failed: Caller<Exit>")
    );
}

#[test]
fn a_supervisor_starts_linked_actors_again() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (failures, failed) = mpsc::channel();
    system.on_failure(move |failure, outcome| {
        let _ = failures.send((failure.panic_message().to_owned(), outcome));
    });
    let supervisor = system.supervisor(SupervisorOptions::new().max_restarts(10, LONG));
    let (send, _exits) = mpsc::channel();
    let other = send.clone();
    let one = supervisor.spawn(move || Caller(send.clone()));
    let two = supervisor.spawn(move || Caller(other.clone()));
    for _ in 0..3 {
        link(&one, &two);
        fail(&one, "down");
        let mut both: Vec<_> = failed.iter().take(2).collect();
        both.sort_by_key(|(message, _)| message.len());
        assert_eq!(both[0], ("down".to_owned(), FailureOutcome::Restarts));
        assert_eq!(both[1].0, "a linked actor has failed: Caller<Exit>: down");
        assert_eq!(both[1].1, FailureOutcome::Restarts);
        inside(&two, |_| ());
    }
    // The states of now are not linked.
    fail(&one, "alone");
    inside(&one, |_| ());
    inside(&two, |_| ());
    assert_eq!(failed.try_iter().count(), 1);
}

/// Is linked with all others, whenever it starts.
struct Knot {
    others: Arc<Mutex<Vec<WeakActorRef<Knot>>>>,
    incarnation: usize,
}

impl Actor for Knot {
    fn started(&mut self, context: &mut Context<Self>) {
        let others = self.others.lock().unwrap().clone();
        for other in others.iter().filter_map(WeakActorRef::upgrade) {
            context.link(&other);
        }
    }
}

impl Handler<bool> for Knot {
    type Reply = usize;
    fn handle(&mut self, panics: bool, _: &mut Context<Self>) -> usize {
        assert!(!panics, "as it was told");
        self.incarnation
    }
}

#[test]
fn a_panic_does_not_go_round_in_circles() {
    const ACTORS: usize = 10;
    for _ in 0..50 {
        let pool = pool(2);
        let system = ActorSystem::new(&pool);
        let any = || SupervisorOptions::new().max_restarts(usize::MAX, LONG);
        let supervisors = [system.supervisor(any()), system.supervisor(any())];
        let others = Arc::<Mutex<Vec<_>>>::default();
        let actors: Vec<ActorRef<Knot>> = (0..ACTORS)
            .map(|number| {
                let (mine, mut incarnation) = (Arc::clone(&others), 0);
                let actor = supervisors[number % 2].spawn(move || {
                    incarnation += 1;
                    Knot {
                        others: Arc::clone(&mine),
                        incarnation,
                    }
                });
                others.lock().unwrap().push(actor.downgrade());
                actor
            })
            .collect();
        let incarnations = || actors.iter().map(|actor| actor.ask(false).recv());
        // All have started, and each is linked with those that were there.
        assert!(incarnations().all(|answer| answer == Ok(1)));
        let panics = actors[0].ask(true).recv();
        assert!(panics.is_err());
        eventually("all have failed", || {
            incarnations().all(|answer| answer.is_ok_and(|incarnation| incarnation > 1))
        });
        for _ in 0..3 {
            assert!(incarnations().all(|answer| answer == Ok(2)), "once");
        }
        assert_eq!(system.stats().restarts, ACTORS);
    }
}

/// Watches and links in a handler that awaits.
struct Awaiter(Sender<Exit>);

impl Actor for Awaiter {}

impl AsyncHandler<ActorRef<Watcher>> for Awaiter {
    type Reply = ();
    async fn handle(&mut self, other: ActorRef<Watcher>, context: AsyncContext<Self>) {
        context.monitor(&other);
        let link = context.link(&other);
        assert!(link.cut());
        other.stop();
        let exit = other.ended().await;
        let _ = self.0.send(exit);
    }
}

impl Handler<Exit> for Awaiter {
    type Reply = ();
    fn handle(&mut self, exit: Exit, _: &mut Context<Self>) {
        let _ = self.0.send(exit);
    }
}

#[test]
fn handlers_that_await_watch_others() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, exits) = mpsc::channel();
    let awaiter = system.spawn(Awaiter(send));
    let (other, _exits) = caller(&system);
    awaiter.tell(other).unwrap();
    assert_eq!(exits.recv().unwrap().reason(), ExitReason::Stopped);
    assert_eq!(exits.recv().unwrap().reason(), ExitReason::Stopped);
}

#[test]
fn actors_with_threads_are_watched() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (watcher, exits) = caller(&system);
    for (fails, reason) in [(false, ExitReason::Stopped), (true, ExitReason::Panicked)] {
        let body = move |inbox: &mut Inbox<()>| {
            inbox.receive();
            assert!(!fails, "as it was told");
        };
        let actor = system.spawn_thread(body).unwrap();
        let other = actor.clone();
        inside(&watcher, move |context| context.monitor(&other));
        actor.tell(()).unwrap();
        assert_eq!(exits.recv().unwrap().reason(), reason);
        assert_eq!(actor.ended().recv().reason(), reason);
    }
}

#[test]
fn a_wait_that_is_given_up_leaves_nothing() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (actor, _exits) = caller::<Exit>(&system);
    for _ in 0..100 {
        let mut ended = actor.ended();
        assert_eq!(ended.recv_timeout(Duration::ZERO), None);
    }
    let ended = actor.ended();
    let waiting = thread::spawn(move || ended.recv());
    drop(actor);
    assert_eq!(waiting.join().unwrap().reason(), ExitReason::Stopped);
}

#[test]
fn many_actors_watch_each_other_and_end_at_random() {
    const ACTORS: usize = 60;
    let mut random = common::Random::new(11);
    for _ in 0..20 {
        let pool = pool(2);
        let system = ActorSystem::new(&pool);
        let (watcher, exits) = caller(&system);
        let actors: Vec<_> = (0..ACTORS).map(|_| caller(&system).0).collect();
        let mut monitors = Vec::new();
        let threads: Vec<_> = actors
            .chunks(ACTORS / 3)
            .map(|actors| {
                let actors = actors.to_vec();
                let mut random = common::Random::new(random.number());
                thread::spawn(move || {
                    for actor in actors {
                        match random.below(3) {
                            0 => actor.stop(),
                            1 => actor.stop_now(),
                            _ => fail(&actor, "at random"),
                        }
                    }
                })
            })
            .collect();
        let expected = actors.len();
        for actor in &actors {
            let monitor = monitor(&watcher, actor);
            monitors.push(monitor);
        }
        let told: Vec<Exit> = exits.iter().take(expected).collect();
        for monitor in monitors {
            let of = told.iter().filter(|exit| exit.is_of(monitor)).count();
            assert_eq!(of, 1, "each is told once");
        }
        for thread in threads {
            thread.join().unwrap();
        }
        drop(watcher);
        assert!(exits.recv().is_err());
    }
}

#[test]
fn an_actor_that_ends_takes_its_monitors_along() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (watched, _exits) = caller(&system);
    let weak: Vec<WeakActorRef<Watcher>> = (0..100)
        .map(|_| {
            let (watcher, _exits) = caller(&system);
            monitor(&watcher, &watched);
            watcher.stop();
            watcher.ended().recv();
            watcher.downgrade()
        })
        .collect();
    eventually("they end", || {
        weak.iter().all(|weak| weak.upgrade().is_none())
    });
    watched.stop();
    watched.ended().recv();
    assert_eq!(system.dead_letters(), 0);
}

#[test]
fn an_actor_that_waits_for_its_restart_has_panicked_when_its_supervisor_gives_up() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let options = SupervisorOptions::new().max_restarts(1, LONG);
    let supervisor = system.supervisor(options.backoff(LONG, LONG));
    let [first, second, third] = [(); 3].map(|()| {
        let (send, _exits) = mpsc::channel();
        supervisor.spawn(move || Caller::<Exit>(send.clone()))
    });
    let ends = [&first, &second, &third].map(ActorRef::ended);
    let (send, outcomes) = mpsc::channel();
    system.on_failure(move |_, outcome| send.send(outcome).unwrap());
    fail(&first, "it waits for its restart");
    assert_eq!(outcomes.recv(), Ok(FailureOutcome::Restarts));
    fail(&second, "one too many");
    let reasons = ends.map(|ended| ended.recv().reason());
    let expected = [
        ExitReason::Panicked,
        ExitReason::Panicked,
        ExitReason::Killed,
    ];
    assert_eq!(reasons, expected);
    assert_eq!(system.stats().panicked, 2);
}
