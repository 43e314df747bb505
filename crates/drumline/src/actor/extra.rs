//! What few actors have.

use super::bounded::BoundedMail;
use super::own_thread::OwnThread;
use super::run::RunFrame;
use super::stash::Stash;
use crate::sync::Arc;

/// What few actors have, in a box of its own.
#[derive(Debug)]
pub(super) struct Extra {
    pub(super) name: Option<String>,
    pub(super) bounded: Option<BoundedMail>,
    pub(super) thread: Option<Arc<OwnThread>>,
    pub(super) stash: Option<Stash>,
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
