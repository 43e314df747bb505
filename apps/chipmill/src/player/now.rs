//! What is playing now, for all threads to read.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// The most voices of a machine: enough for two of each chip that there is.
pub const VOICES: usize = 512;

/// What is playing now. Each number is a value of its own: a reader that sees one of them before
/// another shows a screen that is right a moment later. That is why accesses to them are relaxed.
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
    /// How many times each voice has been struck, times two, and whether it is held.
    voices: [AtomicU32; VOICES],
    /// What changes with the song.
    text: Mutex<Text>,
    /// How many times the text has been replaced: a screen looks at it 25 times a second, and reads
    /// the text only after a change.
    texts: AtomicU64,
    /// What was wrong with each song that could not be played.
    problems: Mutex<Vec<String>>,
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
            voices: std::array::from_fn(|_| AtomicU32::new(0)),
            text: Mutex::default(),
            texts: AtomicU64::new(0),
            problems: Mutex::default(),
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
    }

    /// How many times a voice has been struck. The number begins again at 2^31.
    ///
    /// # Panics
    ///
    /// `voice` is [`VOICES`] or more.
    pub fn strikes(&self, voice: usize) -> u32 {
        self.strikes_and_held(voice).0
    }

    /// How many times a voice has been struck, and whether it has not been let go since.
    ///
    /// # Panics
    ///
    /// `voice` is [`VOICES`] or more.
    pub fn strikes_and_held(&self, voice: usize) -> (u32, bool) {
        // Relaxed: see [`Now`].
        let state = self.voices[voice].load(Ordering::Relaxed);
        (state / 2, state % 2 == 1)
    }

    /// Takes note of a voice that is struck or let go.
    pub(super) fn strike(&self, voice: usize, on: bool) {
        let Some(voice) = self.voices.get(voice) else {
            return;
        };
        // Relaxed: see [`Now`].
        if on {
            voice.fetch_or(1, Ordering::Relaxed);
            voice.fetch_add(2, Ordering::Relaxed);
        } else {
            voice.fetch_and(!1, Ordering::Relaxed);
        }
    }

    /// Takes note that no voice is held any more.
    pub(super) fn let_go(&self) {
        for voice in 0..VOICES {
            self.strike(voice, false);
        }
    }

    /// What a screen says of the song.
    pub fn text(&self) -> Text {
        self.lock().clone()
    }

    /// The same, if it is another text than the one with the number `seen`, which becomes that of
    /// the text. A screen that has seen none says 0.
    pub fn new_text(&self, seen: &mut u64) -> Option<Text> {
        // Acquire, with the Release of `set_text`: the text of this number, or a later one, is
        // there. A later one is read again with the next picture.
        let texts = self.texts.load(Ordering::Acquire);
        if std::mem::replace(seen, texts) == texts {
            return None;
        }
        Some(self.text())
    }

    pub(super) fn set_text(&self, text: Text) {
        *self.lock() = text;
        // Release: see `new_text`.
        self.texts.fetch_add(1, Ordering::Release);
    }

    /// What was wrong with each song that could not be played so far, in the order in which they
    /// came. A player that ends in a hurry says it without its engine.
    pub fn problems(&self) -> Vec<String> {
        self.lock_problems().clone()
    }

    pub(super) fn add_problem(&self, what: String) {
        self.lock_problems().push(what);
    }

    fn lock_problems(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        // A problem is added as a whole.
        self.problems.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Text> {
        // A text is replaced as a whole.
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strikes_are_counted_whether_a_voice_is_held_or_not() {
        let now = Now::default();
        for strikes in 1..=3 {
            now.strike(VOICES - 1, true);
            assert_eq!(now.strikes_and_held(VOICES - 1), (strikes, true));
        }
        now.strike(VOICES - 1, false);
        now.strike(VOICES - 1, false);
        assert_eq!(now.strikes_and_held(VOICES - 1), (3, false));
        now.strike(5, true);
        now.let_go();
        assert_eq!(now.strikes_and_held(5), (1, false));
        // One that no screen has.
        now.strike(VOICES, true);
    }

    #[test]
    fn a_text_is_new_once() {
        let now = Now::default();
        let mut seen = 0;
        assert_eq!(now.new_text(&mut seen), None);
        let text = Text {
            title: "a".to_owned(),
            ..Text::default()
        };
        now.set_text(text.clone());
        assert_eq!(now.new_text(&mut seen), Some(text.clone()));
        assert_eq!(now.new_text(&mut seen), None);
        now.set_text(text.clone());
        assert_eq!(now.new_text(&mut seen), Some(text));
    }

    /// A screen that does not look at the lock when there is no other text.
    #[test]
    fn a_picture_without_another_text_takes_no_lock() {
        let now = Now::default();
        let mut seen = 0;
        let _locked = now.lock();
        assert_eq!(now.new_text(&mut seen), None);
    }
}
