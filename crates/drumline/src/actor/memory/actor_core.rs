//! An actor of any type in memory, and what a run of it knows.
//!
//! ```text
//!  ActorCore: header of the job │ mailbox │ word │ system │ table │ links │ extra    80 bytes
//!  state of the actor
//! ```
//!
//! The core is the same for all actors, and the run knows nothing else. References are addresses of
//! cores. What few actors have (a name, a bound, a thread of its own) is in a box of its own.
//!
//! This file has the types that name each other. What is done with them is in other files, by what
//! it needs: `core_ref` and `run_frame` need little more than this, `run` needs nearly all.

use std::cell::Cell;

use super::Extra;
use crate::actor::life_word::LifeWord;
use crate::actor::mail::Loss;
use crate::actor::mailbox::{MailLink, Mailbox};
use crate::actor::system::{MessageCounter, SystemShared};
use crate::job::Header;
use crate::sync::Arc;

/// The part of an actor that does not depend on its type.
#[repr(C)]
pub(crate) struct ActorCore {
    /// First, so that the address of the core is that of the job.
    pub(crate) header: Header,
    pub(crate) mailbox: Mailbox,
    pub(crate) word: LifeWord,
    pub(crate) system: Arc<SystemShared>,
    pub(crate) table: &'static ActorTable,
    pub(crate) links: ListLinks,
    pub(crate) extra: Option<Box<Extra>>,
}

/// The neighbours in the list of the system; used under the lock of a shard.
#[derive(Debug)]
pub(crate) struct ListLinks {
    pub(crate) previous: Cell<*const ActorCore>,
    pub(crate) next: Cell<*const ActorCore>,
}

impl ActorCore {
    /// What the actor is called.
    pub(crate) fn name(&self) -> String {
        match self
            .extra
            .as_deref()
            .and_then(|extra| extra.name.as_deref())
        {
            Some(name) => name.to_owned(),
            None => short_name((self.table.type_name)()),
        }
    }

    /// The counter, if the actor counts.
    pub(crate) fn counter(&self) -> Option<&Arc<MessageCounter>> {
        self.extra.as_deref()?.counter.as_ref()
    }
}

/// What depends on the type. All of it takes the address of a live core of that type.
pub(crate) struct ActorTable {
    /// Calls the hook `stopped`.
    pub(crate) stopped: unsafe fn(&mut RunFrame),
    /// Drops the state, in place.
    pub(crate) drop_state: unsafe fn(*const ActorCore),
    /// Frees the memory; the state has been dropped.
    pub(crate) free: unsafe fn(*const ActorCore),
    pub(crate) type_name: fn() -> &'static str,
    /// The part of an actor that its supervisor knows. `None`: it has no supervisor.
    pub(crate) child: Option<ChildTable>,
}

/// What depends on the type of a supervised actor.
pub(crate) struct ChildTable {
    /// Where its `ChildPart` is.
    pub(crate) part: unsafe fn(*const ActorCore) -> *const (),
    pub(crate) drop_factory: unsafe fn(*const ActorCore),
    /// A notice that has the run make the state.
    pub(crate) first: fn() -> *const MailLink,
}

/// What a message has asked of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunRequest {
    Nothing,
    /// To end the actor.
    Stop,
    /// The message was `final`.
    Final,
    /// To go on with the envelope at hand: it has come in front of the one that was opened.
    Front,
    /// To leave the actor alone: it belongs to a future.
    Hold,
}

/// What a run knows.
pub(crate) struct RunFrame {
    pub(crate) core: *const ActorCore,
    /// Why envelopes are discarded; `None` while they are handled.
    pub(crate) loss: Option<Loss>,
    pub(crate) request: RunRequest,
    /// The content of the envelope at hand has been taken out.
    pub(crate) is_open: bool,
    /// The type of the message that a handler has panicked with.
    pub(crate) failed_message: Option<fn() -> &'static str>,
    /// The panic that comes out of the run is because of a linked actor.
    pub(crate) fails_by_link: bool,
    /// The link of an envelope.
    pub(crate) at_hand: *const MailLink,
}

impl RunFrame {
    #[inline]
    pub(crate) fn new(core: *const ActorCore, at_hand: *const MailLink) -> Self {
        RunFrame {
            core,
            loss: None,
            request: RunRequest::Nothing,
            is_open: false,
            failed_message: None,
            fails_by_link: false,
            at_hand,
        }
    }
}

/// The name of a type without the paths of modules.
fn short_name(full: &str) -> String {
    let mut short = String::with_capacity(full.len());
    for part in full.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_' && c != ':') {
        let from = part.rfind("::").map_or(0, |at| at + 2);
        short.push_str(&part[from..]);
    }
    short
}

#[cfg(not(drumline_shuttle))]
const _: () = assert!(
    size_of::<ActorCore>() <= 9 * size_of::<usize>(),
    "a program may have millions of actors"
);

#[cfg(test)]
mod tests {
    use super::short_name;

    #[test]
    fn names_of_types_are_short() {
        assert_eq!(short_name("a::b::Counter"), "Counter");
        assert_eq!(short_name("a::Map<b::Key, c::d::Value>"), "Map<Key, Value>");
        assert_eq!(short_name("u64"), "u64");
    }
}
