//! Supervisors: restarts, strategies, limits, escalation, and the end of trees.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use drumline::Pool;
use drumline::actor::{
    Actor, ActorRef, ActorSystem, AskError, AsyncContext, AsyncHandler, Context, Directive,
    Failure, FailureOutcome, Handler, Inbox, Overflow, Scheduler, SharedScheduler, SpawnOptions,
    Strategy, Style, Supervisor, SupervisorOptions,
};

const LONG: Duration = Duration::from_secs(3_600);

fn far() -> Instant {
    Instant::now() + LONG
}

fn pool(jobs: usize) -> Pool {
    let pool = Pool::builder().jobs(jobs).panic_handler(|_| {});
    pool.build().expect("the pool starts")
}

/// As many restarts as a test likes.
fn options() -> SupervisorOptions {
    SupervisorOptions::new().max_restarts(usize::MAX, LONG)
}

/// Says what happens to it.
struct Worker {
    name: &'static str,
    events: Sender<(&'static str, &'static str)>,
    sum: u32,
}

impl Worker {
    fn say(&self, what: &'static str) {
        // The test may be over.
        let _ = self.events.send((self.name, what));
    }
}

impl Actor for Worker {
    fn started(&mut self, _: &mut Context<Self>) {
        self.say("started");
    }

    fn stopped(&mut self, _: &mut Context<Self>) {
        self.say("stopped");
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.say("dropped");
    }
}

struct Add(u32);

impl Handler<Add> for Worker {
    type Reply = u32;

    fn handle(&mut self, Add(number): Add, _: &mut Context<Self>) -> u32 {
        self.sum += number;
        self.sum
    }
}

struct Crash;

impl Handler<Crash> for Worker {
    type Reply = ();

    fn handle(&mut self, _: Crash, _: &mut Context<Self>) {
        panic!("a crash on purpose");
    }
}

/// Waits for the sender, and crashes then if it is told to.
struct Wait(Receiver<bool>);

impl Handler<Wait> for Worker {
    type Reply = ();

    fn handle(&mut self, Wait(until): Wait, _: &mut Context<Self>) {
        self.say("waits");
        let crashes = drumline::blocking(|| until.recv()).unwrap_or(false);
        assert!(!crashes, "a crash on purpose");
    }
}

type Events = Receiver<(&'static str, &'static str)>;

fn worker(
    supervisor: &Supervisor,
    name: &'static str,
    events: &Sender<(&'static str, &'static str)>,
) -> ActorRef<Worker> {
    worker_with(supervisor, name, events, SpawnOptions::new())
}

fn worker_with(
    supervisor: &Supervisor,
    name: &'static str,
    events: &Sender<(&'static str, &'static str)>,
    options: SpawnOptions,
) -> ActorRef<Worker> {
    let events = events.clone();
    let make = move || Worker {
        name,
        events: events.clone(),
        sum: 0,
    };
    supervisor.spawn_with(make, options.name(name))
}

/// The events of each worker, in their order, until `count` of them have come.
fn await_events(events: &Events, count: usize) -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut of: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for _ in 0..count {
        let (name, what) = events.recv().expect("workers have the sender");
        of.entry(name).or_default().push(what);
    }
    of
}

