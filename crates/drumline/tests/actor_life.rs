//! Actors begin and end: stops, panics, the last reference, systems and pools that end.

mod actors;
mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use common::{Event, FOREVER, eventually, pool};
use drumline::Pool;
use drumline::actor::{
    Actor, ActorRef, ActorSystem, AskError, Context, Handler, SpawnOptions, Style, TellError,
};

/// Counts how many of them there are.
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

/// Where an actor panics.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Panics {
    Nowhere,
    InStarted,
    InStopped,
    InDrop,
}

/// Does what it is told, and writes down what happens to it.
struct Doer {
    log: mpsc::Sender<String>,
    panics: Panics,
    _counted: Counted,
}

impl Doer {
    fn say(&self, what: impl Into<String>) {
        let _ = self.log.send(what.into());
    }
}

impl Actor for Doer {
    fn started(&mut self, _: &mut Context<Self>) {
        self.say("started");
        assert!(self.panics != Panics::InStarted, "in started");
    }

    fn stopped(&mut self, _: &mut Context<Self>) {
        self.say("stopped");
        assert!(self.panics != Panics::InStopped, "in stopped");
    }
}

impl Drop for Doer {
    fn drop(&mut self) {
        self.say("dropped");
        assert!(self.panics != Panics::InDrop, "in drop");
    }
}

/// What to do, with something that is counted.
struct Do<F>(
    F,
    #[allow(dead_code, reason = "dropped with the message")] Counted,
);

impl<F> Handler<Do<F>> for Doer
where
    F: FnOnce(&mut Doer, &mut Context<Doer>) + Send + 'static,
{
    type Reply = ();

    fn handle(&mut self, Do(what, _counted): Do<F>, context: &mut Context<Self>) {
        what(self, context);
    }
}

struct Fixture {
    pool: Pool,
    system: ActorSystem,
    count: Arc<AtomicUsize>,
    log: mpsc::Sender<String>,
    logged: mpsc::Receiver<String>,
    panics: Arc<AtomicUsize>,
}

impl Fixture {
    fn new(jobs: usize) -> Self {
        let panics = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&panics);
        let pool = Pool::builder()
            .jobs(jobs)
            .panic_handler(move |_| {
                counted.fetch_add(1, Ordering::SeqCst);
            })
            .build()
            .unwrap();
        let (log, logged) = mpsc::channel();
        Fixture {
            system: ActorSystem::new(&pool),
            pool,
            count: Arc::default(),
            log,
            logged,
            panics,
        }
    }

    fn doer(&self, panics: Panics) -> Doer {
        Doer {
            log: self.log.clone(),
            panics,
            _counted: Counted::new(&self.count),
        }
    }

    fn spawn(&self) -> ActorRef<Doer> {
        self.system.spawn(self.doer(Panics::Nowhere))
    }

    fn to_do<F>(&self, what: F) -> Do<F> {
        Do(what, Counted::new(&self.count))
    }

    fn say(
        &self,
        what: &'static str,
    ) -> Do<impl FnOnce(&mut Doer, &mut Context<Doer>) + Send + use<>> {
        self.to_do(move |doer: &mut Doer, _: &mut Context<Doer>| doer.say(what))
    }

    /// Ends everything. Returns what was logged, and how many panics were reported.
    fn end(self) -> (Vec<String>, usize) {
        drop(self.system);
        self.pool.shutdown().unwrap();
        assert_eq!(self.count.load(Ordering::SeqCst), 0, "each dropped once");
        drop(self.log);
        (
            self.logged.iter().collect(),
            self.panics.load(Ordering::SeqCst),
        )
    }
}

#[test]
fn hooks_are_called_around_messages() {
    let fixture = Fixture::new(2);
    let doer = fixture.spawn();
    doer.tell(fixture.say("first")).unwrap();
    doer.tell(fixture.say("second")).unwrap();
    doer.stop();
    assert_eq!(
        fixture.logged.iter().take(5).collect::<Vec<_>>(),
        ["started", "first", "second", "stopped", "dropped"]
    );
    // Not dead alone: what comes before its mailbox is empty is taken, and is a dead letter.
    doer.ended().recv();
    assert!(matches!(
        doer.tell(fixture.say("late")),
        Err(TellError::Dead(_))
    ));
    drop(doer);
    assert_eq!(fixture.end().1, 0);
}

