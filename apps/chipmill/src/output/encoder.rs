//! Writes a container's bytes to anything that can seek.

use super::Finished;
use super::container::Container;
use std::io::{self, Seek, SeekFrom, Write};

/// How many frames are encoded at a time, so that a large block needs no large buffer.
const STEP_FRAMES: usize = 4096;

/// How many bytes are collected before they are written.
const BUFFER_BYTES: usize = 32 << 10;
/// What a frame takes in most formats.
const FRAME_BYTES: usize = 4;
/// The most frames that are there as bytes.
const BUFFER_FRAMES: usize = BUFFER_BYTES / FRAME_BYTES + STEP_FRAMES;

/// Why frames could not be written.
#[derive(Debug)]
pub(super) enum Failure {
    /// The file would have more frames than its format allows. Nothing of the block was written.
    TooLong { max_frames: u64 },
    Io {
        error: io::Error,
        /// The bytes that were written before.
        written: u64,
    },
}

/// Writes a file's header and frames to `W`.
pub(super) struct Encoder<W> {
    out: W,
    container: Box<dyn Container>,
    /// Empty and without room between two calls, but for the header of a file without frames: a
    /// song that waits while others have their turn needs no room for bytes.
    buffer: Vec<u8>,
    /// The bytes that left the buffer.
    written: u64,
    frames: u64,
}

impl<W: Write + Seek> Encoder<W> {
    /// A file without frames. `out` is empty.
    pub(super) fn new(out: W, container: Box<dyn Container>) -> Self {
        let buffer = container.header();
        Self {
            out,
            container,
            buffer,
            written: 0,
            frames: 0,
        }
    }

    /// What is written to.
    pub(super) fn out(&self) -> &W {
        &self.out
    }

    /// Writes frames with a full scale of 1.0, with a call or more of `W`.
    pub(super) fn write(&mut self, frames: &[[f32; 2]]) -> Result<(), Failure> {
        let max_frames = self.container.max_frames();
        self.frames = self
            .frames
            .checked_add(frames.len() as u64)
            .filter(|frames| *frames <= max_frames)
            .ok_or(Failure::TooLong { max_frames })?;
        self.buffer
            .reserve_exact(FRAME_BYTES * frames.len().min(BUFFER_FRAMES));
        for step in frames.chunks(STEP_FRAMES) {
            let pushed = self.container.push(step, &mut self.buffer);
            self.check(pushed)?;
            if self.buffer.len() >= BUFFER_BYTES {
                self.write_buffer()?;
            }
        }
        self.write_buffer()?;
        self.buffer = Vec::new();
        Ok(())
    }

    /// Writes what is missing, and the header again. Returns what was written to.
    pub(super) fn finish(mut self) -> Result<(W, Finished), Failure> {
        let ended = self.container.end(&mut self.buffer);
        self.check(ended)?;
        self.write_buffer()?;
        let header = self.container.header();
        let rewritten = self
            .out
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.out.write_all(&header))
            .and_then(|()| self.out.flush());
        self.check(rewritten)?;
        let clipped = self.container.clipped();
        Ok((
            self.out,
            Finished {
                bytes: self.written,
                frames: self.frames,
                clipped,
            },
        ))
    }

    fn write_buffer(&mut self) -> Result<(), Failure> {
        let result = self.out.write_all(&self.buffer);
        self.check(result)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn check(&self, result: io::Result<()>) -> Result<(), Failure> {
        result.map_err(|error| Failure::Io {
            error,
            written: self.written,
        })
    }
}

