//! Messages that actors send themselves later.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use common::actors::{Call, Caller, caller, inside, tolerant_pool};
use common::{eventually, pool};
use drumline::actor::{
    Actor, ActorSystem, ActorTimer, AsyncContext, AsyncHandler, Context, ExitReason, HandScheduler,
    Handler, Overflow, Scheduler, SpawnOptions, SupervisorOptions,
};

/// Short, but not nothing.
const SHORT: Duration = Duration::from_millis(2);
/// Longer than any test lasts.
const LONG: Duration = Duration::from_secs(100_000);

/// Counts how often it was dropped.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Handler<Dropped> for Caller<u32> {
    type Reply = ();
    fn handle(&mut self, _: Dropped, _: &mut Context<Self>) {}
}

#[test]
fn a_message_comes_after_its_delay_and_not_before() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (actor, received) = caller::<u32>(&system);
    let begin = Instant::now();
    let timer = inside(&actor, |context| context.send_after(SHORT, 7));
    assert_eq!(received.recv(), Ok(7));
    assert!(begin.elapsed() >= SHORT);
    assert!(!timer.is_pending());
    assert!(!timer.cancel(), "it has been sent");
}

#[test]
fn messages_come_in_the_order_of_their_times() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (actor, received) = caller::<u32>(&system);
    inside(&actor, |context| {
        context.send_after(LONG, 100);
        for number in 0..20 {
            // Pairs of the same delay: the later one has the later time, or follows all the same.
            context.send_after(SHORT * (number / 2), number);
        }
    });
    assert_eq!(
        received.iter().take(20).collect::<Vec<_>>(),
        Vec::from_iter(0..20)
    );
}

#[test]
fn what_is_cancelled_is_dropped_and_not_sent() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (actor, received) = caller::<u32>(&system);
    let dropped = Arc::new(AtomicUsize::new(0));
    let message = Dropped(Arc::clone(&dropped));
    let timer = inside(&actor, |context| context.send_after(LONG, message));
    assert!(timer.is_pending());
    assert!(timer.cancel());
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    assert!(!timer.cancel() && !timer.is_pending());
    drop((actor, system));
    assert!(
        received.recv().is_err(),
        "the actor has ended, and sent nothing"
    );
}

#[test]
fn a_pending_message_keeps_its_actor_and_an_interval_does_not() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (actor, received) = caller::<u32>(&system);
    inside(&actor, |context| context.send_after(SHORT, 5));
    drop(actor);
    assert_eq!(received.recv(), Ok(5));
    assert!(received.recv().is_err(), "then it ends");

    let (actor, received) = caller::<u32>(&system);
    let timer = inside(&actor, |context| context.send_every(LONG, || 5));
    assert!(timer.is_pending());
    drop(actor);
    assert!(received.recv().is_err());
    eventually("the timer ends with its actor", || !timer.is_pending());
}

#[test]
fn timers_end_with_their_actor_and_lose_no_letter() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (actor, _received) = caller::<u32>(&system);
    let dropped = Arc::new(AtomicUsize::new(0));
    let messages: Vec<Dropped> = (0..100).map(|_| Dropped(Arc::clone(&dropped))).collect();
    let made = Dropped(Arc::clone(&dropped));
    let timers: Vec<ActorTimer> = inside(&actor, move |context| {
        let make = move || {
            let _kept = &made;
            1
        };
        let every = context.send_every(LONG, make);
        let once = messages
            .into_iter()
            .map(|message| context.send_after(LONG, message));
        once.chain([every]).collect()
    });
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    actor.stop();
    assert_eq!(actor.ended().recv().reason(), ExitReason::Stopped);
    eventually("all are dropped", || dropped.load(Ordering::SeqCst) == 101);
    assert!(timers.iter().all(|timer| !timer.is_pending()));
    assert_eq!(system.dead_letters(), 0, "none of them was told");
}