#[test]
fn a_restart_keeps_the_mailbox_and_loses_the_message_that_killed() {
    for (jobs, style) in [
        (1, Style::Recursive),
        (2, Style::Recursive),
        (2, Style::Loop),
    ] {
        let pool = pool(jobs);
        let system = ActorSystem::builder().style(style).build(&pool);
        let failures = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&failures);
        system.on_failure(move |failure: &Failure, outcome| {
            seen.lock().unwrap().push((failure.clone(), outcome));
        });
        let supervisor = system.supervisor(options());
        let (send, events) = mpsc::channel();
        let worker = worker(&supervisor, "worker", &send);
        let (wake, woken) = mpsc::channel();
        worker.tell(Wait(woken)).unwrap();
        worker.tell(Add(1)).unwrap();
        worker.tell(Crash).unwrap();
        worker.tell(Add(10)).unwrap();
        let answer = worker.ask(Crash);
        let sum = worker.ask(Add(100));
        drop(wake);
        assert_eq!(answer.recv(), Err(AskError::Panicked));
        assert_eq!(sum.recv(), Ok(100), "each crash makes a new sum");
        assert_eq!(worker.ask(Add(1)).recv(), Ok(101));
        let stats = system.stats();
        assert_eq!(
            (stats.restarts, stats.panicked, stats.dead_letters),
            (2, 0, 0)
        );
        let failures = failures.lock().unwrap();
        assert_eq!(failures.len(), 2);
        for (failure, outcome) in &*failures {
            assert_eq!(failure.actor(), "worker");
            assert!(failure.message_type().unwrap().ends_with("Crash"));
            assert_eq!(failure.panic_message(), "a crash on purpose");
            assert_eq!(*outcome, FailureOutcome::Restarts);
        }
        assert!(supervisor.shutdown(far()).is_complete());
        assert!(!worker.is_alive() && !supervisor.is_alive());
        drop(send);
        let all: Vec<_> = std::iter::from_fn(|| events.try_recv().ok()).collect();
        let count = |what| all.iter().filter(|event| event.1 == what).count();
        assert_eq!(
            (count("started"), count("dropped"), count("stopped")),
            (3, 3, 1)
        );
    }
}

#[test]
fn many_crashes_lose_nothing_else() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let supervisor = system.supervisor(options());

    struct Counter(Arc<AtomicUsize>);
    impl Actor for Counter {}
    impl Handler<u32> for Counter {
        type Reply = ();
        fn handle(&mut self, number: u32, _: &mut Context<Self>) {
            if number.is_multiple_of(10) {
                std::panic::resume_unwind(Box::new("a crash on purpose"));
            }
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    let counted = Arc::new(AtomicUsize::new(0));
    let of = Arc::clone(&counted);
    let counter = supervisor.spawn(move || Counter(Arc::clone(&of)));
    let tellers: Vec<_> = (0..4)
        .map(|_| {
            let counter = counter.clone();
            std::thread::spawn(move || {
                for number in 0..5_000 {
                    counter.tell(number).unwrap();
                }
            })
        })
        .collect();
    for teller in tellers {
        teller.join().unwrap();
    }
    assert!(system.shutdown(far()).is_complete());
    assert_eq!(counted.load(Ordering::SeqCst), 18_000);
    assert_eq!(system.stats().restarts, 2_000);
    assert_eq!(system.dead_letters(), 0);
}

#[test]
fn strategies_say_which_actors_start_again() {
    let expected = [
        (Strategy::OneForOne, ["b"].as_slice()),
        (Strategy::OneForAll, &["a", "b", "c"]),
        (Strategy::RestForOne, &["b", "c"]),
    ];
    for (strategy, restarted) in expected {
        let pool = pool(2);
        let system = ActorSystem::new(&pool);
        let supervisor = system.supervisor(options().strategy(strategy));
        let (send, events) = mpsc::channel();
        let workers = ["a", "b", "c"].map(|name| worker(&supervisor, name, &send));
        await_events(&events, 3);
        for worker in &workers {
            assert_eq!(worker.ask(Add(1)).recv(), Ok(1));
        }
        workers[1].tell(Crash).unwrap();
        // Siblings: stopped, dropped, started.
        let count = 3 * restarted.len() - 1;
        for (name, events) in await_events(&events, count) {
            assert!(
                restarted.contains(&name),
                "{strategy:?}: {name}: {events:?}"
            );
            let of = if name == "b" {
                ["dropped", "started"].as_slice()
            } else {
                &["stopped", "dropped", "started"]
            };
            assert_eq!(events, of, "{strategy:?}: {name}");
        }
        for (worker, name) in workers.iter().zip(["a", "b", "c"]) {
            let sum = if restarted.contains(&name) { 1 } else { 2 };
            assert_eq!(worker.ask(Add(1)).recv(), Ok(sum), "{strategy:?}: {name}");
        }
        assert_eq!(system.stats().restarts, 1);
    }
}

#[test]
fn siblings_are_awaited_on_every_scheduler() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let threads = SharedScheduler::new(1).unwrap();
    let (tell, asked) = mpsc::channel();
    system.on_failure(move |_, _| tell.send(()).unwrap());
    let schedulers = [
        Scheduler::Managed,
        Scheduler::ForkJoinLifo,
        Scheduler::ForkJoinFifo,
        Scheduler::Shared(threads),
        Scheduler::Pinned,
    ];
    for scheduler in schedulers {
        let supervisor = system.supervisor(options().strategy(Strategy::OneForAll));
        let (send, events) = mpsc::channel();
        let on = SpawnOptions::new().scheduler(scheduler.clone());
        let sibling = worker_with(&supervisor, "sibling", &send, on.clone());
        let (wake, woken) = mpsc::channel();
        sibling.tell(Wait(woken)).unwrap();
        sibling.tell(Add(1)).unwrap();
        assert_eq!(await_events(&events, 2)["sibling"], ["started", "waits"]);
        let crasher = worker(&supervisor, "crasher", &send);
        crasher.tell(Crash).unwrap();
        let crashed = await_events(&events, 2);
        assert_eq!(crashed["crasher"], ["started", "dropped"]);
        let sum = crasher.ask(Add(5));
        // The listener is called when the sibling has been asked.
        asked.recv().unwrap();
        // The crasher goes on when the sibling has come.
        assert!(events.try_recv().is_err());
        wake.send(false).unwrap();
        assert_eq!(sum.recv(), Ok(5));
        assert_eq!(sibling.ask(Add(1)).recv(), Ok(2), "{scheduler:?}");
        let all = await_events(&events, 4);
        assert_eq!(all["sibling"], ["stopped", "dropped", "started"]);
        assert_eq!(all["crasher"], ["started"]);
        assert!(supervisor.shutdown(far()).is_complete());
    }
}

