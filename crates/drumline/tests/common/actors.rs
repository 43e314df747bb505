//! Actors that tests tell what to do.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};

use drumline::Pool;
use drumline::actor::{Actor, ActorRef, ActorSystem, Context, Handler};

use super::{Event, quiet_panic};

/// A pool that tells no handler of the panics of actors.
pub fn tolerant_pool(jobs: usize) -> Pool {
    let pool = Pool::builder().jobs(jobs).panic_handler(|_| {});
    pool.build().unwrap()
}

/// Calls functions of a test in its handler, and passes on messages of the type `M`.
pub struct Caller<M>(pub Sender<M>);

/// What a [`Caller`] calls.
pub type Call<M> = Box<dyn FnOnce(&mut Context<Caller<M>>) + Send>;

impl<M: Send + 'static> Actor for Caller<M> {}

impl<M: Send + 'static> Handler<Call<M>> for Caller<M> {
    type Reply = ();

    fn handle(&mut self, call: Call<M>, context: &mut Context<Self>) {
        call(context);
    }
}

impl<M: Send + 'static> Handler<M> for Caller<M> {
    type Reply = ();

    fn handle(&mut self, message: M, _: &mut Context<Self>) {
        // The test may be over.
        let _ = self.0.send(message);
    }
}

/// A caller, and what it passes on.
pub fn caller<M: Send + 'static>(system: &ActorSystem) -> (ActorRef<Caller<M>>, Receiver<M>) {
    let (send, receive) = mpsc::channel();
    (system.spawn(Caller(send)), receive)
}

/// Has the actor call `call`, and returns what that returns.
pub fn inside<M: Send + 'static, R: Send + 'static>(
    actor: &ActorRef<Caller<M>>,
    call: impl FnOnce(&mut Context<Caller<M>>) -> R + Send + 'static,
) -> R {
    let (send, receive) = mpsc::channel();
    let call: Call<M> = Box::new(move |context| drop(send.send(call(context))));
    actor.tell(call).unwrap();
    receive.recv().unwrap()
}

/// Says what it is told, and its own number.
pub struct Member<M> {
    pub number: usize,
    pub heard: Sender<(usize, M)>,
}

impl<M: Send + 'static> Actor for Member<M> {}

/// To panic.
pub struct Crash;

impl<M: Send + 'static> Handler<Crash> for Member<M> {
    type Reply = ();

    fn handle(&mut self, _: Crash, _: &mut Context<Self>) {
        quiet_panic("as it was told");
    }
}

/// To say that it is here, and wait.
pub struct Wait(pub Sender<()>, pub Arc<Event>);

impl<M: Send + 'static> Handler<Wait> for Member<M> {
    type Reply = ();

    fn handle(&mut self, Wait(here, event): Wait, _: &mut Context<Self>) {
        here.send(()).unwrap();
        drumline::blocking(|| event.wait());
    }
}
