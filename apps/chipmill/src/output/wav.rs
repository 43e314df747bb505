//! WAV: a RIFF file with the chunks `fmt `, `fact` (for floating point), `LIST` and `data`.

use super::PROGRAM;
use super::container::Container;
use super::quantizer::Quantizer;
use super::tags::{TagKind, Tags};
use std::io;

/// How a WAV file's samples are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleFormat {
    Int16,
    Int24,
    Float,
}

impl SampleFormat {
    fn bytes(self) -> u32 {
        match self {
            Self::Int16 => 2,
            Self::Int24 => 3,
            Self::Float => 4,
        }
    }
}

const CHANNELS: u32 = 2;

/// A WAV file.
pub(super) struct Wav {
    format: SampleFormat,
    rate: u32,
    /// The chunk `LIST`, whole.
    info: Vec<u8>,
    quantizer: Quantizer,
    /// Samples that were NaN; in integer formats, the quantizer counts.
    not_numbers: u64,
    frames: u64,
}

impl Wav {
    pub(super) fn new(format: SampleFormat, rate: u32, tags: &Tags) -> Self {
        let bits = if format == SampleFormat::Int24 {
            24
        } else {
            16
        };
        let quantizer = Quantizer::new(bits);
        Self {
            format,
            rate,
            info: info_chunk(tags),
            quantizer,
            not_numbers: 0,
            frames: 0,
        }
    }

    fn frame_bytes(&self) -> u32 {
        CHANNELS * self.format.bytes()
    }

    fn format_chunk(&self) -> Vec<u8> {
        const PCM: u16 = 1;
        const IEEE_FLOAT: u16 = 3;
        const EXTENSIBLE: u16 = 0xfffe;
        /// The last 14 bytes of the GUID that begins with a format tag of two bytes.
        const GUID: [u8; 14] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
        const FRONT_LEFT_AND_RIGHT: u32 = 3;

        // More than 16 bits of PCM need the extensible form.
        let tag = match self.format {
            SampleFormat::Int16 => PCM,
            SampleFormat::Int24 => EXTENSIBLE,
            SampleFormat::Float => IEEE_FLOAT,
        };
        let bits = 8 * self.format.bytes() as u16;
        let mut body = Vec::new();
        body.extend(tag.to_le_bytes());
        body.extend((CHANNELS as u16).to_le_bytes());
        body.extend(self.rate.to_le_bytes());
        body.extend((self.rate * self.frame_bytes()).to_le_bytes());
        body.extend((self.frame_bytes() as u16).to_le_bytes());
        body.extend(bits.to_le_bytes());
        match self.format {
            SampleFormat::Int16 => {}
            SampleFormat::Int24 => {
                body.extend(22u16.to_le_bytes());
                body.extend(bits.to_le_bytes());
                body.extend(FRONT_LEFT_AND_RIGHT.to_le_bytes());
                body.extend(PCM.to_le_bytes());
                body.extend(GUID);
            }
            SampleFormat::Float => body.extend(0u16.to_le_bytes()),
        }
        chunk(b"fmt ", &body)
    }
}

impl Container for Wav {
    fn header(&self) -> Vec<u8> {
        // `max_frames` keeps both numbers below 2^32.
        let data_bytes = self.frames as u32 * self.frame_bytes();
        let mut chunks = self.format_chunk();
        if self.format == SampleFormat::Float {
            chunks.extend(chunk(b"fact", &(self.frames as u32).to_le_bytes()));
        }
        chunks.extend(&self.info);
        chunks.extend(b"data");
        chunks.extend(data_bytes.to_le_bytes());

        let mut header = b"RIFF".to_vec();
        header.extend((4 + chunks.len() as u32 + data_bytes).to_le_bytes());
        header.extend(b"WAVE");
        header.extend(chunks);
        header
    }

    fn max_frames(&self) -> u64 {
        // The first eight bytes do not count.
        let header = self.header().len() as u64 - 8;
        (u64::from(u32::MAX) - header) / u64::from(self.frame_bytes())
    }

    fn push(&mut self, frames: &[[f32; 2]], bytes: &mut Vec<u8>) -> io::Result<()> {
        self.frames += frames.len() as u64;
        let samples = frames.as_flattened();
        match self.format {
            SampleFormat::Int16 => {
                for sample in samples {
                    bytes.extend((self.quantizer.quantize(*sample) as i16).to_le_bytes());
                }
            }
            SampleFormat::Int24 => {
                for sample in samples {
                    bytes.extend(&self.quantizer.quantize(*sample).to_le_bytes()[..3]);
                }
            }
            SampleFormat::Float => {
                for sample in samples {
                    self.not_numbers += u64::from(sample.is_nan());
                    let sample = if sample.is_nan() { 0.0 } else { *sample };
                    bytes.extend(sample.to_le_bytes());
                }
            }
        }
        Ok(())
    }