#[test]
fn a_late_sibling_does_not_hold_up_the_others() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let once = options().strategy(Strategy::OneForAll);
    let supervisor = system.supervisor(once.restart_timeout(Duration::from_millis(1)));
    let (send, events) = mpsc::channel();
    let sibling = worker(&supervisor, "sibling", &send);
    let (wake, woken) = mpsc::channel();
    sibling.tell(Wait(woken)).unwrap();
    await_events(&events, 2);
    let crasher = worker(&supervisor, "crasher", &send);
    crasher.tell(Crash).unwrap();
    assert_eq!(crasher.ask(Add(5)).recv(), Ok(5));
    await_events(&events, 3);
    // Also if it crashes itself by then.
    wake.send(true).unwrap();
    assert_eq!(sibling.ask(Add(1)).recv(), Ok(1));
    assert_eq!(await_events(&events, 2)["sibling"], ["dropped", "started"]);
}

#[test]
fn too_many_restarts_end_all() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let outcomes = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&outcomes);
    system.on_failure(move |_, outcome| seen.lock().unwrap().push(outcome));
    let supervisor = system.supervisor(SupervisorOptions::new().max_restarts(2, LONG));
    let (send, _events) = mpsc::channel();
    let [one, other] = ["one", "other"].map(|name| worker(&supervisor, name, &send));
    for _ in 0..2 {
        one.tell(Crash).unwrap();
        assert_eq!(one.ask(Add(1)).recv(), Ok(1));
    }
    one.tell(Crash).unwrap();
    assert!(supervisor.shutdown(far()).is_complete());
    assert!(!one.is_alive() && !other.is_alive() && !supervisor.is_alive());
    let late = worker(&supervisor, "late", &send);
    assert_eq!(late.ask(Add(1)).recv(), Err(AskError::Dead));
    let (restarts, ends) = (FailureOutcome::Restarts, FailureOutcome::Ends);
    assert_eq!(*outcomes.lock().unwrap(), [restarts, restarts, ends]);
    assert_eq!(system.stats().panicked, 1);
    assert_eq!(system.actors(), 0);
}