#[test]
fn without_references_an_actor_ends_after_its_messages() {
    let fixture = Fixture::new(1);
    let doer = fixture.spawn();
    let other = doer.clone();
    doer.tell(fixture.say("first")).unwrap();
    drop(doer);
    other.tell(fixture.say("second")).unwrap();
    drop(other);
    assert_eq!(
        fixture.logged.iter().take(5).collect::<Vec<_>>(),
        ["started", "first", "second", "stopped", "dropped"]
    );
    assert_eq!(fixture.end().1, 0);
}

#[test]
fn an_actor_that_refers_to_itself_goes_on() {
    let fixture = Fixture::new(2);
    let doer = fixture.spawn();
    let count = Arc::clone(&fixture.count);
    doer.tell(
        fixture.to_do(move |_: &mut Doer, context: &mut Context<Doer>| {
            let own = context.actor_ref();
            let last = Do(
                |doer: &mut Doer, _: &mut Context<Doer>| doer.say("later"),
                Counted::new(&count),
            );
            own.tell(last).unwrap();
        }),
    )
    .unwrap();
    drop(doer);
    assert_eq!(
        fixture.logged.iter().take(4).collect::<Vec<_>>(),
        ["started", "later", "stopped", "dropped"]
    );
    assert_eq!(fixture.end().1, 0);
}

#[test]
fn panics_stay_inside() {
    for (panics, hooks) in [
        (Panics::InStarted, vec!["started", "dropped"]),
        (Panics::InStopped, vec!["started", "stopped", "dropped"]),
        (Panics::InDrop, vec!["started", "stopped", "dropped"]),
    ] {
        let fixture = Fixture::new(1);
        let doer = fixture.system.spawn(fixture.doer(panics));
        doer.stop();
        drop(doer);
        assert_eq!(
            fixture.end(),
            (hooks.iter().map(|s| (*s).to_owned()).collect(), 1)
        );
    }
}

#[test]
fn a_panic_in_a_handler_discards_what_is_left() {
    let fixture = Fixture::new(2);
    let doer = fixture.spawn();
    let (go, gone) = mpsc::channel::<()>();
    doer.tell(fixture.to_do(move |_: &mut Doer, _: &mut Context<Doer>| {
        let _ = drumline::blocking(|| gone.recv());
        panic!("on request");
    }))
    .unwrap();
    let asked = doer.ask(fixture.say("never"));
    doer.tell(fixture.say("never")).unwrap();
    drop(go);
    assert_eq!(asked.recv(), Err(AskError::Panicked));
    eventually("it is dead", || fixture.system.actors() == 0);
    assert_eq!(fixture.system.dead_letters(), 2);
    assert_eq!(doer.ask(fixture.say("late")).recv(), Err(AskError::Dead));
    drop(doer);
    let (log, panics) = fixture.end();
    assert_eq!(log, ["started", "dropped"]);
    assert_eq!(panics, 1);
}

#[test]
fn stop_now_discards_what_is_left() {
    for scheduler in actors::schedulers() {
        let fixture = Fixture::new(1);
        let options = SpawnOptions::new().scheduler(scheduler).name("the doer");
        let doer = fixture.doer(Panics::Nowhere);
        let doer = fixture.system.spawn_with(doer, options);
        let heard = Arc::new(AtomicUsize::new(0));
        let hears = Arc::clone(&heard);
        fixture.system.on_dead_letter(move |letter| {
            assert_eq!(letter.actor(), "the doer");
            assert!(!letter.is_overflow());
            hears.fetch_add(1, Ordering::SeqCst);
        });
        let (begun, begins) = mpsc::channel::<()>();
        let (go, gone) = mpsc::channel::<()>();
        doer.tell(fixture.to_do(move |_: &mut Doer, _: &mut Context<Doer>| {
            begun.send(()).unwrap();
            let _ = drumline::blocking(|| gone.recv());
        }))
        .unwrap();
        begins.recv().unwrap();
        for _ in 0..3 {
            doer.tell(fixture.say("never")).unwrap();
        }
        doer.stop_now();
        drop(go);
        eventually("it is dead", || fixture.system.actors() == 0);
        assert_eq!(heard.load(Ordering::SeqCst), 3);
        drop(doer);
        assert_eq!(fixture.end().0, ["started", "stopped", "dropped"]);
    }
}

