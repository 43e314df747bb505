//! An actor in memory, and the references to it.
//!
//! | file | noun |
//! |---|---|
//! | `actor_core` | the part that is the same for all actors; what a run knows |
//! | `core_ref` | references to actors of any type, and what is sent by them |
//! | `weak_core_ref` | those that keep no actor alive |
//! | `cell` | a core with a state: one allocation |
//! | `extra` | what few actors have: a place of their own, a bound, a stash, a counter |
//!
//! A core knows its system, and the system has a list of its cores. This is the one circle; all
//! other files are on one side of it.

pub(super) mod actor_core;
pub(super) mod cell;
pub(super) mod core_ref;
pub(super) mod extra;
pub(super) mod weak_core_ref;

pub(super) use {
    actor_core::{ActorCore, ActorTable, ChildTable, ListLinks, RunFrame, RunRequest},
    cell::{ActorCell, CellPlan},
    core_ref::CoreRef,
    extra::{Extra, Place, Stash},
    weak_core_ref::WeakCoreRef,
};
