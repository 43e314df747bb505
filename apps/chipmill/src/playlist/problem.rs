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
    #[error("{path:?} cannot be read: {error}; look whether it is there and may be read")]
    Unreadable {
        /// The playlist or directory.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A playlist, or what is named by one, is a device or a pipe.
    #[error("{0:?} is a device or a pipe, which is no playlist, and no song of one; name a file")]
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
    #[error("not a well-formed XSPF playlist from here on: {0}; correct it, or name the songs")]
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
    /// Without an arm for all others, so that a new variant is not forgotten here.
    fn next(kind: Option<ProblemKind>) -> Option<ProblemKind> {
        use ProblemKind as K;
        let path = PathBuf::from("x.m3u");
        Some(match kind {
            None => K::Unreadable {
                path,
                error: io::Error::other("the disk is broken"),
            },
            Some(K::Unreadable { .. }) => K::NotRegular(path),
            Some(K::NotRegular(_)) => K::TooLarge(path),
            Some(K::TooLarge(_)) => K::TooManyEntries(path),
            Some(K::TooManyEntries(_)) => K::LongPaths(path),
            Some(K::LongPaths(_)) => K::TooDeep(path),
            Some(K::TooDeep(_)) => K::Circle(path),
            Some(K::Circle(_)) => K::Directory(path),
            Some(K::Directory(_)) => K::Location(LocationError::Remote("http://a".into())),
            Some(K::Location(error)) => match error {
                LocationError::Remote(_) => LocationError::Host("//a/b".into()),
                LocationError::Host(_) => LocationError::Scheme("data:".into()),
                LocationError::Scheme(_) => LocationError::Nul("a\0".into()),
                LocationError::Nul(_) => LocationError::NotUtf8("%ff".into()),
                LocationError::NotUtf8(_) => LocationError::TooLong("a/a".into()),
                LocationError::TooLong(_) => return Some(K::NoLocation),
            }
            .into(),
            Some(K::NoLocation) => K::Malformed("<a> is open".to_owned()),
            Some(K::Malformed(_)) => K::StdinTwice,
            Some(K::StdinTwice) => return None,
        })
    }

    #[test]
    fn each_problem_says_what_to_do() {
        let advice = [
            "look whether it is there",
            "name a file",
            "split it",
            "name it on the command line",
            "remove this entry",
            "then name the file",
            "copy it here first",
            "correct it",
            "add one",
            "name it once",
        ];
        let mut kinds = 0;
        let mut kind = next(None);
        while let Some(this) = kind {
            let text = this.to_string();
            assert!(advice.iter().any(|advice| text.contains(advice)), "{text}");
            kinds += 1;
            kind = next(Some(this));
        }
        assert_eq!(kinds, 17);
    }
}
