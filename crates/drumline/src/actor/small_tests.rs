//! Small cases, for Miri as well.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use crate::Pool;
use crate::actor::{
    Actor, ActorRef, ActorSystem, AskError, AsyncContext, AsyncHandler, Context, HandScheduler,
    Handler, Overflow, Scheduler, SharedScheduler, SpawnOptions, Strategy, Style,
    SupervisorOptions, TellError,
};
use crate::channel::oneshot;

/// Counts how many there are.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Counted(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Passes on what it is told, and counts what is sent to it.
struct Relay {
    next: Option<ActorRef<Relay>>,
    heard: mpsc::Sender<u32>,
    _counted: Counted,
}

impl Actor for Relay {
    fn stopped(&mut self, _: &mut Context<Self>) {
        let _ = self.heard.send(u32::MAX);
    }
}

struct Pass(
    u32,
    #[allow(dead_code, reason = "dropped with the message")] Counted,
);

impl Handler<Pass> for Relay {
    type Reply = u32;

    fn handle(&mut self, message: Pass, context: &mut Context<Self>) -> u32 {
        let number = message.0;
        assert_ne!(number, 13, "a panic on request");
        if number == 14 {
            context.stop_now();
        }
        let _ = self.heard.send(number);
        if let Some(next) = &self.next {
            let _ = next.tell(message);
        }
        number + 1
    }
}

struct Fixture {
    pool: Pool,
    system: ActorSystem,
    count: Arc<AtomicUsize>,
    heard: mpsc::Receiver<u32>,
    sender: mpsc::Sender<u32>,
}

impl Fixture {
    fn new(jobs: usize) -> Self {
        let pool = Pool::builder().jobs(jobs).panic_handler(|_| {}).build();
        let pool = pool.unwrap();
        let (sender, heard) = mpsc::channel();
        Fixture {
            system: ActorSystem::new(&pool),
            pool,
            count: Arc::new(AtomicUsize::new(0)),
            heard,
            sender,
        }
    }

    fn relay(&self, next: Option<ActorRef<Relay>>) -> Relay {
        Relay {
            next,
            heard: self.sender.clone(),
            _counted: Counted::new(&self.count),
        }
    }

    fn pass(&self, number: u32) -> Pass {
        Pass(number, Counted::new(&self.count))
    }

    /// Ends everything. Returns what was heard.
    fn end(self) -> Vec<u32> {
        drop(self.system);
        self.pool.shutdown().unwrap();
        assert_eq!(self.count.load(Ordering::SeqCst), 0, "each dropped once");
        drop(self.sender);
        self.heard.iter().collect()
    }
}

#[test]
fn miri_actors_pass_messages_on() {
    let fixture = Fixture::new(2);
    let last = fixture.system.spawn(fixture.relay(None));
    let first = fixture.system.spawn(fixture.relay(Some(last.clone())));
    for number in 0..5 {
        first.tell(fixture.pass(number)).unwrap();
    }
    assert_eq!(first.ask(fixture.pass(5)).recv(), Ok(6));
    drop((first, last));
    let mut heard = fixture.end();
    heard.sort_unstable();
    assert_eq!(
        heard,
        [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, u32::MAX, u32::MAX]
    );
}

#[test]
fn miri_a_panic_ends_the_actor() {
    let fixture = Fixture::new(1);
    let relay = fixture.system.spawn(fixture.relay(None));
    relay.tell(fixture.pass(1)).unwrap();
    let asked = relay.ask(fixture.pass(13));
    let after = relay.ask(fixture.pass(2));
    assert_eq!(asked.recv(), Err(AskError::Panicked));
    assert!(matches!(
        after.recv(),
        Err(AskError::Panicked | AskError::Dead)
    ));
    assert_eq!(relay.ask(fixture.pass(3)).recv(), Err(AskError::Dead));
    assert!(matches!(
        relay.tell(fixture.pass(3)),
        Err(TellError::Dead(Pass(3, _)))
    ));
    assert!(!relay.is_alive());
    drop(relay);
    assert_eq!(fixture.end(), [1]);
}

