//! Actors that are functions on threads of their own.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use common::{FOREVER, eventually, pool, quiet_panic};
use drumline::Pool;
use drumline::actor::{
    Actor, ActorSystem, AskError, AsyncContext, AsyncHandler, Context, ExitReason, Handler, Inbox,
    InboxError, Overflow, Recipient, SpawnOptions, TellError, ThreadActor,
};
use drumline::channel::oneshot;

#[test]
fn what_is_told_is_received_in_order() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, receive) = mpsc::channel();
    let actor = system
        .spawn_thread(move |inbox: &mut Inbox<(usize, usize)>| {
            while let Some(message) = inbox.receive() {
                send.send(message).unwrap();
            }
        })
        .unwrap();
    let tellers: Vec<_> = (0..4)
        .map(|sender| {
            let actor = actor.clone();
            std::thread::spawn(move || {
                for number in 0..2_000 {
                    actor.tell((sender, number)).unwrap();
                }
            })
        })
        .collect();
    drop(actor);
    let mut next = [0; 4];
    for (sender, number) in receive.iter() {
        assert_eq!(number, next[sender]);
        next[sender] += 1;
    }
    assert_eq!(next, [2_000; 4]);
    for teller in tellers {
        teller.join().unwrap();
    }
}

/// Passes tokens to a function.
struct Relay(Recipient<u32>);
impl Actor for Relay {}
impl Handler<u32> for Relay {
    type Reply = ();
    fn handle(&mut self, token: u32, _: &mut Context<Self>) {
        self.0.tell(token).unwrap();
    }
}

#[test]
fn functions_and_handlers_tell_each_other() {
    let pool = pool(2);
    let system = Arc::new(ActorSystem::new(&pool));
    let spawner = Arc::clone(&system);
    let (done, is_done) = mpsc::channel();
    let function = system
        .spawn_thread(move |inbox: &mut Inbox<u32>| {
            let relay = spawner.spawn(Relay(inbox.actor_ref().recipient()));
            while let Some(token) = inbox.receive() {
                match token.checked_sub(1) {
                    Some(next) => relay.tell(next).unwrap(),
                    None => break,
                }
            }
            done.send(()).unwrap();
        })
        .unwrap();
    function.tell(1_000).unwrap();
    is_done.recv_timeout(FOREVER).unwrap();
}

#[test]
fn receives_without_a_message() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let (send, receive) = mpsc::channel();
    let (told, is_told) = mpsc::channel();
    let actor = system
        .spawn_thread(move |inbox: &mut Inbox<u32>| {
            assert_eq!(inbox.try_receive(), Err(InboxError::Empty));
            let short = Duration::from_millis(1);
            assert_eq!(inbox.receive_timeout(short), Err(InboxError::Empty));
            let now = Instant::now();
            assert_eq!(inbox.receive_deadline(now), Err(InboxError::Empty));
            send.send(0).unwrap();
            is_told.recv().unwrap();
            // The call came while the function did something else.
            send.send(inbox.try_receive().unwrap()).unwrap();
            send.send(inbox.receive_timeout(Duration::MAX).unwrap())
                .unwrap();
            assert_eq!(inbox.receive_timeout(FOREVER), Err(InboxError::Ended));
            assert_eq!(inbox.try_receive(), Err(InboxError::Ended));
            assert_eq!(inbox.receive(), None);
            send.send(3).unwrap();
        })
        .unwrap();
    assert_eq!(receive.recv(), Ok(0));
    actor.tell(1).unwrap();
    told.send(()).unwrap();
    assert_eq!(receive.recv(), Ok(1));
    actor.tell(2).unwrap();
    assert_eq!(receive.recv(), Ok(2));
    drop(actor);
    assert_eq!(receive.iter().collect::<Vec<_>>(), [3]);
}

