//! What is played, and what is asked for meanwhile.

use std::collections::HashSet;
use std::sync::Arc;

use drumline::channel::mpsc;

use super::keys::Voices;
use super::now::{Now, Text};
use super::sink::{Sink, SinkError};
use crate::playlist::Entry;
use crate::render::{OVERWORKED, Options, Renderer};
use crate::song::{MissingChips, Song};

/// The frames that are rendered at a time: a fortieth of a second, so that a key is heard at once.
pub const BLOCK: usize = 1 << 10;

/// For how many seconds "previous" begins the same song again.
const RESTART: u64 = 3;

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// Stand still, or go on.
    Pause,
    /// The next song.
    Next,
    /// The beginning of the song, or, at its beginning, the song before it.
    Previous,
    /// This number of seconds forward, or back.
    Seek(i64),
    /// This number of decibels louder, or softer.
    Louder(i32),
    /// Play the song again at its end, or go on to the next one.
    Loop,
    /// Stop.
    Quit,
}

/// Plays a list of songs.
pub struct Engine {
    /// The songs, in order.
    pub songs: Vec<Entry>,
    /// What becomes of a song for a machine with a chip without a model.
    pub missing: MissingChips,
    /// How songs are rendered.
    pub options: Options,
    /// What is asked for. When its senders have gone, the list is played to its end.
    pub requests: mpsc::Receiver<Request>,
    /// For the screen.
    pub now: Arc<Now>,
    /// Where the songs are heard.
    pub sink: Box<dyn Sink>,
}

/// What comes after a song.
enum Then {
    Next,
    Previous,
    Quit,
    /// The song cannot be played: why.
    Broken(String),
}

impl Engine {
    /// Plays all songs. A song that cannot be played is left out, and [`Now::problems`] says why.
    ///
    /// # Errors
    ///
    /// The sink has failed.
    pub fn run(mut self) -> Result<(), SinkError> {
        let mut told = HashSet::new();
        let mut place = 0;
        let mut forward = true;
        let mut next = None;
        while let Some(entry) = self.songs.get(place) {
            let then = match entry.open(self.missing) {
                Ok(song) => {
                    self.now.set_song(place);
                    // What was wrong with a song before it stays on the screen.
                    let problem = self.now.text().problem;
                    self.now.set_text(Text {
                        problem,
                        ..text(entry, &song)
                    });
                    self.play(Arc::new(song), &mut next)?
                }
                Err(error) => Then::Broken(error.to_string()),
            };
            let then = match then {
                Then::Broken(what) => {
                    let problem = format!("{}: {what}", self.songs[place].label());
                    self.now.set_text(Text {
                        problem: Some(problem.clone()),
                        ..self.now.text()
                    });
                    // A song that the user comes back to is broken still.
                    if told.insert(place) {
                        self.now.add_problem(problem);
                    }
                    // On in the direction in which the user is looking for a song.
                    if forward || place == 0 {
                        Then::Next
                    } else {
                        Then::Previous
                    }
                }
                then => then,
            };
            forward = !matches!(then, Then::Previous);
            place = match then {
                Then::Next => place + 1,
                Then::Previous => place.saturating_sub(1),
                Then::Quit => break,
                Then::Broken(_) => unreachable!("it has become one of the others"),
            };
        }
        self.now.set_ended(true);
        self.sink.finish()
    }

