//! What is asked of actors: replies, deadlines, circles.

mod actors;
mod common;

use std::sync::{Arc, Barrier, mpsc};
use std::time::{Duration, Instant};

use common::{FOREVER, pool};
use drumline::actor::{
    Actor, ActorRef, ActorSystem, Answer, AskError, Context, Handler, SpawnOptions,
};

/// Asks the next one, if there is one, and so on.
struct Asker {
    next: Option<ActorRef<Asker>>,
}

impl Actor for Asker {}

struct Next(Option<ActorRef<Asker>>);
impl Handler<Next> for Asker {
    type Reply = ();
    fn handle(&mut self, Next(next): Next, _: &mut Context<Self>) {
        self.next = next;
    }
}

/// Asks the next one, when all that share the barrier are at that point.
struct Question(Option<Arc<Barrier>>);
impl Handler<Question> for Asker {
    type Reply = Result<u32, AskError>;
    fn handle(&mut self, Question(barrier): Question, _: &mut Context<Self>) -> Self::Reply {
        if let Some(barrier) = barrier {
            drumline::blocking(|| barrier.wait());
        }
        match &self.next {
            None => Ok(0),
            Some(next) => Ok(next.ask(Question(None)).recv()?? + 1),
        }
    }
}

fn spawn_named(system: &ActorSystem, name: &str) -> ActorRef<Asker> {
    system.spawn_with(Asker { next: None }, SpawnOptions::new().name(name))
}

/// Actors of which each asks the next one, and the last the first.
fn circle(system: &ActorSystem, names: &[&str]) -> Vec<ActorRef<Asker>> {
    let actors: Vec<_> = names.iter().map(|name| spawn_named(system, name)).collect();
    for (at, actor) in actors.iter().enumerate() {
        let next = actors[(at + 1) % actors.len()].clone();
        actor.ask(Next(Some(next))).recv().unwrap();
    }
    actors
}

fn break_up(actors: &[ActorRef<Asker>]) {
    for actor in actors {
        actor.ask(Next(None)).recv().unwrap();
    }
}

#[test]
fn chains_of_questions_are_answered() {
    for jobs in [1, 2] {
        let pool = pool(jobs);
        let system = ActorSystem::new(&pool);
        let mut first = spawn_named(&system, "last");
        for _ in 0..10 {
            let next = Some(first);
            first = system.spawn(Asker { next });
        }
        assert_eq!(first.ask(Question(None)).recv(), Ok(Ok(10)));
        assert_eq!(
            drumline::block_on(async { first.ask(Question(None)).await }),
            Ok(Ok(10))
        );
        let task = pool.spawn_future(async move { first.ask(Question(None)).await });
        assert_eq!(task.join().unwrap(), Ok(Ok(10)));
    }
}

#[test]
fn circles_are_found() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    for names in [&["a"][..], &["a", "b"], &["a", "b", "c"]] {
        let actors = circle(&system, names);
        let answer = actors[0].ask(Question(None)).recv().unwrap();
        let Err(AskError::Cycle(circle)) = answer else {
            panic!("{answer:?} is no circle");
        };
        let mut sorted = circle.to_vec();
        sorted.sort();
        assert_eq!(sorted, names, "each of them once");
        break_up(&actors);
    }
}

#[test]
fn circles_that_close_at_once_are_found() {
    let pool = pool(3);
    let system = ActorSystem::new(&pool);
    for names in [&["a", "b"][..], &["a", "b", "c"]] {
        for _ in 0..300 {
            let actors = circle(&system, names);
            let barrier = Arc::new(Barrier::new(names.len()));
            let answers: Vec<_> = actors
                .iter()
                .map(|actor| actor.ask(Question(Some(Arc::clone(&barrier)))))
                .collect();
            let answers = answers.into_iter().map(Answer::recv);
            let circles = answers
                .filter(|answer| matches!(answer, Ok(Err(AskError::Cycle(_)))))
                .count();
            assert!(circles > 0, "none found the circle");
            break_up(&actors);
        }
    }
}

