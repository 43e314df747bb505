//! Supervisors against programs that mean no good: code that calls back in, futures that panic,
//! and trees that are too deep for a stack.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use common::FOREVER;
use drumline::Pool;
use drumline::actor::{
    Actor, ActorRef, ActorSystem, AskError, AsyncContext, AsyncHandler, Context, Directive,
    FailureOutcome, Handler, SpawnOptions, Strategy, Supervisor, SupervisorOptions,
};

const LONG: Duration = Duration::from_secs(3_600);

fn far() -> Instant {
    Instant::now() + LONG
}

/// Whether a panic has ended the actor. One that is asked too late says no more than that it is
/// dead.
fn is_gone(answer: Result<u32, AskError>) -> bool {
    matches!(answer, Err(AskError::Panicked | AskError::Dead))
}

fn pool() -> Pool {
    let pool = Pool::builder().jobs(2).panic_handler(|_| {});
    pool.build().expect("the pool starts")
}

fn options() -> SupervisorOptions {
    SupervisorOptions::new().max_restarts(usize::MAX, LONG)
}

#[derive(Default)]
struct Sum(u32);

impl Actor for Sum {}

struct Add(u32);

impl Handler<Add> for Sum {
    type Reply = u32;

    fn handle(&mut self, Add(number): Add, _: &mut Context<Self>) -> u32 {
        self.0 += number;
        self.0
    }
}

struct Crash;

impl Handler<Crash> for Sum {
    type Reply = ();

    fn handle(&mut self, _: Crash, _: &mut Context<Self>) {
        panic!("a crash on purpose");
    }
}

struct CrashLater;

impl AsyncHandler<CrashLater> for Sum {
    type Reply = ();

    async fn handle(&mut self, _: CrashLater, _: AsyncContext<Self>) {
        panic!("a crash on purpose");
    }
}

/// Says that it is there, waits for the sender to be dropped, and crashes.
struct CrashAfter(Sender<()>, Receiver<()>);

impl Handler<CrashAfter> for Sum {
    type Reply = ();

    fn handle(&mut self, CrashAfter(here, until): CrashAfter, _: &mut Context<Self>) {
        here.send(()).expect("the test waits for it");
        let _ = drumline::blocking(|| until.recv());
        panic!("a crash on purpose");
    }
}

#[test]
fn an_actor_whose_future_has_panicked_is_put_aside_for_others() {
    let pool = pool();
    let system = ActorSystem::new(&pool);
    let supervisor = system.supervisor(options().strategy(Strategy::OneForAll));
    let [first, second] = [(); 2].map(|()| supervisor.spawn(Sum::default));
    assert_eq!(first.ask(CrashLater).recv(), Err(AskError::Panicked));
    assert_eq!(first.ask(Add(1)).recv(), Ok(1));
    assert_eq!(second.ask(Crash).recv(), Err(AskError::Panicked));
    // Only a round that the first one was in lets the second one go on.
    assert_eq!(second.ask(Add(1)).recv(), Ok(1));
    assert_eq!(first.ask(Add(1)).recv(), Ok(1));
}

#[test]
fn an_actor_whose_future_has_panicked_ends_when_its_supervisor_gives_up() {
    let pool = pool();
    let system = ActorSystem::new(&pool);
    let supervisor = system.supervisor(SupervisorOptions::new().max_restarts(1, LONG));
    let actor = supervisor.spawn(Sum::default);
    for _ in 0..2 {
        assert_eq!(actor.ask(CrashLater).recv(), Err(AskError::Panicked));
    }
    assert!(is_gone(actor.ask(Add(1)).recv()));
    assert!(supervisor.shutdown(far()).is_complete());
}

/// Calls its supervisor when it is dropped, and panics.
struct CallsBack(Supervisor, Sender<usize>);

impl Drop for CallsBack {
    fn drop(&mut self) {
        let _ = self.1.send(self.0.children());
        panic!("a panic of a drop, on purpose");
    }
}

#[test]
fn options_are_dropped_without_the_lock() {
    let pool = pool();
    let system = ActorSystem::new(&pool);
    let root = system.supervisor(options());
    let (send, dropped) = mpsc::channel();
    let below = |send: Sender<usize>| {
        let calls_back = CallsBack(root.clone(), send);
        root.supervisor(options().on_failure(move |_| {
            let _ = &calls_back;
            Directive::Restart
        }))
    };
    // One that ends, and one that is refused.
    assert!(below(send.clone()).shutdown(far()).is_complete());
    assert_eq!(dropped.recv(), Ok(0));
    assert!(root.shutdown(far()).is_complete());
    assert!(!below(send).is_alive());
    assert_eq!(dropped.recv(), Ok(0));
}

