//! What is told to actors: order, bounds, references by message.

mod actors;
mod common;

use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use common::pool;
use drumline::Pool;
use drumline::actor::{
    Actor, ActorRef, ActorSystem, Context, Handler, Overflow, Recipient, SpawnOptions, Style,
    TellError,
};

/// Writes down what it is told.
#[derive(Default)]
struct Clerk(Vec<(usize, usize)>);

impl Actor for Clerk {}

/// Sender, number.
impl Handler<(usize, usize)> for Clerk {
    type Reply = ();
    fn handle(&mut self, entry: (usize, usize), _: &mut Context<Self>) {
        self.0.push(entry);
    }
}

struct All;
impl Handler<All> for Clerk {
    type Reply = Vec<(usize, usize)>;
    fn handle(&mut self, _: All, _: &mut Context<Self>) -> Vec<(usize, usize)> {
        std::mem::take(&mut self.0)
    }
}

/// A message that is larger than a block, and one that is aligned like nothing else.
struct Large([u64; 40]);
#[repr(align(128))]
struct Aligned(u8);
struct Nothing;

impl Handler<Large> for Clerk {
    type Reply = u64;
    fn handle(&mut self, Large(words): Large, _: &mut Context<Self>) -> u64 {
        words.iter().sum()
    }
}
impl Handler<Aligned> for Clerk {
    type Reply = u8;
    fn handle(&mut self, message: Aligned, _: &mut Context<Self>) -> u8 {
        assert_eq!((&raw const message).addr() % 128, 0);
        message.0
    }
}
impl Handler<Nothing> for Clerk {
    type Reply = Nothing;
    fn handle(&mut self, message: Nothing, _: &mut Context<Self>) -> Nothing {
        message
    }
}

const SENDERS: usize = 4;
const EACH: usize = 5_000;

fn check_order(all: &[(usize, usize)]) {
    let mut next = [0; SENDERS];
    for (sender, number) in all {
        assert_eq!(*number, next[*sender], "in the order of its sender");
        next[*sender] += 1;
    }
    assert_eq!(next, [EACH; SENDERS]);
}

#[test]
fn order_holds_for_each_sender_across_clones() {
    for scheduler in actors::schedulers() {
        for style in [Style::Recursive, Style::Loop] {
            for inside in [false, true] {
                let pool = pool(2);
                let system = ActorSystem::builder()
                    .style(style)
                    .scheduler(scheduler.clone())
                    .build(&pool);
                let clerk = system.spawn(Clerk::default());
                let send = |sender: usize| {
                    let clones = [clerk.clone(), clerk.clone(), clerk.clone()];
                    move || {
                        for number in 0..EACH {
                            clones[number % 3].tell((sender, number)).unwrap();
                        }
                    }
                };
                if inside {
                    let tasks: Vec<_> = (0..SENDERS).map(|n| pool.spawn(send(n))).collect();
                    tasks.into_iter().for_each(|task| task.join().unwrap());
                } else {
                    let threads: Vec<_> = (0..SENDERS).map(|n| thread::spawn(send(n))).collect();
                    threads
                        .into_iter()
                        .for_each(|thread| thread.join().unwrap());
                }
                check_order(&clerk.ask(All).recv().unwrap());
            }
        }
    }
}

#[test]
fn order_holds_for_actors_that_send() {
    struct Writer(usize, ActorRef<Clerk>);
    impl Actor for Writer {}
    struct Write;
    impl Handler<Write> for Writer {
        type Reply = ();
        fn handle(&mut self, _: Write, _: &mut Context<Self>) {
            for number in 0..EACH {
                // A clone for each, and a recipient in between.
                if number % 2 == 0 {
                    self.1.clone().tell((self.0, number)).unwrap();
                } else {
                    let recipient: Recipient<(usize, usize)> = self.1.recipient();
                    recipient.clone().tell((self.0, number)).unwrap();
                }
            }
        }
    }
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let clerk = system.spawn(Clerk::default());
    let writers: Vec<_> = (0..SENDERS)
        .map(|sender| system.spawn(Writer(sender, clerk.clone())))
        .collect();
    let answers: Vec<_> = writers.iter().map(|writer| writer.ask(Write)).collect();
    for answer in answers {
        answer.recv().unwrap();
    }
    check_order(&clerk.ask(All).recv().unwrap());
}

#[test]
fn messages_of_any_size() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let clerk = system.spawn(Clerk::default());
    assert_eq!(clerk.ask(Large([2; 40])).recv(), Ok(80));
    assert_eq!(clerk.ask(Aligned(7)).recv(), Ok(7));
    assert!(clerk.ask(Nothing).recv().is_ok());
    clerk.tell(Large([1; 40])).unwrap();
    clerk.tell(Aligned(1)).unwrap();
    clerk.stop_now();
    // Not dead alone: what comes before its mailbox is empty is taken, and is a dead letter.
    clerk.ended().recv();
    let Err(TellError::Dead(Large(words))) = clerk.tell(Large([3; 40])) else {
        panic!("it is dead");
    };
    assert_eq!(words, [3; 40]);
}

/// Waits in its handler until it is let go, and writes numbers down.
struct Gatekeeper {
    gate: Arc<Mutex<mpsc::Receiver<()>>>,
    seen: mpsc::Sender<u32>,
}

impl Actor for Gatekeeper {}

