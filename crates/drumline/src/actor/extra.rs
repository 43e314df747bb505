//! What few actors have.

use std::ptr::NonNull;

use super::bounded::BoundedMail;
use super::cell::ActorCore;
use super::hand_scheduler::HandQueue;
use super::life_word::RunOrder;
use super::message_counts::MessageCounter;
use super::own_thread::OwnThread;
use super::run::RunFrame;
use super::shared_scheduler::{QueuedRun, SharedScheduler};
use super::stash::Stash;
use crate::sync::Arc;

/// Where an actor runs.
#[derive(Debug)]
pub(super) enum Place {
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
    pub(super) fn is_elsewhere(&self) -> bool {
        !matches!(self, Place::Pool(_))
    }

    /// In which order it runs in the pool.
    pub(super) fn order(&self) -> RunOrder {
        match self {
            Place::Pool(order) => *order,
            _ => RunOrder::Managed,
        }
    }

    /// The thread that waits for the actor.
    pub(super) fn thread(&self) -> Option<Arc<OwnThread>> {
        match self {
            Place::Thread(thread) => Some(Arc::clone(thread)),
            _ => None,
        }
    }

    /// Queues a run of the actor there. `false`: it is for the pool to queue.
    ///
    /// # Safety
    ///
    /// As for [`ActorCore::queue`]. The actor is alive until the run has been queued.
    pub(super) unsafe fn queue(&self, core: NonNull<ActorCore>) -> bool {
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
        queue.push(QueuedRun(core)).is_none()
    }
}

/// What few actors have, in a box of its own.
#[derive(Debug)]
pub(super) struct Extra {
    pub(super) name: Option<String>,
    pub(super) bounded: Option<BoundedMail>,
    pub(super) place: Place,
    pub(super) stash: Option<Stash>,
    pub(super) counter: Option<Arc<MessageCounter>>,
}

impl Extra {
    /// The actor has ended.
    pub(super) fn close(&self, frame: &mut RunFrame) {
        if let Some(bounded) = &self.bounded {
            bounded.close(frame);
        }
        if let Some(stash) = &self.stash {
            stash.close(frame);
        }
    }
}
