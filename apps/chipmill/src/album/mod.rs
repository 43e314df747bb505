//! Many songs to audio files, several at once.
//!
//! ```text
//! entries ─► plan ─► queue, longest first ─► jobs ─► files
//!         (lengths,                       (renderer,
//!          names)                          writer)
//! ```
//! The plan reads every song once, for its length and its tags, and keeps the name that they make;
//! a song that waits for its turn then holds its paths and what its playlist says of it, and is
//! read again. (A song from standard input, which cannot be read again, holds its bytes.)

mod cancellable;
mod job;
mod plan;
mod run;
#[cfg(test)]
mod tests_job;

pub use job::{Failure, Rendered};
pub use plan::{Plan, Planned, Skipped, Unplanned, plan};
pub use run::{Watch, render, render_one};

use std::path::PathBuf;

use crate::output::{Format, Template};
use crate::render;
use crate::song::MissingChips;

/// How an album is rendered.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How each song is rendered.
    pub render: render::Options,
    /// The peak that every song gets, with full scale at 1: it is rendered twice then.
    pub normalize: Option<f32>,
    /// The format of the files.
    pub format: Format,
    /// The directory of the files.
    pub out: PathBuf,
    /// The names of the files, without their extension.
    pub names: Template,
    /// What becomes of a song for a machine with a chip without a model.
    pub missing: MissingChips,
    /// The longest song in seconds; a longer one is refused.
    pub max_seconds: u64,
    /// Songs that have their file already are left out.
    pub skip_existing: bool,
}
