//! Supervisors: they start actors again that have panicked.
//!
//! ```text
//!                       panic, or a sibling's                    the supervisor says so
//!   run ───────────────────────────────────► put aside ─────────────────────────────► run
//!   the state is dropped; the mailbox           │           first the factory makes
//!   stays, with a notice in front               │           another state
//!                                               └── or the actor ends
//! ```
//!
//! An actor that is *put aside* has no state, and no run is queued. Its mailbox is busy, so that
//! senders queue none either. The right to run it belongs to its supervisor, which queues the next
//! run, or has that end the actor.
//!
//! A panic puts its actor aside, by the run in which it happens. The supervisor decides which other
//! actors are to be put aside as well, all of them in one *round*: RESTART is set in their words,
//! and each comes to that before its next message. When all of the round are aside, or a deadline
//! has passed, and a delay besides, they go on.
//!
//! All supervisors of a tree are under one lock. RESTART is set and cleared under it, so a run that
//! sees it set was asked, and one that goes on after it was put aside is not asked by the round
//! before. Under the lock nothing of the program is called, and no reference is dropped: what is to
//! be done is written down, and done afterwards.
//!
//! **The race feared** is an actor that two runs are queued for, or that no thread goes on with.
//! The stage of a child says what may run the child. The run that puts it aside makes it `Aside`,
//! once. The thread that takes it out of its round makes it `Running`, and queues the one run. Both
//! are under the lock. An actor that is asked ends its run, fails, or ends; each comes to the lock,
//! and is counted in its round. An actor that does neither until the deadline is `Late`: its round
//! goes on without it, and it is started again when it comes.
//!
//! A supervisor keeps its actors alive: it has a reference to each, until the actor has ended.
//!
//! | file | noun |
//! |---|---|
//! | `options` | how a supervisor acts |
//! | `failure` | what a supervisor, and a listener, learn of a panic |
//! | `supervised_cell` | a supervised actor in memory |
//! | `child` | what it knows of its supervisor, and what its runs do about restarts |
//! | `tree_state` | the supervisors of a tree, and what has the right to run what is aside |
//! | `supervision_tree` | that under its lock, and what follows a step of it |
//! | `node` | one supervisor of a tree |
//! | `supervisor` | the reference that a program has to one |
//!
//! The strategies, and a limit for restarts within a time, are those of the supervisors of
//! Erlang/OTP (J. Armstrong, "Making reliable distributed systems in the presence of software
//! errors", 2003).

#[cfg(not(drumline_loom))]
mod child;
mod failure;
#[cfg(all(test, drumline_loom))]
mod models;
mod node;
mod options;
#[cfg(not(drumline_loom))]
mod supervised_cell;
#[cfg(not(drumline_loom))]
mod supervision_tree;
#[cfg(not(drumline_loom))]
mod supervisor;
mod tree_state;

#[cfg(not(drumline_loom))]
pub(super) use child::has_ended;
#[cfg(not(drumline_loom))]
pub use failure::{Directive, Failure, FailureOutcome};
#[cfg(not(drumline_loom))]
pub use options::{Strategy, SupervisorOptions};
#[cfg(not(drumline_loom))]
pub(super) use supervision_tree::{TreeItem, TreeList};
#[cfg(not(drumline_loom))]
pub use supervisor::Supervisor;
