//! Which threads run actors, and in which order.

mod actors;
mod common;

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use common::{Event, FOREVER, ends, eventually, pool, without_spares};
use drumline::Pool;
use drumline::actor::{
    Actor, ActorRef, ActorSystem, AsyncContext, AsyncHandler, Context, HandScheduler, Handler,
    Overflow, Scheduler, SharedScheduler, SpawnOptions, Style,
};
use drumline::channel::oneshot;

fn soon() -> Instant {
    Instant::now() + FOREVER
}

/// Counts what it is told, and passes it on as often as it says.
struct Hopper {
    next: Vec<ActorRef<Hopper>>,
    handled: Arc<AtomicUsize>,
    threads: Arc<Mutex<HashSet<ThreadId>>>,
}

#[derive(Clone, Copy)]
struct Hops(usize);
struct Meet(ActorRef<Hopper>);

impl Actor for Hopper {}

impl Handler<Meet> for Hopper {
    type Reply = ();
    fn handle(&mut self, Meet(other): Meet, _: &mut Context<Self>) {
        self.next.push(other);
    }
}

impl Handler<Hops> for Hopper {
    type Reply = usize;
    fn handle(&mut self, Hops(left): Hops, _: &mut Context<Self>) -> usize {
        self.handled.fetch_add(1, Ordering::SeqCst);
        self.threads.lock().unwrap().insert(thread::current().id());
        if left > 0 {
            let next = &self.next[left % self.next.len()];
            next.tell(Hops(left - 1)).unwrap();
        }
        left
    }
}

/// `actors` hoppers that each know three of the others.
struct Ring {
    hoppers: Vec<ActorRef<Hopper>>,
    handled: Arc<AtomicUsize>,
    threads: Arc<Mutex<HashSet<ThreadId>>>,
}

impl Ring {
    fn new(system: &ActorSystem, actors: usize) -> Self {
        let (handled, threads) = (Arc::default(), Arc::default());
        let hoppers: Vec<_> = (0..actors)
            .map(|_| {
                system.spawn(Hopper {
                    next: Vec::new(),
                    handled: Arc::clone(&handled),
                    threads: Arc::clone(&threads),
                })
            })
            .collect();
        for (number, hopper) in hoppers.iter().enumerate() {
            for step in [1, 7, 11] {
                let other = hoppers[(number + step) % actors].clone();
                hopper.tell(Meet(other)).unwrap();
            }
        }
        Ring {
            hoppers,
            handled,
            threads,
        }
    }

    fn start(&self, hops: usize) {
        for hopper in &self.hoppers {
            hopper.tell(Hops(hops)).unwrap();
        }
    }

    /// Waits until each of the tokens has made its way.
    fn wait(&self, tokens: usize, hops: usize) {
        eventually("the tokens are through", || {
            self.handled.load(Ordering::SeqCst) == tokens * (hops + 1)
        });
    }
}

#[test]
fn nothing_is_lost_while_threads_come_and_go() {
    ends(|| {
        let pool = pool(1);
        for style in [Style::Recursive, Style::Loop] {
            let shared = SharedScheduler::new(3).unwrap();
            let system = ActorSystem::builder()
                .style(style)
                .scheduler(Scheduler::Shared(shared.clone()))
                .build(&pool);
            let ring = Ring::new(&system, 20);
            ring.start(2_000);
            for threads in [1, 4, 2, 8, 1, 3, 1, 6, 2].into_iter().cycle().take(90) {
                shared.set_threads(threads).unwrap();
                assert_eq!(shared.threads(), threads);
                thread::yield_now();
            }
            ring.wait(20, 2_000);
            assert!(system.shutdown(soon()).is_complete());
            assert_eq!(shared.queued(), 0);
            assert_eq!(system.dead_letters(), 0);
        }
    });
}

