//! What actors count that were started with `counted`.

mod actors;
mod common;

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use common::{Event, FOREVER, ends, eventually, pool, quiet_panic};
use drumline::Pool;
use drumline::actor::{
    Actor, ActorRef, ActorSystem, AskError, AsyncContext, AsyncHandler, Context, HandScheduler,
    Handler, Overflow, SpawnOptions, Style, TellError,
};

/// Numbers of jobs that the tests run with.
const JOBS: [usize; 2] = [1, 4];

/// Adds up what it is told.
#[derive(Default)]
struct Sum(u64);
impl Actor for Sum {}

struct Add(u64);
impl Handler<Add> for Sum {
    type Reply = u64;
    fn handle(&mut self, Add(number): Add, _: &mut Context<Self>) -> u64 {
        self.0 += number;
        self.0
    }
}

struct AddLater(u64);
impl AsyncHandler<AddLater> for Sum {
    type Reply = u64;
    async fn handle(&mut self, AddLater(number): AddLater, _: AsyncContext<Self>) -> u64 {
        drumline::task::yield_now().await;
        self.0 += number;
        self.0
    }
}

/// Starts a future; its output comes back.
struct AddOutput(Arc<Event>);
impl Handler<AddOutput> for Sum {
    type Reply = ();
    fn handle(&mut self, AddOutput(done): AddOutput, context: &mut Context<Self>) {
        context.spawn_then(async { 1 }, move |sum, number, _| {
            sum.0 += number;
            done.set();
        });
    }
}

struct Panic;
impl Handler<Panic> for Sum {
    type Reply = ();
    fn handle(&mut self, _: Panic, _: &mut Context<Self>) {
        quiet_panic("as it was told");
    }
}

/// Waits for the event.
struct Wait(Arc<Event>, Arc<Event>);
impl Handler<Wait> for Sum {
    type Reply = ();
    fn handle(&mut self, Wait(begun, event): Wait, _: &mut Context<Self>) {
        begun.set();
        drumline::blocking(|| event.wait());
    }
}

/// Is busy until the clock has gone on. The reply is for how long.
struct Work;
impl Handler<Work> for Sum {
    type Reply = Duration;
    fn handle(&mut self, _: Work, _: &mut Context<Self>) -> Duration {
        let begin = Instant::now();
        while begin.elapsed().is_zero() {
            std::hint::spin_loop();
        }
        begin.elapsed()
    }
}

fn counted() -> SpawnOptions {
    SpawnOptions::new().counted()
}

fn handled<A: Actor>(actor: &ActorRef<A>) -> u64 {
    actor.stats().unwrap().handled
}

fn silent_pool(jobs: usize) -> Pool {
    let pool = Pool::builder().jobs(jobs).panic_handler(|_| {});
    pool.build().unwrap()
}

#[test]
fn a_message_is_counted_before_its_reply_comes() {
    ends(|| {
        for jobs in JOBS {
            let pool = pool(jobs);
            let system = ActorSystem::new(&pool);
            for scheduler in actors::schedulers() {
                for style in [Style::Recursive, Style::Loop] {
                    let options = counted().scheduler(scheduler.clone()).style(style);
                    let sum = system.spawn_with(Sum::default(), options);
                    for number in 1..=300 {
                        if number % 3 == 0 {
                            sum.tell(Add(0)).unwrap();
                        } else if number % 3 == 1 {
                            sum.ask(Add(0)).recv().unwrap();
                            assert_eq!(handled(&sum), number);
                        } else {
                            sum.ask(AddLater(0)).recv().unwrap();
                            assert_eq!(handled(&sum), number);
                        }
                    }
                    sum.ask(Add(0)).recv().unwrap();
                    let stats = sum.stats().unwrap();
                    assert_eq!(stats.handled, 301);
                    assert!(stats.runs > 0, "{stats:?}");
                }
            }
        }
    });
}

#[test]
fn messages_of_many_senders_are_counted_once() {
    ends(|| {
        for jobs in JOBS {
            let pool = pool(jobs);
            let system = ActorSystem::new(&pool);
            for scheduler in actors::schedulers() {
                for bound in [None, Some(3)] {
                    let mut options = counted().scheduler(scheduler.clone());
                    if let Some(bound) = bound {
                        options = options.bounded(bound, Overflow::Wait);
                    }
                    let sum = system.spawn_with(Sum::default(), options);
                    let recipient = sum.recipient::<Add, _>();
                    thread::scope(|scope| {
                        scope.spawn(|| (0..500).for_each(|_| sum.tell(Add(1)).unwrap()));
                        scope.spawn(|| (0..500).for_each(|_| recipient.tell(Add(1)).unwrap()));
                        scope.spawn(|| (0..50).for_each(|_| sum.tell(AddLater(1)).unwrap()));
                    });
                    assert_eq!(sum.ask(Add(0)).recv(), Ok(1050));
                    assert_eq!(handled(&sum), 1051);
                }
            }
        }
    });
}

#[test]
fn the_message_that_panics_counts_and_those_behind_it_do_not() {
    ends(|| {
        for jobs in JOBS {
            let pool = silent_pool(jobs);
            let system = ActorSystem::new(&pool);
            for scheduler in actors::schedulers() {
                let sum = system.spawn_with(Sum::default(), counted().scheduler(scheduler));
                let (begun, event) = (Arc::new(Event::new()), Arc::new(Event::new()));
                sum.tell(Wait(Arc::clone(&begun), Arc::clone(&event)))
                    .unwrap();
                begun.wait();
                let panicking = sum.ask(Panic);
                let behind = sum.ask(Add(1));
                assert_eq!(handled(&sum), 1);
                event.set();
                assert_eq!(panicking.recv(), Err(AskError::Panicked));
                assert_eq!(behind.recv(), Err(AskError::Panicked));
                eventually("the end", || !sum.is_alive());
                assert!(matches!(sum.tell(Add(1)), Err(TellError::Dead(_))));
                // The numbers stay.
                assert_eq!(handled(&sum), 2);
            }
        }
    });
}

