//! What the threads of one pool share.

#[cfg(not(drumline_loom))]
mod admission;
pub(super) mod block_state;
#[cfg(not(drumline_loom))]
mod free_seats;
#[cfg(not(drumline_loom))]
pub(super) mod held_open;
#[cfg(not(drumline_loom))]
pub(super) mod hooks;
#[cfg(not(drumline_loom))]
pub(super) mod lifetime;
#[cfg(not(drumline_loom))]
pub(crate) mod local;
#[cfg(not(drumline_loom))]
mod members;
#[cfg(not(drumline_loom))]
pub(super) mod next;
#[cfg(not(drumline_loom))]
pub(super) mod notify;
#[cfg(not(drumline_loom))]
pub(super) mod refusal;
#[cfg(not(drumline_loom))]
pub(super) mod registry;
#[cfg(not(drumline_loom))]
pub(super) mod scan;
#[cfg(not(drumline_loom))]
pub(super) mod seat;
#[cfg(not(drumline_loom))]
mod spares;
#[cfg(not(drumline_loom))]
pub(super) mod table;
#[cfg(not(drumline_loom))]
pub(super) mod thread_limit;
#[cfg(not(drumline_loom))]
pub(super) mod thread_requests;
#[cfg(not(drumline_loom))]
pub(super) mod wait_policy;
#[cfg(not(drumline_loom))]
mod waking;
#[cfg(any(not(drumline_loom), test))]
pub(super) mod workers;
