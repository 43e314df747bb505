//! What few actors have.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::fmt;

use crate::actor::life_word::RunOrder;
use crate::actor::mail::BoundedMail;
use crate::actor::mailbox::MailLink;
use crate::actor::schedulers::{OwnThread, QueuedRun};
use crate::actor::system::MessageCounter;
use crate::actor::{HandQueue, SharedScheduler};
use crate::sync::Arc;

/// Where an actor runs.
#[derive(Debug)]
pub(crate) enum Place {
    /// In the pool.
    Pool(RunOrder),
    /// On a thread of its own.
    Thread(Arc<OwnThread>),
    /// On threads with one queue.
    Shared(SharedScheduler),
    /// Where a test runs it.
    ByHand(HandQueue),
}

impl Place {
    /// Whether it is not in the pool.
    pub(crate) fn is_elsewhere(&self) -> bool {
        !matches!(self, Place::Pool(_))
    }

    /// In which order it runs in the pool.
    pub(crate) fn order(&self) -> RunOrder {
        match self {
            Place::Pool(order) => *order,
            _ => RunOrder::Managed,
        }
    }

    /// The thread that waits for the actor.
    pub(crate) fn thread(&self) -> Option<Arc<OwnThread>> {
        match self {
            Place::Thread(thread) => Some(Arc::clone(thread)),
            _ => None,
        }
    }

    /// Queues a run of the actor there. `false`: it is for the pool to queue. The actor is alive
    /// until the run has been queued.
    pub(crate) fn queue(&self, run: QueuedRun) -> bool {
        // The next run may end the actor, and this with it, at once.
        let queue = match self {
            Place::Pool(_) => return false,
            Place::Thread(thread) => {
                let thread = Arc::clone(thread);
                thread.call();
                return true;
            }
            Place::Shared(shared) => shared.queue(),
            Place::ByHand(HandQueue(queue)) => Arc::clone(queue),
        };
        queue.push(run).is_none()
    }
}

/// What few actors have, in a box of its own.
#[derive(Debug)]
pub(crate) struct Extra {
    pub(crate) name: Option<String>,
    pub(crate) bounded: Option<BoundedMail>,
    pub(crate) place: Place,
    pub(crate) stash: Option<Stash>,
    pub(crate) counter: Option<Arc<MessageCounter>>,
}

/// What an actor has set aside.
pub(crate) struct Stash {
    pub(crate) bound: usize,
    /// Links of envelopes. Used by the run.
    queue: UnsafeCell<VecDeque<*const MailLink>>,
}

// SAFETY: the envelopes are owned by the queue, and their content is `Send`.
unsafe impl Send for Stash {}
// SAFETY: the queue is used by the run only, which the mailbox hands around.
unsafe impl Sync for Stash {}

impl Stash {
    pub(crate) fn new(bound: usize) -> Self {
        Stash {
            bound,
            queue: UnsafeCell::default(),
        }
    }

    /// The queue.
    ///
    /// # Safety
    ///
    /// The caller is the run, and calls nothing of the program meanwhile.
    #[expect(clippy::mut_from_ref, reason = "the run alone uses it")]
    pub(crate) unsafe fn queue(&self) -> &mut VecDeque<*const MailLink> {
        // SAFETY: the caller's obligation.
        unsafe { &mut *self.queue.get() }
    }

    /// Takes out all that was set aside.
    ///
    /// # Safety
    ///
    /// The caller is the run.
    pub(crate) unsafe fn take(&self) -> VecDeque<*const MailLink> {
        // SAFETY: the caller's obligation.
        std::mem::take(unsafe { self.queue() })
    }
}

impl fmt::Debug for Stash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stash")
            .field("bound", &self.bound)
            .finish_non_exhaustive()
    }
}