/// The bytes of a file with these frames.
#[cfg(test)]
pub(super) fn in_memory(
    format: super::Format,
    rate: u32,
    tags: &super::Tags,
    frames: &[[f32; 2]],
) -> (Vec<u8>, Finished) {
    let container = format.container(rate, tags);
    let mut encoder = Encoder::new(io::Cursor::new(Vec::new()), container);
    encoder.write(frames).unwrap();
    let (out, finished) = encoder.finish().unwrap();
    (out.into_inner(), finished)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Format, Tags};
    use std::io::Cursor;

    /// A disk with room for some bytes.
    struct SmallDisk {
        content: Cursor<Vec<u8>>,
        bytes: u64,
    }

    impl Write for SmallDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.content.position() + bytes.len() as u64 > self.bytes {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.content.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.content.flush()
        }
    }

    impl Seek for SmallDisk {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.content.seek(to)
        }
    }

    fn encoder(bytes: u64, format: Format) -> Encoder<SmallDisk> {
        let disk = SmallDisk {
            content: Cursor::new(Vec::new()),
            bytes,
        };
        Encoder::new(disk, format.container(44_100, &Tags::default()))
    }

    /// Noise, which does not become small in any format.
    fn noise(frames: usize) -> Vec<[f32; 2]> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..frames).map(|_| [next(), next()]).collect()
    }

    #[test]
    fn a_full_disk_is_reported_with_what_was_written() {
        for format in Format::ALL {
            let mut encoder = encoder(1_000_000, format);
            let failure = encoder.write(&noise(400_000)).unwrap_err();
            let Failure::Io { error, written } = failure else {
                panic!("{failure:?}")
            };
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            assert!(
                (500_000..=1_000_000).contains(&written),
                "{format}: {written}"
            );
        }
    }

    #[test]
    fn a_disk_that_is_full_at_the_end_is_reported_by_finish() {
        for format in Format::ALL {
            let empty = encoder(10, format);
            assert!(
                matches!(empty.finish(), Err(Failure::Io { written: 0, .. })),
                "{format}"
            );
        }
        // Frames that are not yet a block of FLAC.
        let mut encoder = encoder(1_000, Format::Flac16);
        encoder.write(&noise(1_000)).unwrap();
        assert!(matches!(encoder.finish(), Err(Failure::Io { .. })));
    }

    #[test]
    fn a_small_block_on_a_full_disk_is_reported_at_once() {
        let mut encoder = encoder(100, Format::Wav16);
        let written = encoder.write(&noise(1_000));
        assert!(matches!(written, Err(Failure::Io { written: 0, .. })));
    }

    /// A container with a small limit.
    struct Short;

    impl Container for Short {
        fn header(&self) -> Vec<u8> {
            Vec::new()
        }

        fn max_frames(&self) -> u64 {
            10
        }

        fn push(&mut self, frames: &[[f32; 2]], bytes: &mut Vec<u8>) -> io::Result<()> {
            bytes.resize(bytes.len() + frames.len(), 0);
            Ok(())
        }

        fn end(&mut self, _bytes: &mut Vec<u8>) -> io::Result<()> {
            Ok(())
        }

        fn clipped(&self) -> u64 {
            0
        }
    }

    #[test]
    fn a_block_that_is_too_long_is_refused_whole() {
        let mut encoder = Encoder::new(Cursor::new(Vec::new()), Box::new(Short));
        encoder.write(&noise(8)).unwrap();
        let failure = encoder.write(&noise(3)).unwrap_err();
        assert!(matches!(failure, Failure::TooLong { max_frames: 10 }));
        encoder.write(&noise(2)).unwrap();
        let (out, finished) = encoder.finish().unwrap();
        assert_eq!((out.into_inner().len(), finished.frames), (10, 10));
    }

    #[test]
    fn blocks_may_have_any_length() {
        let frames = noise(10_000);
        for format in Format::ALL {
            let (whole, _) = in_memory(format, 44_100, &Tags::default(), &frames);
            let mut encoder = encoder(u64::MAX, format);
            let mut rest = &frames[..];
            for length in (0..).map(|step: usize| step * step) {
                let (block, next) = rest.split_at(length.min(rest.len()));
                encoder.write(block).unwrap();
                rest = next;
                if rest.is_empty() {
                    break;
                }
            }
            let (disk, _) = encoder.finish().unwrap();
            assert!(disk.content.into_inner() == whole, "{format}");
        }
    }
}
