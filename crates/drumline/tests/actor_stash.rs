//! Messages that actors set aside.

mod actors;
mod common;

use std::sync::{Arc, mpsc};

use common::{eventually, quiet_panic};
use drumline::Pool;
use drumline::actor::{
    Actor, ActorRef, ActorSystem, Context, Handler, Overflow, SpawnOptions, Style,
};

/// Sets numbers aside while it is shut.
struct Door {
    is_open: bool,
    passed: mpsc::Sender<u32>,
}

impl Actor for Door {}

/// A number, and something that is counted.
struct Number(
    u32,
    #[allow(dead_code, reason = "dropped with the message")] Arc<()>,
);
impl Handler<Number> for Door {
    type Reply = bool;
    fn handle(&mut self, number: Number, context: &mut Context<Self>) -> bool {
        if self.is_open {
            let _ = self.passed.send(number.0);
            return true;
        }
        match context.stash(number) {
            Ok(()) => true,
            Err(error) => {
                drop(error.into_inner());
                false
            }
        }
    }
}

/// What to do, in a handler.
type Act = fn(&mut Door, &mut Context<Door>);
impl Handler<Act> for Door {
    type Reply = usize;
    fn handle(&mut self, act: Act, context: &mut Context<Self>) -> usize {
        act(self, context);
        context.stashed()
    }
}

const OPEN: Act = |door, context| {
    door.is_open = true;
    context.unstash_all();
};
const NOTHING: Act = |_, _| {};

struct Fixture {
    _pool: Pool,
    system: ActorSystem,
    counted: Arc<()>,
    passed: mpsc::Receiver<u32>,
    sender: mpsc::Sender<u32>,
}

impl Fixture {
    fn new() -> Self {
        let pool = Pool::builder()
            .jobs(2)
            .panic_handler(|_| {})
            .build()
            .unwrap();
        let (sender, passed) = mpsc::channel();
        Fixture {
            system: ActorSystem::new(&pool),
            _pool: pool,
            counted: Arc::new(()),
            passed,
            sender,
        }
    }

    fn door(&self, options: SpawnOptions) -> ActorRef<Door> {
        let door = Door {
            is_open: false,
            passed: self.sender.clone(),
        };
        self.system.spawn_with(door, options)
    }

    fn number(&self, number: u32) -> Number {
        Number(number, Arc::clone(&self.counted))
    }

    fn take(&self, count: usize) -> Vec<u32> {
        self.passed.iter().take(count).collect()
    }

    /// All actors have ended.
    fn check_end(&self) {
        eventually("all have ended", || self.system.actors() == 0);
        assert_eq!(Arc::strong_count(&self.counted), 1);
    }
}

#[test]
fn what_was_set_aside_comes_before_the_rest_in_order() {
    for style in [Style::Recursive, Style::Loop] {
        for scheduler in actors::schedulers() {
            let fixture = Fixture::new();
            let options = SpawnOptions::new().style(style).scheduler(scheduler);
            // Larger than what a recursive actor handles in a row.
            let door = fixture.door(options.stash(200));
            for number in 0..200 {
                door.tell(fixture.number(number)).unwrap();
            }
            assert_eq!(door.ask(NOTHING).recv(), Ok(200));
            door.tell(OPEN).unwrap();
            for number in 200..210 {
                door.tell(fixture.number(number)).unwrap();
            }
            assert_eq!(fixture.take(210), (0..210).collect::<Vec<_>>());
            drop(door);
            fixture.check_end();
            assert_eq!(fixture.system.dead_letters(), 0);
        }
    }
}

#[test]
fn a_message_can_be_set_aside_again() {
    let fixture = Fixture::new();
    let door = fixture.door(SpawnOptions::new().stash(3));
    for number in 0..3 {
        door.tell(fixture.number(number)).unwrap();
    }
    // Shut, so each of them comes back to where it was.
    const AGAIN: Act = |_, context| context.unstash_all();
    for _ in 0..100 {
        door.tell(AGAIN).unwrap();
    }
    assert_eq!(door.ask(NOTHING).recv(), Ok(3));
    door.tell(OPEN).unwrap();
    assert_eq!(fixture.take(3), [0, 1, 2]);
    drop(door);
    fixture.check_end();
}

#[test]
fn without_room_the_message_comes_back() {
    let fixture = Fixture::new();
    let none = fixture.door(SpawnOptions::new());
    assert_eq!(none.ask(fixture.number(1)).recv(), Ok(false));
    let one = fixture.door(SpawnOptions::new().stash(1));
    assert_eq!(one.ask(fixture.number(1)).recv(), Ok(true));
    assert_eq!(one.ask(fixture.number(2)).recv(), Ok(false));
    one.tell(OPEN).unwrap();
    assert_eq!(fixture.take(1), [1]);
    drop((none, one));
    fixture.check_end();
}

#[test]
fn what_is_set_aside_at_the_end_is_lost() {
    let ends: [Act; 5] = [
        |_, context| context.stop(),
        |_, context| context.stop_now(),
        |_, context| {
            context.unstash_all();
            context.stop_now();
        },
        |_, _| quiet_panic("on request"),
        |_, context| {
            context.unstash_all();
            quiet_panic("on request");
        },
    ];
    let fixture = Fixture::new();
    for end in ends {
        let before = fixture.system.dead_letters();
        let door = fixture.door(SpawnOptions::new().stash(5));
        for number in 0..5 {
            assert_eq!(door.ask(fixture.number(number)).recv(), Ok(true));
        }
        door.tell(end).unwrap();
        fixture.check_end();
        assert_eq!(fixture.system.dead_letters() - before, 5);
    }
}

#[test]
fn bounded_mailboxes_have_a_stash_besides() {
    let fixture = Fixture::new();
    let options = SpawnOptions::new().bounded(1, Overflow::Wait).stash(5);
    let door = fixture.door(options);
    for number in 0..5 {
        door.tell(fixture.number(number)).unwrap();
    }
    door.tell(OPEN).unwrap();
    door.tell(fixture.number(5)).unwrap();
    assert_eq!(fixture.take(6), [0, 1, 2, 3, 4, 5]);
    drop(door);
    fixture.check_end();
}

/// Others tell while an actor sets aside and takes up.
#[test]
fn nothing_is_lost_among_senders() {
    let fixture = Fixture::new();
    let door = fixture.door(SpawnOptions::new().stash(usize::MAX));
    const TOGGLE: Act = |door, context| {
        door.is_open = !door.is_open;
        context.unstash_all();
    };
    let (a, b) = (door.clone(), door.clone());
    let counted = Arc::clone(&fixture.counted);
    let tellers = [
        std::thread::spawn(move || {
            for number in 0..5_000 {
                a.tell(Number(number, Arc::clone(&counted))).unwrap();
            }
        }),
        std::thread::spawn(move || {
            for _ in 0..1_000 {
                b.tell(TOGGLE).unwrap();
            }
        }),
    ];
    for teller in tellers {
        teller.join().unwrap();
    }
    door.tell(OPEN).unwrap();
    assert_eq!(fixture.take(5_000), (0..5_000).collect::<Vec<_>>());
    drop(door);
    fixture.check_end();
}
