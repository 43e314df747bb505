//! What an actor that is a function receives its messages from.
//!
//! ```text
//!             next, while there are messages
//!                 ┌───┐
//!                 ▼   │        none
//!  started ──► running ─────────────────► idle: senders call the thread
//!                 │  ▲                      │
//!                 │  └──────────────────────┘ the call, for which a receive waits
//!                 ▼
//!               ended: stop, kill, the last reference
//! ```
//!
//! An inbox is a run turned inside out. The thread of the actor owns the mailbox while the inbox is
//! *running*, with the message at hand kept as an open envelope. A receive goes on to the next one;
//! if there is none, the mailbox is idle, and the sender that finds it so calls the thread. The
//! function may go on meanwhile: the call stays until it receives again.
//!
//! **Other handlers.** A program may write handlers of its own messages for a [`ThreadActor`]. They
//! run inside of a receive. The future of an async one takes the mailbox with it, so the inbox is
//! idle, and the future calls the thread when it gives the mailbox back.
//!
//! **The end.** When the function returns, the thread ends the actor as a run does, and for that it
//! has to own the mailbox. **The race feared** is an inbox that is idle then, while a sender comes.
//! The thread sends a message to itself: either that finds the mailbox idle, and calls the thread,
//! or the sender before it does. In both cases there is one call, and after it the mailbox is the
//! thread's.

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::time::Duration;

use super::OwnThread;
use crate::actor::life::{Current, Opened};
use crate::actor::mail::{Envelope, envelope};
use crate::actor::memory::{ActorCell, ActorCore, CoreRef, RunFrame};
use crate::actor::system::CountedRun;
use crate::actor::thread_call::InboxStage;
use crate::actor::{ActorRef, ThreadActor};
use crate::sync::{Arc, Instant};
use crate::unwind;

/// The messages of an actor that is a function on a thread of its own; see
/// [`ActorSystem::spawn_thread`](crate::actor::ActorSystem::spawn_thread).
///
/// ```
/// use drumline::actor::ActorSystem;
/// use std::sync::mpsc;
///
/// let system = ActorSystem::builder().build_here();
/// let (send, sums) = mpsc::channel();
/// let adder = system.spawn_thread(move |inbox| {
///     let mut sum = 0;
///     while let Some(number) = inbox.receive() {
///         sum += number;
///     }
///     send.send(sum).unwrap();
/// }).unwrap();
/// (1..=4).for_each(|number| adder.tell(number).unwrap());
/// adder.stop();
/// assert_eq!(sums.recv(), Ok(10));
/// ```
pub struct Inbox<M: Send + 'static> {
    frame: RunFrame,
    thread: Arc<OwnThread>,
    stage: InboxStage,
    /// While it is running, if the actor counts.
    counted: Option<CountedRun>,
    _messages: PhantomData<fn() -> M>,
}

/// Why nothing was received.
///
/// ```
/// use drumline::actor::{ActorSystem, Inbox, InboxError};
/// use std::sync::mpsc;
///
/// let system = ActorSystem::builder().build_here();
/// let (send, received) = mpsc::channel();
/// let actor = system.spawn_thread(move |inbox: &mut Inbox<u32>| {
///     send.send(inbox.try_receive()).unwrap();
///     while inbox.receive().is_some() {}
///     send.send(inbox.try_receive()).unwrap();
/// }).unwrap();
/// assert_eq!(received.recv(), Ok(Err(InboxError::Empty)));
/// actor.stop();
/// assert_eq!(received.recv(), Ok(Err(InboxError::Ended)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboxError {
    /// No message has come, or not in time.
    Empty,
    /// The actor is to end: it was stopped, its system was, or no reference to it is left.
    Ended,
}

impl fmt::Display for InboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InboxError::Empty => "no message has come",
            InboxError::Ended => "the actor is to end",
        })
    }
}

impl Error for InboxError {}