#[test]
fn an_interval_beats_until_it_is_cancelled() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (actor, received) = caller::<u32>(&system);
    let begin = Instant::now();
    let mut next = 0;
    let timer = inside(&actor, move |context| {
        context.send_every(SHORT, move || {
            next += 1;
            next
        })
    });
    let first: Vec<u32> = received.iter().take(20).collect();
    assert_eq!(first, Vec::from_iter(1..=20));
    assert!(begin.elapsed() >= SHORT * 20);
    assert!(timer.cancel());
    // What was handled before has come when the next message is handled.
    inside(&actor, |_| ());
    while received.try_recv().is_ok() {}
    // The time of the next beat passes, and that of another timer comes.
    inside(&actor, |context| context.send_after(SHORT * 2, 0));
    assert_eq!(received.recv(), Ok(0));
    assert!(!timer.cancel());
}

/// Beats, and is held up by its first beat.
struct Slow {
    hold: mpsc::Receiver<()>,
    beats: mpsc::Sender<&'static str>,
}

impl Actor for Slow {
    fn started(&mut self, context: &mut Context<Self>) {
        context.send_every(Duration::from_micros(100), || "beat");
    }
}

impl Handler<&'static str> for Slow {
    type Reply = ();
    fn handle(&mut self, what: &'static str, _: &mut Context<Self>) {
        let _ = self.beats.send(what);
        let _ = drumline::blocking(|| self.hold.recv());
    }
}

#[test]
fn at_most_one_beat_is_in_the_mailbox() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (release, hold) = mpsc::channel();
    let (beats, beaten) = mpsc::channel();
    let slow = system.spawn(Slow { hold, beats });
    let (other, passed) = caller::<u32>(&system);
    for _ in 0..50 {
        assert_eq!(beaten.recv(), Ok("beat"));
        // Many times of its interval pass: as many as another actor needs for a timer.
        inside(&other, |context| {
            context.send_after(Duration::from_millis(1), 0)
        });
        assert_eq!(passed.recv(), Ok(0));
        slow.tell("told").unwrap();
        release.send(()).unwrap();
        // So between two that are told is at most one beat.
        let mut between = 0;
        while beaten.recv() == Ok("beat") {
            between += 1;
            release.send(()).unwrap();
        }
        assert!(between <= 1, "{between} beats were in the mailbox");
        release.send(()).unwrap();
    }
    drop(release);
}

#[test]
fn a_full_mailbox_has_room_for_what_its_time_has_come() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, received) = mpsc::channel();
    let options = SpawnOptions::new().bounded(1, Overflow::Fail).counted();
    let actor = system.spawn_with(Caller(send), options);
    inside(&actor, |context| {
        for number in 0..10 {
            context.send_after(Duration::ZERO, number);
        }
    });
    assert_eq!(
        received.iter().take(10).collect::<Vec<_>>(),
        Vec::from_iter(0..10)
    );
    eventually("all are counted", || {
        actor.stats().is_some_and(|stats| stats.handled == 11)
    });
}

/// Begins an interval when it starts, and panics when it is told to.
struct Restarting {
    numbers: mpsc::Sender<(usize, &'static str)>,
    incarnation: usize,
}

impl Actor for Restarting {
    fn started(&mut self, context: &mut Context<Self>) {
        let _ = self.numbers.send((self.incarnation, "started"));
        context.send_after(LONG, "late");
        if self.incarnation == 0 {
            context.send_every(SHORT, || "beat");
        }
    }
}

impl Handler<&'static str> for Restarting {
    type Reply = ();
    fn handle(&mut self, what: &'static str, context: &mut Context<Self>) {
        match what {
            "fail" => panic!("as it was told"),
            "later" => {
                context.send_after(SHORT * 3, "came");
            }
            _ => drop(self.numbers.send((self.incarnation, what))),
        }
    }
}

