//! Audio files that appear whole or not at all, and their names.
//!
//! ```text
//! Writer ─► Encoder ─► Container: Wav, Au, Flac ─► Quantizer
//!                                           └────► BlockEncoder
//! Template, Names ─► file_name
//! ```
//!
//! A [`Writer`] takes blocks of stereo frames. Each of its formats is a `Container`, which makes
//! bytes of frames and knows nothing of files.

mod au;
mod container;
mod encoder;
mod error;
mod file_name;
mod flac;
mod flac_block;
#[cfg(test)]
mod flac_tests;
mod format;
mod names;
mod quantizer;
mod tags;
pub mod template;
mod wav;
mod writer;

pub use error::OutputError;
pub use format::{Format, UnknownFormat};
pub use names::Names;
pub(crate) use quantizer::Quantizer;
pub use tags::Tags;
pub use template::Template;
pub use writer::{Finished, Writer, temporary};

/// The program that files are said to be made by.
const PROGRAM: &str = concat!("chipmill ", env!("CARGO_PKG_VERSION"));
