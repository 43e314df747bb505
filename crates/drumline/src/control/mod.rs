//! What a program holds in its hand while loops and streams run: how to stop them, and how far they
//! are.

#[cfg(not(drumline_loom))]
mod attempt;
#[cfg(not(drumline_loom))]
mod cancel;
#[cfg(not(drumline_loom))]
mod cancelled;
#[cfg(all(test, drumline_loom))]
mod models;
#[cfg(not(drumline_loom))]
mod progress;
mod request;

#[cfg(not(drumline_loom))]
pub(crate) use self::{attempt::Attempt, cancel::Listener};
#[cfg(not(drumline_loom))]
pub use self::{
    cancel::CancellationToken,
    cancelled::{Cancelled, CancelledOwned},
    progress::Progress,
};
