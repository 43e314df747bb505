//! Handlers that await, with the mailbox closed meanwhile.

mod actors;
mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use common::{Event, FOREVER, ends, eventually, pool, quiet_panic};
use drumline::actor::{
    Actor, ActorRef, ActorSystem, AskError, AsyncContext, AsyncHandler, Context, Handler, Overflow,
    SpawnOptions, Style,
};
use drumline::channel::oneshot;
use drumline::{Pool, yield_now};

/// Writes down what happens to it.
struct Log {
    lines: Vec<u32>,
    ended: mpsc::Sender<Vec<u32>>,
    /// It has come to a future.
    begun: Arc<Event>,
}

impl Actor for Log {
    fn stopped(&mut self, _: &mut Context<Self>) {
        let _ = self.ended.send(std::mem::take(&mut self.lines));
    }
}

/// To be written down now.
impl Handler<u32> for Log {
    type Reply = usize;
    fn handle(&mut self, number: u32, _: &mut Context<Self>) -> usize {
        self.lines.push(number);
        self.lines.len()
    }
}

/// To be written down with a hundred added when it comes.
struct Later(oneshot::Receiver<u32>);
impl AsyncHandler<Later> for Log {
    type Reply = usize;
    async fn handle(&mut self, Later(number): Later, _: AsyncContext<Self>) -> usize {
        self.lines.push(0);
        self.begun.set();
        let number = number.await.unwrap_or(900);
        assert_ne!(number, 13, "a panic on request");
        self.lines.push(number + 100);
        self.lines.len()
    }
}

/// Yields this often, and counts.
struct Yields(u32);
impl AsyncHandler<Yields> for Log {
    type Reply = u32;
    async fn handle(&mut self, Yields(times): Yields, _: AsyncContext<Self>) -> u32 {
        for _ in 0..times {
            let before = self.lines.len();
            self.lines.push(1);
            drumline::task::yield_now().await;
            assert_eq!(
                self.lines.len(),
                before + 1,
                "another message came in between"
            );
        }
        times
    }
}

struct Fixture {
    system: ActorSystem,
    log: ActorRef<Log>,
    ended: mpsc::Receiver<Vec<u32>>,
    begun: Arc<Event>,
    reports: Arc<AtomicUsize>,
    // Last: it waits for the rest.
    pool: Pool,
}

fn fixture_with(jobs: usize, options: SpawnOptions) -> Fixture {
    let reports = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&reports);
    let pool = Pool::builder()
        .jobs(jobs)
        .panic_handler(move |_| _ = counted.fetch_add(1, Ordering::SeqCst))
        .build()
        .unwrap();
    let system = ActorSystem::new(&pool);
    let (send, ended) = mpsc::channel();
    let begun = Arc::new(Event::new());
    let log = Log {
        lines: Vec::new(),
        ended: send,
        begun: Arc::clone(&begun),
    };
    Fixture {
        log: system.spawn_with(log, options),
        system,
        ended,
        begun,
        reports,
        pool,
    }
}

fn fixture() -> Fixture {
    fixture_with(1, SpawnOptions::new())
}

#[test]
fn the_mailbox_is_closed_meanwhile() {
    ends(|| {
        for scheduler in actors::schedulers() {
            for style in [Style::Recursive, Style::Loop] {
                let options = SpawnOptions::new()
                    .scheduler(scheduler.clone())
                    .style(style)
                    .bounded(10, Overflow::Fail);
                let Fixture {
                    pool: _pool,
                    system: _system,
                    log,
                    ended,
                    ..
                } = fixture_with(1, options);
                let (number, later) = oneshot::channel();
                log.tell(1).unwrap();
                let first = log.ask(Later(later));
                log.tell(2).unwrap();
                let mut second = log.ask(3);
                assert_eq!(
                    second.recv_timeout(Duration::from_millis(1)),
                    Err(AskError::Timeout)
                );
                number.send(5).unwrap();
                assert_eq!(first.recv(), Ok(3));
                assert_eq!(second.recv_deadline(Instant::now() + FOREVER), Ok(5));
                // The answer refers to the actor, too.
                drop((log, second));
                assert_eq!(ended.recv_timeout(FOREVER).unwrap(), [1, 0, 105, 2, 3]);
            }
        }
    });
}

