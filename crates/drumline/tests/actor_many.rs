//! A million actors begin and end. Each is started, stopped and dropped once, none is left, and the
//! messages that they did not come to are dead letters.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use common::{FOREVER, eventually, pool};
use drumline::actor::{Actor, ActorRef, ActorSystem, Context, Handler};

/// Actors of a test.
const ACTORS: usize = 1_000_000;
/// Those that are started before the next look.
const BATCH: usize = 50_000;

/// What has happened to actors.
#[derive(Default)]
struct Tally {
    started: AtomicUsize,
    stopped: AtomicUsize,
    dropped: AtomicUsize,
    handled: AtomicUsize,
    /// Messages that were dropped, handled or not.
    messages: AtomicUsize,
}

impl Tally {
    /// Counts, in the order of the fields.
    fn counts(&self) -> [usize; 5] {
        let Tally {
            started,
            stopped,
            dropped,
            handled,
            messages,
        } = self;
        [started, stopped, dropped, handled, messages].map(|count| count.load(Ordering::SeqCst))
    }
}

struct Brief(Arc<Tally>);

impl Actor for Brief {
    fn started(&mut self, _: &mut Context<Self>) {
        self.0.started.fetch_add(1, Ordering::SeqCst);
    }

    fn stopped(&mut self, _: &mut Context<Self>) {
        self.0.stopped.fetch_add(1, Ordering::SeqCst);
    }
}

impl Drop for Brief {
    fn drop(&mut self) {
        self.0.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

/// A message that is counted when it is dropped.
struct Note(Arc<Tally>);

impl Drop for Note {
    fn drop(&mut self) {
        self.0.messages.fetch_add(1, Ordering::SeqCst);
    }
}

impl Handler<Note> for Brief {
    type Reply = ();

    fn handle(&mut self, _: Note, _: &mut Context<Self>) {
        self.0.handled.fetch_add(1, Ordering::SeqCst);
    }
}

/// The same, for an actor that is to end with it.
struct Last(Note);

impl Handler<Last> for Brief {
    type Reply = ();

    fn handle(&mut self, Last(_note): Last, context: &mut Context<Self>) {
        self.0.handled.fetch_add(1, Ordering::SeqCst);
        context.stop_now();
    }
}

/// Starts a batch of actors, each with what `tell` tells it.
fn batch(system: &ActorSystem, tally: &Arc<Tally>, tell: impl Fn(usize, ActorRef<Brief>)) {
    for number in 0..BATCH {
        tell(number, system.spawn(Brief(Arc::clone(tally))));
    }
}

/// Each actor gets a message. A third of them is stopped behind it, a third stops itself, and the
/// others end with their last reference.
#[test]
fn a_million_actors_begin_and_end() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let tally = Arc::new(Tally::default());
    let memory = Arc::new(());
    let kept = Arc::clone(&memory);
    system.on_dead_letter(move |_| drop(Arc::clone(&kept)));
    for begun in (0..ACTORS).step_by(BATCH) {
        batch(&system, &tally, |number, actor| {
            let note = Note(Arc::clone(&tally));
            let told = match number % 3 {
                0 => actor.tell(Last(note)).is_ok(),
                _ => actor.tell(note).is_ok(),
            };
            assert!(told, "it is alive");
            if number % 3 == 1 {
                actor.stop();
            }
        });
        eventually("all begin and end", || {
            tally.counts() == [begun + BATCH; 5] && system.actors() == 0
        });
    }
    assert_eq!(system.dead_letters(), 0);
    assert!(system.shutdown(Instant::now() + FOREVER).is_complete());
    drop((system, pool));
    // The memory of an actor keeps its system.
    eventually("all memory is given back", || {
        Arc::strong_count(&memory) == 1
    });
    assert_eq!(Arc::strong_count(&tally), 1);
}

/// Each actor gets one message behind its end. It comes back, or is a dead letter.
#[test]
fn messages_for_many_dead_actors_are_accounted_for() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let tally = Arc::new(Tally::default());
    let back = AtomicUsize::new(0);
    for _ in 0..2 {
        batch(&system, &tally, |number, actor| {
            if number % 2 == 0 {
                actor.stop();
            } else {
                actor.stop_now();
            }
            if let Err(error) = actor.tell(Note(Arc::clone(&tally))) {
                drop(error.into_inner());
                back.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
    eventually("all end", || {
        let [_, _, dropped, _, messages] = tally.counts();
        (dropped, messages, system.actors()) == (2 * BATCH, 2 * BATCH, 0)
    });
    let [started, stopped, _, handled, _] = tally.counts();
    assert_eq!(handled, 0);
    // One that is killed early enough is not started.
    assert!((BATCH..=2 * BATCH).contains(&started), "{started}");
    assert_eq!(started, stopped);
    assert_eq!(system.dead_letters() + back.into_inner(), 2 * BATCH);
}

/// All are idle when their system ends, or its pool.
#[test]
fn many_idle_actors_end_with_their_system() {
    for ends_with_pool in [false, true] {
        let pool = pool(2);
        let system = ActorSystem::new(&pool);
        let tally = Arc::new(Tally::default());
        let mut actors = Vec::with_capacity(2 * BATCH);
        for _ in 0..2 {
            for _ in 0..BATCH {
                actors.push(system.spawn(Brief(Arc::clone(&tally))));
            }
        }
        assert_eq!(system.actors(), 2 * BATCH);
        if ends_with_pool {
            assert!(pool.shutdown().is_ok(), "this thread is outside");
        } else {
            assert!(system.shutdown(Instant::now() + FOREVER).is_complete());
        }
        assert_eq!(system.actors(), 0);
        assert_eq!(tally.counts(), [2 * BATCH, 2 * BATCH, 2 * BATCH, 0, 0]);
        for actor in &actors {
            assert!(!actor.is_alive());
            assert!(actor.tell(Note(Arc::clone(&tally))).is_err(), "it is dead");
        }
        assert_eq!(system.dead_letters(), 0);
        drop(actors);
        assert_eq!(Arc::strong_count(&tally), 1);
    }
}
