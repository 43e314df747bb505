//! Probes: actors for tests.

mod common;

use std::time::Duration;

use common::{FOREVER, eventually, pool};
use drumline::actor::{ActorSystem, Probe, TellError};

#[test]
fn a_probe_shows_what_it_was_told_in_order() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let mut probe = Probe::new(&system);
    assert_eq!(probe.try_next(), None);
    let recipient = probe.recipient();
    for number in 0..10 {
        recipient.tell(number).unwrap();
    }
    for number in 0..10 {
        assert_eq!(probe.expect(FOREVER), number);
    }
    assert_eq!(probe.try_next(), None);
    drop(probe);
    recipient.tell(10).unwrap();
    drop(recipient);
    eventually("it is dead", || system.actors() == 0);
}

#[test]
#[should_panic(expected = "told nothing for 1ms")]
fn a_probe_expects_in_vain() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    Probe::<u32>::new(&system).expect(Duration::from_millis(1));
}

#[test]
#[should_panic(expected = "the probe has ended")]
fn a_probe_that_was_stopped_expects_nothing() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let mut probe = Probe::new(&system);
    let actor = probe.actor_ref();
    actor.stop();
    // Not dead alone: what comes before its mailbox is empty is taken, and is a dead letter.
    actor.ended().recv();
    assert_eq!(actor.tell(1), Err(TellError::Dead(1)));
    probe.expect(FOREVER);
}
