//! The bytes of a song's file, uncompressed while they are read.
//!
//! ```text
//! plain ────────────────────────────────► ended
//! member ─► member ─► … ─► padding ─────► ended
//! ```
//! Of a compressed file, 8 KiB and the state of the decoder are in memory. The limit of a file's
//! size is held here: no more than [`MAX_BYTES`] come out, whatever goes in.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use flate2::bufread::GzDecoder;

use super::SongError;
use super::file::MAX_BYTES;

/// With what a member of a compressed file begins.
static GZIP: [u8; 2] = [0x1f, 0x8b];

/// Gives the uncompressed bytes of a file in their order.
pub struct Source<'a> {
    stage: Stage<'a>,
    /// The uncompressed bytes that have come, and those that may come still.
    given: u64,
    left: usize,
}

enum Stage<'a> {
    Plain(Box<dyn Read + 'a>),
    /// A compressed file is one or more members. Anything else behind them is padding.
    Member(Box<GzDecoder<Members<'a>>>),
    Ended,
}

impl<'a> Source<'a> {
    /// A file that may be compressed with gzip.
    ///
    /// # Errors
    ///
    /// Its first bytes cannot be read.
    pub fn new(mut file: impl Read + 'a) -> Result<Self, SongError> {
        let mut magic = Vec::new();
        file.by_ref()
            .take(GZIP.len() as u64)
            .read_to_end(&mut magic)?;
        let compressed = magic == GZIP;
        let whole = io::Cursor::new(magic).chain(file);
        Ok(Source {
            stage: if compressed {
                Stage::Member(Box::new(GzDecoder::new(Members::new(whole))))
            } else {
                Stage::Plain(Box::new(whole))
            },
            given: 0,
            left: MAX_BYTES,
        })
    }

    /// Bytes that are not compressed, and in memory already: any number of them.
    pub fn of_bytes(bytes: &'a [u8]) -> Self {
        Source {
            stage: Stage::Plain(Box::new(bytes)),
            given: 0,
            left: usize::MAX,
        }
    }

    /// Puts the next bytes into `room`, and returns how many. It is 0 at the end only.
    ///
    /// # Errors
    ///
    /// The file cannot be read, has broken compressed data, or more than [`MAX_BYTES`] of
    /// uncompressed ones.
    pub fn read(&mut self, room: &mut [u8]) -> Result<usize, SongError> {
        // A byte more than may come tells a file that is too large.
        let most = room.len().min(self.left.saturating_add(1));
        let read = self.stage.read(&mut room[..most], self.given)?;
        self.given += read as u64;
        self.left = self.left.checked_sub(read).ok_or(SongError::TooLarge)?;
        Ok(read)
    }
}

impl Stage<'_> {
    /// Puts the next bytes into `room`, of which there were `given` before.
    fn read(&mut self, room: &mut [u8], given: u64) -> Result<usize, SongError> {
        loop {
            let read = match self {
                Stage::Plain(file) => file.read(room),
                Stage::Member(decoder) => decoder.read(room),
                Stage::Ended => return Ok(0),
            };
            match read {
                Ok(0) => self.end()?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(read) => return Ok(read),
                Err(error) => {
                    return Err(match self {
                        Stage::Member(decoder) => decoder.get_ref().broken(error),
                        _ => SongError::Read {
                            error,
                            offset: Some(given),
                        },
                    });
                }
            }
        }
    }

    /// Goes on to the next member, if there is one.
    fn end(&mut self) -> Result<(), SongError> {
        if let Stage::Member(decoder) = std::mem::replace(self, Stage::Ended) {
            let mut rest = decoder.into_inner();
            if rest.has_next().map_err(|error| rest.broken(error))? {
                *self = Stage::Member(Box::new(GzDecoder::new(rest)));
            }
        }
        Ok(())
    }
}

/// A compressed file.
struct Members<'a> {
    file: BufReader<Box<dyn Read + 'a>>,
    /// The bytes that the decoder has taken.
    taken: u64,
    /// Whether the first byte of a member has been looked at, which was the last one in the buffer
    /// perhaps, and is to come still.
    held: bool,
}

impl<'a> Members<'a> {
    fn new(file: impl Read + 'a) -> Self {
        Members {
            file: BufReader::new(Box::new(file)),
            taken: 0,
            held: false,
        }
    }

    /// The error of a file that is broken where the decoder is.
    fn broken(&self, error: io::Error) -> SongError {
        SongError::Compression {
            error,
            offset: self.taken,
        }
    }

    /// Whether another member begins here.
    fn has_next(&mut self) -> io::Result<bool> {
        if self.file.fill_buf()?.first() != Some(&GZIP[0]) {
            return Ok(false);
        }
        self.file.consume(1);
        self.held = true;
        Ok(self.file.fill_buf()?.first() == Some(&GZIP[1]))
    }
}

impl BufRead for Members<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.held {
            true => Ok(&GZIP[..1]),
            false => self.file.fill_buf(),
        }
    }

    fn consume(&mut self, bytes: usize) {
        self.taken += bytes as u64;
        match self.held {
            true => self.held = bytes == 0,
            false => self.file.consume(bytes),
        }
    }
}

impl Read for Members<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let mut there = self.fill_buf()?;
        let read = there.read(room)?;
        self.consume(read);
        Ok(read)
    }
}
