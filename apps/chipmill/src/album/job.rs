//! One song to one file.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::Settings;
use super::plan::Planned;
use crate::output::{OutputError, Writer};
use crate::render::{OVERWORKED, Options, Renderer};
use crate::song::{Song, SongError};

/// The most frames that are made between two looks at whether the user has had enough: a tenth of a
/// second of sound, which takes some 3 ms. A larger block would make the heaps of the threads
/// larger, too: it comes and goes, and what a song keeps lies between.
pub const BLOCK: usize = 1 << 12;

/// The blocks of a second at least. With a low rate, [`BLOCK`] frames would be seconds of sound,
/// and a busy song would take as long to see that the user has had enough.
const BLOCKS_PER_SECOND: u32 = 10;

/// A song that has become a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Rendered {
    /// The frames of the song.
    pub frames: u64,
    /// The bytes of the file.
    pub bytes: u64,
    /// Samples beyond full scale, which have been cut off.
    pub clipped: u64,
}

/// Why a song has not become a file.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The song is broken.
    #[error(transparent)]
    Song(#[from] SongError),
    /// The song is longer than it may be.
    #[error(
        "lasts {seconds} seconds, more than the {limit} of `--max-seconds`: raise that, or lower \
         `--loops`"
    )]
    TooLong {
        /// Its length in seconds.
        seconds: u64,
        /// The limit.
        limit: u64,
    },
    /// The song wants to do more than any machine could.
    #[error("{OVERWORKED}, {0} seconds after its beginning")]
    TooMuch(u64),
    /// The file would take the place of one of the songs.
    #[error("{} is one of the songs: another `--out` or `--name` keeps it", .0.display())]
    Replaces(PathBuf),
    /// The file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The user has had enough.
    #[error("cancelled")]
    Cancelled,
    /// The renderer has panicked.
    #[error("the renderer failed ({0}); this is a fault of chipmill: please report it")]
    Panicked(String),
}

/// A song on its way into a file. It is made in steps, between which the thread can do something
/// else.
pub struct Job<'a> {
    planned: &'a Planned,
    settings: &'a Settings,
    stage: Stage,
}

enum Stage {
    /// The song is rendered for its peak.
    Measure {
        renderer: Box<Renderer>,
        peak: f32,
    },
    Write {
        renderer: Box<Renderer>,
        writer: Box<Writer>,
    },
    Ended,
}

impl<'a> Job<'a> {
    /// Reads the song, as long as the flag is not set, and begins its file.
    pub fn begin(
        planned: &'a Planned,
        settings: &'a Settings,
        cancelled: &AtomicBool,
    ) -> Result<Self, Failure> {
        let song = planned.open(settings.missing, cancelled);
        // The error of a song that was not read to its end says nothing about the song.
        check(cancelled)?;
        let song = Arc::new(song?);
        let mut job = Job {
            planned,
            settings,
            stage: Stage::Ended,
        };
        let gain = settings.render.gain;
        job.stage = match settings.normalize {
            Some(_) => Stage::Measure {
                renderer: job.renderer(song, gain),
                peak: 0.0,
            },
            None => job.write(song, gain)?,
        };
        Ok(job)
    }

    fn renderer(&self, song: Arc<Song>, gain: f32) -> Box<Renderer> {
        let options = Options {
            gain,
            ..self.settings.render.clone()
        };
        Box::new(Renderer::new(song, &options))
    }

    fn write(&self, song: Arc<Song>, gain: f32) -> Result<Stage, Failure> {
        let tags = self.planned.entry.tags(&song);
        let renderer = self.renderer(song, gain);
        let writer = Writer::create(
            &self.planned.target,
            self.settings.format,
            self.settings.render.rate,
            &tags,
        )?;
        Ok(Stage::Write {
            renderer,
            writer: Box::new(writer),
        })
    }

    /// Makes the next block. The file is there when it returns [`Step::Done`].
    pub fn step(&mut self) -> Result<Step, Failure> {
        // Made anew each time, which is little beside what fills it: a song that waits while others
        // have their turn needs no room for frames.
        let frames = block_len(self.settings.render.rate);
        let mut block = vec![[0.0; 2]; frames];
        match &mut self.stage {
            Stage::Measure { renderer, peak } => {
                let filled = fill(renderer, &mut block, self.settings)?;
                for sample in block[..filled].as_flattened() {
                    *peak = peak.max(sample.abs());
                }
                if filled < frames {
                    let wanted = self.settings.normalize.unwrap_or(1.0);
                    // A song without a sound keeps its silence.
                    let factor = if *peak > 0.0 { wanted / *peak } else { 1.0 };
                    let gain = self.settings.render.gain * factor;
                    // The chips that have measured it go before there are others.
                    if let Stage::Measure { renderer, .. } =
                        std::mem::replace(&mut self.stage, Stage::Ended)
                    {
                        self.stage = self.write(renderer.into_song(), gain)?;
                    }
                }
                Ok(Step::Measured(filled as u64))
            }
            Stage::Write { renderer, writer } => {
                let filled = fill(renderer, &mut block, self.settings)?;
                if self.settings.normalize.is_some_and(|peak| peak <= 1.0) {
                    // What is beyond is no sound that was too loud, but the rounding of the gain.
                    for sample in block[..filled].as_flattened_mut() {
                        *sample = sample.clamp(-1.0, 1.0);
                    }
                }
                writer.write(&block[..filled])?;
                if filled < frames
                    && let Stage::Write { writer, .. } =
                        std::mem::replace(&mut self.stage, Stage::Ended)
                {
                    let finished = writer.finish()?;
                    return Ok(Step::Done(Rendered {
                        frames: finished.frames,
                        bytes: finished.bytes,
                        clipped: finished.clipped,
                    }));
                }
                Ok(Step::Written(filled as u64))
            }
            Stage::Ended => Err(Failure::Cancelled),
        }
    }
}

/// The frames that are made at a time with this rate.
pub fn block_len(rate: u32) -> usize {
    BLOCK.min((rate / BLOCKS_PER_SECOND).max(1) as usize)
}

/// Makes the next frames of a song that does no more than a machine could.
fn fill(
    renderer: &mut Renderer,
    block: &mut [[f32; 2]],
    settings: &Settings,
) -> Result<usize, Failure> {
    let before = renderer.position();
    let filled = renderer.fill(block);
    if renderer.is_overworked() {
        return Err(Failure::TooMuch(
            before / u64::from(settings.render.rate.max(1)),
        ));
    }
    Ok(filled)
}

/// What a step has come to.
pub enum Step {
    /// This number of frames more has been measured.
    Measured(u64),
    /// This number of frames more is in the file.
    Written(u64),
    /// The file is there.
    Done(Rendered),
}

/// Takes note that the user has had enough.
pub fn check(cancelled: &AtomicBool) -> Result<(), Failure> {
    // Relaxed: the flag carries no data with it, and a job that sees it a block later is in time.
    match cancelled.load(Ordering::Relaxed) {
        true => Err(Failure::Cancelled),
        false => Ok(()),
    }
}