    fn end(&mut self, _bytes: &mut Vec<u8>) -> io::Result<()> {
        // A frame has an even number of bytes, so the chunk needs no padding.
        Ok(())
    }

    fn clipped(&self) -> u64 {
        self.quantizer.clipped() + self.not_numbers
    }
}

/// The tags. Readers take them for UTF-8 or for the encoding of the system; it is not written down
/// which is right.
fn info_chunk(tags: &Tags) -> Vec<u8> {
    let mut body = b"INFO".to_vec();
    for (kind, text) in tags.list() {
        let id = match kind {
            TagKind::Title => b"INAM",
            TagKind::Album => b"IPRD",
            TagKind::Artist => b"IART",
            TagKind::Date => b"ICRD",
            TagKind::Track => b"ITRK",
            // There is no word for a machine. This one is for keywords.
            TagKind::System => b"IKEY",
            TagKind::Comment => b"ICMT",
        };
        body.extend(chunk(id, &terminated(&text)));
    }
    body.extend(chunk(b"ISFT", &terminated(PROGRAM)));
    chunk(b"LIST", &body)
}

fn terminated(text: &str) -> Vec<u8> {
    [text.as_bytes(), b"\0"].concat()
}

/// A chunk, padded to an even length.
fn chunk(id: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let mut chunk = id.to_vec();
    chunk.extend((body.len() as u32).to_le_bytes());
    chunk.extend(body);
    chunk.resize(chunk.len().next_multiple_of(2), 0);
    chunk
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::encoder::in_memory;
    use crate::output::{Finished, Format};
    use hound::WavReader;
    use std::io::Cursor;

    const FRAMES: [[f32; 2]; 3] = [[0.0, 0.5], [-1.0, 1.0], [0.25, -2.0]];

    fn tags() -> Tags {
        Tags {
            title: Some("odd".into()),
            album: Some("even".into()),
            ..Tags::default()
        }
    }

    fn reader(format: Format) -> (WavReader<Cursor<Vec<u8>>>, Finished) {
        let (bytes, finished) = in_memory(format, 44_100, &tags(), &FRAMES);
        assert_eq!(bytes.len() as u64, finished.bytes);
        let riff = u32::from_le_bytes(bytes[4..8].try_into().unwrap());
        assert_eq!(u64::from(riff) + 8, finished.bytes);
        (WavReader::new(Cursor::new(bytes)).unwrap(), finished)
    }

    #[test]
    fn integers_are_read_back() {
        for (format, bits) in [(Format::Wav16, 16), (Format::Wav24, 24)] {
            let (mut reader, finished) = reader(format);
            let spec = reader.spec();
            assert_eq!(
                (spec.channels, spec.sample_rate, spec.bits_per_sample),
                (2, 44_100, bits)
            );
            let half = 1 << (bits - 2);
            let samples: Vec<i32> = reader.samples().map(Result::unwrap).collect();
            assert_eq!(
                samples,
                [0, half, -2 * half, 2 * half - 1, half / 2, -2 * half]
            );
            assert_eq!((finished.frames, finished.clipped), (3, 1));
        }
    }

    #[test]
    fn floats_are_read_back_unclipped() {
        let (mut reader, finished) = reader(Format::WavFloat);
        assert_eq!(reader.spec().sample_format, hound::SampleFormat::Float);
        let samples: Vec<f32> = reader.samples().map(Result::unwrap).collect();
        assert_eq!(samples, FRAMES.as_flattened());
        assert_eq!(finished.clipped, 0);
        let (bytes, finished) = in_memory(Format::WavFloat, 8_000, &tags(), &[[f32::NAN, 1.0]]);
        let samples = WavReader::new(Cursor::new(bytes))
            .unwrap()
            .into_samples::<f32>();
        assert_eq!(samples.map(Result::unwrap).collect::<Vec<_>>(), [0.0, 1.0]);
        assert_eq!(finished.clipped, 1);
    }

    #[test]
    fn the_info_chunk_has_the_tags() {
        let chunk = info_chunk(&tags());
        let expected = b"INFOINAM\x04\0\0\0odd\0IPRD\x05\0\0\0even\0\0ISFT";
        assert_eq!(
            &chunk[..8],
            [b"LIST", &(chunk.len() as u32 - 8).to_le_bytes()[..]].concat()
        );
        assert_eq!(&chunk[8..][..expected.len()], expected);
    }

    #[test]
    fn the_longest_file_has_a_size_below_4_gib() {
        let mut wav = Wav::new(SampleFormat::Int24, 44_100, &tags());
        wav.frames = wav.max_frames();
        let header = wav.header();
        let riff = u32::from_le_bytes(header[4..8].try_into().unwrap());
        let data = u32::from_le_bytes(header[header.len() - 4..].try_into().unwrap());
        assert_eq!(u64::from(data), wav.frames * 6);
        assert_eq!(u64::from(riff), wav.frames * 6 + header.len() as u64 - 8);
        assert!(riff > u32::MAX - 6);
    }
}