/// One that has replied asks back, and that is no circle.
#[test]
fn asking_back_later_is_no_circle() {
    struct Server(Option<ActorRef<Client>>);
    struct Client(ActorRef<Server>);
    struct Serve;
    struct AskBack;
    struct Begin;
    impl Actor for Server {}
    impl Actor for Client {}
    impl Handler<ActorRef<Client>> for Server {
        type Reply = ();
        fn handle(&mut self, client: ActorRef<Client>, _: &mut Context<Self>) {
            self.0 = Some(client);
        }
    }
    impl Handler<Serve> for Server {
        type Reply = ();
        fn handle(&mut self, _: Serve, context: &mut Context<Self>) {
            let _ = context.actor_ref().tell(AskBack);
        }
    }
    impl Handler<AskBack> for Server {
        type Reply = ();
        fn handle(&mut self, _: AskBack, _: &mut Context<Self>) {
            let client = self.0.as_ref().unwrap();
            assert_eq!(client.ask(Serve).recv(), Ok(()), "it was answered");
        }
    }
    /// Comes after what the server has told itself.
    impl Handler<Begin> for Server {
        type Reply = ();
        fn handle(&mut self, _: Begin, _: &mut Context<Self>) {}
    }
    impl Handler<Begin> for Client {
        type Reply = Result<(), AskError>;
        fn handle(&mut self, _: Begin, _: &mut Context<Self>) -> Result<(), AskError> {
            self.0.ask(Serve).recv()
        }
    }
    impl Handler<Serve> for Client {
        type Reply = ();
        fn handle(&mut self, _: Serve, _: &mut Context<Self>) {}
    }
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let server = system.spawn(Server(None));
    let client = system.spawn(Client(server.clone()));
    server.tell(client.clone()).unwrap();
    for _ in 0..2_000 {
        assert_eq!(client.ask(Begin).recv(), Ok(Ok(())));
        assert_eq!(server.ask(Begin).recv(), Ok(()));
    }
    assert!(server.is_alive());
    server.stop_now();
}

/// Replies when it is let go.
struct Slow(mpsc::Receiver<()>);
impl Actor for Slow {}
impl Handler<u32> for Slow {
    type Reply = u32;
    fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
        let _ = drumline::blocking(|| self.0.recv());
        number
    }
}

#[test]
fn deadlines() {
    for scheduler in actors::schedulers() {
        let pool = pool(1);
        let system = ActorSystem::builder().scheduler(scheduler).build(&pool);
        let (go, gone) = mpsc::channel();
        let slow = system.spawn(Slow(gone));
        let mut answer = slow.ask(1);
        assert_eq!(
            answer.recv_timeout(Duration::from_millis(1)),
            Err(AskError::Timeout)
        );
        assert_eq!(answer.recv_deadline(Instant::now()), Err(AskError::Timeout));
        assert!(!answer.is_ready());
        go.send(()).unwrap();
        assert_eq!(answer.recv_timeout(FOREVER), Ok(1));
        assert_eq!(answer.recv_timeout(FOREVER), Err(AskError::Dead));
        // An answer that nothing waits for is handled all the same.
        drop(slow.ask(2));
        go.send(()).unwrap();
        go.send(()).unwrap();
        assert_eq!(slow.ask(3).recv(), Ok(3));
    }
}

#[test]
fn questions_to_actors_that_end() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let (go, gone) = mpsc::channel();
    let slow = system.spawn(Slow(gone));
    let handled = slow.ask(1);
    let not_handled = slow.ask(2);
    slow.stop_now();
    drop(go);
    let handled = handled.recv();
    assert!(matches!(handled, Ok(1) | Err(AskError::Dead)));
    assert_eq!(not_handled.recv(), Err(AskError::Dead));
    assert_eq!(slow.ask(3).recv(), Err(AskError::Dead));
}

/// A pool without spares: what is asked from outside is answered, and what a handler asks of an
/// actor on another thread.
#[test]
fn a_pool_without_spares() {
    let pool = common::without_spares(2, false);
    let system = ActorSystem::new(&pool);
    let last = spawn_named(&system, "last");
    let first = system.spawn(Asker { next: Some(last) });
    assert_eq!(first.ask(Question(None)).recv(), Ok(Ok(1)));
}