#[test]
fn timers_are_those_of_a_state() {
    let pool = tolerant_pool(2);
    let system = ActorSystem::new(&pool);
    let supervisor = system.supervisor(SupervisorOptions::new());
    let (numbers, received) = mpsc::channel();
    let mut next = 0;
    let actor = supervisor.spawn(move || {
        let incarnation = next;
        next += 1;
        Restarting {
            numbers: numbers.clone(),
            incarnation,
        }
    });
    assert_eq!(received.recv(), Ok((0, "started")));
    assert_eq!(received.recv(), Ok((0, "beat")));
    actor.tell("fail").unwrap();
    // Beats that came before.
    let after = received.iter().find(|(_, what)| *what != "beat");
    assert_eq!(after, Some((1, "started")));
    actor.tell("later").unwrap();
    // The interval of the first state would have come in between, several times.
    assert_eq!(received.recv(), Ok((1, "came")));
    supervisor.stop();
}

/// Awaits, and sends itself something from there.
struct Awaiter(mpsc::Sender<u32>);

impl Actor for Awaiter {}

impl AsyncHandler<()> for Awaiter {
    type Reply = ();
    async fn handle(&mut self, (): (), context: AsyncContext<Self>) {
        context.send_after(SHORT, 1_u32);
        drumline::task::yield_now().await;
        context.send_every(SHORT, || 2_u32);
    }
}

impl Handler<u32> for Awaiter {
    type Reply = ();
    fn handle(&mut self, number: u32, _: &mut Context<Self>) {
        let _ = self.0.send(number);
    }
}

#[test]
fn handlers_that_await_have_timers() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, received) = mpsc::channel();
    let actor = system.spawn(Awaiter(send));
    actor.tell(()).unwrap();
    // In no order: on a machine with more processors, another thread may keep the time of the
    // second timer, as the handler goes on in another worker.
    let (mut once, mut again) = (0, 0);
    while once < 1 || again < 3 {
        match received.recv().unwrap() {
            1 => once += 1,
            2 => again += 1,
            other => panic!("{other}"),
        }
    }
    assert_eq!(once, 1);
}

#[test]
fn make_may_panic_cancel_and_begin_anew() {
    let pool = tolerant_pool(2);
    let system = ActorSystem::new(&pool);
    let (actor, received) = caller::<u32>(&system);
    // It cancels itself: what it has made is not handled.
    let (handle, own) = mpsc::channel::<ActorTimer>();
    let (made, was_made) = mpsc::channel();
    let timer = inside(&actor, move |context| {
        context.send_every(SHORT, move || {
            let own = own.recv().unwrap();
            assert!(own.cancel());
            made.send(()).unwrap();
            3
        })
    });
    handle.send(timer).unwrap();
    was_made.recv().unwrap();
    inside(&actor, |_| ());
    assert!(received.try_recv().is_err());
    // It panics: that ends the actor.
    inside(&actor, |context| {
        context.send_every(SHORT, || -> u32 { panic!("no message") })
    });
    let exit = actor.ended().recv();
    assert_eq!(exit.reason(), ExitReason::Panicked);
    assert!(received.recv().is_err());
}

#[test]
#[should_panic(expected = "give a longer one")]
fn a_period_of_zero_is_refused() {
    let pool = tolerant_pool(1);
    let system = ActorSystem::new(&pool);
    let (actor, _received) = caller::<u32>(&system);
    let refused = inside(&actor, |context| {
        let every = || context.send_every(Duration::ZERO, || 1);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(every)).unwrap_err()
    });
    std::panic::resume_unwind(refused);
}

#[test]
fn a_delay_without_end_waits_for_the_end_of_the_actor() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let (actor, received) = caller::<u32>(&system);
    let timers = inside(&actor, |context| {
        [
            context.send_after(Duration::MAX, 1),
            context.send_every(Duration::MAX, || 2),
        ]
    });
    assert!(timers.iter().all(ActorTimer::is_pending));
    drop(system);
    assert!(received.recv().is_err());
    eventually("they end", || !timers.iter().any(ActorTimer::is_pending));
}