#[test]
fn an_ask_is_answered_when_it_is_received() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let actor = system
        .spawn_thread(|inbox: &mut Inbox<u32>| {
            assert_eq!(inbox.receive(), Some(1));
            assert_eq!(inbox.receive(), Some(2));
        })
        .unwrap();
    assert_eq!(actor.ask(1).recv(), Ok(()));
    assert_eq!(actor.ask(2).recv(), Ok(()));
    assert_eq!(actor.ask(3).recv(), Err(AskError::Dead));
    eventually("it is dead", || !actor.is_alive());
    assert_eq!(actor.tell(4), Err(TellError::Dead(4)));
}

/// Each message that a function does not come to is dropped, and counted.
#[test]
fn what_is_left_is_discarded() {
    let reports = Arc::new(AtomicUsize::new(0));
    let panics = Arc::clone(&reports);
    let pool = Pool::builder()
        .jobs(1)
        .panic_handler(move |_| {
            panics.fetch_add(1, Ordering::SeqCst);
        })
        .build()
        .unwrap();
    let system = ActorSystem::new(&pool);
    let counted = Arc::new(());
    for (panics, is_idle) in [(false, false), (false, true), (true, false), (true, true)] {
        let before = system.dead_letters();
        let (begun, begins) = mpsc::channel();
        let (go, gone) = mpsc::channel::<()>();
        let actor = system
            .spawn_thread(move |inbox: &mut Inbox<Arc<()>>| {
                drop(inbox.receive());
                if is_idle {
                    assert_eq!(inbox.try_receive(), Err(InboxError::Empty));
                }
                begun.send(()).unwrap();
                let _ = gone.recv();
                if panics {
                    quiet_panic("on request");
                }
            })
            .unwrap();
        actor.tell(Arc::clone(&counted)).unwrap();
        begins.recv().unwrap();
        for _ in 0..3 {
            actor.tell(Arc::clone(&counted)).unwrap();
        }
        drop(go);
        eventually("it is dead", || system.actors() == 0);
        assert_eq!(Arc::strong_count(&counted), 1);
        assert_eq!(system.dead_letters() - before, 3);
    }
    assert_eq!(reports.load(Ordering::SeqCst), 2);
}

/// A function returns although its inbox is idle, at the moment at which others tell it something.
#[test]
fn a_function_ends_while_others_tell() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let counted = Arc::new(());
    for _ in 0..100 {
        let actor = system
            .spawn_thread(|inbox: &mut Inbox<Arc<()>>| {
                drop(inbox.receive());
                // Idle after that, now and then.
                let _ = (0..10).find(|_| inbox.try_receive().is_err());
            })
            .unwrap();
        while actor.tell(Arc::clone(&counted)).is_ok() {}
    }
    eventually("all are dead", || system.actors() == 0);
    assert_eq!(Arc::strong_count(&counted), 1);
}

#[test]
fn stops_and_kills_end_a_receive() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let (send, receive) = mpsc::channel();
    for is_kill in [false, true] {
        let send = send.clone();
        let (begun, begins) = mpsc::channel();
        let (go, gone) = mpsc::channel::<()>();
        let actor = system
            .spawn_thread(move |inbox: &mut Inbox<u32>| {
                begun.send(()).unwrap();
                let _ = gone.recv();
                while let Some(number) = inbox.receive() {
                    send.send(number).unwrap();
                }
                send.send(100).unwrap();
            })
            .unwrap();
        begins.recv().unwrap();
        actor.tell(1).unwrap();
        if is_kill {
            actor.stop_now();
        } else {
            actor.stop();
        }
        let _ = actor.tell(2);
        drop(go);
    }
    // Two threads, in any order.
    let mut all: Vec<_> = receive.iter().take(3).collect();
    all.sort_unstable();
    assert_eq!(all, [1, 100, 100]);
}

