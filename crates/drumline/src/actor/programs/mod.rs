//! Random systems of actors under shuttle, against a sequential model.
//!
//! A few actors, and threads outside, tell and ask each other something for a bounded number of
//! messages. They start further actors, set messages aside, drop references, stop and kill each
//! other, and panic. Mailboxes may have bounds, and actors threads of their own. The system or the
//! pool ends meanwhile, or when all is quiet. The model says of each message and each actor what
//! may have become of it:
//!
//! * A message is handled once, or it is a dead letter, or it comes back.
//! * An actor receives what one sender has sent in that order, and what it has set aside in that.
//! * A message that was sent before the only stop, by the sender of that, is handled. One that was
//!   sent behind it is not. An actor that ends with its last reference loses none.
//! * An actor is started, stopped and dropped once, in this order. No schedule ends in a deadlock.
//! * The counts of dead letters and panics are right, and all memory is given back.
//!
//! | file | noun |
//! |---|---|
//! | `ledger` | what became of each message and each actor |
//! | `random_actor` | actors that do random things |
//! | `crashes` | supervised actors that panic; a program of its own |
//! | `ends` | monitors, links and waits for the end; a program of its own |
//! | `names_and_groups` | names, groups and routers; programs of their own |
//! | `trees` | trees of supervisors, with a model of their own |

mod crashes;
mod ends;
mod ledger;
mod names_and_groups;
mod random_actor;
mod trees;

use std::sync::Arc;
use std::time::Duration;

use shuttle::rand::{Rng, thread_rng};

use self::ledger::ActorLedger;
use self::random_actor::{Acquaintance, Friend, Grammar, spawn, spawn_thread};
use crate::actor::{
    Actor, ActorRef, ActorSystem, AskError, Context, Handler, Overflow, SpawnOptions, Style,
};
use crate::sync::exploration::{in_random_schedules, iterations, with_few_preemptions};
use crate::sync::plant::{Plant, must_catch};
use crate::sync::{Instant, Mutex, lock};
use crate::{Pool, WaitPolicy};

const PLAIN: Grammar = Grammar {
    rings: false,
    asks: false,
    ends: false,
    bounds: false,
    threads: false,
};

/// Actors, threads outside, and the end of both.
fn systems(grammar: Grammar) {
    let mut rng = thread_rng();
    let ledger = Arc::new(ActorLedger::default());
    let memory = Arc::new(());
    let pool = pool(grammar, &ledger);
    let system = Arc::new(system(&pool, &ledger, &memory));
    let friends = first_actors(grammar, &ledger, &system);

    let others: Vec<_> = (0..rng.gen_range(1..3))
        .map(|_| {
            let mut own = outside(grammar, &ledger, &friends);
            let system = Arc::clone(&system);
            shuttle::thread::spawn(move || act_outside(&mut own, &system))
        })
        .collect();
    let mut own = outside(grammar, &ledger, &friends);
    drop(friends);
    act_outside(&mut own, &system);
    drop(own);

    let mut pool = Some(pool);
    if grammar.ends && rng.gen_ratio(1, 3) {
        // While the others go on.
        ledger.close();
        end(&system, &mut pool);
    }
    for other in others {
        other.join().expect("threads outside do not panic");
    }
    if pool.is_some() && rng.r#gen() {
        if grammar.rings {
            await_that(|| ledger.is_quiet());
        } else {
            // Nothing refers to them.
            await_that(|| ledger.is_over() && system.actors() == 0);
        }
    }
    ledger.close();
    let has_waited = end(&system, &mut pool);
    if let Some(pool) = pool {
        assert!(pool.shutdown().is_ok(), "this thread is outside");
    } else if !has_waited {
        await_that(|| ledger.is_over() && system.actors() == 0);
    }
    let dead_letters = ledger.check();
    assert_eq!(system.dead_letters(), dead_letters);
    assert_eq!(system.actors(), 0);
    drop(system);
    // A thread may be about to drop what it needs no more.
    await_that(|| Arc::strong_count(&memory) == 1);
}

