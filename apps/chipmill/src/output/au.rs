//! AU, the format of Sun and NeXT: a short header, a note, and samples in big-endian order.

use super::PROGRAM;
use super::container::Container;
use super::quantizer::Quantizer;
use super::tags::{TagKind, Tags};
use std::io;

/// An AU file with samples of 16 bits.
pub(super) struct Au {
    rate: u32,
    /// The note, with the NULs that end it.
    annotation: Vec<u8>,
    quantizer: Quantizer,
    frames: u64,
}

impl Au {
    pub(super) fn new(rate: u32, tags: &Tags) -> Self {
        Self {
            rate,
            annotation: annotation(tags),
            quantizer: Quantizer::new(16),
            frames: 0,
        }
    }
}

impl Container for Au {
    fn header(&self) -> Vec<u8> {
        const FIXED_BYTES: u32 = 24;
        const LINEAR_16: u32 = 3;
        const CHANNELS: u32 = 2;
        /// Also for files with a size that has no room in 32 bits.
        const UNKNOWN_SIZE: u32 = u32::MAX;

        let size = self
            .frames
            .checked_mul(4)
            .and_then(|size| u32::try_from(size).ok());
        let fields = [
            u32::from_be_bytes(*b".snd"),
            FIXED_BYTES + self.annotation.len() as u32,
            size.unwrap_or(UNKNOWN_SIZE),
            LINEAR_16,
            self.rate,
            CHANNELS,
        ];
        let mut header: Vec<u8> = fields.into_iter().flat_map(u32::to_be_bytes).collect();
        header.extend(&self.annotation);
        header
    }

    fn max_frames(&self) -> u64 {
        u64::MAX
    }

    fn push(&mut self, frames: &[[f32; 2]], bytes: &mut Vec<u8>) -> io::Result<()> {
        self.frames += frames.len() as u64;
        for sample in frames.as_flattened() {
            bytes.extend((self.quantizer.quantize(*sample) as i16).to_be_bytes());
        }
        Ok(())
    }

    fn end(&mut self, _bytes: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }

    fn clipped(&self) -> u64 {
        self.quantizer.clipped()
    }
}

/// The tags as lines, in UTF-8. A line that belongs to the one before it begins with a tab, so that
/// no line of a note can be taken for another tag. The format says only that it is text that ends
/// with a NUL, and that its length is a multiple of 8.
fn annotation(tags: &Tags) -> Vec<u8> {
    let mut text = String::new();
    for (kind, value) in tags.list() {
        let name = match kind {
            TagKind::Title => "title",
            TagKind::Album => "album",
            TagKind::Artist => "artist",
            TagKind::Date => "date",
            TagKind::Track => "track",
            TagKind::System => "system",
            TagKind::Comment => "comment",
        };
        let value = value.replace("\r\n", "\n").replace(['\r', '\n'], "\n\t");
        text.push_str(&format!("{name}={value}\n"));
    }
    text.push_str(&format!("encoder={PROGRAM}\n"));
    let mut bytes = text.into_bytes();
    bytes.resize((bytes.len() + 1).next_multiple_of(8), 0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Format;
    use crate::output::encoder::in_memory;

    #[test]
    fn the_header_the_note_and_the_samples_are_where_the_format_says() {
        let tags = Tags {
            title: Some("Ōkami".into()),
            ..Tags::default()
        };
        let frames = [[0.0, 0.5], [-1.0, 3.0]];
        let (bytes, finished) = in_memory(Format::Au16, 48_000, &tags, &frames);
        let field =
            |index: usize| u32::from_be_bytes(bytes[4 * index..][..4].try_into().unwrap()) as usize;
        assert_eq!(&bytes[..4], b".snd");
        let data = field(1);
        assert_eq!([field(2), field(3), field(4), field(5)], [8, 3, 48_000, 2]);
        assert_eq!(data % 8, 0);
        let note = std::str::from_utf8(&bytes[24..data]).unwrap();
        assert_eq!(
            note.trim_end_matches('\0'),
            format!("title=Ōkami\nencoder={PROGRAM}\n")
        );
        assert!(note.ends_with('\0'));
        assert_eq!(bytes[data..], [0, 0, 0x40, 0, 0x80, 0, 0x7f, 0xff]);
        assert_eq!(
            (finished.bytes, finished.frames, finished.clipped),
            (bytes.len() as u64, 2, 1)
        );
    }

    #[test]
    fn a_line_of_a_tag_is_no_tag() {
        let tags = Tags {
            comment: Some("one\ntitle=two\r\nthree".into()),
            ..Tags::default()
        };
        let note = String::from_utf8(annotation(&tags)).unwrap();
        let expected = format!("comment=one\n\ttitle=two\n\tthree\nencoder={PROGRAM}\n");
        assert_eq!(note.trim_end_matches('\0'), expected);
    }

    #[test]
    fn a_size_beyond_32_bits_is_unknown() {
        let mut au = Au::new(8_000, &Tags::default());
        au.frames = 1 << 30;
        assert_eq!(au.header()[8..12], [0xff; 4]);
        au.frames = u64::MAX;
        assert_eq!(au.header()[8..12], [0xff; 4]);
    }
}
