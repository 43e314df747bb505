//! A song to render, and where its name was found.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::output::Tags;
use crate::song::{self, MissingChips, Song, SongError};

/// What a song is read from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// A file. It need not exist: opening it gives the error.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Stdin => f.write_str("standard input"),
        }
    }
}

/// Where the name of a song or a playlist was found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The user named it.
    Argument,
    /// It is in this directory, or below it.
    Directory(Arc<Path>),
    /// A playlist names it.
    Playlist {
        /// The file of the playlist.
        file: Arc<Path>,
        /// The line in this file; the first is 1.
        line: u32,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument => f.write_str("command line"),
            Self::Directory(path) => path.display().fmt(f),
            Self::Playlist { file, line } => write!(f, "{}:{line}", file.display()),
        }
    }
}

/// A song of an expanded list.
///
/// The titles are what the playlist says. A playlist's word is better than the song file's: the
/// user wrote it, or chose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What the song is read from.
    pub input: Input,
    /// The song's title, as the playlist has it.
    pub title: Option<Box<str>>,
    /// The artist, as the playlist has it.
    pub artist: Option<Box<str>>,
    /// The album, as the playlist has it.
    pub album: Option<Box<str>>,
    /// The song's number on its album, as the playlist has it.
    pub track: Option<u32>,
    /// Where the name of the song was found.
    pub place: Place,
}

impl Entry {
    /// An entry without titles.
    pub(super) fn untitled(input: Input, place: Place) -> Self {
        Self {
            input,
            title: None,
            artist: None,
            album: None,
            track: None,
            place,
        }
    }

    /// Its name for messages: with the line of the playlist that has it, if one has.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.place {
            Place::Playlist { .. } => format!("{}: {}", self.place, self.input),
            Place::Argument | Place::Directory(_) => self.input.to_string(),
        }
    }

    /// The song's file, if the song is not read from standard input.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.input {
            Input::File(path) => Some(path),
            Input::Stdin => None,
        }
    }

    /// Reads the song.
    ///
    /// # Errors
    ///
    /// As [`Song::open`]. Standard input can be read once.
    pub fn open(&self, missing: MissingChips) -> Result<Song, SongError> {
        match &self.input {
            Input::File(path) => Song::open(path, missing),
            Input::Stdin => Song::from_reader(io::stdin().lock(), missing),
        }
    }

    /// The tags of the song: what the playlist says goes before what the song says.
    #[must_use]
    pub fn tags(&self, song: &Song) -> Tags {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let first = |said: &Option<Box<str>>, tag: &song::Tag| match said {
            Some(said) => Some(said.to_string()),
            None => some(tag.any()),
        };
        let own = &song.tags;
        let artist = first(&self.artist, &own.author);
        let mut title = first(&self.title, &own.title);
        if self.title.is_some() {
            let own = [&own.author.english, &own.author.origin].map(String::as_str);
            let artists = own.into_iter().chain(artist.as_deref());
            title = title.map(|title| without_artist(&title, artists));
        }
        Tags {
            title,
            album: first(&self.album, &own.game),
            artist,
            date: some(&own.date),
            system: some(own.system.any()),
            comment: some(&own.notes),
            track: self.track,
        }
    }

    /// The file's name without directory and extension; `stdin` for standard input.
    ///
    /// Bytes that are not UTF-8 are replaced.
    #[must_use]
    pub fn stem(&self) -> String {
        self.path().map_or_else(
            || "stdin".to_owned(),
            |path| {
                path.file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned()
            },
        )
    }
}

/// The title without the artist in front of it: many programs write "artist - title" where a
/// playlist has room for one text.
fn without_artist<'a>(title: &str, artists: impl Iterator<Item = &'a str>) -> String {
    let mut artists = artists.map(str::trim).filter(|artist| !artist.is_empty());
    let rest = artists.find_map(|artist| {
        let rest = title.strip_prefix(artist)?;
        let behind = rest.trim_start().strip_prefix('-')?;
        // A hyphen without a space is one of the title itself.
        let is_apart =
            rest.starts_with(char::is_whitespace) || behind.starts_with(char::is_whitespace);
        Some(behind.trim_start()).filter(|rest| is_apart && !rest.is_empty())
    });
    rest.unwrap_or(title).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_loses_the_artist_in_front_of_it() {
        let title = |title| without_artist(title, ["", "Ann", "アン"].into_iter());
        assert_eq!(title("Ann - Opening"), "Opening");
        assert_eq!(title("アン - Opening"), "Opening");
        assert_eq!(title("Anna - Opening"), "Anna - Opening");
        assert_eq!(title("Bob - Opening"), "Bob - Opening");
        assert_eq!(title("Ann - "), "Ann - ");
        assert_eq!(title("Ann"), "Ann");
        assert_eq!(title("Ann-Marie"), "Ann-Marie");
    }

    #[test]
    fn stems_have_neither_directory_nor_extension() {
        let stem = |input| Entry::untitled(input, Place::Argument).stem();
        assert_eq!(stem(Input::File("music/01 Title.vgz".into())), "01 Title");
        assert_eq!(stem(Input::File("..".into())), "");
        assert_eq!(stem(Input::Stdin), "stdin");
    }

    #[test]
    fn a_place_in_a_playlist_reads_like_a_compiler_message() {
        let place = Place::Playlist {
            file: Path::new("a/b.m3u").into(),
            line: 7,
        };
        assert_eq!(place.to_string(), "a/b.m3u:7");
    }
}
