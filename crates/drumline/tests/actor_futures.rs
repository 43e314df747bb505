//! Futures that actors start.

mod actors;
mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use common::{eventually, quiet_panic};
use drumline::Pool;
use drumline::actor::{Actor, ActorSystem, Context, Handler, Overflow, SpawnOptions};
use drumline::channel::oneshot;

/// Hears numbers, from messages and from futures.
struct Listener(mpsc::Sender<u32>);

impl Actor for Listener {}

impl Handler<u32> for Listener {
    type Reply = ();
    fn handle(&mut self, number: u32, _: &mut Context<Self>) {
        let _ = self.0.send(number);
    }
}

/// To wait for a number without the mailbox.
struct Await(oneshot::Receiver<u32>);
impl Handler<Await> for Listener {
    type Reply = ();
    fn handle(&mut self, Await(receiver): Await, context: &mut Context<Self>) {
        let future = async move {
            let number = receiver.await.unwrap_or(0);
            if number == 13 {
                quiet_panic("on request");
            }
            number
        };
        context.spawn_then(future, |listener, number, context| {
            if number == 14 {
                quiet_panic("on request");
            }
            let _ = listener.0.send(number);
            context.actor_ref().tell(number + 1).unwrap();
        });
    }
}

fn fixture() -> (Pool, ActorSystem, Arc<AtomicUsize>) {
    let reports = Arc::new(AtomicUsize::new(0));
    let panics = Arc::clone(&reports);
    let pool = Pool::builder()
        .jobs(2)
        .panic_handler(move |_| {
            panics.fetch_add(1, Ordering::SeqCst);
        })
        .build()
        .unwrap();
    let system = ActorSystem::new(&pool);
    (pool, system, reports)
}

#[test]
fn the_mailbox_is_open_while_a_future_runs() {
    for scheduler in actors::schedulers() {
        let (_pool, system, _) = fixture();
        let (send, receive) = mpsc::channel();
        let options = SpawnOptions::new().scheduler(scheduler);
        let listener = system.spawn_with(Listener(send), options.bounded(1, Overflow::Wait));
        let (number, later) = oneshot::channel();
        listener.tell(Await(later)).unwrap();
        listener.tell(1).unwrap();
        assert_eq!(receive.recv(), Ok(1));
        listener.tell(2).unwrap();
        // The future has a reference.
        drop(listener);
        assert_eq!(receive.recv(), Ok(2));
        number.send(10).unwrap();
        assert_eq!(receive.iter().collect::<Vec<_>>(), [10, 11]);
    }
}

#[test]
fn outputs_for_the_dead_are_dead_letters() {
    let (_pool, system, _) = fixture();
    let (send, receive) = mpsc::channel();
    let listener = system.spawn(Listener(send));
    let (number, later) = oneshot::channel();
    assert_eq!(listener.ask(Await(later)).recv(), Ok(()));
    listener.stop();
    eventually("it is dead", || !listener.is_alive());
    number.send(10).unwrap();
    eventually("it is lost", || system.dead_letters() == 1);
    assert_eq!(receive.iter().next(), None);
}

#[test]
fn panics_of_futures_and_continuations() {
    let (_pool, system, reports) = fixture();
    let (send, receive) = mpsc::channel();
    let listener = system.spawn(Listener(send));
    let (number, later) = oneshot::channel();
    listener.tell(Await(later)).unwrap();
    number.send(13).unwrap();
    eventually("the panic is reported", || {
        reports.load(Ordering::SeqCst) == 1
    });
    listener.tell(1).unwrap();
    assert_eq!(receive.recv(), Ok(1));
    let (number, later) = oneshot::channel();
    listener.tell(Await(later)).unwrap();
    number.send(14).unwrap();
    eventually("it is dead", || !listener.is_alive());
    eventually("the panic is reported", || {
        reports.load(Ordering::SeqCst) == 2
    });
}
