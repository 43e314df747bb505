//! A song: a register log, read, checked, and made ready to be played.
//!
//! ```text
//! file ─► source ─► window ─┬► header ─► chip kinds and clocks
//!     (uncompressed)        ├► commands ─► events, data banks, memory blocks
//!                           └► tags
//! ```
//! A file is read once, from its beginning to its end, and never is in memory as a whole: the
//! window has 16 KiB of it. A song holds its commands, packed into some 3 bytes each and compressed
//! by chunks of 8 KiB, and the data blocks once. While it is made, it takes some 200 KB more.
//!
//! What is wrong with the file as such (it cannot be read, its compressed data are broken, it is
//! too large) is said first, wherever it is. So a file is read to its end after any error, too.

mod block_data;
mod blocks;
mod chips;
mod commands;
mod error;
mod event;
mod events;
mod extra_header;
mod file;
mod gd3;
mod header;
mod old_fm;
mod scan;
mod source;
mod volumes;
mod window;

pub use chips::{ChipKind, ChipSpec, Silent};
pub use error::SongError;
pub(crate) use error::panic_text;
pub use event::{
    Bank, BankBlock, Event, Memory, MemoryBlock, RegisterWrite, StreamCommand, StreamLength,
};
pub use events::{CHUNK, EventReader, Events};
pub use file::{MAX_BYTES, read};
pub use gd3::{Gd3, Tag};

use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use source::Source;
use window::Window;

/// The samples of a log's second: its waits count these, whatever the rate of the output.
pub const LOG_RATE: u32 = 44_100;

/// What becomes of a song for a machine with a chip that there is no model of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingChips {
    /// The song is an error.
    #[default]
    Refuse,
    /// The chip is silent.
    Silent,
}

/// A register log, checked, and ready to be played.
#[derive(Debug)]
pub struct Song {
    /// The chips of the machine, in the order of the header. Behind them are the FM chips of an old
    /// log, whose header does not say which ones it has.
    pub chips: Vec<ChipSpec>,
    /// The chips of the machine that have no model.
    pub silent: Vec<Silent>,
    /// What happens, in order.
    pub events: Events,
    /// What [`Event::Stream`] points to.
    pub streams: Vec<StreamCommand>,
    /// What [`Event::Memory`] points to.
    pub memory: Vec<MemoryBlock>,
    /// The PCM data of streams, one bank for each type of data block.
    pub banks: Vec<Bank>,
    /// The place of the event with which each repetition begins, where the song repeats.
    pub loop_start: Option<usize>,
    /// The length of one run through the log, in samples of [`LOG_RATE`].
    pub samples: u64,
    /// The length of the part that repeats, in samples of [`LOG_RATE`].
    pub loop_samples: u64,
    /// How the log changes the number of repetitions.
    pub loop_scale: LoopScale,
    /// What the log wants all samples to be multiplied with.
    pub volume: f32,
    /// The version of the format, as the header has it: `0x171` is 1.71.
    pub version: u32,
    /// Title, author and the like.
    pub tags: Gd3,
    /// What is odd about the file, and does not keep it from sounding.
    pub remarks: Vec<String>,
}

/// How a log changes the number of repetitions: some have their melody twice before the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoopScale {
    /// Sixteenths by which the number is multiplied; 0 is 16.
    pub sixteenths: u8,
    /// What is taken away afterwards.
    pub less: i8,
}

impl LoopScale {
    /// How many times the part that repeats is played when `wanted` are asked for.
    pub fn of(self, wanted: u32) -> u32 {
        let sixteenths = match self.sixteenths {
            0 => 16,
            sixteenths => u64::from(sixteenths),
        };
        let scaled = i64::try_from(u64::from(wanted) * sixteenths / 16).unwrap_or(i64::MAX);
        u32::try_from((scaled - i64::from(self.less)).max(1)).unwrap_or(u32::MAX)
    }
}

impl Song {
    /// Reads the song in a file: a register log (VGM), plain or compressed (VGZ).
    ///
    /// # Errors
    ///
    /// As [`from_reader`](Self::from_reader), and the file cannot be opened.
    pub fn open(path: &Path, missing: MissingChips) -> Result<Self, SongError> {
        Self::from_reader(File::open(path)?, missing)
    }

    /// Reads a song: a register log (VGM), plain or compressed (VGZ). The reader needs no buffer,
    /// and is read to its end.
    ///
    /// # Errors
    ///
    /// The reader fails or panics, has more than [`MAX_BYTES`] uncompressed, is broken, needs a
    /// chip that there is no model of, or has only such chips, whatever `missing` is.
    pub fn from_reader(reader: impl Read, missing: MissingChips) -> Result<Self, SongError> {
        Self::of_source(Source::new(reader)?, missing)
    }

    /// Makes a song of the bytes of a register log, which are not compressed.
    ///
    /// # Errors
    ///
    /// The bytes are no register log, are broken, need a chip that there is no model of, or have
    /// only such chips, whatever `missing` is.
    pub fn parse(bytes: &[u8], missing: MissingChips) -> Result<Self, SongError> {
        Self::of_source(Source::of_bytes(bytes), missing)
    }

    fn of_source(source: Source<'_>, missing: MissingChips) -> Result<Self, SongError> {
        let mut window = Window::new(source);
        // Of what the closure changes, no more is looked at after a panic than how far it came. A
        // panic is the error of the song, and of no other.
        let song = catch_unwind(AssertUnwindSafe(|| {
            let song = Self::of_window(&mut window, missing);
            // An error that the source has behind that of the song is said first.
            window.skip_all()?;
            song
        }));
        song.unwrap_or_else(|payload| {
            Err(SongError::Panicked {
                text: panic_text(payload.as_ref()),
                offset: window.offset(),
            })
        })
    }

    fn of_window(window: &mut Window<'_>, missing: MissingChips) -> Result<Self, SongError> {
        let header = header::Header::read(window)?;
        if header.chips.is_empty() && header.old_fm.is_none() {
            return Err(match header.silent.is_empty() {
                true => SongError::NoChips,
                false => SongError::AllSilent(header.silent),
            });
        }
        if missing == MissingChips::Refuse && !header.silent.is_empty() {
            return Err(SongError::MissingChips(header.silent));
        }
        let mut of_log = Vec::new();
        let log = commands::parse(window, &header, &mut of_log)?;
        if log.chips.is_empty() {
            return Err(SongError::NoChips);
        }
        let file_len = window.skip_all()?;
        let mut remarks = Vec::new();
        let tags = match window.tags() {
            Some(tags) => tags.parse(file_len, &mut remarks),
            None => Gd3::default(),
        };
        remarks.extend(header.remarks);
        remarks.append(&mut of_log);
        Ok(Song {
            chips: log.chips,
            silent: header.silent,
            events: log.events,
            streams: log.streams,
            memory: log.memory,
            banks: log.banks,
            loop_start: log.loop_start,
            samples: log.samples,
            loop_samples: log.loop_samples,
            loop_scale: header.loop_scale,
            volume: header.volume,
            version: header.version,
            tags,
            remarks,
        })
    }

    /// The length in samples of [`LOG_RATE`] when the part that repeats is played `loops` times.
    /// A song that does not repeat is played once.
    pub fn length(&self, loops: u32) -> u64 {
        if self.loop_start.is_none() {
            return self.samples;
        }
        let more = u64::from(self.loop_scale.of(loops).max(1) - 1);
        self.samples
            .saturating_add(self.loop_samples.saturating_mul(more))
    }
}
