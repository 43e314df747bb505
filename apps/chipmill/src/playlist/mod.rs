//! Playlists: what a user names becomes a list of songs, in order.
//!
//! [`expand`] takes files, directories, playlists and `-`, and gives an [`Entry`] for each song.
//! What cannot be followed becomes a [`Problem`], and the rest goes on.
//!
//! ```text
//! expander ─► directory, m3u, xspf ─► location
//!                          └─► text
//! ```

mod directory;
mod entry;
mod expander;
#[cfg(test)]
mod expander_tests;
mod location;
mod m3u;
mod natural;
mod problem;
mod text;
mod track;
mod xspf;
#[cfg(test)]
mod xspf_tests;

pub use entry::{Entry, Input, Place};
pub use expander::{Expanded, expand};
pub use problem::{Problem, ProblemKind};

/// How many bytes a playlist may have, together with the playlists in it: 8 MiB.
pub const MAX_BYTES: u64 = 8 << 20;

/// How many entries a playlist may have, together with the playlists in it; also how many songs are
/// taken from a directory.
pub const MAX_ENTRIES: usize = 100_000;

/// How many bytes the paths of these entries may have together: 16 MiB. A list in a deep directory
/// has long paths of short entries.
pub const MAX_PATHS: usize = 16 << 20;

/// How deep playlists in playlists are followed. A playlist that a user names has depth 0.
pub const MAX_DEPTH: usize = 8;