#[test]
fn shared_actors_run_on_its_threads_only() {
    ends(|| {
        let pool = pool(2);
        let shared = SharedScheduler::new(2).unwrap();
        let system = ActorSystem::builder()
            .scheduler(Scheduler::Shared(shared.clone()))
            .build(&pool);
        let ring = Ring::new(&system, 8);
        // From outside, and from a thread of the pool.
        ring.start(100);
        pool.install(|| ring.start(100));
        ring.wait(16, 100);
        let threads = ring.threads.lock().unwrap().clone();
        let own = pool.broadcast(|_| thread::current().id());
        assert!(threads.len() <= 2, "{threads:?}");
        assert!(own.iter().all(|id| !threads.contains(id)));
    });
}

/// The last handle is dropped by an actor on one of the threads.
#[test]
fn the_threads_of_a_shared_scheduler_end_with_it() {
    struct Ends(Arc<Event>);
    impl Drop for Ends {
        fn drop(&mut self) {
            self.0.set();
        }
    }
    thread_local! {
        static AT_END: std::cell::RefCell<Option<Ends>> = const { std::cell::RefCell::new(None) };
    }
    struct Marks(Arc<Event>);
    impl Actor for Marks {
        fn started(&mut self, _: &mut Context<Self>) {
            AT_END.set(Some(Ends(Arc::clone(&self.0))));
        }
    }
    ends(|| {
        let pool = pool(1);
        let has_ended = Arc::new(Event::new());
        let system = ActorSystem::builder()
            .scheduler(Scheduler::Shared(SharedScheduler::new(1).unwrap()))
            .build(&pool);
        drop(system.spawn(Marks(Arc::clone(&has_ended))));
        drop(system);
        has_ended.wait();
    });
}

#[test]
#[should_panic(expected = "ask for 1 or more")]
fn a_shared_scheduler_needs_a_thread() {
    let _ = SharedScheduler::new(0);
}

/// One hundred actors go on telling themselves something, and one other makes progress all the
/// same.
#[test]
fn busy_actors_do_not_keep_another_from_its_messages() {
    struct Busy(Arc<AtomicUsize>);
    impl Actor for Busy {}
    impl Handler<()> for Busy {
        type Reply = ();
        fn handle(&mut self, (): (), context: &mut Context<Self>) {
            if self.0.load(Ordering::SeqCst) > 0 {
                context.actor_ref().tell(()).unwrap();
            }
        }
    }
    /// Takes a hundred turns, then has the busy ones stop.
    struct Other(Arc<AtomicUsize>);
    impl Actor for Other {}
    impl Handler<()> for Other {
        type Reply = ();
        fn handle(&mut self, (): (), context: &mut Context<Self>) {
            if self.0.fetch_sub(1, Ordering::SeqCst) > 1 {
                context.actor_ref().tell(()).unwrap();
            } else {
                context.stop();
            }
        }
    }
    ends(|| {
        for scheduler in actors::schedulers() {
            if matches!(scheduler, Scheduler::Pinned) {
                // The fairness of threads is the system's.
                continue;
            }
            for style in [Style::Recursive, Style::Loop] {
                let pool = pool(1);
                let system = ActorSystem::builder()
                    .style(style)
                    .scheduler(scheduler.clone())
                    .build(&pool);
                let left = Arc::new(AtomicUsize::new(100));
                let busy: Vec<_> = (0..100)
                    .map(|_| system.spawn(Busy(Arc::clone(&left))))
                    .collect();
                let other = system.spawn(Other(Arc::clone(&left)));
                busy.iter().for_each(|actor| actor.tell(()).unwrap());
                other.tell(()).unwrap();
                drop((busy, other));
                eventually("the other one has had its turns", || system.actors() == 0);
            }
        }
    });
}

