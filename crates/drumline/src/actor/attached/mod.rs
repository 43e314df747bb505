//! What is attached to actors: timers, monitors and links, and what becomes of them at the end.
//!
//! | file | noun |
//! |---|---|
//! | `table` | entries by actor, and why none outlives its actor |
//! | `entry` | what may be attached, and how a thread that finds it reaches the actor |
//! | `sealed_message` | a message that is ready to be sent, later or never |
//! | `timer`, `send_later` | messages that an actor sends itself later, and how it asks for one |
//! | `tick` | what makes such a message again and again |
//! | `exit` | how an actor has ended |
//! | `monitor` | actors that are told of the end of another one |
//! | `ended` | threads and tasks that wait for the end of an actor |
//! | `link`, `cause` | actors that fail together; the panics of which they fail |
//! | `census` | how many messages are in a mailbox |
//! | `ending` | what becomes of the entries when a state or its actor ends |
//!
//! Timers and links belong to the state of an actor: they go when it ends, and when a supervisor
//! puts it aside to start it again. Monitors and waits for the end belong to the actor, and stay.
//!
//! No entry keeps its actor alive, except a message that waits for its time.
//!
//! **Two actors.** A monitor has an entry at the actor that watches and one at the other, with the
//! same number, and so has a link. The two are made one after the other, and no thread ever holds
//! the locks of both. The entry at the actor that is to be told comes first, and it decides: a
//! thread that has something to tell looks for it, and tells nothing if it is gone.

#[cfg(not(drumline_loom))]
mod cause;
#[cfg(not(drumline_loom))]
pub(super) mod census;
#[cfg(not(drumline_loom))]
mod ended;
#[cfg(not(drumline_loom))]
mod ending;
#[cfg(not(drumline_loom))]
mod entry;
#[cfg(not(drumline_loom))]
mod exit;
#[cfg(not(drumline_loom))]
mod link;
#[cfg(all(test, drumline_loom))]
mod models;
#[cfg(not(drumline_loom))]
mod monitor;
#[cfg(not(drumline_loom))]
mod sealed_message;
#[cfg(not(drumline_loom))]
mod send_later;
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod small_tests;
mod table;
#[cfg(not(drumline_loom))]
mod tick;
#[cfg(not(drumline_loom))]
mod timer;

#[cfg(not(drumline_loom))]
pub(super) use ending::{actor_ended, state_ended};
#[cfg(not(drumline_loom))]
pub use {
    ended::Ended,
    exit::{Exit, ExitReason},
    link::Link,
    monitor::Monitor,
    timer::ActorTimer,
};
