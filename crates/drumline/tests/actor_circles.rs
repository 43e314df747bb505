//! Actors that wait for each other's replies, in handlers that await: circles, and what is none.

mod common;

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;
use std::time::Instant;

use common::{FOREVER, ends, pool};
use drumline::actor::{
    Actor, ActorRef, ActorSystem, Answer, AskError, AsyncContext, AsyncHandler, Context, Handler,
    SpawnOptions,
};
use drumline::channel::oneshot;

/// Asks the next one for each message, and hands its reply on.
struct Link {
    next: Option<ActorRef<Link>>,
    blocks: bool,
}
impl Actor for Link {}

struct Next(ActorRef<Link>);
impl Handler<Next> for Link {
    type Reply = ();
    fn handle(&mut self, Next(next): Next, _: &mut Context<Self>) {
        self.next = Some(next);
    }
}

struct Depth;
impl AsyncHandler<Depth> for Link {
    type Reply = Result<usize, AskError>;
    async fn handle(&mut self, _: Depth, _: AsyncContext<Self>) -> Result<usize, AskError> {
        let Some(next) = &self.next else { return Ok(0) };
        let answer = next.ask(Depth);
        let depth = if self.blocks {
            answer.recv()
        } else {
            answer.await
        };
        Ok(depth?? + 1)
    }
}

fn links(system: &ActorSystem, blocks: &[bool]) -> Vec<ActorRef<Link>> {
    let links: Vec<_> = blocks
        .iter()
        .enumerate()
        .map(|(number, &blocks)| {
            let link = Link { next: None, blocks };
            system.spawn_with(link, SpawnOptions::new().name(format!("link {number}")))
        })
        .collect();
    for pair in links.windows(2) {
        pair[0].tell(Next(pair[1].clone())).unwrap();
    }
    links
}

#[test]
fn chains_of_asks_need_no_thread() {
    ends(|| {
        let pool = pool(1);
        let system = ActorSystem::new(&pool);
        let links = links(&system, &[false; 2_000]);
        assert_eq!(links[0].ask(Depth).recv(), Ok(Ok(1_999)));
    });
}

/// One of them is told of the circle, and all others get its reply.
#[test]
fn circles_of_asks_are_found() {
    ends(|| {
        for blocks in [
            &[false][..],
            &[false, false],
            &[false, true, false],
            &[true, false, false, true, false],
            &[false; 50],
        ] {
            let pool = pool(2);
            let system = ActorSystem::new(&pool);
            let links = links(&system, blocks);
            let last = links.last().unwrap();
            last.tell(Next(links[0].clone())).unwrap();
            let Ok(Err(AskError::Cycle(names))) = links[0].ask(Depth).recv() else {
                panic!("{blocks:?}");
            };
            assert_eq!(names.len(), blocks.len());
            // All are free again, also those that were asked in vain meanwhile.
            let report = system.shutdown(Instant::now() + FOREVER);
            assert!(report.is_complete(), "{blocks:?}: {report:?}");
        }
    });
}