impl Handler<u32> for Gatekeeper {
    type Reply = u32;
    fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
        self.seen.send(number).unwrap();
        let _ = drumline::blocking(|| self.gate.lock().unwrap().recv());
        number
    }
}

/// An actor with two places, that handles 0 and does not go on before the sender is dropped.
fn blocked(
    pool: &Pool,
    overflow: Overflow,
) -> (
    ActorSystem,
    ActorRef<Gatekeeper>,
    mpsc::Sender<()>,
    mpsc::Receiver<u32>,
) {
    let system = ActorSystem::new(pool);
    let (open, gate) = mpsc::channel();
    let (seen, sees) = mpsc::channel();
    let keeper = system.spawn_with(
        Gatekeeper {
            gate: Arc::new(Mutex::new(gate)),
            seen,
        },
        SpawnOptions::new().bounded(2, overflow),
    );
    keeper.tell(0).unwrap();
    assert_eq!(sees.recv(), Ok(0));
    (system, keeper, open, sees)
}

#[test]
fn a_full_mailbox_fails() {
    let pool = pool(2);
    let (_system, keeper, open, seen) = blocked(&pool, Overflow::Fail);
    keeper.tell(1).unwrap();
    keeper.tell(2).unwrap();
    assert_eq!(keeper.tell(3), Err(TellError::Full(3)));
    assert_eq!(keeper.try_tell(4), Err(TellError::Full(4)));
    drop(open);
    drop(keeper);
    assert_eq!(seen.iter().collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_full_mailbox_drops_the_newest() {
    let pool = pool(2);
    let (system, keeper, open, seen) = blocked(&pool, Overflow::DropNewest);
    for number in 1..6 {
        keeper.tell(number).unwrap();
    }
    assert_eq!(system.dead_letters(), 3);
    drop(open);
    drop(keeper);
    assert_eq!(seen.iter().collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_full_mailbox_drops_the_oldest() {
    let pool = pool(2);
    let (system, keeper, open, seen) = blocked(&pool, Overflow::DropOldest);
    system.on_dead_letter(|letter| assert!(letter.is_overflow()));
    for number in 1..6 {
        keeper.tell(number).unwrap();
    }
    assert_eq!(system.dead_letters(), 3);
    drop(open);
    drop(keeper);
    assert_eq!(seen.iter().collect::<Vec<_>>(), [4, 5]);
}

#[test]
fn senders_wait_for_room() {
    let pool = pool(2);
    let (_system, keeper, open, seen) = blocked(&pool, Overflow::Wait);
    assert_eq!(keeper.try_tell(1), Ok(()));
    assert_eq!(keeper.try_tell(1), Ok(()));
    assert_eq!(keeper.try_tell(2), Err(TellError::Full(2)));
    let senders: Vec<_> = (0..3)
        .map(|_| {
            let keeper = keeper.clone();
            thread::spawn(move || (0..100).for_each(|_| keeper.tell(1).unwrap()))
        })
        .collect();
    drop(open);
    drop(keeper);
    assert_eq!(seen.iter().sum::<u32>(), 302);
    for sender in senders {
        sender.join().unwrap();
    }
}

#[test]
fn senders_that_wait_learn_of_the_end() {
    let pool = pool(2);
    let (_system, keeper, open, seen) = blocked(&pool, Overflow::Wait);
    keeper.tell(1).unwrap();
    keeper.tell(1).unwrap();
    let sender = {
        let keeper = keeper.clone();
        thread::spawn(move || {
            let mut told = 0;
            while keeper.tell(2).is_ok() {
                told += 1;
            }
            told
        })
    };
    keeper.stop_now();
    drop(open);
    let told: u32 = sender.join().unwrap();
    assert!(told <= 1, "it was told no more than there was room for");
    drop(keeper);
    assert_eq!(seen.iter().count(), 0);
}

#[test]
fn an_actor_does_not_wait_for_itself() {
    struct Talkative;
    impl Actor for Talkative {}
    impl Handler<u32> for Talkative {
        type Reply = usize;
        fn handle(&mut self, number: u32, context: &mut Context<Self>) -> usize {
            let own = context.actor_ref();
            (0..number).filter(|_| own.tell(0).is_ok()).count()
        }
    }
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let options = SpawnOptions::new().bounded(3, Overflow::Wait);
    let talkative = system.spawn_with(Talkative, options);
    assert_eq!(talkative.ask(10).recv(), Ok(3));
}

/// Whatever other senders do meanwhile: their messages have tickets of their own.
#[test]
fn what_was_told_before_a_stop_is_handled_in_a_bounded_mailbox() {
    let pool = pool(2);
    for round in 0..400 {
        let system = ActorSystem::new(&pool);
        let options = SpawnOptions::new().bounded(100_000, Overflow::Wait);
        let clerk = system.spawn_with(Clerk::default(), options);
        let (begin, begun) = mpsc::channel();
        let other = thread::spawn({
            let clerk = clerk.clone();
            move || {
                for number in 0..1_000 {
                    if clerk.tell((1, number)).is_err() {
                        break;
                    }
                    if number == 10 {
                        begin.send(()).unwrap();
                    }
                }
            }
        });
        begun.recv().unwrap();
        clerk.tell((0, round)).unwrap();
        let all = clerk.ask(All);
        clerk.stop();
        let all = all.recv().expect("it was asked before the stop");
        assert!(all.contains(&(0, round)));
        other.join().unwrap();
    }
}