fn pool(grammar: Grammar, ledger: &Arc<ActorLedger>) -> Pool {
    let mut rng = thread_rng();
    let told = Arc::clone(ledger);
    // A handler that waits for a reply keeps a thread; what it runs on top of itself could wait
    // for it.
    let steals = !grammar.asks && rng.r#gen();
    let policy = if steals {
        WaitPolicy::Steal
    } else {
        WaitPolicy::Related
    };
    let pool = Pool::builder()
        .jobs(rng.gen_range(1..4))
        .guests(rng.r#gen())
        .spares(grammar.asks || rng.r#gen())
        .wait_policy(policy)
        .panic_handler(move |_| told.report());
    pool.build().expect("nothing can fail here")
}

fn system(pool: &Pool, ledger: &Arc<ActorLedger>, memory: &Arc<()>) -> ActorSystem {
    let style = if thread_rng().r#gen() {
        Style::Loop
    } else {
        Style::Recursive
    };
    let system = ActorSystem::builder().style(style).build(pool);
    let (told, memory) = (Arc::clone(ledger), Arc::clone(memory));
    system.on_dead_letter(move |letter| {
        let _memory = &memory;
        told.discard(letter);
    });
    system
}

/// Some actors. Each knows some of the later ones.
fn first_actors(grammar: Grammar, ledger: &Arc<ActorLedger>, system: &ActorSystem) -> Vec<Friend> {
    let mut rng = thread_rng();
    let parent = outside(grammar, ledger, &[]);
    let len = rng.gen_range(1..4);
    ledger.reserve(len);
    let mut actors: Vec<Friend> = Vec::new();
    for actor in (0..len).rev() {
        let known = actors.iter().filter(|_| rng.r#gen()).cloned().collect();
        let friend = if grammar.threads && rng.gen_ratio(1, 3) {
            spawn_thread(actor, &parent, known, system)
        } else {
            spawn(actor, &parent, known, |actor, options| {
                system.spawn_with(actor, options)
            })
        };
        actors.push(friend);
    }
    actors
}

/// What a thread outside knows: one of the actors, or more.
fn outside(grammar: Grammar, ledger: &Arc<ActorLedger>, friends: &[Friend]) -> Acquaintance {
    let mut rng = thread_rng();
    let one = rng.gen_range(0..friends.len().max(1));
    let is_known = |index: &usize| *index == one || thread_rng().r#gen();
    let known = (0..friends.len()).filter(is_known);
    Acquaintance {
        own: ledger.outside(),
        ledger: Arc::clone(ledger),
        grammar,
        friends: known.map(|index| friends[index].clone()).collect(),
        weak: Vec::new(),
    }
}

fn act_outside(own: &mut Acquaintance, system: &ActorSystem) {
    let mut rng = thread_rng();
    for _ in 0..rng.gen_range(1..5) {
        if rng.gen_ratio(1, 8) {
            let actor = own.ledger.further_actor();
            let friend = spawn(actor, own, Vec::new(), |actor, options| {
                system.spawn_with(actor, options)
            });
            own.friends.push(friend);
        } else {
            own.act(2, true);
        }
    }
}

/// Ends the system or the pool in one of the ways. Returns whether all actors have ended.
fn end(system: &ActorSystem, pool: &mut Option<Pool>) -> bool {
    let mut rng = thread_rng();
    match rng.gen_range(0..4) {
        0 => {
            let report = system.shutdown(Instant::now() + Duration::from_secs(3_600));
            assert!(report.is_complete(), "{report:?}");
            true
        }
        1 => system.shutdown(Instant::now()).is_complete(),
        2 => pool.take().is_some_and(|pool| {
            assert!(pool.shutdown().is_ok(), "this thread is outside");
            true
        }),
        _ => {
            drop(pool.take());
            false
        }
    }
}

/// Gives way until `condition` holds. If it never does, shuttle ends the program.
fn await_that(condition: impl Fn() -> bool) {
    while !condition() {
        shuttle::thread::yield_now();
    }
}

/// A pool of one thread or two. Programs look themselves whether there was a panic.
fn tolerant_pool() -> Pool {
    let pool = Pool::builder().jobs(thread_rng().gen_range(1..3));
    let pool = pool.panic_handler(|_| {});
    pool.build().expect("nothing can fail here")
}

/// Any of the grammars.
fn any_system() {
    let mut rng = thread_rng();
    systems(Grammar {
        rings: rng.r#gen(),
        asks: rng.r#gen(),
        ends: rng.r#gen(),
        bounds: rng.r#gen(),
        threads: rng.r#gen(),
    });
}

#[test]
fn shuttle_actors_in_random_schedules() {
    in_random_schedules(any_system, iterations(20_000));
}

#[test]
fn shuttle_actors_with_few_preemptions() {
    with_few_preemptions(any_system, iterations(5_000));
}

#[test]
fn shuttle_actors_end_with_their_last_references() {
    in_random_schedules(|| systems(PLAIN), iterations(3_000));
}

#[test]
fn shuttle_plants_in_actors() {
    for plant in [
        Plant::ActorLastRefTwoSteps,
        Plant::ActorLastRefGone,
        Plant::MailboxFrontForgets,
    ] {
        must_catch(plant, || {
            in_random_schedules(|| systems(PLAIN), 20_000);
        });
    }
}

/// An actor that asks another one something, and tells what came of it.
struct Asker;

/// To be asked by an [`Asker`].
struct AskOf(ActorRef<Asker>);

/// A question.
struct Question;

impl Actor for Asker {}

impl Handler<Question> for Asker {
    type Reply = ();

    fn handle(&mut self, _: Question, _: &mut Context<Self>) {}
}

impl Handler<AskOf> for Asker {
    type Reply = Result<(), AskError>;

    fn handle(&mut self, AskOf(other): AskOf, _: &mut Context<Self>) -> Self::Reply {
        other.ask(Question).recv()
    }
}

/// Two actors ask each other. One of them does not wait, or both get their replies.
fn ask_each_other() {
    let pool = Pool::builder().jobs(2).build();
    let pool = pool.expect("nothing can fail here");
    let system = ActorSystem::new(&pool);
    let pair = [system.spawn(Asker), system.spawn(Asker)];
    let replies = [0, 1].map(|one| pair[one].ask(AskOf(pair[1 - one].clone())));
    let replies = replies.map(|reply| reply.recv().expect("it is alive"));
    let is_circle = |reply: &&Result<_, _>| matches!(reply, Err(AskError::Cycle(_)));
    assert!(replies.iter().filter(is_circle).count() < 2, "{replies:?}");
    assert!(
        replies
            .iter()
            .all(|reply| reply.is_ok() || is_circle(&reply)),
        "{replies:?}"
    );
    assert!(pool.shutdown().is_ok(), "this thread is outside");
}

#[test]
fn shuttle_actors_ask_each_other() {
    in_random_schedules(ask_each_other, iterations(1_000));
    with_few_preemptions(ask_each_other, iterations(500));
    must_catch(Plant::AskLooksFirst, || {
        in_random_schedules(ask_each_other, 10_000);
    });
}

/// An actor that writes down what it is told.
struct Writer(Arc<Mutex<Vec<u32>>>);

impl Actor for Writer {}

impl Handler<u32> for Writer {
    type Reply = ();

    fn handle(&mut self, number: u32, _: &mut Context<Self>) {
        lock(&self.0).push(number);
    }
}

/// Two threads tell an actor with a bound something. One of them stops it then, and its message is
/// handled before that.
fn bounded_and_stopped() {
    let pool = Pool::builder().jobs(1).build();
    let pool = pool.expect("nothing can fail here");
    let system = ActorSystem::new(&pool);
    let written = Arc::new(Mutex::default());
    let options = SpawnOptions::new().bounded(2, Overflow::Fail);
    let writer = system.spawn_with(Writer(Arc::clone(&written)), options);
    let other = writer.clone();
    let teller = shuttle::thread::spawn(move || {
        let _ = other.tell(1);
    });
    assert!(writer.tell(2).is_ok(), "there is room, and it is alive");
    writer.stop();
    teller.join().expect("it does not panic");
    assert!(pool.shutdown().is_ok(), "this thread is outside");
    assert!(lock(&written).contains(&2), "a stop has overtaken it");
}

#[test]
fn shuttle_bounded_actor_is_stopped() {
    in_random_schedules(bounded_and_stopped, iterations(1_000));
    with_few_preemptions(bounded_and_stopped, iterations(500));
    must_catch(Plant::BoundedTicketUnlocked, || {
        in_random_schedules(bounded_and_stopped, 10_000);
    });
}
