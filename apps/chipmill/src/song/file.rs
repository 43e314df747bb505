//! The bytes of a song's file.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::SongError;

/// The largest file that is read, uncompressed. The largest register logs have some 16 MiB, most of
/// it the sample memory of a chip.
pub const MAX_BYTES: usize = 32 << 20;

/// Reads a file.
pub fn open(path: &Path) -> Result<Vec<u8>, SongError> {
    read(BufReader::new(File::open(path)?))
}

/// Reads all of a source, and uncompresses what is compressed with gzip.
///
/// # Errors
///
/// The source cannot be read, has broken compressed data, or more than [`MAX_BYTES`] of
/// uncompressed ones.
pub fn read(mut source: impl Read) -> Result<Vec<u8>, SongError> {
    let mut magic = Vec::new();
    source.by_ref().take(2).read_to_end(&mut magic)?;
    let compressed = magic == [0x1f, 0x8b];
    let whole = magic.as_slice().chain(source);
    if compressed {
        bounded(MultiGzDecoder::new(whole)).map_err(|error| match error {
            SongError::Read(error) => SongError::Compression(error),
            other => other,
        })
    } else {
        bounded(whole)
    }
}

/// Reads all of a source, if it is not too much.
fn bounded(source: impl Read) -> Result<Vec<u8>, SongError> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_BYTES {
        return Err(SongError::TooLarge);
    }
    Ok(bytes)
}
