//! An entry as a playlist's parser reads it.

use super::location::LocationError;
use std::path::PathBuf;

/// What a playlist says of a song, or of a playlist in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Track {
    /// The line of its location, or of the track if it has none; the first line is 1.
    pub line: u32,
    /// The file; `None` if the track has no location.
    pub location: Option<Result<PathBuf, LocationError>>,
    pub title: Option<Box<str>>,
    pub artist: Option<Box<str>>,
    pub album: Option<Box<str>>,
    pub track: Option<u32>,
}

/// `text` in one line, with single spaces, or `None` if nothing is left.
pub(super) fn one_line(text: &str) -> Option<Box<str>> {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    (!line.is_empty()).then(|| line.into_boxed_str())
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn white_space_becomes_single_spaces() {
        assert_eq!(one_line(" Green \n\t Hill ").as_deref(), Some("Green Hill"));
        assert_eq!(one_line(" \r\n"), None);
    }
}