#[test]
fn a_ready_future_is_a_handler_like_any_other() {
    ends(|| {
        let Fixture {
            pool: _pool,
            system: _system,
            log,
            ..
        } = fixture_with(2, SpawnOptions::new());
        for number in 0..500 {
            let (send, later) = oneshot::channel();
            send.send(number + 20).unwrap();
            log.tell(Later(later)).unwrap();
            log.tell(Yields(number % 3)).unwrap();
            log.tell(number).unwrap();
        }
        let yields: usize = (0..500).map(|number| number % 3).sum();
        assert_eq!(log.ask(0).recv(), Ok(500 * 3 + yields + 1));
    });
}

#[test]
fn panics_end_the_actor() {
    ends(|| {
        let Fixture {
            pool: _pool,
            system: _system,
            log,
            reports,
            ended,
            ..
        } = fixture();
        let (number, later) = oneshot::channel();
        let answer = log.ask(Later(later));
        let behind = log.ask(1);
        number.send(13).unwrap();
        assert_eq!(answer.recv(), Err(AskError::Panicked));
        assert_eq!(behind.recv(), Err(AskError::Panicked));
        assert!(!log.is_alive());
        eventually("it is reported", || reports.load(Ordering::SeqCst) == 1);
        assert!(ended.recv().is_err(), "no hook after a panic");
    });
}

/// A panic of what the future leaves when it is done.
#[test]
fn panics_of_destructors_end_the_actor() {
    struct Bad;
    impl Drop for Bad {
        fn drop(&mut self) {
            quiet_panic("of a destructor");
        }
    }
    struct Leaves(Bad);
    impl AsyncHandler<Leaves> for Log {
        type Reply = ();
        async fn handle(&mut self, message: Leaves, _: AsyncContext<Self>) {
            drumline::task::yield_now().await;
            let Leaves(bad) = &message;
            let _ = std::hint::black_box(bad);
        }
    }
    ends(|| {
        let Fixture {
            pool: _pool,
            system: _system,
            log,
            reports,
            ..
        } = fixture();
        log.tell(Leaves(Bad)).unwrap();
        eventually("it is dead", || !log.is_alive());
        eventually("it is reported", || reports.load(Ordering::SeqCst) == 1);
    });
}

#[test]
fn an_actor_stops_after_the_future() {
    ends(|| {
        let Fixture {
            pool: _pool,
            log,
            ended,
            system,
            ..
        } = fixture();
        let (number, later) = oneshot::channel();
        let answer = log.ask(Later(later));
        log.tell(1).unwrap();
        log.stop();
        log.tell(2).unwrap();
        number.send(7).unwrap();
        assert_eq!(answer.recv(), Ok(2));
        assert_eq!(ended.recv_timeout(FOREVER).unwrap(), [0, 107, 1]);
        eventually("the last message is lost", || system.dead_letters() == 1);

        let Fixture {
            pool: _pool,
            log,
            ended,
            system,
            begun,
            ..
        } = fixture();
        let (number, later) = oneshot::channel();
        let answer = log.ask(Later(later));
        log.tell(1).unwrap();
        begun.wait();
        log.stop_now();
        number.send(7).unwrap();
        assert_eq!(answer.recv(), Ok(2));
        assert_eq!(ended.recv_timeout(FOREVER).unwrap(), [0, 107]);
        eventually("what came behind is lost", || system.dead_letters() == 1);
    });
}