#[test]
fn trees_may_be_deeper_and_wider_than_a_stack() {
    const MANY: usize = if cfg!(miri) { 20 } else { 100_000 };
    let pool = pool();
    let system = ActorSystem::new(&pool);
    for strategy in [Strategy::OneForOne, Strategy::RestForOne] {
        let wide = system.supervisor(options().strategy(strategy));
        for _ in 0..MANY {
            drop(wide.supervisor(options()));
        }
        assert!(wide.shutdown(far()).is_complete());

        let never = || {
            SupervisorOptions::new()
                .max_restarts(0, LONG)
                .strategy(strategy)
        };
        for gives_up in [false, true] {
            let deep = system.supervisor(never());
            let mut lowest = deep.clone();
            for _ in 0..MANY {
                lowest = lowest.supervisor(never());
            }
            if gives_up {
                let actor = lowest.spawn(Sum::default);
                assert_eq!(actor.ask(Crash).recv(), Err(AskError::Panicked));
                assert!(is_gone(actor.ask(Add(1)).recv()));
            }
            assert!(deep.shutdown(far()).is_complete());
        }
    }
}

#[test]
fn an_actor_that_is_to_stop_is_not_started_again_by_a_round() {
    let pool = pool();
    let system = ActorSystem::new(&pool);
    let (send, outcomes) = mpsc::channel();
    system.on_failure(move |failure, outcome| {
        let _ = send.send((failure.actor().to_owned(), outcome));
    });
    let decide = |failure: &drumline::actor::Failure| match failure.actor() {
        "stops" => Directive::Stop,
        _ => Directive::Restart,
    };
    let one_for_all = options()
        .strategy(Strategy::OneForAll)
        .restart_timeout(LONG);
    let supervisor = system.supervisor(one_for_all.on_failure(decide));
    let spawn = |name| supervisor.spawn_with(Sum::default, SpawnOptions::new().name(name));
    let (other, stops) = (spawn("other"), spawn("stops"));
    let (here, is_here) = mpsc::channel();
    let (wake, until) = mpsc::channel();
    stops.tell(CrashAfter(here, until)).unwrap();
    is_here.recv().unwrap();
    other.tell(Crash).unwrap();
    // Both are in the round when the failure is told.
    let restarts = ("other".to_owned(), FailureOutcome::Restarts);
    assert_eq!(outcomes.recv(), Ok(restarts));
    drop(wake);
    let ends = ("stops".to_owned(), FailureOutcome::Ends);
    assert_eq!(outcomes.recv(), Ok(ends));
    assert!(is_gone(stops.ask(Add(1)).recv()));
    assert_eq!(other.ask(Add(1)).recv(), Ok(1));
}

#[test]
fn a_restart_with_the_longest_timeout_waits_for_the_others() {
    let pool = pool();
    let system = ActorSystem::new(&pool);
    let (send, outcomes) = mpsc::channel();
    system.on_failure(move |_, outcome| {
        let _ = send.send(outcome);
    });
    let one_for_all = options().strategy(Strategy::OneForAll);
    let supervisor = system.supervisor(one_for_all.restart_timeout(Duration::MAX));
    let starts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&starts);
    let failed = supervisor.spawn(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        Sum::default()
    });
    let busy = supervisor.spawn(Sum::default);
    let (here, is_here) = mpsc::channel();
    let (wake, until) = mpsc::channel();
    busy.tell(CrashAfter(here, until)).unwrap();
    is_here.recv().unwrap();
    failed.tell(Crash).unwrap();
    assert_eq!(outcomes.recv(), Ok(FailureOutcome::Restarts));
    // An actor that went on now would be in the queues of the pool before these jobs.
    for _ in 0..1_000 {
        pool.spawn(|| ()).join().unwrap();
    }
    assert_eq!(starts.load(Ordering::SeqCst), 1);
    drop(wake);
    assert_eq!(failed.ask(Add(1)).recv(), Ok(1));
    assert_eq!(starts.load(Ordering::SeqCst), 2);
    assert_eq!(busy.ask(Add(1)).recv(), Ok(1));
}

