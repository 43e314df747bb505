//! Songs to sound.
//!
//! ```text
//! song ─► sequencer ─► voices ─► renderer ─► frames
//!          (events,     (chips,    (sum, level, fade)
//!           streams)     rates)
//! ```
//! A renderer makes as many frames at a time as it is asked for, and always the same ones: how a
//! song is cut into blocks, and which thread makes them, changes no bit.

mod budget;
mod renderer;
mod sequencer;
mod streams;
#[cfg(test)]
mod tests_renderer;
#[cfg(test)]
mod tests_second_chips;
#[cfg(test)]
mod tests_sequencer;
mod voice;

pub use renderer::{OVERWORKED, Options, Renderer};
pub use voice::Resampling;