#[test]
fn messages_come_from_drops() {
    type Tell = Box<dyn FnOnce(&ActorRef<Doer>) + Send>;
    struct TellsInDrop(ActorRef<Doer>, Option<Tell>);
    impl Actor for TellsInDrop {}
    impl Drop for TellsInDrop {
        fn drop(&mut self) {
            (self.1.take().unwrap())(&self.0);
        }
    }
    let fixture = Fixture::new(1);
    let doer = fixture.spawn();
    let message = fixture.say("from a drop");
    let teller = fixture.system.spawn(TellsInDrop(
        doer.clone(),
        Some(Box::new(move |doer| doer.tell(message).unwrap())),
    ));
    drop(teller);
    let heard: Vec<_> = fixture.logged.iter().take(2).collect();
    assert_eq!(heard, ["started", "from a drop"]);
    drop(doer);
    let _ = fixture.end();
}

/// Where a message is discarded, which may take a while, the actor is dead and has not ended.
#[test]
fn the_end_comes_after_the_messages_that_are_left() {
    /// Its drop says so, and waits for the event.
    struct Slow(mpsc::Sender<()>, Arc<Event>);

    impl Drop for Slow {
        fn drop(&mut self) {
            self.0.send(()).unwrap();
            self.1.wait();
        }
    }

    let fixture = Fixture::new(1);
    let doer = fixture.spawn();
    let (here, is_here) = mpsc::channel();
    let events = [(); 2].map(|()| Arc::new(Event::new()));
    let slow = Slow(here.clone(), Arc::clone(&events[1]));
    let waits = Arc::clone(&events[0]);
    let wait = move |_: &mut Doer, _: &mut Context<Doer>| {
        here.send(()).unwrap();
        waits.wait();
    };
    doer.tell(fixture.to_do(wait)).unwrap();
    is_here.recv().unwrap();
    let never = move |_: &mut Doer, _: &mut Context<Doer>| drop(slow);
    doer.tell(fixture.to_do(never)).unwrap();
    doer.stop_now();
    events[0].set();
    is_here.recv().unwrap();
    // The second message is being discarded.
    assert!(!doer.is_alive());
    let mut ended = doer.ended();
    assert!(!ended.is_ready());
    assert_eq!(fixture.system.actors(), 1);
    events[1].set();
    assert!(ended.recv_timeout(FOREVER).is_some());
    assert_eq!(fixture.system.actors(), 0);
    let late = doer.tell(fixture.say("late"));
    assert!(matches!(late, Err(TellError::Dead(_))));
    assert_eq!(fixture.system.dead_letters(), 1);
    drop((late, doer));
    let (log, _) = fixture.end();
    assert_eq!(log, ["started", "stopped", "dropped"]);
}

#[test]
fn shutdown_reports_handlers_that_block() {
    for scheduler in actors::schedulers() {
        let fixture = Fixture::new(2);
        let options = SpawnOptions::new().name("stuck").scheduler(scheduler);
        let doer = fixture.doer(Panics::Nowhere);
        let stuck = fixture.system.spawn_with(doer, options);
        let fine = fixture.spawn();
        let (begun, begins) = mpsc::channel::<()>();
        let (go, gone) = mpsc::channel::<()>();
        stuck
            .tell(fixture.to_do(move |_: &mut Doer, _: &mut Context<Doer>| {
                begun.send(()).unwrap();
                let _ = drumline::blocking(|| gone.recv());
            }))
            .unwrap();
        begins.recv().unwrap();
        stuck.tell(fixture.say("never")).unwrap();
        fine.stop();
        // Not dead alone: it is reported until the system has let go of it.
        fine.ended().recv();
        let report = fixture.system.shutdown(Instant::now());
        assert_eq!(report.abandoned(), ["stuck"]);
        assert!(stuck.is_alive());
        assert!(!fixture.spawn().is_alive(), "the system has ended");
        drop(go);
        let report = fixture.system.shutdown(Instant::now() + FOREVER);
        assert!(report.is_complete());
        drop((stuck, fine));
        let (log, _) = fixture.end();
        assert!(!log.contains(&String::from("never")));
    }
}

#[test]
fn a_pool_that_ends_ends_its_actors() {
    let Fixture {
        pool,
        system,
        count,
        log,
        ..
    } = Fixture::new(2);
    let doers: Vec<_> = (0..100)
        .map(|_| {
            system.spawn(Doer {
                log: log.clone(),
                panics: Panics::Nowhere,
                _counted: Counted::new(&count),
            })
        })
        .collect();
    pool.shutdown().unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 0);
    for doer in &doers {
        assert!(!doer.is_alive());
        let late = Do(
            |_: &mut Doer, _: &mut Context<Doer>| (),
            Counted::new(&count),
        );
        assert!(doer.tell(late).is_err());
    }
}

