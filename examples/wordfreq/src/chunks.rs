//! The source: files, cut into chunks between words.
//!
//! Taking the next item from an iterator is the part of a stream that only one thread at a time can
//! do, so it must be cheap. A line as a `String` is not: it costs an allocation, a copy and a look
//! at each byte, for a few dozen bytes. A chunk costs one allocation and one read for 64 KiB, and a
//! look at its last bytes.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::vec;

use anyhow::{Context, Error, Result};

use crate::counts::is_in_word;

/// How large a chunk is, unless a word is longer.
pub const SIZE: usize = 64 << 10;

/// Chunks of text, none of which begins or ends within a word.
///
/// An error ends it. It stays behind, for [`finish`](Self::finish).
pub struct Chunks {
    files: vec::IntoIter<PathBuf>,
    current: Option<Input>,
    /// The beginning of a word, which ended the last chunk.
    rest: Vec<u8>,
    error: Option<Error>,
}

/// A file that is being read.
struct Input {
    reader: Box<dyn Read + Send>,
    name: String,
}

impl Chunks {
    /// Chunks of these files, or of standard input if there are none.
    pub fn of(files: &[PathBuf]) -> Self {
        Chunks {
            files: files_or_stdin(files).into_iter(),
            current: None,
            rest: Vec::new(),
            error: None,
        }
    }

    /// Says whether everything was read.
    pub fn finish(self) -> Result<()> {
        self.error.map_or(Ok(()), Err)
    }

    fn read(&mut self) -> Result<Option<Vec<u8>>> {
        loop {
            let input = match &mut self.current {
                Some(input) => input,
                None => match self.files.next() {
                    Some(path) => self.current.insert(open(&path)?),
                    None => return Ok(None),
                },
            };
            let mut chunk = std::mem::take(&mut self.rest);
            let known = chunk.len();
            let is_end = fill(&mut *input.reader, &mut chunk)
                .with_context(|| format!("cannot read {}", input.name))?;
            if is_end {
                // No word goes on in the next file.
                self.current = None;
            } else {
                self.rest = cut(&mut chunk, known);
            }
            if !chunk.is_empty() {
                return Ok(Some(chunk));
            }
        }
    }
}

impl Iterator for Chunks {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        if self.error.is_some() {
            return None;
        }
        self.read().unwrap_or_else(|error| {
            self.error = Some(error);
            None
        })
    }
}

/// Reads until there is one chunk more. Returns whether that was all.
fn fill(reader: &mut dyn Read, chunk: &mut Vec<u8>) -> io::Result<bool> {
    // With room to spare, `read_to_end` need not find out whether it was exactly enough.
    chunk.reserve(SIZE + 64);
    let count = reader.take(SIZE as u64).read_to_end(chunk)?;
    Ok(count < SIZE)
}

/// Takes off the word that may not be complete yet. The first `known` bytes are part of one word:
/// to look at them again for each chunk of a very long word would take quadratic time.
fn cut(chunk: &mut Vec<u8>, known: usize) -> Vec<u8> {
    let end = chunk[known..].iter().rposition(|&byte| !is_in_word(byte));
    match end {
        Some(end) => chunk.split_off(known + end + 1),
        // One word, longer than a chunk.
        None => std::mem::take(chunk),
    }
}

/// Opens a file to read; `-` is standard input.
fn open(path: &Path) -> Result<Input> {
    let (reader, name): (Box<dyn Read + Send>, _) = if path == Path::new("-") {
        (Box::new(io::stdin()), "standard input".to_owned())
    } else {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        (Box::new(file), name)
    };
    Ok(Input { reader, name })
}

/// The files, or `-`.
pub fn files_or_stdin(files: &[PathBuf]) -> Vec<PathBuf> {
    match files {
        [] => vec![PathBuf::from("-")],
        files => files.to_vec(),
    }
}

/// Opens a file to read, for a caller that cuts by other means.
pub fn open_plain(path: &Path) -> Result<Box<dyn Read + Send>> {
    open(path).map(|input| input.reader)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks_of(reader: impl Read + Send + 'static) -> Vec<Vec<u8>> {
        let mut chunks = Chunks::of(&[PathBuf::from("never opened")]);
        chunks.files = Vec::new().into_iter();
        chunks.current = Some(Input {
            reader: Box::new(reader),
            name: "a test".to_owned(),
        });
        let all = chunks.by_ref().collect();
        chunks.finish().unwrap();
        all
    }

    #[test]
    fn nothing_is_lost_and_no_word_is_cut() {
        let text: Vec<u8> = b"some words, and \xff\xfe more\n".repeat(20_000);
        let chunks = chunks_of(io::Cursor::new(text.clone()));
        assert!(chunks.len() > 2);
        assert_eq!(chunks.concat(), text);
        for pair in chunks.windows(2) {
            let (end, start) = (*pair[0].last().unwrap(), pair[1][0]);
            assert!(!(is_in_word(end) && is_in_word(start)));
        }
    }

    #[test]
    fn the_bytes_of_a_long_word_are_looked_at_once() {
        // A boundary that is not there: if it were found, the first bytes would be looked at again.
        let mut chunk = b"a bc".to_vec();
        assert_eq!(cut(&mut chunk, 3), b"a bc");
        assert!(chunk.is_empty());
        let mut chunk = b"abc d".to_vec();
        assert_eq!(cut(&mut chunk, 3), b"d");
        assert_eq!(chunk, b"abc ");
    }

    #[test]
    fn a_word_longer_than_a_chunk_stays_whole() {
        let mut text = b"a ".to_vec();
        text.extend(std::iter::repeat_n(b'x', 5 * SIZE));
        text.extend(b" b");
        let chunks = chunks_of(io::Cursor::new(text.clone()));
        assert_eq!(chunks.concat(), text);
        assert_eq!(
            chunks[1].iter().filter(|&&byte| byte == b'x').count(),
            5 * SIZE
        );
    }

    #[test]
    fn an_error_ends_it_and_is_told() {
        let mut chunks = Chunks::of(&[PathBuf::from("no such file")]);
        assert_eq!(chunks.next(), None);
        assert_eq!(chunks.next(), None);
        let message = format!("{:#}", chunks.finish().unwrap_err());
        assert!(
            message.starts_with("cannot open no such file: "),
            "{message}"
        );
    }
}
