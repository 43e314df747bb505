//! What the actors of a system share, and how it ends.
//!
//! # The end
//!
//! A system ends when it is shut down or dropped, and when its pool ends. For the latter it leaves
//! a future in the pool that never is ready. The end of the pool drops it, and that
//! [closes](SystemShared::close) the system on a thread of the pool. `close` tells each actor to
//! stop, and keeps the pool open until the last one has ended: threads outside may be about to
//! queue a run. As long as an actor is alive, that future is in the pool, or its end is under way,
//! so there is a pool to be kept open.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use super::{ActorDirectory, ActorList};
use crate::actor::life::run_frame::give_up;
use crate::actor::mail::{Loss, OpenFn, envelope};
use crate::actor::memory::ActorCore;
use crate::actor::supervision::{Failure, FailureOutcome, TreeList};
use crate::actor::{DeadLetter, Scheduler, Style};
use crate::channel::oneshot;
use crate::pool::{HeldOpen, SharedRegistry};
use crate::spawn::{JoinHandle, spawn_future_in};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Arc, Instant, Mutex, lock};
use crate::unwind;

/// Called with each dead letter.
type DeadLetterListener = dyn Fn(&DeadLetter) + Send + Sync;

/// Called with each panic of an actor.
type FailureListener = dyn Fn(&Failure, FailureOutcome) + Send + Sync;

/// What the actors of a system share.
pub(crate) struct SystemShared {
    registry: SharedRegistry,
    pub(crate) list: ActorList,
    pub(crate) trees: TreeList,
    pub(crate) directory: ActorDirectory,
    /// Of actors that do not say another one.
    pub(crate) style: Style,
    /// As above.
    pub(crate) scheduler: Scheduler,
    dead_letters: AtomicUsize,
    panicked: AtomicUsize,
    restarts: AtomicUsize,
    failure_listener: Mutex<Option<Arc<FailureListener>>>,
    listener: Mutex<Option<Arc<DeadLetterListener>>>,
    end: Mutex<SystemEnd>,
}

/// What the end of the last actor is waited for by.
#[derive(Default)]
struct SystemEnd {
    /// The pool is open until then.
    held_open: Option<HeldOpen>,
    waiting: Vec<oneshot::Sender<()>>,
}

impl SystemShared {
    /// A system in this pool, and its future that the end of the pool drops.
    pub(crate) fn begin(
        registry: SharedRegistry,
        style: Style,
        scheduler: Scheduler,
    ) -> (Arc<Self>, JoinHandle<()>) {
        let shared = Arc::new(SystemShared {
            registry: SharedRegistry::clone(&registry),
            list: ActorList::new(),
            trees: TreeList::default(),
            directory: ActorDirectory::default(),
            style,
            scheduler,
            dead_letters: AtomicUsize::new(0),
            panicked: AtomicUsize::new(0),
            restarts: AtomicUsize::new(0),
            failure_listener: Mutex::new(None),
            listener: Mutex::new(None),
            end: Mutex::new(SystemEnd::default()),
        });
        let end = spawn_future_in(registry, PoolEnd(Arc::clone(&shared)));
        (shared, end)
    }

    #[inline]
    pub(crate) fn registry(&self) -> &SharedRegistry {
        &self.registry
    }

    /// A message is lost.
    pub(crate) fn lose(&self, actor: impl FnOnce() -> String, message: &'static str, loss: Loss) {
        // Relaxed: a count, beside which nothing is published.
        self.dead_letters.fetch_add(1, Ordering::Relaxed);
        let listener = lock(&self.listener).clone();
        if let Some(listener) = listener {
            listener(&DeadLetter::new(actor(), message, loss));
        }
    }

    /// Messages that were lost so far.
    pub(crate) fn dead_letters(&self) -> usize {
        // Relaxed: as above.
        self.dead_letters.load(Ordering::Relaxed)
    }

    /// Has the listener called with each dead letter, in place of the one before.
    pub(crate) fn listen(&self, listener: Arc<DeadLetterListener>) {
        let before = lock(&self.listener).replace(listener);
        drop(before);
    }

    /// Has the listener called with each panic of an actor, in place of the one before.
    pub(crate) fn listen_to_failures(&self, listener: Arc<FailureListener>) {
        let before = lock(&self.failure_listener).replace(listener);
        drop(before);
    }

