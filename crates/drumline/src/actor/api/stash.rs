//! Messages that an actor has set aside.
//!
//! They lie in a queue that the run alone uses, as envelopes that have not been opened. To take
//! them up again puts them in front of what the run comes to next, the newest first, so that they
//! are handled in their order. What is here when the actor ends is discarded.

use std::error::Error;
use std::fmt;

use crate::actor::mail::{Content, Envelope, ToldMessage};
use crate::actor::memory::Stash;
use crate::actor::{Accept, Actor, Context};

/// There is no room for a message to be set aside. It comes back.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, Context, Handler};
///
/// struct Worker;
/// impl Actor for Worker {}
/// impl Handler<()> for Worker {
///     type Reply = bool;
///     fn handle(&mut self, (): (), context: &mut Context<Self>) -> bool {
///         let full = context.stash(());
///         full.is_ok()
///     }
/// }
///
/// let system = ActorSystem::builder().build_here();
/// let worker = system.spawn(Worker);
/// assert_eq!(worker.ask(()).recv(), Ok(false)); // it was spawned without room for any
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StashError<M>(M);

impl<M> StashError<M> {
    /// The message.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler};
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl Handler<u32> for Worker {
    ///     type Reply = u32;
    ///     fn handle(&mut self, number: u32, context: &mut Context<Self>) -> u32 {
    ///         match context.stash(number) {
    ///             Ok(()) => 0,
    ///             Err(error) => error.into_inner(), // there is no room
    ///         }
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// assert_eq!(system.spawn(Worker).ask(42).recv(), Ok(42));
    /// ```
    #[must_use]
    pub fn into_inner(self) -> M {
        self.0
    }
}

impl<M> fmt::Debug for StashError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StashError(..)")
    }
}

impl<M> fmt::Display for StashError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no room for a message to be set aside; the message comes back")
    }
}

impl<M> Error for StashError<M> {}

impl<A: Actor> Context<A> {
    fn own_stash(&self) -> Option<&Stash> {
        // SAFETY: the run has the actor.
        unsafe { (*self.frame.core).extra.as_deref() }?
            .stash
            .as_ref()
    }

    /// Sets a message aside, most often the one at hand, until
    /// [`unstash_all`](Self::unstash_all).
    ///
    /// An actor has room for as many as it was [spawned](crate::actor::SpawnOptions::stash) with.
    /// When it ends, they become [dead letters](crate::actor::DeadLetter).
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler, SpawnOptions};
    ///
    /// /// Writes down what it is told, when it has been opened.
    /// #[derive(Default)]
    /// struct Book {
    ///     is_open: bool,
    ///     lines: Vec<&'static str>,
    /// }
    /// impl Actor for Book {}
    ///
    /// impl Handler<&'static str> for Book {
    ///     type Reply = ();
    ///     fn handle(&mut self, line: &'static str, context: &mut Context<Self>) {
    ///         if self.is_open {
    ///             self.lines.push(line);
    ///         } else {
    ///             context.stash(line).expect("there is room for ten");
    ///         }
    ///     }
    /// }
    ///
    /// struct Open;
    /// impl Handler<Open> for Book {
    ///     type Reply = ();
    ///     fn handle(&mut self, _: Open, context: &mut Context<Self>) {
    ///         self.is_open = true;
    ///         context.unstash_all();
    ///     }
    /// }
    ///
    /// struct Read;
    /// impl Handler<Read> for Book {
    ///     type Reply = Vec<&'static str>;
    ///     fn handle(&mut self, _: Read, _: &mut Context<Self>) -> Vec<&'static str> {
    ///         self.lines.clone()
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let book = system.spawn_with(Book::default(), SpawnOptions::new().stash(10));
    /// book.tell("one")?;
    /// book.tell("two")?;
    /// book.tell(Open)?;
    /// assert_eq!(book.ask(Read).recv().as_deref(), Ok(&["one", "two"][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// An asker does not wait for a message that is set aside: it gets the reply of the handler
    /// that did so.
    ///
    /// # Errors
    ///
    /// If there is no room. The message comes back.
    pub fn stash<M, K>(&mut self, message: M) -> Result<(), StashError<M>>
    where
        A: Accept<M, K>,
        M: Send + 'static,
        K: 'static,
    {
        let Some(stash) = self.own_stash() else {
            return Err(StashError(message));
        };
        // SAFETY: this is the run.
        let queue = unsafe { stash.queue() };
        if queue.len() >= stash.bound {
            return Err(StashError(message));
        }
        // SAFETY: the run has the actor.
        let is_counted = unsafe { &*self.frame.core }.counter().is_some();
        let open = if is_counted {
            <ToldMessage<M, K> as Content<A>>::COUNTED_OPEN
        } else {
            <ToldMessage<M, K> as Content<A>>::OPEN
        };
        let envelope = Envelope::seal(ToldMessage::<M, K>::new(message), open);
        queue.push_back(Envelope::link(envelope));
        Ok(())
    }

    /// Has the messages that were [set aside](Self::stash) handled next, in their order, before
    /// what else is in the mailbox, and before what an earlier call has taken up.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler, SpawnOptions};
    ///
    /// /// Sets the first message aside, and handles it after the second.
    /// struct Swap(Vec<u32>);
    /// impl Actor for Swap {}
    /// impl Handler<u32> for Swap {
    ///     type Reply = Vec<u32>;
    ///     fn handle(&mut self, number: u32, context: &mut Context<Self>) -> Vec<u32> {
    ///         match number {
    ///             1 if self.0.is_empty() => context.stash(1).unwrap(),
    ///             _ => {
    ///                 self.0.push(number);
    ///                 context.unstash_all();
    ///             }
    ///         }
    ///         self.0.clone()
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let swap = system.spawn_with(Swap(Vec::new()), SpawnOptions::new().stash(1));
    /// swap.tell(1).unwrap();
    /// swap.tell(2).unwrap();
    /// assert_eq!(swap.ask(3).recv(), Ok(vec![2, 1, 3]));
    /// ```
    pub fn unstash_all(&mut self) {
        loop {
            // SAFETY: this is the run.
            let newest = self
                .own_stash()
                .and_then(|stash| unsafe { stash.queue() }.pop_back());
            let Some(link) = newest else { return };
            // SAFETY: the queue had the envelope, which is for this actor and not open.
            unsafe { self.frame.put_front(link) };
        }
    }

    /// How many messages are [set aside](Self::stash).
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, Context, Handler, SpawnOptions};
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl Handler<()> for Worker {
    ///     type Reply = usize;
    ///     fn handle(&mut self, (): (), context: &mut Context<Self>) -> usize {
    ///         context.stash(()).unwrap();
    ///         context.stashed()
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn_with(Worker, SpawnOptions::new().stash(2));
    /// assert_eq!(worker.ask(()).recv(), Ok(1));
    /// assert_eq!(worker.ask(()).recv(), Ok(2));
    /// ```
    #[must_use]
    pub fn stashed(&self) -> usize {
        // SAFETY: this is the run.
        self.own_stash()
            .map_or(0, |stash| unsafe { stash.queue() }.len())
    }
}
