//! Systems: actors that begin and end together.
//!
//! | file | noun |
//! |---|---|
//! | `handle` | the system, as programs have it |
//! | `shared` | what its actors share, and how it ends |
//! | `actor_list` | the actors that are alive |
//! | `actor_tree` | the same for people to read |
//! | `directory`, `names` | names by which actors are found; as programs use them |
//! | `stats` | what is counted |
//! | `trace` | what `tracing` is told |

pub(super) mod actor_list;
pub(super) mod actor_tree;
pub(super) mod directory;
pub(super) mod handle;
pub(super) mod names;
pub(super) mod shared;
pub(super) mod stats;
pub(super) mod trace;

pub(super) use {
    actor_list::ActorList,
    directory::ActorDirectory,
    shared::SystemShared,
    stats::{CountedRun, MessageCounter},
    trace::SentSpan,
};