    /// An actor has panicked.
    pub(crate) fn tell_failure(&self, failure: &Failure, outcome: FailureOutcome) {
        if outcome == FailureOutcome::Restarts {
            // Relaxed: as above.
            self.restarts.fetch_add(1, Ordering::Relaxed);
        }
        let listener = lock(&self.failure_listener).clone();
        if let Some(listener) = listener {
            listener(failure, outcome);
        }
    }

    /// Failures after which an actor was started again.
    pub(crate) fn restarts(&self) -> usize {
        // Relaxed: as above.
        self.restarts.load(Ordering::Relaxed)
    }

    /// A panic ends an actor.
    pub(crate) fn count_panic(&self) {
        // Relaxed: as above.
        self.panicked.fetch_add(1, Ordering::Relaxed);
    }

    /// Actors that a panic has ended so far.
    pub(crate) fn panicked(&self) -> usize {
        // Relaxed: as above.
        self.panicked.load(Ordering::Relaxed)
    }

    /// An actor has ended: takes it out of the list, if it is there. Returns whether the system is
    /// closed, and [so waited for](Self::has_let_go).
    ///
    /// # Safety
    ///
    /// It is an actor of this system, and alive.
    #[must_use]
    pub(crate) unsafe fn let_go(&self, core: *const ActorCore) -> bool {
        // SAFETY: the caller's obligation.
        unsafe { self.list.unlink(core) }
    }

    /// An actor of a closed system has ended, and its supervisor knows it.
    pub(crate) fn has_let_go(&self) {
        // What comes back lets the pool end.
        self.end_if_empty(&mut None);
    }

    /// With a closed list: if all actors have ended, lets the pool end, and wakes those that wait.
    /// Otherwise keeps the pool open from now on.
    fn end_if_empty(&self, held_open: &mut Option<HeldOpen>) {
        let mut end = lock(&self.end);
        let mut waiting = Vec::new();
        if self.list.len() == 0 {
            *held_open = end.held_open.take();
            waiting = std::mem::take(&mut end.waiting);
        } else if held_open.is_some() {
            // That of an earlier close does the same, and comes back.
            std::mem::swap(&mut end.held_open, held_open);
        }
        drop(end);
        for waiter in waiting {
            // It may have gone.
            let _ = waiter.send(());
        }
    }

    /// Tells all actors to stop when they have handled what they have, and lets no further one in.
    pub(crate) fn close(&self) {
        let mut held_open = HeldOpen::new(&self.registry);
        self.list.close();
        self.trees.stop();
        self.notify_all(envelope::open_stop, false);
        self.end_if_empty(&mut held_open);
    }

    /// Closes the system, and waits for the end of its actors, until `deadline` at most. Then it
    /// kills those that are left, and returns their names.
    pub(crate) fn shut_down(&self, deadline: Instant) -> Vec<String> {
        self.close();
        let mut ended = {
            let mut end = lock(&self.end);
            if self.list.len() == 0 {
                return Vec::new();
            }
            let (sender, receiver) = oneshot::channel();
            end.waiting.push(sender);
            receiver
        };
        if ended.recv_deadline(deadline).is_ok() {
            return Vec::new();
        }
        self.notify_all(envelope::open_nudge, true);
        self.list.names()
    }

    fn notify_all(&self, notice: OpenFn, is_kill: bool) {
        for (core, envelope) in self.list.notify_all(notice, is_kill) {
            // SAFETY: the actor was idle, and there is a reference.
            if let Some(envelope) = unsafe { ActorCore::schedule(core.as_ptr(), envelope) } {
                // SAFETY: the actor is dead and was idle, and there is a reference.
                unsafe { give_up(core.as_ptr(), envelope, false) };
            }
        }
    }
}

impl Drop for SystemShared {
    /// The last reference may be that of an actor that ends: no panic of the listeners, which are
    /// of the program, may come out of here.
    fn drop(&mut self) {
        let listener = lock(&self.listener).take();
        let dropped = unwind::catch(|| drop(listener)).err();
        let failure_listener = lock(&self.failure_listener).take();
        let panics = [dropped, unwind::catch(|| drop(failure_listener)).err()];
        for payload in panics.into_iter().flatten() {
            self.registry.report_panic(payload);
        }
    }
}

/// A future that never is ready. The end of its pool drops it.
struct PoolEnd(Arc<SystemShared>);

impl Future for PoolEnd {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<()> {
        Poll::Pending
    }
}

impl Drop for PoolEnd {
    fn drop(&mut self) {
        self.0.close();
    }
}
