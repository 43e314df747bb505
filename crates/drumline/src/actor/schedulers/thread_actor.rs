//! Actors that are functions: each on a thread of its own, where it receives when it likes.

use std::fmt;
use std::io;

use super::OwnThread;
use crate::actor::life::start;
use crate::actor::memory::Place;
use crate::actor::{Actor, ActorRef, ActorSystem, Context, Handler, Inbox, SpawnOptions};

/// An actor that is a function on a thread of its own; started by
/// [`ActorSystem::spawn_thread`].
///
/// It accepts messages of one type. The reply to each is `()`, as soon as the function has received
/// the message: so an [ask](ActorRef::ask) waits for that.
pub struct ThreadActor<M: Send + 'static> {
    /// On its way from the envelope to the function.
    pub(crate) received: Option<M>,
}

impl<M: Send + 'static> Actor for ThreadActor<M> {}

impl<M: Send + 'static> Handler<M> for ThreadActor<M> {
    type Reply = ();

    fn handle(&mut self, message: M, _: &mut Context<Self>) {
        self.received = Some(message);
    }
}

impl<M: Send + 'static> fmt::Debug for ThreadActor<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadActor").finish_non_exhaustive()
    }
}

impl ActorSystem {
    /// Starts an actor that is a function on a thread of its own: thread-based, where the others
    /// are event-based.
    ///
    /// The function receives messages from its [`Inbox`] when it likes, and may block as it likes.
    /// The actor ends when it returns; what is left in the mailbox is discarded then. When the
    /// actor is stopped, or no reference is left, [`receive`](Inbox::receive) returns `None` after
    /// the messages before that, and the function is to return. Until then a
    /// [shutdown](ActorSystem::shutdown) waits for it, and reports it at the deadline.
    ///
    /// The messages can be received in a loop around `match` (the style `loop/receive` of Scala),
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::ActorSystem;
    ///
    /// enum Command {
    ///     Add(u64),
    ///     Report(std::sync::mpsc::Sender<u64>),
    /// }
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let counter = system.spawn_thread(|inbox| {
    ///     let mut sum = 0;
    ///     loop {
    ///         match inbox.receive() {
    ///             Some(Command::Add(number)) => sum += number,
    ///             Some(Command::Report(to)) => drop(to.send(sum)),
    ///             None => break,
    ///         }
    ///     }
    /// })?;
    /// counter.tell(Command::Add(40))?;
    /// counter.tell(Command::Add(2))?;
    /// let (send, receive) = std::sync::mpsc::channel();
    /// counter.tell(Command::Report(send))?;
    /// assert_eq!(receive.recv(), Ok(42));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// or as long as there are any (`receive/while`), with a state for each phase:
    ///
    /// ```
    /// # use drumline::Pool;
    /// # use drumline::actor::ActorSystem;
    /// # let pool = Pool::builder().jobs(1).build()?;
    /// # let system = ActorSystem::new(&pool);
    /// let (send, receive) = std::sync::mpsc::channel();
    /// let pairs = system.spawn_thread(move |inbox| {
    ///     while let Some(first) = inbox.receive() {
    ///         let Some(second) = inbox.receive() else { return };
    ///         let _ = send.send((first, second));
    ///     }
    /// })?;
    /// for number in 1..=4 {
    ///     pairs.tell(number)?;
    /// }
    /// drop(pairs); // the last reference
    /// assert_eq!(receive.iter().collect::<Vec<_>>(), [(1, 2), (3, 4)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// A panic ends the actor as one in a handler does.
    ///
    /// # Errors
    ///
    /// If the system refuses the thread.
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn_thread<M, F>(&self, body: F) -> io::Result<ActorRef<ThreadActor<M>>>
    where
        M: Send + 'static,
        F: FnOnce(&mut Inbox<M>) + Send + 'static,
    {
        self.spawn_thread_with(SpawnOptions::new(), body)
    }

    /// As [`spawn_thread`](Self::spawn_thread), with a name or a bound. The thread has the name of
    /// the actor. Style and scheduler are for actors with handlers.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{ActorSystem, Overflow, SpawnOptions};
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let options = SpawnOptions::new().name("log").bounded(100, Overflow::Wait);
    /// let log = system.spawn_thread_with(options, |inbox| {
    ///     while let Some(line) = inbox.receive() {
    ///         println!("{}: {line}", inbox.name());
    ///     }
    /// })?;
    /// log.tell("begun")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Panics
    ///
    /// As there.
    pub fn spawn_thread_with<M, F>(
        &self,
        options: SpawnOptions,
        body: F,
    ) -> io::Result<ActorRef<ThreadActor<M>>>
    where
        M: Send + 'static,
        F: FnOnce(&mut Inbox<M>) + Send + 'static,
    {
        let registry = self.shared().registry();
        registry.forbid_fork();
        let name = options.name.as_deref();
        let thread = OwnThread::start(name, registry.id(), |thread, job| {
            // SAFETY: the thread begins with the actor below, or with none.
            unsafe { Inbox::live(thread, job.cast(), body) };
        })?;
        let actor = ThreadActor { received: None };
        Ok(start::spawn_on(
            self.shared(),
            actor,
            options,
            Place::Thread(thread),
        ))
    }
}
