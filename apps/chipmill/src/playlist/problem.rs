//! What could not be followed.

use super::location::LocationError;
use super::{MAX_BYTES, MAX_DEPTH, MAX_ENTRIES, MAX_PATHS, Place};
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a part of a list is missing, and where.
#[derive(Debug)]
pub struct Problem {
    /// Where the name was found that could not be followed.
    pub place: Place,
    /// What is wrong, and what to do.
    pub kind: ProblemKind,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            // The message names the argument.
            Place::Argument => self.kind.fmt(f),
            place => write!(f, "{place}: {}", self.kind),
        }
    }
}

// The kind is part of the text, so it is not a source as well.
impl std::error::Error for Problem {}

/// What is wrong with a name of a list.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// A playlist or a directory cannot be read.
    #[error("{path:?} cannot be read: {error}")]
    Unreadable {
        /// The playlist or directory.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// What has the name of a playlist is a device or a pipe.
    #[error("{0:?} is not a regular file, so it is not read as a playlist")]
    NotRegular(PathBuf),
    /// A playlist is larger than [`MAX_BYTES`], together with the playlists in it.
    #[error(
        "{0:?} is too large: a playlist, with those in it, may have {MAX_BYTES} bytes; split it"
    )]
    TooLarge(PathBuf),
    /// A list has more than [`MAX_ENTRIES`] entries; the rest is left out.
    #[error("{0:?} has more than {MAX_ENTRIES} entries; the rest is left out, so split it")]
    TooManyEntries(PathBuf),
    /// The paths of a list's entries have more than [`MAX_PATHS`] bytes; the rest is left out.
    #[error(
        "{0:?} has entries whose paths have more than {MAX_PATHS} bytes together; the rest is left \
         out, so split it, or shorten the directories"
    )]
    LongPaths(PathBuf),
    /// Playlists in playlists are deeper than [`MAX_DEPTH`].
    #[error("{0:?} is more than {MAX_DEPTH} playlists deep; name it on the command line")]
    TooDeep(PathBuf),
    /// A playlist leads back to itself.
    #[error("{0:?} is being read already: the playlists form a circle; remove this entry")]
    Circle(PathBuf),
    /// A playlist names a directory.
    #[error("{0:?} is a directory, which a playlist cannot name; name it on the command line")]
    Directory(PathBuf),
    /// The location of an entry cannot be a local file.
    #[error(transparent)]
    Location(#[from] LocationError),
    /// An XSPF track has no location.
    #[error("the track has no <location>, so there is nothing to read; add one")]
    NoLocation,
    /// An XSPF playlist is not well-formed. The tracks up to here are taken.
    #[error("not a well-formed XSPF playlist from here on: {0}")]
    Malformed(String),
    /// Standard input is named twice.
    #[error("standard input (-) can be read only once; name it once")]
    StdinTwice,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_message_begins_with_the_playlist_and_its_line() {
        let problem = Problem {
            place: Place::Playlist {
                file: Path::new("a.m3u").into(),
                line: 3,
            },
            kind: ProblemKind::Circle("b.m3u".into()),
        };
        let text = problem.to_string();
        assert!(
            text.starts_with("a.m3u:3: \"b.m3u\" is being read already"),
            "{text}"
        );
    }

    #[test]
    fn a_message_about_an_argument_names_it_once() {
        let kind = ProblemKind::TooDeep("x.m3u".into());
        let text = Problem {
            place: Place::Argument,
            kind,
        }
        .to_string();
        assert!(
            text.starts_with("\"x.m3u\" is more than 8 playlists deep"),
            "{text}"
        );
    }
}
