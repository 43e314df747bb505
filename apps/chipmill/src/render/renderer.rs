//! A song that sounds.

use std::sync::Arc;

use super::budget::Budget;
use super::sequencer::{Action, Sequencer};
use super::voice::{Resampling, Voice, work};
use crate::song::{LOG_RATE, RegisterWrite, Song};

/// What is wrong with a song that is [overworked](Renderer::is_overworked).
pub const OVERWORKED: &str = "wants millions of steps at once, which no machine could do (the log \
                              is broken: leave it out, or get the file again)";

/// How a song is rendered.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Frames per second of the output.
    pub rate: u32,
    /// How many times the part that repeats is played.
    pub loops: u32,
    /// For how many seconds a song that repeats goes on after that, and fades out.
    pub fade: f64,
    /// What all samples are multiplied with.
    pub gain: f32,
    /// How the rates of the chips become that of the output.
    pub resampling: Resampling,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            rate: LOG_RATE,
            loops: 2,
            fade: 8.0,
            gain: 1.0,
            resampling: Resampling::Mean,
        }
    }
}

/// A song that sounds: frames of left and right, with a full scale of 1.
pub struct Renderer {
    song: Arc<Song>,
    sequencer: Sequencer,
    voices: Vec<Voice>,
    rate: u32,
    gain: f32,
    /// Samples of the log that the frames so far stand for, and those behind them that are quiet.
    log: u64,
    /// Frames so far.
    done: u64,
    /// The frames of the whole song.
    length: u64,
    /// The frame with which the fade begins.
    fade_from: u64,
    budget: Budget,
}

impl Renderer {
    /// Makes the chips of a song's machine. This takes some 100 KB, and the pages of their memories
    /// as data come to them: no more than [`MAX_BYTES`](crate::song::MAX_BYTES) from data blocks,
    /// and the RAM that registers fill (256 KiB of a YM2608 or Y8950, 2 MiB of a YMF278B).
    pub fn new(song: impl Into<Arc<Song>>, options: &Options) -> Self {
        let song = song.into();
        let rate = options.rate.max(1);
        let voices = song
            .chips
            .iter()
            .map(|chip| Voice::new(chip, rate, options.resampling))
            .collect();
        let length = Self::length_of(&song, options);
        let fade_from = frames(song.length(options.loops), rate);
        let gain = options.gain * song.volume;
        Renderer {
            song,
            sequencer: Sequencer::default(),
            voices,
            rate,
            gain,
            log: 0,
            done: 0,
            length,
            fade_from,
            budget: Budget::default(),
        }
    }

    /// The frames of a song that is rendered like this.
    pub fn length_of(song: &Song, options: &Options) -> u64 {
        let rate = options.rate.max(1);
        let fade = match song.loop_start {
            Some(_) => (options.fade.max(0.0) * f64::from(rate)) as u64,
            None => 0,
        };
        frames(song.length(options.loops), rate).saturating_add(fade)
    }

    /// About how much work a song is, to compare it with others. A minute of one machine is as much
    /// as nine minutes of another.
    pub fn work_of(song: &Song, options: &Options) -> u64 {
        let chips: u64 = song.chips.iter().map(work).sum();
        Self::length_of(song, options).saturating_mul(chips)
    }

    /// The song.
    pub fn song(&self) -> &Song {
        &self.song
    }

    /// The song, without its chips.
    pub fn into_song(self) -> Arc<Song> {
        self.song
    }

    /// The frames of the whole song.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The frames so far.
    pub fn position(&self) -> u64 {
        self.done
    }

    /// Whether the song wants to do more than any machine could, and has been given up: what is
    /// left of it is silent. Without that, a log of some bytes could keep a program busy for days.
    pub fn is_overworked(&self) -> bool {
        self.budget.is_overspent()
    }

    /// Makes the next frames, and returns how many: fewer than there is room for at the end.
    pub fn fill(&mut self, frames_out: &mut [[f32; 2]]) -> usize {
        self.fill_and_tell(frames_out, &mut |_| {})
    }

    /// As [`fill`](Self::fill), and tells `each` of every write to a register.
    pub fn fill_and_tell(
        &mut self,
        frames_out: &mut [[f32; 2]],
        each: &mut dyn FnMut(RegisterWrite),
    ) -> usize {
        let left = usize::try_from(self.length - self.done).unwrap_or(usize::MAX);
        let wanted = frames_out.len().min(left);
        let frames_out = &mut frames_out[..wanted];
        frames_out.fill([0.0; 2]);
        let mut filled = 0;
        while filled < wanted {
            let known = frames(self.log, self.rate).saturating_sub(self.done);
            if known == 0 {
                self.go_on(each);
                continue;
            }
            let part = usize::try_from(known).unwrap_or(usize::MAX);
            let part = part.min(wanted - filled);
            let room = &mut frames_out[filled..filled + part];
            for voice in &mut self.voices {
                voice.add_to(room);
            }
            self.set_level(room);
            self.done += part as u64;
            filled += part;
        }
        filled
    }

    /// Goes on to a frame of the song without a sound, and makes all writes on the way. What the
    /// chips do between writes, such as the decay of a note, is left out. A frame that has been
    /// made changes nothing.
    pub fn skip_to(&mut self, frame: u64) {
        let frame = frame.min(self.length);
        while frames(self.log, self.rate) < frame {
            self.go_on(&mut |_| {});
            for voice in &mut self.voices {
                voice.write_all();
            }
        }
        self.done = self.done.max(frame);
    }

    /// Does what happens next, and makes the quiet time behind it known.
    fn go_on(&mut self, each: &mut dyn FnMut(RegisterWrite)) {
        if self.is_overworked() {
            self.log += u64::from(LOG_RATE);
            return;
        }
        let Renderer {
            song,
            sequencer,
            voices,
            budget,
            ..
        } = self;
        let quiet = sequencer.next(song, budget, |action| match action {
            Action::Write(write) => {
                voices[usize::from(write.chip)].write(write);
                each(write);
            }
            Action::Load(place) => {
                let block = &song.memory[place as usize];
                voices[usize::from(block.chip)].load(block);
            }
        });
        // The length is that of the log, so its end is reached only where the rounding of the last
        // frame wants a sample more.
        let quiet = quiet.unwrap_or(u64::from(LOG_RATE));
        self.log += quiet;
        self.budget.earn(quiet);
    }

    fn set_level(&self, room: &mut [[f32; 2]]) {
        let fade = self.length - self.fade_from;
        for (frame, place) in room.iter_mut().zip(self.done..) {
            let mut level = self.gain;
            if place >= self.fade_from {
                let left = (self.length - place) as f64 / fade as f64;
                // The ear takes the square for an even fall.
                level *= (left * left) as f32;
            }
            frame[0] *= level;
            frame[1] *= level;
        }
    }
}

/// The frames of an output for samples of the log.
fn frames(samples: u64, rate: u32) -> u64 {
    let frames = u128::from(samples) * u128::from(rate) / u128::from(LOG_RATE);
    u64::try_from(frames).unwrap_or(u64::MAX)
}