#[test]
fn an_actor_that_cannot_be_started_again_ends_with_its_supervisor() {
    for backoff in [Duration::ZERO, LONG] {
        let pool = pool();
        let system = ActorSystem::new(&pool);
        let (send, outcomes) = mpsc::channel();
        system.on_failure(move |_, outcome| {
            let _ = send.send(outcome);
        });
        let supervisor = system.supervisor(options().backoff(backoff, backoff));
        let is_up = Arc::new(AtomicBool::new(true));
        let server = Arc::clone(&is_up);
        let actor = supervisor.spawn(move || {
            assert!(server.load(Ordering::SeqCst), "on purpose");
            Sum::default()
        });
        assert_eq!(actor.ask(Add(1)).recv(), Ok(1));
        is_up.store(false, Ordering::SeqCst);
        actor.tell(Crash).unwrap();
        assert_eq!(outcomes.recv(), Ok(FailureOutcome::Restarts));
        drop(system);
        common::eventually("the actor ends", || !actor.is_alive());
        assert_eq!(outcomes.try_iter().last(), Some(FailureOutcome::Ends));
    }
}

/// Says that it is there, waits for the sender to be dropped, and stops.
struct StopAfter(Sender<()>, Receiver<()>);

impl Handler<StopAfter> for Sum {
    type Reply = ();

    fn handle(&mut self, StopAfter(here, until): StopAfter, context: &mut Context<Self>) {
        here.send(()).expect("the test waits for it");
        let _ = drumline::blocking(|| until.recv());
        context.stop_now();
    }
}

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        common::quiet_panic("a bomb");
    }
}

#[test]
fn the_last_actor_drops_functions_that_panic() {
    common::program("program_with_bombs");
}

#[test]
#[ignore = "a program of `the_last_actor_drops_functions_that_panic`"]
fn program_with_bombs() {
    let (send, bombs) = mpsc::channel();
    let pool = Pool::builder().jobs(2).panic_handler(move |_| {
        let _ = send.send(());
    });
    let pool = pool.build().expect("the pool starts");
    let stop_later = |actor: ActorRef<Sum>| {
        let (here, is_here) = mpsc::channel();
        let (wake, until) = mpsc::channel();
        actor.tell(StopAfter(here, until)).unwrap();
        is_here.recv().unwrap();
        wake
    };
    let system = ActorSystem::new(&pool);
    let bomb = Bomb;
    let supervisor = system.supervisor(options().on_failure(move |_| {
        let _ = &bomb;
        Directive::Restart
    }));
    let wake = stop_later(supervisor.spawn(Sum::default));
    drop(supervisor);
    drop(wake);
    bombs.recv_timeout(FOREVER).expect("that of the supervisor");

    let (bomb, other) = (Bomb, Bomb);
    system.on_failure(move |_, _| {
        let _ = &bomb;
    });
    system.on_dead_letter(move |_| {
        let _ = &other;
    });
    let wake = stop_later(system.spawn(Sum::default()));
    drop(system);
    drop(wake);
    for _ in 0..2 {
        bombs.recv_timeout(FOREVER).expect("those of the system");
    }
}

#[test]
fn the_timer_of_a_round_ends_with_the_round() {
    let pool = pool();
    let system = ActorSystem::new(&pool);
    let token = Arc::new(());
    let kept = Arc::clone(&token);
    // For as long as the system is there, which a timer keeps.
    system.on_dead_letter(move |_| {
        let _ = &kept;
    });
    for delay in [Duration::ZERO, Duration::from_micros(1)] {
        let one_for_all = options().strategy(Strategy::OneForAll);
        let slow = one_for_all.restart_timeout(LONG).backoff(delay, delay);
        let supervisor = system.supervisor(slow);
        let [first, second] = [(); 2].map(|()| supervisor.spawn(Sum::default));
        for _ in 0..100 {
            assert_eq!(second.ask(Add(0)).recv(), Ok(0));
            assert_eq!(first.ask(Crash).recv(), Err(AskError::Panicked));
            assert_eq!(first.ask(Add(0)).recv(), Ok(0));
        }
        assert!(supervisor.shutdown(far()).is_complete());
    }
    drop(system);
    common::eventually("no timer has the system", || Arc::strong_count(&token) == 1);
}
