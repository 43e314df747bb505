//! Teams: the threads that share one loop.
//!
//! A loop that no thread helps has no team. The thread that first takes a part of a loop *founds*
//! one (`iter::engine::shared`): it puts what it took where all participants find it. From then on
//! the parts of the loop are no entries of any deque. A participant takes half of what another one
//! has left out of that one's place, and no owner is interrupted for that.
//!
//! # What it owns
//!
//! * How many *sides* are pending. The items that were taken first are one. What the loop's own
//!   thread, its *caller*, brings in later is another one.
//! * The *places*, and which seat is in which. The parts themselves are of the loop's own types,
//!   and lie beside this, a place each.
//! * The *tickets* that are out. A ticket is a job in a queue of the pool: the thread that takes it
//!   looks for a part, and becomes a participant if there is one.
//! * The caller, once it sleeps.
//!
//! ```text
//!             found()             rob(): half of a part         all sides delivered
//!   (no team) ────────► pending ◄──────────────────────► … ──────────────────────────► done
//!                          │  enter() ─► a place ─► leave()                              │
//!                          └─ caller: watch() names it ────────── settle() wakes it ◄────┘
//! ```
//!
//! # What keeps it from standing still
//!
//! > While a part is open, that is, while its place says that a thread could take some of it, a
//! > ticket is out, or a participant is about to look for a part.
//!
//! * A participant that has taken a part puts out tickets before it begins with it.
//! * A part that has become open again (its items turned out to be long, or more came of one of
//!   them) is announced.
//! * A participant that leaves takes its tickets back, and looks then: it puts out a ticket if a
//!   part is open. It may stand down for another thread, or another participant
//!   has put out no ticket, because there were these (`roster`).
//! * A thread that has redeemed a ticket looks at all places before it goes.
//!
//! The caller is no worker: it takes part while a part is open ([`wait`]), and sleeps when none is.
//! It names itself under the lock, and looks once more. A participant that announces a part takes
//! the same lock after the part can be seen. So either the caller sees the part, or the participant
//! sees the caller.
//!
//! # The races feared
//!
//! *The caller returns, and its frame is gone, while a participant still uses it.* A participant
//! uses the frame for items, states and results. The side that an item belongs to is pending until
//! the results of all its parts have been joined, and that is the last that a participant does with
//! any of them. The team itself, and the places, are shared by reference count. Empty places own
//! nothing of the caller's.
//!
//! *A part is open, no ticket is out, and no thread is about to look.* The roster has the argument.
//!
//! *A wake-up is lost, or comes twice.* `settle` and `watch` change the state under one lock, and
//! the sleeper is taken out there.
//!
//! # Rejected
//!
//! Loops that stay in deques when they are helped. A thief took all items but one, the next thief
//! all of those but one, and so on: a chain of threads that wait, each of which may help only the
//! next. 1,000 items of 2 ms on 64 jobs took 8.5 times as long as with rayon; it is 1.0 now. A
//! thread that waits and takes any part of its loop would do, but it waits on. A participant that
//! leaves its result in a tree is free for other work.

#[cfg(all(test, drumline_loom))]
mod models;
#[cfg(not(drumline_loom))]
mod pool_team;
mod roster;
#[cfg(not(drumline_loom))]
mod ticket;
#[cfg(not(drumline_loom))]
mod wait;

#[cfg(not(drumline_loom))]
pub(crate) use pool_team::{Shared, Team, must_stand_down};
#[cfg(not(drumline_loom))]
pub(crate) use ticket::redeem_next;
#[cfg(not(drumline_loom))]
pub(crate) use wait::wait;