/// An answer that a handler has polled and then kept is not waited for.
#[test]
fn an_answer_that_is_kept_is_not_waited_for() {
    struct Keeper {
        other: Option<ActorRef<Keeper>>,
        kept: Option<Answer<u32>>,
        /// The handler that keeps the answer is over.
        go: Option<oneshot::Receiver<()>>,
    }
    impl Actor for Keeper {}
    struct Other(ActorRef<Keeper>);
    impl Handler<Other> for Keeper {
        type Reply = ();
        fn handle(&mut self, Other(other): Other, _: &mut Context<Self>) {
            self.other = Some(other);
        }
    }
    struct Keep;
    impl AsyncHandler<Keep> for Keeper {
        type Reply = bool;
        async fn handle(&mut self, _: Keep, _: AsyncContext<Self>) -> bool {
            let other = self.other.as_ref().unwrap();
            let answer = self.kept.insert(other.ask(Ask));
            let polled = std::future::poll_fn(|cx| Poll::Ready(Pin::new(&mut *answer).poll(cx)));
            polled.await.is_pending()
        }
    }
    struct Ask;
    impl AsyncHandler<Ask> for Keeper {
        type Reply = u32;
        async fn handle(&mut self, _: Ask, _: AsyncContext<Self>) -> u32 {
            if let Some(go) = self.go.take() {
                go.await.unwrap();
            }
            let other = self.other.as_ref().unwrap();
            other.ask(Plain).await.map_or(0, |number| number + 1)
        }
    }
    /// Gives the answer away.
    struct Kept;
    impl Handler<Kept> for Keeper {
        type Reply = Option<Answer<u32>>;
        fn handle(&mut self, _: Kept, _: &mut Context<Self>) -> Option<Answer<u32>> {
            self.kept.take()
        }
    }
    struct Plain;
    impl Handler<Plain> for Keeper {
        type Reply = u32;
        fn handle(&mut self, _: Plain, _: &mut Context<Self>) -> u32 {
            6
        }
    }
    ends(|| {
        for _ in 0..100 {
            let pool = pool(1);
            let system = ActorSystem::new(&pool);
            let keeper = |go| Keeper {
                other: None,
                kept: None,
                go,
            };
            let (go, later) = oneshot::channel();
            let actors = [
                system.spawn(keeper(None)),
                system.spawn(keeper(Some(later))),
            ];
            for (actor, other) in [(0, 1), (1, 0)] {
                actors[actor].tell(Other(actors[other].clone())).unwrap();
            }
            assert_eq!(actors[0].ask(Keep).recv(), Ok(true));
            // Handled when the other handler is over, reply and all.
            assert_eq!(actors[0].ask(Plain).recv(), Ok(6));
            go.send(()).unwrap();
            // The other one has been asked, and asks back.
            assert_eq!(actors[1].ask(Ask).recv(), Ok(7));
            let kept = actors[0].ask(Kept).recv().unwrap().unwrap();
            assert_eq!(kept.recv(), Ok(7));
            assert_eq!(system.dead_letters(), 0);
            actors.iter().for_each(ActorRef::stop);
        }
    });
}

/// An answer that one handler has polled and kept, and that another one awaits, is waited for
/// again.
#[test]
fn a_kept_answer_that_is_awaited_closes_a_circle() {
    #[derive(Default)]
    struct Keeper {
        other: Option<ActorRef<Keeper>>,
        kept: Option<Answer<Result<u32, AskError>>>,
        go: Option<oneshot::Receiver<()>>,
    }
    impl Actor for Keeper {}
    struct Other(ActorRef<Keeper>, Option<oneshot::Receiver<()>>);
    impl Handler<Other> for Keeper {
        type Reply = ();
        fn handle(&mut self, Other(other, go): Other, _: &mut Context<Self>) {
            (self.other, self.go) = (Some(other), go);
        }
    }
    /// Asks the other one, polls once, and keeps the answer.
    struct Keep;
    impl AsyncHandler<Keep> for Keeper {
        type Reply = bool;
        async fn handle(&mut self, _: Keep, _: AsyncContext<Self>) -> bool {
            let answer = self.kept.insert(self.other.as_ref().unwrap().ask(Ask));
            let polled = std::future::poll_fn(|cx| Poll::Ready(Pin::new(&mut *answer).poll(cx)));
            polled.await.is_pending()
        }
    }
    /// Awaits what was kept.
    struct Await(oneshot::Sender<()>);
    impl AsyncHandler<Await> for Keeper {
        type Reply = Result<u32, AskError>;
        async fn handle(&mut self, Await(go): Await, _: AsyncContext<Self>) -> Self::Reply {
            let kept = self.kept.take().unwrap();
            go.send(()).unwrap();
            kept.await?
        }
    }
    /// Waits for the word to go, and asks back.
    struct Ask;
    impl AsyncHandler<Ask> for Keeper {
        type Reply = Result<u32, AskError>;
        async fn handle(&mut self, _: Ask, _: AsyncContext<Self>) -> Self::Reply {
            self.go.take().unwrap().await.unwrap();
            self.other.as_ref().unwrap().ask(Plain).await
        }
    }
    struct Plain;
    impl Handler<Plain> for Keeper {
        type Reply = u32;
        fn handle(&mut self, _: Plain, _: &mut Context<Self>) -> u32 {
            6
        }
    }
    ends(|| {
        let pool = pool(1);
        let system = ActorSystem::new(&pool);
        let [a, b] = [(); 2].map(|()| system.spawn(Keeper::default()));
        let (go, later) = oneshot::channel();
        a.tell(Other(b.clone(), None)).unwrap();
        b.tell(Other(a.clone(), Some(later))).unwrap();
        assert_eq!(a.ask(Keep).recv(), Ok(true));
        let answer = a.ask(Await(go)).recv().unwrap();
        assert!(matches!(answer, Err(AskError::Cycle(_))), "{answer:?}");
        [a, b].iter().for_each(ActorRef::stop);
    });
}
