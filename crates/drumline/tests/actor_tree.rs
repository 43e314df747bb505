//! The tree of a system, with the lengths of mailboxes.

mod common;

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use common::{eventually, pool};
use drumline::Pool;
use drumline::actor::{
    Actor, ActorRef, ActorSystem, ActorTree, AsyncContext, AsyncHandler, Context, Handler, Inbox,
    Overflow, SpawnOptions, Strategy, SupervisorOptions, TreeEntry,
};

/// As long as a test may wait for what is to come.
const LONG: Duration = Duration::from_secs(100);
/// As long as an answer is waited for by a test that asks again.
const SOON: Duration = Duration::from_millis(10);

/// Held up by some messages.
struct Holder(mpsc::Receiver<()>);

impl Actor for Holder {}

impl Handler<&'static str> for Holder {
    type Reply = ();
    fn handle(&mut self, what: &'static str, _: &mut Context<Self>) {
        match what {
            "hold" => drop(drumline::blocking(|| self.0.recv().is_ok())),
            "fail" => panic!("as it was told"),
            _ => {}
        }
    }
}

/// A holder that has come to `hold`, with this many messages behind.
fn held(
    system: &ActorSystem,
    options: SpawnOptions,
    behind: usize,
) -> (ActorRef<Holder>, mpsc::Sender<()>) {
    let (release, hold) = mpsc::channel();
    let holder = system.spawn_with(Holder(hold), options);
    holder.ask("first").recv().unwrap();
    for what in ["hold"]
        .into_iter()
        .chain(std::iter::repeat_n("more", behind))
    {
        holder.tell(what).unwrap();
    }
    (holder, release)
}

fn named<'a>(tree: &'a ActorTree, name: &str) -> &'a TreeEntry {
    let found = tree.entries().iter().find(|entry| entry.name() == name);
    found.unwrap_or_else(|| panic!("{name} is not in the tree: {tree}"))
}

#[test]
fn an_actor_between_two_messages_answers() {
    const STEPS: usize = 10_000;
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (release, hold) = mpsc::channel();
    let options = SpawnOptions::new().name("holder");
    let holder = system.spawn_with(Holder(hold), options);
    for _ in 0..STEPS {
        holder.tell("hold").unwrap();
    }
    let (tree, released) = thread::scope(|scope| {
        let asked = scope.spawn(|| system.tree(LONG));
        let mut released = 0;
        eventually("it answers between two steps", || {
            released += 1;
            release.send(()).is_ok() && asked.is_finished()
        });
        (asked.join().unwrap(), released)
    });
    let length = named(&tree, "holder").mailbox().unwrap();
    // The first one may not have been handled, or there may be the notice of the start.
    assert!(length <= STEPS + 1 && length + released >= STEPS, "{tree}");
    drop(release);
    holder.ask("last").recv().unwrap();
    eventually("it is idle", || {
        system.tree(SOON).to_string() == "holder: idle\n"
    });
}

/// In an optimized build, too: notices of questions are known by the address of a function.
#[test]
fn questions_that_were_asked_do_not_count() {
    const STEPS: usize = 1_000;
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (release, hold) = mpsc::channel();
    let holder = system.spawn(Holder(hold));
    holder.ask("first").recv().unwrap();
    for _ in 0..STEPS {
        holder.tell("hold").unwrap();
    }
    for _ in 0..2 * STEPS {
        drop(system.tree(Duration::ZERO));
    }
    let tree = thread::scope(|scope| {
        let asked = scope.spawn(|| system.tree(LONG));
        eventually("it answers between two steps", || {
            release.send(()).is_ok() && asked.is_finished()
        });
        asked.join().unwrap()
    });
    let length = tree.entries()[0].mailbox().unwrap();
    assert!(length <= STEPS, "{tree}");
}

#[test]
fn one_that_handles_for_long_is_busy_and_a_bounded_one_knows() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (one, release) = held(&system, SpawnOptions::new().name("free"), 7);
    let options = SpawnOptions::new()
        .name("bounded")
        .bounded(10, Overflow::Fail);
    let (two, releases) = held(&system, options, 7);
    eventually("both have come to it", || {
        let tree = system.tree(Duration::ZERO);
        named(&tree, "bounded").mailbox() == Some(7) && named(&tree, "free").mailbox().is_none()
    });
    let mut lines: Vec<_> = system
        .tree(Duration::ZERO)
        .to_string()
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    assert_eq!(lines, ["bounded: 7 messages", "free: busy"]);
    drop((release, releases));
    one.ask("last").recv().unwrap();
    two.ask("last").recv().unwrap();
}