#[test]
fn bounds_hold_for_functions() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let (go, gone) = mpsc::channel::<()>();
    let (send, receive) = mpsc::channel();
    let options = SpawnOptions::new().bounded(2, Overflow::Fail);
    let actor = system
        .spawn_thread_with(options, move |inbox: &mut Inbox<u32>| {
            let _ = gone.recv();
            while let Some(number) = inbox.receive() {
                send.send(number).unwrap();
            }
        })
        .unwrap();
    actor.tell(1).unwrap();
    actor.tell(2).unwrap();
    assert_eq!(actor.tell(3), Err(TellError::Full(3)));
    drop(go);
    drop(actor);
    assert_eq!(receive.iter().collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn shutdown_reports_functions_that_go_on() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let (go, gone) = mpsc::channel::<()>();
    let options = SpawnOptions::new().name("stuck");
    let stuck = system
        .spawn_thread_with(options, move |_: &mut Inbox<u32>| {
            let _ = gone.recv();
        })
        .unwrap();
    let fine = system
        .spawn_thread(|inbox: &mut Inbox<u32>| while inbox.receive().is_some() {})
        .unwrap();
    fine.stop();
    // Not dead alone: it is reported until the system has let go of it.
    fine.ended().recv();
    let report = system.shutdown(Instant::now());
    assert_eq!(report.abandoned(), ["stuck"]);
    drop(go);
    assert!(system.shutdown(Instant::now() + FOREVER).is_complete());
    assert!(!stuck.is_alive());
    // What comes too late does not begin.
    let late = system
        .spawn_thread(|_: &mut Inbox<u32>| panic!("never"))
        .unwrap();
    assert!(!late.is_alive());
}

#[test]
fn a_pool_waits_for_its_functions() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let ended = Arc::new(AtomicUsize::new(0));
    let actors: Vec<_> = (0..10)
        .map(|_| {
            let ended = Arc::clone(&ended);
            let body = move |inbox: &mut Inbox<u32>| {
                while inbox.receive().is_some() {}
                ended.fetch_add(1, Ordering::SeqCst);
            };
            system.spawn_thread(body).unwrap()
        })
        .collect();
    pool.shutdown().unwrap();
    assert_eq!(ended.load(Ordering::SeqCst), 10);
    assert!(actors.iter().all(|actor| !actor.is_alive()));
}

/// The pool ends after its actors, and so after the thread that drops it.
#[test]
fn the_last_handle_of_the_pool_may_be_dropped_on_the_thread_of_an_actor() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let (go, wait) = mpsc::channel::<()>();
    let (send, receive) = mpsc::channel();
    let actor = system
        .spawn_thread(move |_: &mut Inbox<()>| {
            wait.recv().unwrap_err();
            drop(pool);
            send.send(()).unwrap();
        })
        .unwrap();
    drop(system);
    drop(go);
    receive.recv().unwrap();
    eventually("the actor has ended", || !actor.is_alive());
}

/// The same in a handler of a pinned actor.
#[test]
fn the_pool_may_come_in_a_message_for_a_pinned_actor() {
    struct Keeper(mpsc::Sender<bool>);
    impl Actor for Keeper {}
    impl Handler<Pool> for Keeper {
        type Reply = ();
        fn handle(&mut self, pool: Pool, _: &mut Context<Self>) {
            drop(pool);
            self.0.send(true).unwrap();
        }
    }
    for _ in 0..20 {
        let pool = pool(1);
        let system = ActorSystem::new(&pool);
        let (send, receive) = mpsc::channel();
        let options = SpawnOptions::new().scheduler(drumline::actor::Scheduler::Pinned);
        let keeper = system.spawn_with(Keeper(send), options);
        keeper.tell(pool).unwrap_or_else(|_| panic!("it is alive"));
        assert!(receive.recv().unwrap());
    }
}

/// A message of a test for a function, which its future sleeps over until the sender is dropped.
struct Nap {
    begun: mpsc::Sender<()>,
    until: oneshot::Receiver<()>,
    log: mpsc::Sender<String>,
}

impl AsyncHandler<Nap> for ThreadActor<u32> {
    type Reply = ();