    /// Plays a song. `next` is a request that has been received and not obeyed.
    fn play(&mut self, song: Arc<Song>, next: &mut Option<Request>) -> Result<Then, SinkError> {
        let mut renderer = Renderer::new(Arc::clone(&song), &self.options);
        let mut voices = Voices::new(&song.chips);
        let mut block = [[0.0; 2]; BLOCK];
        self.now.set_length(renderer.length());
        self.now.set_frame(0);
        self.now.let_go();
        loop {
            while let Some(mut request) = next.take().or_else(|| self.request()) {
                let is_seek = matches!(request, Request::Seek(_));
                if let Request::Seek(seconds) = &mut request {
                    *next = self.further(seconds);
                }
                if let Some(then) = self.obey(request, &song, &mut renderer, &mut voices) {
                    return Ok(then);
                }
                // Sound between two of them: the way to a place takes a while, and a key that is
                // held comes again meanwhile.
                if is_seek && !self.now.paused() {
                    break;
                }
            }
            let now = &self.now;
            let filled = renderer.fill_and_tell(&mut block, &mut |write| {
                voices.write(write, |key| now.strike(key.voice, key.on));
            });
            voices.pass(|key| now.strike(key.voice, key.on));
            if renderer.is_overworked() {
                return Ok(Then::Broken(OVERWORKED.to_owned()));
            }
            let volume = 10_f32.powf(now.volume() as f32 / 20.0);
            for sample in block[..filled].as_flattened_mut() {
                *sample *= volume;
            }
            self.sink.write(&block[..filled])?;
            now.set_frame(renderer.position());
            now.set_underruns(self.sink.underruns());
            if filled < BLOCK {
                // A song without a frame would repeat without end, and keep a processor busy.
                if !now.looped() || renderer.length() == 0 {
                    return Ok(Then::Next);
                }
                renderer = Renderer::new(Arc::clone(&song), &self.options);
                voices = Voices::new(&song.chips);
                now.let_go();
            }
        }
    }

    /// The next request, for which a song that stands still waits.
    fn request(&mut self) -> Option<Request> {
        if !self.now.paused() {
            return self.requests.try_recv().ok();
        }
        self.sink.pause();
        match self.requests.recv() {
            Ok(request) => Some(request),
            // No key can be pressed any more.
            Err(_) => {
                self.now.set_paused(false);
                None
            }
        }
    }

    /// Adds the seconds of all seeks in the same direction that follow. Returns the request behind
    /// them.
    fn further(&mut self, seconds: &mut i64) -> Option<Request> {
        while let Ok(request) = self.requests.try_recv() {
            match request {
                Request::Seek(more) if more.signum() == seconds.signum() => {
                    *seconds = seconds.saturating_add(more);
                }
                request => return Some(request),
            }
        }
        None
    }

    /// Does what is asked for, and returns what comes next if the song is over.
    fn obey(
        &self,
        request: Request,
        song: &Arc<Song>,
        renderer: &mut Renderer,
        voices: &mut Voices,
    ) -> Option<Then> {
        let rate = u64::from(self.options.rate);
        match request {
            Request::Pause => self.now.set_paused(!self.now.paused()),
            Request::Loop => self.now.set_looped(!self.now.looped()),
            Request::Louder(by) => {
                let volume = self.now.volume().saturating_add(by);
                self.now.set_volume(volume.clamp(-60, 12));
            }
            Request::Seek(seconds) => {
                let frames = seconds.saturating_mul(rate as i64);
                let to = renderer.position().saturating_add_signed(frames);
                if to < renderer.position() {
                    *renderer = Renderer::new(Arc::clone(song), &self.options);
                }
                renderer.skip_to(to);
                voices.skip();
                self.now.let_go();
                self.now.set_frame(renderer.position());
            }
            Request::Next => return Some(Then::Next),
            Request::Previous if renderer.position() < RESTART * rate => {
                return Some(Then::Previous);
            }
            Request::Previous => {
                *renderer = Renderer::new(Arc::clone(song), &self.options);
                *voices = Voices::new(&song.chips);
                self.now.let_go();
                self.now.set_frame(0);
            }
            Request::Quit => return Some(Then::Quit),
        }
        None
    }
}

fn text(entry: &Entry, song: &Song) -> Text {
    let tags = entry.tags(song);
    let parts = [tags.album, tags.artist, tags.system];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Text {
        title: tags.title.unwrap_or_else(|| entry.stem()),
        subtitle: parts.join(" - "),
        voices: Voices::new(&song.chips).names(),
        problem: None,
    }
}
