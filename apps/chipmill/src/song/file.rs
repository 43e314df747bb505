//! The bytes of a song's file.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;

use super::SongError;

/// The largest file that is read, uncompressed. The largest register logs have some 16 MiB, most of
/// it the sample memory of a chip.
pub const MAX_BYTES: usize = 32 << 20;

/// With what a member of a compressed file begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

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
    let compressed = magic == GZIP;
    let whole = magic.as_slice().chain(source);
    if compressed {
        members(BufReader::new(whole)).map_err(|error| match error {
            SongError::Read(error) => SongError::Compression(error),
            other => other,
        })
    } else {
        let mut bytes = Vec::new();
        bounded(whole, &mut bytes)?;
        Ok(bytes)
    }
}

/// Uncompresses all members of a compressed source. Anything else behind them is padding.
fn members(mut source: impl BufRead) -> Result<Vec<u8>, SongError> {
    let mut bytes = Vec::new();
    loop {
        bounded(GzDecoder::new(&mut source), &mut bytes)?;
        if !source.fill_buf()?.starts_with(&GZIP) {
            return Ok(bytes);
        }
    }
}

/// Reads all of a source, if it is not too much with what there is.
fn bounded(source: impl Read, bytes: &mut Vec<u8>) -> Result<(), SongError> {
    let room = MAX_BYTES - bytes.len();
    source.take(room as u64 + 1).read_to_end(bytes)?;
    if bytes.len() > MAX_BYTES {
        return Err(SongError::TooLarge);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn member(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn all_members_count_and_padding_does_not() {
        let two = [member(b"Vgm"), member(b" ")].concat();
        assert_eq!(read(two.as_slice()).unwrap(), b"Vgm ");
        for padding in [&[0; 100][..], b"text", &[0x1f]] {
            let padded = [&two, padding].concat();
            assert_eq!(read(padded.as_slice()).unwrap(), b"Vgm ");
        }
        let cut = &two[..two.len() - 1];
        assert!(matches!(read(cut), Err(SongError::Compression(_))));
    }

    #[test]
    fn members_are_too_much_together() {
        let half = member(&vec![0; MAX_BYTES / 2]);
        let whole = [&half[..], &half].concat();
        assert_eq!(read(whole.as_slice()).unwrap().len(), MAX_BYTES);
        let more = [&whole[..], &member(&[0])].concat();
        assert!(matches!(read(more.as_slice()), Err(SongError::TooLarge)));
    }
}
