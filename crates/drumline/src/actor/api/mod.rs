//! What programs write, and what they hold.
//!
//! | file | noun |
//! |---|---|
//! | `handler`, `async_handler` | values that handle messages |
//! | `context`, `stash` | what a handler can do about its actor; messages that it sets aside |
//! | `options` | how an actor is started |
//! | `actor_ref`, `recipient` | references by which messages are sent |
//! | `ask` | the answer to a question |
//! | `group`, `broadcast`, `router` | sets of actors; what came of a message to all; one of them |
//! | `probe` | an actor for tests, which shows what it gets |

pub(super) mod actor_ref;
pub(super) mod ask;
pub(super) mod async_handler;
pub(super) mod broadcast;
pub(super) mod context;
pub(super) mod group;
pub(super) mod handler;
pub(super) mod options;
pub(super) mod probe;
pub(super) mod recipient;
pub(super) mod router;
pub(super) mod stash;

pub(super) use {
    group::{GroupMember, MemberList},
    handler::ReplyTo,
};
