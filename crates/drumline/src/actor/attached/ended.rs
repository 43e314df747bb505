//! Threads and tasks that wait for the end of an actor.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use super::entry::{Attachment, with_shard};
use super::exit::Exit;
use super::monitor::exit_of_ended;
use super::table::next_number;
use crate::actor::{Actor, ActorRef};
use crate::channel::oneshot::{self, Receiver};

/// The end of an actor: a thread waits for it by [`recv`](Self::recv), and a task by `.await`; made
/// by [`ActorRef::ended`].
///
/// ```
/// use drumline::actor::{Actor, ActorSystem};
///
/// struct Idler;
/// impl Actor for Idler {}
///
/// let system = ActorSystem::builder().build_here();
/// let idler = system.spawn(Idler);
/// let ended = idler.ended();
/// idler.stop();
/// drumline::block_on(ended); // or `ended.recv()`, in a thread
/// assert!(!idler.is_alive());
/// ```
///
/// # Cancellation
///
/// One that is dropped leaves nothing behind.
#[must_use = "it does nothing unless it is waited for"]
pub struct Ended {
    receiver: Receiver<Exit>,
    /// What was received.
    received: Option<Exit>,
    actor: usize,
    number: u64,
}

impl<A: Actor> ActorRef<A> {
    /// What waits for the end of this actor, and says why it has ended. It does not keep the actor
    /// alive. It is over after the hook [`stopped`](Actor::stopped), the drop of the state and that
    /// of the messages which are left: from then on no message is taken, and the system does not
    /// count the actor. A shutdown of the system may return a moment before. An actor that its
    /// supervisor starts again has not ended.
    ///
    /// For an actor that has ended already it does not say whether that was
    /// [killed](crate::actor::ExitReason::Killed), and not what a panic said.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, Context, ExitReason, Handler};
    ///
    /// struct Fragile;
    /// impl Actor for Fragile {}
    /// impl Handler<()> for Fragile {
    ///     type Reply = ();
    ///     fn handle(&mut self, (): (), _: &mut Context<Self>) {
    ///         panic!("broken");
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(2).panic_handler(|_| {}).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let fragile = system.spawn(Fragile);
    /// let ended = fragile.ended();
    /// fragile.tell(())?;
    /// let exit = ended.recv();
    /// assert_eq!(exit.reason(), ExitReason::Panicked);
    /// assert_eq!(exit.panic_message(), Some("broken"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// In a forked child the end of an actor of the parent does not come.
    ///
    /// # Complexity
    ///
    /// O(log n), for n monitors, links and timers of all actors, under one of 16 locks.
    pub fn ended(&self) -> Ended {
        let (sender, receiver) = oneshot::channel();
        let actor = self.core().as_ptr().as_ptr().addr();
        let number = next_number();
        let refused = with_shard(actor, |shard| {
            let entry = Attachment::Awaited(sender);
            let made = shard.attach(&self.core().core().word, (actor, number), entry);
            made.err()
        });
        if let Some(Attachment::Awaited(sender)) = refused {
            // The receiver is here.
            let _ = sender.send(exit_of_ended(self.core()));
        }
        Ended {
            receiver,
            received: None,
            actor,
            number,
        }
    }
}

impl Ended {
    /// Waits for the end.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let idler = system.spawn(Idler);
    /// idler.stop();
    /// let exit = idler.ended().recv();
    /// assert!(exit.to_string().ends_with("Idler has stopped"));
    /// ```
    ///
    /// # Blocking
    ///
    /// Until the actor has ended. An actor that waits in a handler for its own end waits for ever.
    /// So does what is called before its end is over: the drop of its state, of a message for it,
    /// or of what its supervisor makes it with, and a listener of its dead letters.
    pub fn recv(mut self) -> Exit {
        match self.recv_timeout(Duration::MAX) {
            Some(exit) => exit,
            None => unreachable!("the run that ends the actor sends it"),
        }
    }

    /// Waits for the end, for `timeout` at most. `None`: the actor has not ended.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem};
    /// use std::time::Duration;
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let idler = system.spawn(Idler);
    /// let mut ended = idler.ended();
    /// assert!(ended.recv_timeout(Duration::from_millis(1)).is_none());
    /// idler.stop();
    /// assert!(ended.recv_timeout(Duration::from_secs(10)).is_some());
    /// ```
    ///
    /// # Blocking
    ///
    /// As [`recv`](Self::recv), for `timeout` at most.
    pub fn recv_timeout(&mut self, timeout: Duration) -> Option<Exit> {
        if self.received.is_none() {
            self.received = self.receiver.recv_timeout(timeout).ok();
        }
        self.received.clone()
    }

    /// Whether [`recv`](Self::recv) would not wait.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let idler = system.spawn(Idler);
    /// let mut ended = idler.ended();
    /// assert!(!ended.is_ready());
    /// idler.stop();
    /// drumline::block_on(&mut ended);
    /// assert!(ended.is_ready());
    /// ```
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.received.is_some() || self.receiver.is_ready()
    }
}

impl Future for Ended {
    type Output = Exit;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Exit> {
        if let Some(exit) = &self.received {
            return Poll::Ready(exit.clone());
        }
        let polled = Pin::new(&mut self.receiver).poll(cx);
        polled.map(|received| match received {
            Ok(exit) => self.received.insert(exit).clone(),
            Err(_) => unreachable!("the run that ends the actor sends it"),
        })
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        let taken = with_shard(self.actor, |shard| shard.remove(self.actor, self.number));
        drop(taken);
    }
}

impl fmt::Debug for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ended")
            .field("is_ready", &self.is_ready())
            .finish_non_exhaustive()
    }
}
