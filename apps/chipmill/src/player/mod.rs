//! Songs that are heard while they are rendered.
//!
//! ```text
//! keys ── requests (a channel) ──► engine ── frames ──► sink
//!                                    │
//!                                    ▼
//!                                 now playing (atomics) ──► screen
//! ```
//! The engine is a thread of its own. The sink takes frames as fast as they are heard, so the
//! engine sleeps in it most of the time. The screen reads atomics whenever it likes, and never
//! keeps the engine waiting.

#[cfg(feature = "cpal")]
mod device;
mod engine;
mod keys;
mod meter;
mod now;
mod program;
mod sink;

#[cfg(feature = "cpal")]
pub use device::DeviceSink;
pub use engine::{BLOCK, Engine, Request};
pub use meter::Meter;
pub use now::{Now, Text, VOICES};
pub use program::{ProcessSink, Stopper};
pub use sink::{NullSink, Sink, SinkError, Unfinished, WavSink};