/// The future has a reference of its own, and the last message is handled to its end.
#[test]
fn the_last_reference_goes_while_it_awaits() {
    ends(|| {
        let Fixture {
            pool: _pool,
            system: _system,
            log,
            ended,
            ..
        } = fixture();
        let (number, later) = oneshot::channel();
        log.tell(Later(later)).unwrap();
        drop(log);
        number.send(7).unwrap();
        assert_eq!(ended.recv_timeout(FOREVER).unwrap(), [0, 107]);
    });
}

/// Says that it has begun, and is never done.
struct Forever(Arc<Event>, Arc<()>);
impl AsyncHandler<Forever> for Log {
    type Reply = ();
    async fn handle(&mut self, message: Forever, _: AsyncContext<Self>) {
        let Forever(begun, kept) = message;
        begun.set();
        std::future::pending::<()>().await;
        drop(kept);
    }
}

#[test]
fn the_end_of_the_pool_drops_the_future() {
    ends(|| {
        for has_begun in [false, true] {
            let Fixture {
                log,
                ended,
                system,
                pool,
                ..
            } = fixture();
            let (begun, kept) = (Arc::new(Event::new()), Arc::new(()));
            let answer = log.ask(Forever(Arc::clone(&begun), Arc::clone(&kept)));
            log.tell(4).unwrap();
            if has_begun {
                begun.wait();
            }
            pool.shutdown().unwrap();
            assert_eq!(answer.recv(), Err(AskError::Dead));
            assert_eq!(ended.recv_timeout(FOREVER).unwrap(), [4]);
            assert_eq!(Arc::strong_count(&kept), 1, "the future is gone");
            assert_eq!(system.actors(), 0);
        }
    });
}

#[test]
fn a_shutdown_reports_what_awaits() {
    ends(|| {
        let Fixture {
            pool: _pool,
            log,
            ended,
            system,
            begun,
            ..
        } = fixture();
        let (number, later) = oneshot::channel();
        log.tell(Later(later)).unwrap();
        log.tell(1).unwrap();
        begun.wait();
        let report = system.shutdown(Instant::now() + Duration::from_millis(1));
        assert_eq!(report.abandoned(), ["Log"]);
        number.send(1).unwrap();
        assert_eq!(ended.recv_timeout(FOREVER).unwrap(), [0, 101]);
    });
}

/// Ten thousand actors await at once, and no thread waits for any of them.
#[test]
fn many_await_at_once() {
    ends(|| {
        let Fixture {
            pool: _pool,
            system,
            log,
            ended,
            ..
        } = fixture();
        drop(log);
        drop(ended);
        let (send, ended) = mpsc::channel();
        let numbers: Vec<_> = (0..10_000)
            .map(|_| {
                let log = system.spawn(Log {
                    lines: Vec::new(),
                    ended: send.clone(),
                    begun: Arc::default(),
                });
                let (number, later) = oneshot::channel();
                log.tell(Later(later)).unwrap();
                number
            })
            .collect();
        for number in numbers {
            number.send(1).unwrap();
        }
        for _ in 0..10_000 {
            assert_eq!(ended.recv_timeout(FOREVER).unwrap(), [0, 101]);
        }
    });
}

/// A task that a handler runs while it yields awaits for itself: the actor that it asks may ask the
/// handler's.
#[test]
fn what_a_task_awaits_is_not_for_the_handler() {
    struct Runs;
    impl Actor for Runs {}
    impl Handler<()> for Runs {
        type Reply = ();
        fn handle(&mut self, (): (), _: &mut Context<Self>) {
            while yield_now().is_some_and(|yielded| yielded == drumline::Yield::Executed) {}
        }
    }
    impl AsyncHandler<u32> for Runs {
        type Reply = u32;
        async fn handle(&mut self, number: u32, _: AsyncContext<Self>) -> u32 {
            while yield_now().is_some_and(|yielded| yielded == drumline::Yield::Executed) {}
            drumline::task::yield_now().await;
            number
        }
    }
    ends(|| {
        for _ in 0..50 {
            let pool = pool(1);
            let system = ActorSystem::new(&pool);
            let actors = [system.spawn(Runs), system.spawn(Runs)];
            let tasks: Vec<_> = (0..20)
                .map(|n| {
                    let asked = actors[n % 2].clone();
                    pool.spawn_future(async move { asked.ask(7_u32).await })
                })
                .collect();
            actors.iter().for_each(|actor| actor.tell(()).unwrap());
            for task in tasks {
                assert_eq!(task.join().unwrap(), Ok(7));
            }
        }
    });
}