#[test]
fn a_supervisor_escalates_to_the_one_above() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let root = system.supervisor(options().strategy(Strategy::OneForAll));
    let below = root.supervisor(SupervisorOptions::new().max_restarts(1, LONG));
    let (send, events) = mpsc::channel();
    let above = worker(&root, "above", &send);
    let [one, other] = ["one", "other"].map(|name| worker(&below, name, &send));
    await_events(&events, 3);
    one.tell(Crash).unwrap();
    assert_eq!(await_events(&events, 2)["one"], ["dropped", "started"]);
    one.tell(Crash).unwrap();
    let all = await_events(&events, 8);
    assert_eq!(all["one"], ["dropped", "started"]);
    assert_eq!(all["other"], ["stopped", "dropped", "started"]);
    assert_eq!(all["above"], ["stopped", "dropped", "started"]);
    // Its count begins anew.
    one.tell(Crash).unwrap();
    assert_eq!(await_events(&events, 2)["one"], ["dropped", "started"]);
    assert!(above.is_alive() && other.is_alive());
    assert!(root.shutdown(far()).is_complete());
    assert!(!below.is_alive());
}

#[test]
fn a_function_decides() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let directives = Arc::new(Mutex::new(vec![
        Directive::Escalate,
        Directive::Stop,
        Directive::Restart,
    ]));
    let decide = move |failure: &Failure| {
        assert_eq!(failure.actor(), "one");
        directives.lock().unwrap().pop().expect("asked three times")
    };
    let root = system.supervisor(options());
    let below = root.supervisor(options().on_failure(decide));
    let (send, events) = mpsc::channel();
    let one = worker(&below, "one", &send);
    let other = worker(&below, "other", &send);
    await_events(&events, 2);
    one.tell(Crash).unwrap();
    await_events(&events, 2);
    one.tell(Crash).unwrap();
    assert_eq!(await_events(&events, 1)["one"], ["dropped"]);
    while one.is_alive() {
        std::thread::yield_now();
    }
    let one = worker(&below, "one", &send);
    one.tell(Crash).unwrap();
    // Escalated: the supervisor above starts all below again.
    let all = await_events(&events, 6);
    assert_eq!(all["other"], ["stopped", "dropped", "started"]);
    assert_eq!(all["one"], ["started", "dropped", "started"]);
    assert!(other.is_alive());
}

#[test]
fn a_delay_holds_the_messages_and_no_thread() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let delay = Duration::from_millis(20);
    let supervisor = system.supervisor(options().backoff(delay, delay));
    let (send, _events) = mpsc::channel();
    let worker = worker(&supervisor, "worker", &send);
    let begin = Instant::now();
    worker.tell(Crash).unwrap();
    assert_eq!(worker.ask(Add(1)).recv(), Ok(1));
    assert!(begin.elapsed() >= delay);
}

#[test]
fn the_end_does_not_wait_for_a_delay() {
    for way in 0..3 {
        let pool = pool(2);
        let system = ActorSystem::new(&pool);
        let supervisor = system.supervisor(options().backoff(LONG, LONG));
        let (send, events) = mpsc::channel();
        let worker = worker(&supervisor, "worker", &send);
        worker.tell(Crash).unwrap();
        assert_eq!(await_events(&events, 2)["worker"], ["started", "dropped"]);
        worker.tell(Add(1)).unwrap();
        match way {
            0 => assert!(supervisor.shutdown(far()).is_complete()),
            1 => assert!(system.shutdown(far()).is_complete()),
            _ => assert!(pool.shutdown().is_ok()),
        }
        assert!(!worker.is_alive());
        // It has handled what it was told.
        assert_eq!(system.dead_letters(), 0);
        assert_eq!(
            await_events(&events, 3)["worker"],
            ["started", "stopped", "dropped"]
        );
    }
}