#[test]
fn supervisors_are_above_their_actors() {
    let pool = Pool::builder()
        .jobs(2)
        .panic_handler(|_| {})
        .build()
        .unwrap();
    let system = ActorSystem::new(&pool);
    let top = system.supervisor(SupervisorOptions::new().name("top"));
    let slow = SupervisorOptions::new()
        .strategy(Strategy::RestForOne)
        .backoff(LONG, LONG);
    let below = top.supervisor(slow);
    let spawn = || {
        let (_release, hold) = mpsc::channel();
        Holder(hold)
    };
    let named = |name: &str| SpawnOptions::new().name(name);
    let first = top.spawn_with(spawn, named("first"));
    let workers: Vec<_> = (0..3).map(|_| below.spawn(spawn)).collect();
    let failing = below.spawn_with(spawn, named("failing"));
    let alone = system.spawn_with(spawn(), named("alone"));
    failing.tell("fail").unwrap();
    let expected = "alone: idle\n\
                    top\n\
                    \x20 supervisor, rest for one\n\
                    \x20   Holder (3 of them): idle\n\
                    \x20   failing: waits for its restart\n\
                    \x20 first: idle\n";
    eventually("it is put aside, and all have started", || {
        system.tree(SOON).to_string() == expected
    });
    let tree = system.tree(SOON);
    let depths: Vec<_> = tree.entries().iter().map(TreeEntry::depth).collect();
    assert_eq!(depths, [0, 0, 1, 2, 2, 2, 2, 1]);
    assert!(tree.entries()[1].is_supervisor() && tree.entries()[6].is_aside());
    drop((first, workers, alone));
    top.stop();
    eventually("the tree is gone", || {
        system.tree(LONG).entries().is_empty()
    });
}

#[test]
fn other_kinds_of_actors_are_in_the_tree() {
    struct Awaiter;
    impl Actor for Awaiter {}
    impl AsyncHandler<drumline::CancellationToken> for Awaiter {
        type Reply = ();
        async fn handle(&mut self, token: drumline::CancellationToken, _: AsyncContext<Self>) {
            token.cancelled().await;
        }
    }
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let options = SpawnOptions::new().name("awaiter");
    let awaiter = system.spawn_with(Awaiter, options);
    let token = drumline::CancellationToken::new();
    awaiter.tell(token.clone()).unwrap();
    let (release, hold) = mpsc::channel::<()>();
    let body = move |inbox: &mut Inbox<u32>| {
        let _ = hold.recv();
        while inbox.receive().is_some() {}
    };
    let receiver = system.spawn_thread(body).unwrap();
    for number in 0..4 {
        receiver.tell(number).unwrap();
    }
    eventually("both are busy", || {
        let tree = system.tree(Duration::ZERO);
        tree.entries().len() == 2 && tree.entries().iter().all(|entry| entry.mailbox().is_none())
    });
    token.cancel();
    drop(release);
    eventually("both are idle", || {
        let tree = system.tree(LONG);
        tree.entries()
            .iter()
            .all(|entry| entry.mailbox() == Some(0))
    });
}

/// Asks for the tree of its own system.
struct Asker(std::sync::Arc<ActorSystem>);

impl Actor for Asker {}

impl Handler<()> for Asker {
    type Reply = ActorTree;
    fn handle(&mut self, (): (), _: &mut Context<Self>) -> ActorTree {
        self.0.tree(LONG)
    }
}

#[test]
fn a_handler_asks_for_the_tree_that_it_is_in() {
    let pool = pool(1);
    let system = std::sync::Arc::new(ActorSystem::new(&pool));
    let asker = system.spawn_with(Asker(system.clone()), SpawnOptions::new().name("asker"));
    let tree = asker.ask(()).recv().unwrap();
    assert_eq!(tree.to_string(), "asker: busy\n");
    asker.stop_now();
}

#[test]
fn many_threads_ask_while_actors_work_and_end() {
    struct Counter;
    impl Actor for Counter {}
    impl Handler<u32> for Counter {
        type Reply = ();
        fn handle(&mut self, left: u32, context: &mut Context<Self>) {
            match left {
                0 => context.stop(),
                _ => drop(context.actor_ref().tell(left - 1)),
            }
        }
    }
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let tree = system.tree(LONG);
                    for entry in tree.entries() {
                        // The next one, and a stop; and the notice of the start.
                        assert!(entry.mailbox().is_some_and(|length| length <= 3), "{tree}");
                    }
                }
            });
        }
        for _ in 0..2_000 {
            system.spawn(Counter).tell(20).unwrap();
        }
    });
    eventually("all have ended", || system.tree(SOON).entries().is_empty());
    assert_eq!(system.dead_letters(), 0);
}

#[test]
fn a_tree_may_be_deeper_than_a_line_is_wide() {
    const DEPTH: usize = 50_000;
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let mut supervisor = system.supervisor(SupervisorOptions::new().name("above"));
    let mut kept = Vec::new();
    for _ in 0..DEPTH {
        let below = supervisor.supervisor(SupervisorOptions::new().name("below"));
        kept.push(std::mem::replace(&mut supervisor, below));
    }
    let (_release, hold) = mpsc::channel();
    let mut hold = Some(hold);
    let holder = supervisor.spawn(move || Holder(hold.take().expect("it never fails")));
    // It has answered, and may not be idle yet.
    holder.ask("first").recv().unwrap();
    let tree = system.tree(LONG).to_string();
    assert_eq!(tree.lines().count(), DEPTH + 2);
    let last = tree.lines().last().unwrap();
    assert!(
        last.ends_with(&format!("[{}] Holder: idle", DEPTH + 1)),
        "{last}"
    );
    drop(kept);
}