    async fn handle(&mut self, nap: Nap, _: AsyncContext<Self>) {
        nap.begun.send(()).unwrap();
        let _ = nap.until.await;
        // Others have time to do what they must not.
        for _ in 0..100 {
            drumline::task::yield_now().await;
        }
        nap.log.send(format!("{self:?}")).unwrap();
    }
}

#[test]
fn a_future_may_have_a_function_that_receives() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (log, said) = mpsc::channel();
    let (begun, begins) = mpsc::channel();
    let logs = log.clone();
    let actor = system
        .spawn_thread(move |inbox: &mut Inbox<u32>| {
            while let Some(number) = inbox.receive() {
                logs.send(number.to_string()).unwrap();
            }
        })
        .unwrap();
    for number in 0..100 {
        let (wake, until) = oneshot::channel();
        let (begun, log) = (begun.clone(), log.clone());
        actor.tell(Nap { begun, until, log }).unwrap();
        actor.tell(number).unwrap();
        begins.recv_timeout(FOREVER).unwrap();
        drop(wake);
        assert_eq!(
            said.recv_timeout(FOREVER).as_deref(),
            Ok("ThreadActor { .. }")
        );
        assert_eq!(said.recv_timeout(FOREVER), Ok(number.to_string()));
    }
    // Also if no message is behind it, or a stop.
    let (wake, until) = oneshot::channel();
    actor.tell(Nap { begun, until, log }).unwrap();
    begins.recv_timeout(FOREVER).unwrap();
    drop(wake);
    assert_eq!(
        said.recv_timeout(FOREVER).as_deref(),
        Ok("ThreadActor { .. }")
    );
    actor.stop();
    assert_eq!(actor.ended().recv().reason(), ExitReason::Stopped);
    assert_eq!(said.recv().ok(), None);
}

#[test]
fn a_function_that_returns_leaves_its_state_to_a_future() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    for is_told in [false, true] {
        let (log, said) = mpsc::channel();
        let (begun, begins) = mpsc::channel();
        let returns = log.clone();
        let actor = system
            .spawn_thread(move |inbox: &mut Inbox<u32>| {
                while begins.try_recv().is_err() {
                    assert_eq!(
                        inbox.receive_timeout(Duration::ZERO),
                        Err(InboxError::Empty)
                    );
                }
                if is_told {
                    inbox.actor_ref().tell(1).unwrap();
                    assert_eq!(inbox.try_receive(), Err(InboxError::Empty));
                }
                returns.send("returns".to_owned()).unwrap();
            })
            .unwrap();
        let (wake, until) = oneshot::channel();
        actor.tell(Nap { begun, until, log }).unwrap();
        assert_eq!(said.recv_timeout(FOREVER).as_deref(), Ok("returns"));
        drop(wake);
        assert_eq!(actor.ended().recv().reason(), ExitReason::Stopped);
        assert_eq!(
            said.recv_timeout(FOREVER).as_deref(),
            Ok("ThreadActor { .. }")
        );
        assert_eq!(system.dead_letters(), usize::from(is_told));
    }
}

/// Has its number received next.
struct First(u32);

impl Handler<First> for ThreadActor<u32> {
    type Reply = ();

    fn handle(&mut self, First(number): First, context: &mut Context<Self>) {
        context.stash::<u32, _>(number).unwrap();
        context.unstash_all();
    }
}

#[test]
fn a_handler_may_put_messages_in_front_of_a_function() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let (go, gone) = mpsc::channel::<()>();
    let (send, receive) = mpsc::channel();
    let options = SpawnOptions::new().stash(1);
    let actor = system
        .spawn_thread_with(options, move |inbox: &mut Inbox<u32>| {
            let _ = gone.recv();
            while let Some(number) = inbox.receive() {
                send.send(number).unwrap();
            }
        })
        .unwrap();
    actor.tell(First(1)).unwrap();
    actor.tell(2).unwrap();
    actor.tell(First(3)).unwrap();
    drop((go, actor));
    assert_eq!(receive.iter().collect::<Vec<_>>(), [1, 2, 3]);
}