/// Outsiders tell while the pool ends: each message is handled, lost, or comes back.
#[test]
fn pools_end_while_others_tell() {
    for _ in 0..200 {
        let pool = pool(2);
        let system = ActorSystem::new(&pool);
        let count = Arc::new(AtomicUsize::new(0));
        let doer = system.spawn(Doer {
            log: mpsc::channel().0,
            panics: Panics::Nowhere,
            _counted: Counted::new(&count),
        });
        let tellers: Vec<_> = (0..2)
            .map(|_| {
                let (doer, count) = (doer.clone(), Arc::clone(&count));
                std::thread::spawn(move || {
                    loop {
                        let nothing = |_: &mut Doer, _: &mut Context<Doer>| ();
                        if doer.tell(Do(nothing, Counted::new(&count))).is_err() {
                            break;
                        }
                    }
                })
            })
            .collect();
        drop(doer);
        pool.shutdown().unwrap();
        for teller in tellers {
            teller.join().unwrap();
        }
        drop(system);
        assert_eq!(count.load(Ordering::SeqCst), 0);
    }
}

#[test]
fn many_actors_start_and_stop() {
    let count = Arc::new(AtomicUsize::new(0));
    struct One(#[allow(dead_code, reason = "dropped with the actor")] Counted);
    impl Actor for One {}
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let mut some = Vec::new();
    for number in 0..100_000 {
        let one = system.spawn(One(Counted::new(&count)));
        match number % 4 {
            0 => one.stop(),
            1 => one.stop_now(),
            2 => drop(one),
            _ => some.push(one),
        }
    }
    eventually("three in four end", || system.actors() == some.len());
    assert_eq!(count.load(Ordering::SeqCst), some.len());
    let report = system.shutdown(Instant::now() + FOREVER);
    assert!(report.is_complete());
    assert_eq!(count.load(Ordering::SeqCst), 0);
    assert!(some.iter().all(|one| !one.is_alive()));
}

/// One job: 100 actors that tell themselves and one other something for ever; the other one gets
/// on.
#[test]
fn the_other_actor_progresses() {
    struct Busy(ActorRef<Other>);
    struct Other(usize, Arc<Event>);
    struct Again;
    impl Actor for Busy {}
    impl Actor for Other {}
    impl Handler<Again> for Busy {
        type Reply = ();
        fn handle(&mut self, _: Again, context: &mut Context<Self>) {
            let _ = self.0.tell(Again);
            let _ = context.actor_ref().tell(Again);
        }
    }
    impl Handler<Again> for Other {
        type Reply = ();
        fn handle(&mut self, _: Again, _: &mut Context<Self>) {
            self.0 += 1;
            if self.0 == 10_000 {
                self.1.set();
            }
        }
    }
    for style in [Style::Recursive, Style::Loop] {
        let pool = pool(1);
        let system = ActorSystem::builder().style(style).build(&pool);
        let event = Arc::new(Event::new());
        let other = system.spawn(Other(0, Arc::clone(&event)));
        let busy: Vec<_> = (0..100)
            .map(|_| system.spawn(Busy(other.clone())))
            .collect();
        for busy in &busy {
            busy.tell(Again).unwrap();
        }
        event.wait();
        for busy in &busy {
            busy.stop_now();
        }
        let report = system.shutdown(Instant::now() + Duration::from_secs(100));
        assert!(report.is_complete());
    }
}

#[test]
fn a_system_counts() {
    let pool = Pool::builder()
        .jobs(2)
        .panic_handler(|_| {})
        .build()
        .unwrap();
    let system = ActorSystem::new(&pool);
    let (log, _lines) = mpsc::channel();
    let count = Arc::new(AtomicUsize::new(0));
    let spawn = |panics| {
        system.spawn(Doer {
            log: log.clone(),
            panics,
            _counted: Counted::new(&count),
        })
    };
    let fine: Vec<_> = (0..40).map(|_| spawn(Panics::Nowhere)).collect();
    let broken: Vec<_> = (0..3).map(|_| spawn(Panics::InStarted)).collect();
    eventually("three have panicked", || system.stats().panicked == 3);
    eventually("they are gone", || system.stats().alive == 40);
    drop((fine, broken));
    assert!(system.shutdown(Instant::now() + FOREVER).is_complete());
    let stats = system.stats();
    assert_eq!((stats.started, stats.alive, stats.panicked), (43, 0, 3));
    assert_eq!(drumline::actor::current_name(), None);
}