impl<M: Send + 'static> Inbox<M> {
    /// Calls `body` with the inbox of an actor, and ends the actor.
    ///
    /// # Safety
    ///
    /// The actor is a fresh [`ThreadActor`] for these messages, and this is its thread, which has
    /// been called for it.
    pub(crate) unsafe fn live(
        thread: Arc<OwnThread>,
        core: NonNull<ActorCore>,
        body: impl FnOnce(&mut Inbox<M>),
    ) {
        let _current = Current::enter(core.as_ptr());
        let mut inbox = Inbox {
            // SAFETY: the thread was called on for the actor.
            frame: unsafe { RunFrame::begin(core) },
            thread,
            stage: InboxStage::Running,
            // SAFETY: the actor is alive.
            counted: CountedRun::begin(unsafe { core.as_ref() }.counter()),
            _messages: PhantomData,
        };
        let panic = unwind::catch(|| body(&mut inbox)).err();
        let has_reference = inbox.regain();
        // SAFETY: the inbox is not used any more, and its thread owns the mailbox. No supervisor
        // starts the actor again.
        let panic = panic.and_then(|payload| unsafe { inbox.frame.fail(payload) });
        // SAFETY: as above.
        unsafe { inbox.frame.end(panic, has_reference) };
    }

    /// The next message; waits for it if there is none. `None`: the actor is to end, and there will
    /// be none.
    ///
    /// ```
    /// use drumline::actor::ActorSystem;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let printer = system.spawn_thread(|inbox| {
    ///     while let Some(line) = inbox.receive() {
    ///         println!("{line}");
    ///     }
    /// }).unwrap();
    /// printer.tell("hello").unwrap();
    /// printer.stop(); // `receive` returns `None` after the line
    /// printer.ended().recv();
    /// ```
    ///
    /// # Blocking
    ///
    /// Until there is a message, or the actor is to end.
    pub fn receive(&mut self) -> Option<M> {
        self.next(|thread| thread.await_call_until(None)).ok()
    }

    /// As [`receive`](Self::receive), for `timeout` at most.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Inbox, InboxError};
    /// use std::sync::mpsc;
    /// use std::time::Duration;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let (send, received) = mpsc::channel();
    /// let actor = system.spawn_thread(move |inbox: &mut Inbox<u32>| {
    ///     send.send(inbox.receive_timeout(Duration::from_millis(1))).unwrap();
    /// }).unwrap();
    /// assert_eq!(received.recv(), Ok(Err(InboxError::Empty)));
    /// actor.ended().recv();
    /// ```
    ///
    /// # Errors
    ///
    /// If no message has come until then, or if the actor is to end.
    ///
    /// # Blocking
    ///
    /// As [`receive`](Self::receive), for `timeout` at most.
    pub fn receive_timeout(&mut self, timeout: Duration) -> Result<M, InboxError> {
        // A time that no clock shows is for ever.
        let deadline = Instant::now().checked_add(timeout);
        self.next(|thread| thread.await_call_until(deadline))
    }

    /// As [`receive`](Self::receive), until `deadline` at most.
    ///
    /// ```
    /// use drumline::actor::ActorSystem;
    /// use std::sync::mpsc;
    /// use std::time::{Duration, Instant};
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let (send, batches) = mpsc::channel();
    /// let collector = system.spawn_thread(move |inbox| {
    ///     while let Some(first) = inbox.receive() {
    ///         let deadline = Instant::now() + Duration::from_millis(1);
    ///         let mut batch: Vec<u32> = vec![first];
    ///         while let Ok(number) = inbox.receive_deadline(deadline) {
    ///             batch.push(number); // what comes until then
    ///         }
    ///         send.send(batch).unwrap();
    ///     }
    /// }).unwrap();
    /// (1..=3).for_each(|number| collector.tell(number).unwrap());
    /// collector.stop();
    /// assert_eq!(batches.iter().flatten().collect::<Vec<_>>(), [1, 2, 3]);
    /// ```
    ///
    /// # Errors
    ///
    /// As [`receive_timeout`](Self::receive_timeout).
    ///
    /// # Blocking
    ///
    /// As [`receive`](Self::receive), until `deadline` at most.
    pub fn receive_deadline(&mut self, deadline: Instant) -> Result<M, InboxError> {
        self.next(|thread| thread.await_call_until(Some(deadline)))
    }

    /// The next message, if it has come.
    ///
    /// ```
    /// use drumline::actor::ActorSystem;
    /// use std::sync::mpsc;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let (send, sums) = mpsc::channel();
    /// let adder = system.spawn_thread(move |inbox| {
    ///     while let Some(first) = inbox.receive() {
    ///         let mut sum: u32 = first;
    ///         while let Ok(next) = inbox.try_receive() {
    ///             sum += next; // what has come meanwhile
    ///         }
    ///         send.send(sum).unwrap();
    ///     }
    /// }).unwrap();
    /// (1..=4).for_each(|number| adder.tell(number).unwrap());
    /// adder.stop();
    /// assert_eq!(sums.iter().sum::<u32>(), 10);
    /// ```
    ///
    /// # Errors
    ///
    /// If none has come, or if the actor is to end.
    pub fn try_receive(&mut self) -> Result<M, InboxError> {
        self.next(|thread| thread.thread_call().has_call() && thread.await_call_until(None))
    }

    /// A reference to this actor.
    ///
    /// While the function keeps one, the actor does not learn that no other is left.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Inbox};
    /// use std::sync::mpsc;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let (send, received) = mpsc::channel();
    /// let actor = system.spawn_thread(move |inbox: &mut Inbox<u32>| {
    ///     inbox.actor_ref().tell(42).unwrap(); // to itself
    ///     send.send(inbox.receive()).unwrap();
    /// }).unwrap();
    /// assert_eq!(received.recv(), Ok(Some(42)));
    /// actor.ended().recv();
    /// ```
    #[must_use]
    pub fn actor_ref(&self) -> ActorRef<ThreadActor<M>> {
        // SAFETY: the actor is alive until its function has returned.
        unsafe {
            (*self.frame.core).word.add_ref_in_run();
        }
        // SAFETY: counted just now.
        ActorRef::new(unsafe { CoreRef::from_raw(self.core()) })
    }

    /// The name of this actor.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, Inbox, SpawnOptions};
    /// use std::sync::mpsc;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let (send, names) = mpsc::channel();
    /// let options = SpawnOptions::new().name("the log");
    /// let log = system.spawn_thread_with(options, move |inbox: &mut Inbox<u32>| {
    ///     send.send(inbox.name()).unwrap();
    /// }).unwrap();
    /// assert_eq!(names.recv().as_deref(), Ok("the log"));
    /// log.ended().recv();
    /// ```
    #[must_use]
    pub fn name(&self) -> String {
        // SAFETY: the actor is alive until its function has returned.
        unsafe { &*self.frame.core }.name()
    }

    fn core(&self) -> NonNull<ActorCore> {
        // SAFETY: the core of a run is not null.
        unsafe { NonNull::new_unchecked(self.frame.core.cast_mut()) }
    }

    /// The next message. `wait` waits for the call when the mailbox is idle, and returns whether it
    /// has come.
    fn next(&mut self, mut wait: impl FnMut(&OwnThread) -> bool) -> Result<M, InboxError> {
        loop {
            match self.stage {
                InboxStage::Ended { .. } => return Err(InboxError::Ended),
                InboxStage::Idle => {
                    if !wait(&self.thread) {
                        return Err(InboxError::Empty);
                    }
                    self.begin();
                }
                InboxStage::Running => {
                    // SAFETY: the thread owns the mailbox, and the envelope is open.
                    if self.frame.is_open() && !unsafe { self.frame.next_or_idle() } {
                        self.stage = InboxStage::Idle;
                        self.counted = None;
                        continue;
                    }
                }
            }
            // SAFETY: the thread owns the mailbox, and the envelope at hand is fresh.
            let opened = unsafe { self.frame.open_at_hand() };
            match opened {
                Opened::Continue => {}
                Opened::Front => continue,
                Opened::Held => {
                    self.stage = self.stage.hold();
                    self.counted = None;
                    continue;
                }
                Opened::End { has_reference } => {
                    self.stage = InboxStage::Ended { has_reference };
                    continue;
                }
                Opened::Restart => unreachable!("it has no supervisor"),
            }
            // SAFETY: the state is of this type, and used by this thread only.
            let actor = unsafe { &mut *ActorCell::<ThreadActor<M>>::state(self.frame.core) };
            // Nothing: it was a notice.
            if let Some(message) = actor.received.take() {
                return Ok(message);
            }
        }
    }

    /// The thread has been called.
    fn begin(&mut self) {
        // SAFETY: the sender that found the actor idle has called.
        self.frame = unsafe { RunFrame::begin(self.core()) };
        self.stage = InboxStage::Running;
        // SAFETY: the actor is alive until its function has returned.
        self.counted = CountedRun::begin(unsafe { self.core().as_ref() }.counter());
    }

    /// Sees to it that the thread owns the mailbox. Returns whether it has the reference of
    /// `final`.
    fn regain(&mut self) -> bool {
        let core = self.core();
        let (stage, thread) = (self.stage, Arc::clone(&self.thread));
        stage.regain(
            thread.thread_call(),
            // SAFETY: the actor is alive: only this thread ends it.
            || unsafe { ActorCore::notify(core, Envelope::notice(envelope::open_nudge)) },
            || self.begin(),
        )
    }
}

impl<M: Send + 'static> fmt::Debug for Inbox<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox")
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}