#[test]
fn miri_supervisors_start_actors_again() {
    for strategy in [Strategy::OneForOne, Strategy::OneForAll] {
        let pool = Pool::builder().jobs(2).panic_handler(|_| {}).build();
        let pool = pool.expect("threads start");
        let system = ActorSystem::new(&pool);
        let count = Arc::new(AtomicUsize::new(0));
        let (heard, hears) = mpsc::channel();
        let root = system.supervisor(SupervisorOptions::new().strategy(strategy));
        let below = root.supervisor(SupervisorOptions::new());
        let [one, other] = [&root, &below].map(|supervisor| {
            let (count, heard) = (Arc::clone(&count), heard.clone());
            supervisor.spawn(move || Relay {
                next: None,
                heard: heard.clone(),
                _counted: Counted::new(&count),
            })
        });
        let message = |number| Pass(number, Counted::new(&count));
        assert!(one.tell(message(1)).is_ok());
        assert!(one.tell(message(13)).is_ok());
        assert!(other.tell(message(2)).is_ok());
        assert_eq!(one.ask(message(13)).recv(), Err(AskError::Panicked));
        assert_eq!(one.ask(message(3)).recv(), Ok(4));
        assert_eq!(other.ask(message(4)).recv(), Ok(5));
        drop((one, root));
        assert!(pool.shutdown().is_ok());
        drop((other, below));
        assert_eq!(count.load(Ordering::SeqCst), 0);
        drop(heard);
        let numbers: Vec<_> = hears.iter().filter(|number| *number != u32::MAX).collect();
        assert!(
            [[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4]].contains(&numbers[..].try_into().unwrap())
        );
    }
}

#[test]
fn miri_stops() {
    let fixture = Fixture::new(1);
    let relay = fixture.system.spawn(fixture.relay(None));
    relay.tell(fixture.pass(1)).unwrap();
    relay.stop();
    let _ = relay.tell(fixture.pass(2));
    let other = fixture.system.spawn(fixture.relay(None));
    other.tell(fixture.pass(14)).unwrap();
    let _ = other.tell(fixture.pass(2));
    let killed = fixture.system.spawn(fixture.relay(None));
    killed.stop_now();
    drop((relay, other, killed));
    let mut heard = fixture.end();
    heard.retain(|number| *number != u32::MAX);
    heard.sort_unstable();
    assert_eq!(heard, [1, 14]);
}

#[test]
fn miri_mailboxes_with_bounds() {
    for overflow in [Overflow::Fail, Overflow::DropNewest, Overflow::DropOldest] {
        let fixture = Fixture::new(1);
        let options = SpawnOptions::new().bounded(2, overflow).style(Style::Loop);
        let relay = fixture.system.spawn_with(fixture.relay(None), options);
        for number in 0..6 {
            let told = relay.tell(fixture.pass(number));
            assert!(overflow == Overflow::Fail || told.is_ok());
        }
        drop(relay);
        assert!(fixture.end().len() > 2);
    }
}

#[test]
fn miri_an_actor_that_counts() {
    let fixture = Fixture::new(2);
    for scheduler in [Scheduler::Managed, Scheduler::Pinned] {
        let options = SpawnOptions::new().scheduler(scheduler).counted();
        let relay = fixture.system.spawn_with(fixture.relay(None), options);
        relay.tell(fixture.pass(1)).unwrap();
        assert_eq!(relay.ask(fixture.pass(2)).recv(), Ok(3));
        assert_eq!(relay.stats().map(|stats| stats.handled), Some(2));
        // The run may be the last to use the actor.
        drop(relay);
    }
    let heard = fixture.end();
    assert_eq!(heard.iter().filter(|&&number| number == 2).count(), 2);
}

#[test]
fn miri_an_actor_with_a_thread() {
    let fixture = Fixture::new(1);
    let options = SpawnOptions::new().scheduler(Scheduler::Pinned);
    let relay = fixture.system.spawn_with(fixture.relay(None), options);
    assert_eq!(relay.ask(fixture.pass(1)).recv(), Ok(2));
    assert_eq!(relay.ask(fixture.pass(2)).recv(), Ok(3));
    drop(relay);
    assert_eq!(fixture.end(), [1, 2, u32::MAX]);
}

#[test]
fn miri_an_actor_that_receives() {
    let fixture = Fixture::new(1);
    let heard = fixture.sender.clone();
    let actor = fixture
        .system
        .spawn_thread(move |inbox| {
            while let Some(Pass(number, _counted)) = inbox.receive() {
                let _ = heard.send(number);
            }
            while inbox.try_receive().is_ok() {}
        })
        .unwrap();
    assert_eq!(actor.ask(fixture.pass(1)).recv(), Ok(()));
    actor.tell(fixture.pass(2)).unwrap();
    drop(actor);
    let other = fixture.system.spawn_thread(|inbox| {
        let first: Option<Pass> = inbox.receive();
        assert!(inbox.try_receive().is_err());
        drop(first);
    });
    assert_eq!(other.unwrap().ask(fixture.pass(1)).recv(), Ok(()));
    assert_eq!(fixture.end(), [1, 2]);
}

