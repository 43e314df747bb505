//! The life of an actor, from its start to its end.
//!
//! | file | noun |
//! |---|---|
//! | `start` | where it runs, what it is made of, its first run |
//! | `run` | it handles messages, one after another |
//! | `run_frame` | what is done with the envelope at hand |
//! | `held` | a future has it, and its mailbox is closed |
//! | `run_end` | its end |
//! | `current` | the actor that a thread runs |
//!
//! What starts it again after a panic is in `supervision`, which the end stands on, as it does on
//! `attached`. A run stands on all of these, and the start on the run.

pub(super) mod current;
pub(super) mod held;
pub(super) mod run;
pub(super) mod run_end;
pub(super) mod run_frame;
pub(super) mod start;

pub(super) use {
    current::Current,
    run::{Opened, RunEnd},
    run_frame::NameOnUnwind,
};