#[test]
fn what_is_refused_or_lost_is_not_counted() {
    ends(|| {
        for (overflow, last) in [(Overflow::Fail, 1), (Overflow::DropOldest, 2)] {
            let pool = pool(1);
            let system = ActorSystem::new(&pool);
            let sum = system.spawn_with(Sum::default(), counted().bounded(1, overflow));
            let (begun, event) = (Arc::new(Event::new()), Arc::new(Event::new()));
            sum.tell(Wait(Arc::clone(&begun), Arc::clone(&event)))
                .unwrap();
            begun.wait();
            assert!(sum.tell(Add(1)).is_ok());
            assert_eq!(sum.tell(Add(2)).is_ok(), overflow == Overflow::DropOldest);
            event.set();
            eventually("the number", || handled(&sum) == 2);
            eventually("room", || sum.ask(Add(0)).recv() == Ok(last));
            let lost = u64::from(overflow == Overflow::DropOldest);
            assert_eq!(system.dead_letters() as u64, lost);
        }
    });
}

#[test]
fn notices_and_outputs_are_no_messages() {
    ends(|| {
        for jobs in JOBS {
            let pool = pool(jobs);
            let system = ActorSystem::new(&pool);
            let sum = system.spawn_with(Sum::default(), counted());
            let done = Arc::new(Event::new());
            sum.tell(AddOutput(Arc::clone(&done))).unwrap();
            done.wait();
            assert_eq!(sum.ask(Add(0)).recv(), Ok(1));
            sum.stop();
            eventually("the end", || !sum.is_alive());
            assert_eq!(handled(&sum), 2);
        }
    });
}

#[test]
fn a_step_by_hand_is_a_run() {
    let pool = pool(1);
    let by_hand = HandScheduler::new(1);
    let options = counted().scheduler(by_hand.scheduler());
    let system = ActorSystem::new(&pool);
    let sum = system.spawn_with(Sum::default(), options);
    (0..9).for_each(|_| sum.tell(Add(1)).unwrap());
    assert_eq!(sum.stats().unwrap(), Default::default());
    let steps = by_hand.run_until_idle() as u64;
    let stats = sum.stats().unwrap();
    // With the start.
    assert_eq!((steps, stats.handled, stats.runs), (10, 9, 10));
}

/// Sets messages aside until it is opened.
struct Book {
    is_open: bool,
    lines: mpsc::Sender<u32>,
}
impl Actor for Book {}
impl Handler<Option<u32>> for Book {
    type Reply = ();
    fn handle(&mut self, line: Option<u32>, context: &mut Context<Self>) {
        match line {
            Some(line) if self.is_open => self.lines.send(line).unwrap(),
            Some(line) => context.stash(Some(line)).unwrap(),
            None => {
                self.is_open = true;
                context.unstash_all();
            }
        }
    }
}

#[test]
fn a_message_that_was_set_aside_counts_again() {
    ends(|| {
        for jobs in JOBS {
            let pool = pool(jobs);
            let system = ActorSystem::new(&pool);
            let (lines, written) = mpsc::channel();
            let is_open = false;
            let book = system.spawn_with(Book { is_open, lines }, counted().stash(10));
            for line in [Some(1), Some(2), None] {
                book.tell(line).unwrap();
            }
            assert_eq!(written.recv_timeout(FOREVER), Ok(1));
            assert_eq!(written.recv_timeout(FOREVER), Ok(2));
            assert_eq!(handled(&book), 5);
        }
    });
}

#[test]
fn a_function_counts_what_it_receives() {
    ends(|| {
        let pool = pool(1);
        let system = ActorSystem::new(&pool);
        let (send, received) = mpsc::channel();
        let function = system.spawn_thread_with(counted(), move |inbox| {
            while let Some(number) = inbox.receive() {
                send.send(number).unwrap();
            }
        });
        let function = function.unwrap();
        for number in 1..=20_u64 {
            function.tell(number).unwrap();
            assert_eq!(received.recv_timeout(FOREVER), Ok(number));
            assert_eq!(handled(&function), number);
        }
        let stats = function.stats().unwrap();
        assert!((1..=21).contains(&stats.runs), "{stats:?}");
        function.ask(0).recv().unwrap();
        assert_eq!(handled(&function), 21);
    });
}

#[test]
fn runs_are_busy_for_as_long_as_their_handlers() {
    ends(|| {
        let pool = pool(2);
        let system = ActorSystem::new(&pool);
        for scheduler in actors::schedulers() {
            let sum = system.spawn_with(Sum::default(), counted().scheduler(scheduler));
            let mut worked = Duration::ZERO;
            for _ in 0..10 {
                worked += sum.ask(Work).recv().unwrap();
            }
            // The run goes on a little after the reply.
            eventually("the end of a run", || sum.stats().unwrap().busy >= worked);
        }
    });
}

#[test]
fn other_actors_count_nothing() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    assert_eq!(system.spawn(Sum::default()).stats(), None);
    let named = system.spawn_with(Sum::default(), SpawnOptions::new().name("sum").stash(1));
    assert_eq!(named.ask(Add(3)).recv(), Ok(3));
    assert_eq!(named.stats(), None);
}
