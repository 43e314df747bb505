//! All bytes of a song's file at once, for one that can be read only once.

use std::io::Read;

use super::SongError;
use super::source::Source;

/// The largest file that is read, uncompressed. The largest register logs have some 16 MiB, most of
/// it the sample memory of a chip.
pub const MAX_BYTES: usize = 32 << 20;

/// The bytes that are read at a time.
const BLOCK: usize = 16 << 10;

/// Reads all of a source, and uncompresses what is compressed with gzip.
///
/// # Errors
///
/// The source cannot be read, has broken compressed data, or more than [`MAX_BYTES`] of
/// uncompressed ones.
pub fn read(source: impl Read) -> Result<Vec<u8>, SongError> {
    let mut source = Source::new(source)?;
    let mut bytes = Vec::new();
    let mut block = [0; BLOCK];
    loop {
        match source.read(&mut block)? {
            0 => return Ok(bytes),
            read => bytes.extend_from_slice(&block[..read]),
        }
    }
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
        assert!(matches!(read(cut), Err(SongError::Compression { .. })));
    }

    #[test]
    fn members_are_too_much_together() {
        let half = member(&vec![0; MAX_BYTES / 2]);
        let whole = [&half[..], &half].concat();
        assert_eq!(read(whole.as_slice()).unwrap().len(), MAX_BYTES);
        let more = [&whole[..], &member(&[0])].concat();
        assert!(matches!(read(more.as_slice()), Err(SongError::TooLarge)));
    }

    /// Gives a byte at a time, as a slow pipe does.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
            let most = room.len().min(1);
            self.0.read(&mut room[..most])
        }
    }

    #[test]
    fn a_member_is_found_wherever_the_reads_end() {
        let three = [member(b"V"), member(b"gm"), member(b" "), vec![0x1f, 0]].concat();
        assert_eq!(read(Slow(&three)).unwrap(), b"Vgm ");
    }

    #[test]
    fn thousands_of_empty_members_are_read() {
        let many = [member(&[]).repeat(5_000), member(b"Vgm ")].concat();
        assert_eq!(read(many.as_slice()).unwrap(), b"Vgm ");
    }
}