#[test]
fn actors_end_in_the_reverse_order_of_their_starts() {
    for strategy in [Strategy::OneForAll, Strategy::RestForOne] {
        let pool = pool(2);
        let system = ActorSystem::new(&pool);
        let root = system.supervisor(options().strategy(strategy));
        let (send, events) = mpsc::channel();
        let _first = worker(&root, "first", &send);
        let below = root.supervisor(options().strategy(strategy));
        let _last = worker(&root, "last", &send);
        let _second = worker(&below, "second", &send);
        let _third = worker(&below, "third", &send);
        await_events(&events, 4);
        assert!(system.shutdown(far()).is_complete());
        let order: Vec<_> = events
            .try_iter()
            .filter(|event| event.1 == "dropped")
            .collect();
        let names: Vec<_> = order.iter().map(|event| event.0).collect();
        assert_eq!(names, ["last", "third", "second", "first"]);
    }
}

#[test]
fn a_handler_that_blocks_is_abandoned_and_reported() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let supervisor = system.supervisor(options());
    let (send, events) = mpsc::channel();
    let stuck = worker(&supervisor, "stuck", &send);
    let fine = worker(&supervisor, "fine", &send);
    let (wake, woken) = mpsc::channel();
    stuck.tell(Wait(woken)).unwrap();
    await_events(&events, 3);
    let report = supervisor.shutdown(Instant::now() + Duration::from_millis(20));
    assert!(report.abandoned().contains(&"stuck".to_owned()));
    assert!(stuck.is_alive());
    // It does not start again, however it ends.
    wake.send(true).unwrap();
    assert!(supervisor.shutdown(far()).is_complete());
    assert!(!stuck.is_alive() && !fine.is_alive());
}

#[test]
fn a_factory_and_a_hook_that_panic_are_failures() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let supervisor = system.supervisor(options());

    struct Fussy(u32);
    impl Actor for Fussy {
        fn started(&mut self, _: &mut Context<Self>) {
            assert!(self.0 > 3, "not in the mood");
        }
    }
    impl Handler<()> for Fussy {
        type Reply = u32;
        fn handle(&mut self, (): (), _: &mut Context<Self>) -> u32 {
            self.0
        }
    }

    let mut made = 0;
    let fussy = supervisor.spawn(move || {
        made += 1;
        assert!(made != 2, "this one fails");
        Fussy(made)
    });
    assert_eq!(fussy.ask(()).recv(), Ok(4));
    assert_eq!(system.stats().restarts, 3);
}

#[test]
fn a_future_that_panics_is_a_failure() {
    struct Later(u32);
    impl Actor for Later {}
    impl AsyncHandler<u32> for Later {
        type Reply = u32;
        async fn handle(&mut self, number: u32, _: AsyncContext<Self>) -> u32 {
            drumline::task::yield_now().await;
            assert!(number != 13, "not this number");
            self.0 += number;
            self.0
        }
    }

    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, failures) = mpsc::channel();
    system.on_failure(move |failure, _| send.send(failure.message_type()).unwrap());
    let supervisor = system.supervisor(options());
    let later = supervisor.spawn(|| Later(0));
    assert_eq!(later.ask(1).recv(), Ok(1));
    let answers = [later.ask(13), later.ask(5)];
    let replies = answers.map(|answer| answer.recv());
    assert_eq!(replies, [Err(AskError::Panicked), Ok(5)]);
    assert_eq!(failures.recv(), Ok(Some("u32")));
}

#[test]
fn what_was_set_aside_is_handled_by_the_new_state() {
    struct Keeper(Sender<u32>);
    impl Actor for Keeper {}
    impl Handler<u32> for Keeper {
        type Reply = ();
        fn handle(&mut self, number: u32, context: &mut Context<Self>) {
            match number {
                1 | 2 if context.stashed() < 2 && context.name() == "keeps" => {
                    context.stash(number).unwrap();
                }
                9 => panic!("a crash on purpose"),
                _ => {}
            }
            let _ = self.0.send(number);
        }
    }

    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let supervisor = system.supervisor(options());
    let (send, numbers) = mpsc::channel();
    let keeper = supervisor.spawn_with(
        move || Keeper(send.clone()),
        SpawnOptions::new().stash(2).name("keeps"),
    );
    for number in [1, 2, 9, 3] {
        keeper.tell(number).unwrap();
    }
    let seen: Vec<_> = numbers.iter().take(5).collect();
    assert_eq!(seen, [1, 2, 1, 2, 3]);
}

