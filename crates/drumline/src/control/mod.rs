//! What a program holds in its hand while loops and streams run: how to stop them, and how far they
//! are.

mod cancel;
mod progress;

pub use cancel::CancellationToken;
pub(crate) use cancel::Listener;
pub use progress::Progress;