struct Awaits(oneshot::Receiver<u32>);
impl AsyncHandler<Awaits> for Relay {
    type Reply = u32;
    async fn handle(&mut self, Awaits(number): Awaits, context: AsyncContext<Self>) -> u32 {
        let heard = &mut self.heard;
        let number = number.await.unwrap_or(0);
        assert_ne!(number, 13, "a panic on request");
        let _ = heard.send(number);
        drop(context);
        number
    }
}

#[test]
fn miri_handlers_that_await() {
    let fixture = Fixture::new(2);
    let relay = fixture.system.spawn(fixture.relay(None));
    let (number, later) = oneshot::channel();
    let answer = relay.ask(Awaits(later));
    let behind = relay.ask(fixture.pass(2));
    number.send(1).unwrap();
    assert_eq!((answer.recv(), behind.recv()), (Ok(1), Ok(3)));
    let (number, later) = oneshot::channel();
    let answer = relay.ask(Awaits(later));
    number.send(13).unwrap();
    assert_eq!(answer.recv(), Err(AskError::Panicked));
    // The end of the pool drops the future.
    let other = fixture.system.spawn(fixture.relay(None));
    let (number, later) = oneshot::channel();
    other.tell(Awaits(later)).unwrap();
    drop((relay, other));
    let mut heard = fixture.end();
    heard.retain(|&number| number != u32::MAX);
    assert_eq!(heard, [1, 2]);
    drop(number);
}

/// What the future of a handler borrows of itself stays borrowed from one poll to the next, and
/// while it is dropped.
#[test]
fn miri_handlers_that_borrow_while_they_await() {
    struct Borrower;
    impl Actor for Borrower {}
    impl AsyncHandler<u32> for Borrower {
        type Reply = u32;
        async fn handle(&mut self, most: u32, _: AsyncContext<Self>) -> u32 {
            struct Adds<'a>(&'a mut u32);
            impl Drop for Adds<'_> {
                fn drop(&mut self) {
                    *self.0 += 1;
                }
            }
            let mut polls = 0;
            let adds = Adds(&mut polls);
            std::future::poll_fn(|cx| {
                *adds.0 += 1;
                if *adds.0 == most {
                    return std::task::Poll::Ready(());
                }
                cx.waker().wake_by_ref();
                std::task::Poll::Pending
            })
            .await;
            drop(adds);
            polls
        }
    }
    let pool = Pool::builder().jobs(1).build().unwrap();
    let system = ActorSystem::new(&pool);
    let borrower = system.spawn(Borrower);
    assert_eq!(borrower.ask(3).recv(), Ok(4));
    // And one that is dropped where it is.
    let answer = borrower.ask(u32::MAX);
    assert!(pool.shutdown().is_ok());
    assert_eq!(answer.recv(), Err(AskError::Dead));
}

#[test]
fn miri_other_schedulers() {
    let by_hand = HandScheduler::new(3);
    let shared = SharedScheduler::new(1).unwrap();
    for scheduler in [
        Scheduler::ForkJoinLifo,
        Scheduler::ForkJoinFifo,
        Scheduler::Shared(shared),
        by_hand.scheduler(),
    ] {
        let fixture = Fixture::new(1);
        let options = SpawnOptions::new().scheduler(scheduler);
        let relay = fixture.system.spawn_with(fixture.relay(None), options);
        relay.tell(fixture.pass(1)).unwrap();
        relay.tell(fixture.pass(2)).unwrap();
        drop(relay);
        by_hand.run_until_idle();
        assert_eq!(fixture.end(), [1, 2, u32::MAX]);
    }
}

#[test]
fn miri_systems_end_with_their_pools() {
    let Fixture {
        pool,
        system,
        count,
        sender,
        ..
    } = Fixture::new(2);
    let relay = |next| Relay {
        next,
        heard: sender.clone(),
        _counted: Counted::new(&count),
    };
    let first = system.spawn(relay(None));
    first.tell(Pass(1, Counted::new(&count))).unwrap();
    pool.shutdown().unwrap();
    assert!(!first.is_alive());
    assert!(!system.spawn(relay(None)).is_alive());
    assert!(first.tell(Pass(1, Counted::new(&count))).is_err());
    drop((first, system));
    assert_eq!(count.load(Ordering::SeqCst), 0);
}