#[test]
fn bounded_mailboxes_are_kept() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let supervisor = system.supervisor(options());
    let (send, events) = mpsc::channel();
    let bounded = SpawnOptions::new().bounded(2, Overflow::Fail).counted();
    let worker = worker_with(&supervisor, "worker", &send, bounded);
    let (wake, woken) = mpsc::channel();
    worker.tell(Wait(woken)).unwrap();
    await_events(&events, 2);
    worker.tell(Crash).unwrap();
    let sum = worker.ask(Add(7));
    assert!(worker.try_tell(Add(1)).is_err());
    wake.send(false).unwrap();
    assert_eq!(sum.recv(), Ok(7));
    assert_eq!(worker.stats().map(|stats| stats.handled), Some(3));
}

#[test]
fn a_supervisor_keeps_its_actors_alive() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let supervisor = system.supervisor(options());
    let (send, events) = mpsc::channel();
    drop(worker(&supervisor, "worker", &send));
    await_events(&events, 1);
    assert_eq!((supervisor.children(), system.actors()), (1, 1));
    drop(supervisor);
    assert_eq!(system.actors(), 1);
    assert!(system.shutdown(far()).is_complete());
    assert_eq!(await_events(&events, 2)["worker"], ["stopped", "dropped"]);
}

#[test]
fn a_tree_comes_down_with_every_drop_counted() {
    struct Leaf(Arc<AtomicUsize>);
    impl Actor for Leaf {}
    impl Drop for Leaf {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    for strategy in [Strategy::OneForOne, Strategy::RestForOne] {
        let pool = pool(2);
        let system = ActorSystem::new(&pool);
        let dropped = Arc::new(AtomicUsize::new(0));
        let root = system.supervisor(options().strategy(strategy));
        for _ in 0..10 {
            let below = root.supervisor(options().strategy(strategy));
            for _ in 0..1_000 {
                let dropped = Arc::clone(&dropped);
                below.spawn(move || Leaf(Arc::clone(&dropped)));
            }
        }
        // Those that were never run have no state.
        while system.actors() < 10_000 {}
        assert!(root.shutdown(far()).is_complete());
        assert_eq!(system.actors(), 0);
        assert!(system.shutdown(far()).is_complete());
        assert_eq!(dropped.load(Ordering::SeqCst), 10_000);
    }
}

#[test]
fn a_supervisor_of_an_ended_system_starts_nothing() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let before = system.supervisor(options());
    assert!(system.shutdown(far()).is_complete());
    let after = system.supervisor(options());
    let (send, _events) = mpsc::channel();
    for supervisor in [before.supervisor(options()), before, after] {
        assert!(!supervisor.is_alive());
        assert!(!worker(&supervisor, "worker", &send).is_alive());
        assert!(supervisor.shutdown(far()).is_complete());
    }
}

#[test]
fn failures_without_a_supervisor_are_told_as_well() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, failures) = mpsc::channel();
    system.on_failure(move |failure, outcome| {
        let of = (failure.actor().to_owned(), failure.message_type(), outcome);
        send.send(of).unwrap();
    });
    let named = SpawnOptions::new().name("thread");
    let body = |inbox: &mut Inbox<u32>| {
        inbox.receive();
        panic!("a crash on purpose");
    };
    let thread = system.spawn_thread_with(named, body).unwrap();
    thread.tell(1).unwrap();
    let of = ("thread".to_owned(), None, FailureOutcome::Ends);
    assert_eq!(failures.recv(), Ok(of));

    struct Simple;
    impl Actor for Simple {}
    impl Handler<u32> for Simple {
        type Reply = ();
        fn handle(&mut self, _: u32, _: &mut Context<Self>) {
            panic!("a crash on purpose");
        }
    }
    system.spawn(Simple).tell(1).unwrap();
    let of = ("Simple".to_owned(), Some("u32"), FailureOutcome::Ends);
    assert_eq!(failures.recv(), Ok(of));
}