/// In a pool of one thread, the order of the runs is that of the scheduler.
#[test]
fn lifo_and_fifo_are_what_they_say() {
    struct Logs(usize, mpsc::Sender<usize>);
    impl Actor for Logs {}
    impl Handler<()> for Logs {
        type Reply = ();
        fn handle(&mut self, (): (), _: &mut Context<Self>) {
            self.1.send(self.0).unwrap();
        }
    }
    /// Tells all of them something, in one turn.
    struct Teller(Vec<ActorRef<Logs>>);
    impl Actor for Teller {}
    impl Handler<()> for Teller {
        type Reply = ();
        fn handle(&mut self, (): (), _: &mut Context<Self>) {
            self.0.iter().for_each(|actor| actor.tell(()).unwrap());
        }
    }
    ends(|| {
        for (scheduler, expected) in [
            (Scheduler::ForkJoinLifo, [4, 3, 2, 1, 0]),
            (Scheduler::ForkJoinFifo, [0, 1, 2, 3, 4]),
        ] {
            // A spare would run some, too, if the worker waited in the kernel for a moment.
            let pool = without_spares(1, true);
            let system = ActorSystem::builder().scheduler(scheduler).build(&pool);
            let (send, receive) = mpsc::channel();
            let all: Vec<_> = (0..5)
                .map(|n| system.spawn(Logs(n, send.clone())))
                .collect();
            let teller = system.spawn(Teller(all));
            teller.ask(()).recv().unwrap();
            let order: Vec<_> = (0..5)
                .map(|_| receive.recv_timeout(FOREVER).unwrap())
                .collect();
            assert_eq!(order, expected);
        }
    });
}

/// A system with actors that run by hand, in this order.
fn stepped(seed: usize) -> (Pool, HandScheduler, ActorSystem) {
    let pool = pool(1);
    let by_hand = HandScheduler::new(seed);
    let system = ActorSystem::builder()
        .scheduler(by_hand.scheduler())
        .build(&pool);
    (pool, by_hand, system)
}

/// What the hoppers have handled after each step, with this seed.
fn trace(seed: usize) -> Vec<usize> {
    let (_pool, by_hand, system) = stepped(seed);
    let ring = Ring::new(&system, 6);
    ring.start(5);
    let mut trace = Vec::new();
    while by_hand.step() {
        trace.push(ring.handled.load(Ordering::SeqCst) * 100 + by_hand.ready());
    }
    assert_eq!(ring.handled.load(Ordering::SeqCst), 6 * 6);
    assert_eq!(
        *ring.threads.lock().unwrap(),
        HashSet::from([thread::current().id()])
    );
    drop(ring);
    by_hand.run_until_idle();
    trace
}

#[test]
fn by_hand_a_seed_is_an_order() {
    ends(|| {
        for seed in 0..20 {
            assert_eq!(trace(seed), trace(seed), "seed {seed}");
        }
        let orders: HashSet<_> = (0..20).map(trace).collect();
        assert!(orders.len() > 10, "{} orders of 20 seeds", orders.len());
    });
}

/// The system, its pool and the scheduler are dropped in each order while there are messages. With
/// the scheduler gone, the pool runs what is left.
#[test]
fn what_is_left_by_hand_is_for_the_pool() {
    ends(|| {
        for order in [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ] {
            let (pool, by_hand, system) = stepped(1);
            let ring = Ring::new(&system, 4);
            // What they were told before they are stopped is handled.
            ring.start(0);
            by_hand.step();
            let handled = Arc::clone(&ring.handled);
            drop(ring);
            let (mut pool, mut by_hand, mut system) = (Some(pool), Some(by_hand), Some(system));
            let mut ending = Vec::new();
            for step in order {
                match step {
                    // The end of the pool waits for the actors.
                    0 => ending.extend(
                        pool.take()
                            .map(|pool| thread::spawn(|| pool.shutdown().unwrap())),
                    ),
                    1 => drop(by_hand.take()),
                    _ => drop(system.take()),
                }
            }
            ending.into_iter().for_each(|end| end.join().unwrap());
            assert_eq!(handled.load(Ordering::SeqCst), 4, "{order:?}");
        }
    });
}