/// What the context of such a handler can do.
#[test]
fn an_async_context_knows_its_actor() {
    struct Parent(Arc<Event>);
    impl Actor for Parent {
        fn stopped(&mut self, _: &mut Context<Self>) {
            self.0.set();
        }
    }
    impl AsyncHandler<()> for Parent {
        type Reply = (String, ActorRef<Log>, ActorRef<Self>);
        async fn handle(&mut self, (): (), context: AsyncContext<Self>) -> Self::Reply {
            let log = Log {
                lines: Vec::new(),
                ended: mpsc::channel().0,
                begun: Arc::default(),
            };
            context.stop();
            (context.name(), context.spawn(log), context.actor_ref())
        }
    }
    ends(|| {
        let pool = pool(1);
        let system = ActorSystem::new(&pool);
        let has_ended = Arc::new(Event::new());
        let options = SpawnOptions::new().name("the parent");
        let parent = system.spawn_with(Parent(Arc::clone(&has_ended)), options);
        let (name, log, same) = parent.ask(()).recv().unwrap();
        assert_eq!((name.as_str(), &same), ("the parent", &parent));
        has_ended.wait();
        assert_eq!(log.ask(1).recv(), Ok(1));
    });
}

/// Actors that are generic in their messages have handlers of either kind.
#[test]
fn generic_actors_accept_messages() {
    struct Echo;
    impl Actor for Echo {}
    impl<M: Send + 'static> Handler<M> for Echo {
        type Reply = M;
        fn handle(&mut self, message: M, _: &mut Context<Self>) -> M {
            message
        }
    }
    struct LateEcho;
    impl Actor for LateEcho {}
    impl<M: Send + 'static> AsyncHandler<M> for LateEcho {
        type Reply = M;
        async fn handle(&mut self, message: M, _: AsyncContext<Self>) -> M {
            message
        }
    }
    fn ask_direct<A: Handler<u8, Reply = u8>>(actor: &ActorRef<A>) -> u8 {
        actor.ask(1).recv().unwrap()
    }
    fn ask_awaiting<A: AsyncHandler<u8, Reply = u8>>(actor: &ActorRef<A>) -> u8 {
        actor.ask(2).recv().unwrap()
    }
    ends(|| {
        let pool = pool(1);
        let system = ActorSystem::new(&pool);
        let (echo, late) = (system.spawn(Echo), system.spawn(LateEcho));
        assert_eq!((ask_direct(&echo), ask_awaiting(&late)), (1, 2));
        assert_eq!(echo.ask("text").recv(), Ok("text"));
        let recipient: drumline::actor::Recipient<&str> = late.recipient();
        recipient.tell("text").unwrap();
    });
}

/// A panic is one, whatever was asked for before: no hook, and it is counted.
#[test]
fn a_panic_after_a_stop_is_a_panic() {
    struct StopsAndPanics;
    impl AsyncHandler<StopsAndPanics> for Log {
        type Reply = ();
        async fn handle(&mut self, _: StopsAndPanics, context: AsyncContext<Self>) {
            context.stop_now();
            drumline::task::yield_now().await;
            quiet_panic("on request");
        }
    }
    ends(|| {
        let Fixture {
            pool: _pool,
            system,
            log,
            ended,
            ..
        } = fixture();
        let answer = log.ask(StopsAndPanics);
        assert_eq!(answer.recv(), Err(AskError::Panicked));
        eventually("it is dead", || system.stats().alive == 0);
        assert_eq!(system.stats().panicked, 1);
        assert!(ended.recv().is_err(), "no hook after a panic");
    });
}
