//! Links and monitors in cases that few programs come to: actors without references, links that
//! are made from both sides at once, and many panics at once.

mod common;

use std::sync::{Arc, mpsc};

use common::actors::{Call, Caller, caller, inside, tolerant_pool};
use common::{Event, quiet_panic};
use drumline::actor::{ActorRef, ActorSystem, Context, Exit, ExitReason};

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