#[test]
fn all_schedulers_have_timers() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let shared = drumline::actor::SharedScheduler::new(1).unwrap();
    for scheduler in [
        Scheduler::Managed,
        Scheduler::ForkJoinLifo,
        Scheduler::ForkJoinFifo,
        Scheduler::Shared(shared),
        Scheduler::Pinned,
    ] {
        let (send, received) = mpsc::channel();
        let options = SpawnOptions::new().scheduler(scheduler);
        let actor = system.spawn_with(Caller(send), options);
        inside(&actor, |context| {
            context.send_after(SHORT, 1);
            context.send_every(SHORT, || 2);
        });
        let mut seen: Vec<u32> = received.iter().take(6).collect();
        seen.sort_unstable();
        assert_eq!(seen[..2], [1, 2]);
    }
    let hand = HandScheduler::new(1);
    let (send, received) = mpsc::channel();
    let options = SpawnOptions::new().scheduler(hand.scheduler());
    let actor = system.spawn_with(Caller(send), options);
    let call: Call<u32> = Box::new(|context| {
        context.send_after(SHORT, 1);
    });
    actor.tell(call).unwrap();
    eventually("its time comes", || {
        hand.run_until_idle();
        received.try_recv() == Ok(1)
    });
}

#[test]
fn a_hundred_thousand_timers_of_many_actors() {
    const ACTORS: u32 = 1_000;
    const EACH: u32 = 100;
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, received) = mpsc::channel();
    let actors: Vec<_> = (0..ACTORS)
        .map(|_| system.spawn(Caller(send.clone())))
        .collect();
    drop(send);
    let mut timers = Vec::new();
    for (actor, mine) in actors.iter().zip(0..) {
        timers.push(inside(actor, move |context| {
            let delay = |number| SHORT * (number % 7);
            let timers =
                (0..EACH).map(|number| context.send_after(delay(number), mine * EACH + number));
            timers.collect::<Vec<_>>()
        }));
    }
    // Every third is taken back, unless it is too late.
    let taken_back = timers
        .iter()
        .flatten()
        .step_by(3)
        .filter(|timer| timer.cancel())
        .count();
    let expected = (ACTORS * EACH) as usize - taken_back;
    let mut seen: Vec<u32> = received.iter().take(expected).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), expected, "each comes once");
    drop((actors, system));
    assert!(received.recv().is_err(), "and no other");
}

/// Says whether it was dropped by the thread that watches the clock.
struct Watched(Arc<AtomicUsize>);

fn is_timer_thread() -> bool {
    std::thread::current().name() == Some("drumline-timer")
}

impl Drop for Watched {
    fn drop(&mut self) {
        if is_timer_thread() {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Handler<Watched> for Caller<u32> {
    type Reply = ();
    fn handle(&mut self, _: Watched, _: &mut Context<Self>) {}
}

#[test]
fn the_thread_that_watches_the_clock_runs_no_code_of_the_program() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let wrong = Arc::new(AtomicUsize::new(0));
    let heard = Arc::clone(&wrong);
    system.on_dead_letter(move |_| {
        heard.fetch_add(usize::from(is_timer_thread()), Ordering::SeqCst);
    });
    let (send, _received) = mpsc::channel::<u32>();
    for number in 0..20_000 {
        let actor = system.spawn(Caller(send.clone()));
        let message = Watched(Arc::clone(&wrong));
        let call: Call<u32> = Box::new(move |context| {
            // It ends at about that time.
            context.send_after(Duration::from_micros(number % 50), message);
            context.stop();
        });
        actor.tell(call).unwrap();
    }
    eventually("all have ended", || system.actors() == 0);
    drop(system);
    pool.shutdown().unwrap();
    assert_eq!(wrong.load(Ordering::SeqCst), 0);
}
