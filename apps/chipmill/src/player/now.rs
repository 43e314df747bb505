//! What is playing now, for all threads to read.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// The voices that a screen can show.
pub const VOICES: usize = 64;

/// What is playing now. Each number is a value of its own: a reader that sees one of them before
/// another shows a screen that is right a moment later. That is why all accesses are relaxed.
#[derive(Debug)]
pub struct Now {
    song: AtomicUsize,
    frame: AtomicU64,
    length: AtomicU64,
    volume: AtomicI32,
    paused: AtomicBool,
    looped: AtomicBool,
    ended: AtomicBool,
    underruns: AtomicU64,
    /// How many times each voice has been struck.
    strikes: [AtomicU32; VOICES],
    /// Bit by bit, which voices sound.
    held: AtomicU64,
    /// What changes with the song.
    text: Mutex<Text>,
}

/// What a screen says of a song.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    /// The title, or the name of the file.
    pub title: String,
    /// The game and the author.
    pub subtitle: String,
    /// The names of the voices.
    pub voices: Vec<String>,
    /// What was wrong with the last song, if it could not be played.
    pub problem: Option<String>,
}

impl Default for Now {
    fn default() -> Self {
        Now {
            song: AtomicUsize::new(0),
            frame: AtomicU64::new(0),
            length: AtomicU64::new(0),
            volume: AtomicI32::new(0),
            paused: AtomicBool::new(false),
            looped: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            underruns: AtomicU64::new(0),
            strikes: std::array::from_fn(|_| AtomicU32::new(0)),
            held: AtomicU64::new(0),
            text: Mutex::default(),
        }
    }
}

/// A getter and a setter of an atomic. Relaxed: see [`Now`].
macro_rules! values {
    ($($(#[$doc:meta])* $name:ident, $set:ident: $type:ty;)*) => { $(
        $(#[$doc])*
        pub fn $name(&self) -> $type {
            self.$name.load(Ordering::Relaxed)
        }

        pub(super) fn $set(&self, value: $type) {
            self.$name.store(value, Ordering::Relaxed);
        }
    )* };
}

impl Now {
    values! {
        /// The song, by its place in the list.
        song, set_song: usize;
        /// The frame of the song that was rendered last.
        frame, set_frame: u64;
        /// The frames of the song.
        length, set_length: u64;
        /// The volume in decibels.
        volume, set_volume: i32;
        /// Whether the song stands still.
        paused, set_paused: bool;
        /// Whether the song is played again at its end.
        looped, set_looped: bool;
        /// Whether the last song has ended.
        ended, set_ended: bool;
        /// How many times the sink has waited for frames.
        underruns, set_underruns: u64;
        /// Which voices sound, bit by bit.
        held, set_held: u64;
    }

    /// How many times a voice has been struck.
    ///
    /// # Panics
    ///
    /// `voice` is [`VOICES`] or more.
    pub fn strikes(&self, voice: usize) -> u32 {
        // Relaxed: see [`Now`].
        self.strikes[voice].load(Ordering::Relaxed)
    }

    /// Takes note of a voice that is struck or let go.
    pub(super) fn strike(&self, voice: usize, on: bool) {
        let Some(strikes) = self.strikes.get(voice) else {
            return;
        };
        let bit = 1 << voice;
        // Relaxed: see [`Now`].
        if on {
            strikes.fetch_add(1, Ordering::Relaxed);
            self.held.fetch_or(bit, Ordering::Relaxed);
        } else {
            self.held.fetch_and(!bit, Ordering::Relaxed);
        }
    }

    /// What a screen says of the song.
    pub fn text(&self) -> Text {
        self.lock().clone()
    }

    pub(super) fn set_text(&self, text: Text) {
        *self.lock() = text;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Text> {
        // A text is replaced as a whole.
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