/// Bounds, stops and deadlines are the same by hand.
#[test]
fn by_hand_actors_stop_and_have_bounds() {
    ends(|| {
        let pool = pool(1);
        let by_hand = HandScheduler::new(7);
        let system = ActorSystem::new(&pool);
        let options = SpawnOptions::new()
            .scheduler(by_hand.scheduler())
            .bounded(1, Overflow::Fail);
        let handled = Arc::new(AtomicUsize::new(0));
        let hopper = system.spawn_with(
            Hopper {
                next: Vec::new(),
                handled: Arc::clone(&handled),
                threads: Arc::default(),
            },
            options,
        );
        assert!(by_hand.step(), "its start");
        let mut answer = hopper.ask(Hops(0));
        assert!(hopper.tell(Hops(0)).is_err(), "there is room for one");
        let short = Duration::ZERO;
        assert!(answer.recv_timeout(short).is_err(), "no step has been made");
        assert!(by_hand.step());
        assert_eq!(answer.recv_timeout(short), Ok(0));
        hopper.stop();
        by_hand.run_until_idle();
        assert!(hopper.tell(Hops(0)).is_err());
        assert_eq!(system.actors(), 0);
        // Nothing is to be stepped: this thread discards what is told to a dead actor.
        assert!(!by_hand.step());
    });
}

/// A handler that awaits gives its actor back to the scheduler that it has, or to the pool, if the
/// scheduler is gone.
#[test]
fn handlers_that_await_come_back_by_hand() {
    struct Waits;
    impl Actor for Waits {}
    impl AsyncHandler<oneshot::Receiver<u32>> for Waits {
        type Reply = u32;
        async fn handle(&mut self, number: oneshot::Receiver<u32>, _: AsyncContext<Self>) -> u32 {
            number.await.unwrap()
        }
    }
    impl Handler<u32> for Waits {
        type Reply = ThreadId;
        fn handle(&mut self, _: u32, _: &mut Context<Self>) -> ThreadId {
            thread::current().id()
        }
    }
    ends(|| {
        for is_kept in [true, false] {
            let (_pool, by_hand, system) = stepped(1);
            let actor = system.spawn(Waits);
            let (number, later) = oneshot::channel();
            let answer = actor.ask(later);
            let thread = actor.ask(1);
            by_hand.run_until_idle();
            assert!(!answer.is_ready());
            let by_hand = is_kept.then_some(by_hand);
            number.send(5).unwrap();
            assert_eq!(answer.recv(), Ok(5));
            if let Some(by_hand) = &by_hand {
                eventually("it is back", || by_hand.ready() == 1);
                assert!(by_hand.step() && by_hand.step());
            }
            let here = thread::current().id();
            assert_eq!(thread.recv().unwrap() == here, is_kept);
        }
    });
}

/// A handler that is run by hand is one of its pool, which cannot be shut down there. To drop the
/// pool does not wait for the actors that other threads run.
#[test]
fn a_pool_does_not_wait_for_what_is_run_elsewhere() {
    struct Ends(Option<Pool>, mpsc::Sender<bool>);
    impl Actor for Ends {}
    impl Handler<()> for Ends {
        type Reply = ();
        fn handle(&mut self, (): (), _: &mut Context<Self>) {
            let pool = self.0.take().unwrap();
            let is_refused = pool.shutdown().is_err();
            self.1.send(is_refused).unwrap();
        }
    }
    ends(|| {
        for _ in 0..50 {
            let (pool, by_hand, system) = stepped(1);
            let (send, receive) = mpsc::channel();
            let actor = system.spawn(Ends(Some(pool), send));
            actor.tell(()).unwrap();
            by_hand.run_until_idle();
            assert_eq!(receive.recv(), Ok(true));
            drop(actor);
            by_hand.run_until_idle();
        }
        for _ in 0..50 {
            let (pool, by_hand, system) = stepped(1);
            let actor = system.spawn(Ends(None, mpsc::channel().0));
            // This thread is the one that would have to step.
            drop(pool);
            drop(actor);
            drop(system);
            by_hand.run_until_idle();
        }
    });
}
