//! Supervised actors that panic, in random schedules.
//!
//! Some actors below one or two supervisors are told numbers by threads outside. Some numbers make
//! them panic. Meanwhile, or afterwards, the supervisor, the system or the pool ends. What is said
//! of it:
//!
//! * Each number is handled once, or lost with a state (and the listener is told), or a dead
//!   letter, or comes back. What one thread tells an actor is handled in that order.
//! * Each state that was made is dropped once, and two states of an actor never are there at once.
//! * No schedule ends in a deadlock, and all memory is given back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use shuttle::rand::{Rng, thread_rng};

use super::{in_random_schedules, iterations, tolerant_pool, with_few_preemptions};
use crate::actor::{
    Actor, ActorRef, ActorSystem, Context, Directive, Handler, Strategy, Style, SupervisorOptions,
};
use crate::sync::plant::{Plant, must_catch};
use crate::sync::{Instant, Mutex, lock};

const FAR: Duration = Duration::from_secs(3_600);

/// What became of the numbers, and of the states.
#[derive(Default)]
struct Counts {
    told: AtomicUsize,
    returned: AtomicUsize,
    handled: AtomicUsize,
    lost: AtomicUsize,
    made: AtomicUsize,
    dropped: AtomicUsize,
}

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::SeqCst);
}

fn read(counter: &AtomicUsize) -> usize {
    counter.load(Ordering::SeqCst)
}

/// A number of a thread.
struct Number {
    thread: usize,
    number: usize,
    panics: bool,
}

/// What outlives a state.
#[derive(Default)]
struct Kept {
    /// The last number of each thread.
    last: [usize; 3],
    has_state: bool,
}

struct Fragile {
    counts: Arc<Counts>,
    kept: Arc<Mutex<Kept>>,
}

impl Fragile {
    fn new(counts: &Arc<Counts>, kept: &Arc<Mutex<Kept>>) -> Self {
        count(&counts.made);
        let had_state = std::mem::replace(&mut lock(kept).has_state, true);
        assert!(!had_state, "two states at once");
        Fragile {
            counts: Arc::clone(counts),
            kept: Arc::clone(kept),
        }
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        count(&self.counts.dropped);
        lock(&self.kept).has_state = false;
    }
}

impl Actor for Fragile {}

impl Handler<Number> for Fragile {
    type Reply = ();

    fn handle(&mut self, message: Number, _: &mut Context<Self>) {
        {
            let last = &mut lock(&self.kept).last[message.thread];
            assert!(*last < message.number, "out of order");
            *last = message.number;
        }
        if message.panics {
            // Without the hook, which would print.
            std::panic::resume_unwind(Box::new("on purpose"));
        }
        count(&self.counts.handled);
    }
}

fn tell(actors: &[ActorRef<Fragile>], thread: usize, counts: &Counts) {
    for number in 1..thread_rng().gen_range(2..6) {
        let actor = &actors[thread_rng().gen_range(0..actors.len())];
        let panics = thread_rng().gen_ratio(1, 3);
        count(&counts.told);
        let number = Number {
            thread,
            number,
            panics,
        };
        if actor.tell(number).is_err() {
            count(&counts.returned);
        }
    }
}

fn options() -> SupervisorOptions {
    let mut rng = thread_rng();
    let strategies = [
        Strategy::OneForOne,
        Strategy::OneForAll,
        Strategy::RestForOne,
    ];
    let options = SupervisorOptions::new()
        .strategy(strategies[rng.gen_range(0..3)])
        .max_restarts(if rng.r#gen() { 1 } else { usize::MAX }, FAR);
    // No real time passes here: siblings are late at once, or never.
    let timeout = if rng.r#gen() {
        Duration::ZERO
    } else {
        Duration::MAX
    };
    let options = options.restart_timeout(timeout);
    if !rng.gen_ratio(1, 4) {
        return options;
    }
    options.on_failure(|_| {
        let directives = [Directive::Restart, Directive::Stop, Directive::Escalate];
        directives[thread_rng().gen_range(0..3)]
    })
}

fn crashes() {
    let mut rng = thread_rng();
    let pool = tolerant_pool();
    let style = if rng.r#gen() {
        Style::Loop
    } else {
        Style::Recursive
    };
    let system = ActorSystem::builder().style(style).build(&pool);
    let counts = Arc::new(Counts::default());
    let told = Arc::clone(&counts);
    system.on_failure(move |failure, _| {
        assert_eq!(failure.panic_message(), "on purpose");
        count(&told.lost);
    });
    let root = system.supervisor(options());
    let below = root.supervisor(options());
    let actors: Vec<_> = (0..rng.gen_range(1..4))
        .map(|_| {
            let supervisor = if thread_rng().r#gen() { &root } else { &below };
            let (counts, kept) = (Arc::clone(&counts), Arc::default());
            supervisor.spawn(move || Fragile::new(&counts, &kept))
        })
        .collect();
    let tellers: Vec<_> = (0..2)
        .map(|thread| {
            let (actors, counts) = (actors.clone(), Arc::clone(&counts));
            shuttle::thread::spawn(move || tell(&actors, thread, &counts))
        })
        .collect();
    match rng.gen_range(0..3) {
        0 => below.stop(),
        1 => root.stop(),
        _ => {}
    }
    tell(&actors, 2, &counts);
    let ends_early = rng.gen_ratio(1, 3);
    if ends_early {
        assert!(system.shutdown(Instant::now() + FAR).is_complete());
    }
    for teller in tellers {
        teller.join().expect("it does not panic");
    }
    drop((root, below));
    if rng.r#gen() {
        assert!(system.shutdown(Instant::now() + FAR).is_complete());
    }
    assert!(pool.shutdown().is_ok(), "this thread is outside");
    drop(actors);
    assert_eq!(system.actors(), 0);
    assert_eq!(read(&counts.made), read(&counts.dropped));
    let ended = read(&counts.handled) + read(&counts.lost) + read(&counts.returned);
    assert_eq!(ended + system.dead_letters(), read(&counts.told));
    drop(system);
    while Arc::strong_count(&counts) > 1 {
        shuttle::thread::yield_now();
    }
}

#[test]
fn shuttle_supervised_actors_crash() {
    in_random_schedules(crashes, iterations(5_000));
    with_few_preemptions(crashes, iterations(2_000));
}

#[test]
fn shuttle_plants_in_supervision() {
    // What `Plant::RoundForgetsLast` leaves behind, the end of the system goes on with.
    for plant in [Plant::RoundResumesAsked, Plant::RestartUncleared] {
        must_catch(plant, || {
            in_random_schedules(crashes, 20_000);
        });
    }
}
