//! The player without a screen.

mod small_songs;

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use chipmill::player::{Engine, Now, Request, Sink, SinkError};
use chipmill::playlist::expand;
use chipmill::render::{Options, Renderer};
use chipmill::song::{MissingChips, Song};
use drumline::channel::mpsc;
use small_songs::write;

/// A sink that says when a block has come, takes it when it is permitted to, and keeps the frames.
struct Stepped {
    permits: Receiver<()>,
    frames: Arc<Mutex<Vec<[f32; 2]>>>,
    come: Sender<()>,
}

impl Sink for Stepped {
    fn write(&mut self, frames: &[[f32; 2]]) -> Result<(), SinkError> {
        // A test that has gone neither looks nor permits: the rest is taken at once.
        let _ = self.come.send(());
        let _ = self.permits.recv();
        self.frames.lock().unwrap().extend_from_slice(frames);
        Ok(())
    }
}

struct Played {
    keys: mpsc::Sender<Request>,
    permits: Sender<()>,
    come: Receiver<()>,
    frames: Arc<Mutex<Vec<[f32; 2]>>>,
    now: Arc<Now>,
    engine: JoinHandle<Result<Vec<String>, SinkError>>,
}

fn play(songs: &Path) -> Played {
    let (keys, requests) = mpsc::unbounded();
    let (permits, permitted) = channel();
    let (comes, come) = channel();
    let frames = Arc::new(Mutex::new(Vec::new()));
    let now = Arc::new(Now::default());
    let engine = Engine {
        songs: expand(&[songs]).entries,
        missing: MissingChips::Refuse,
        options: Options::default(),
        requests,
        now: now.clone(),
        sink: Box::new(Stepped {
            permits: permitted,
            frames: frames.clone(),
            come: comes,
        }),
    };
    let engine = thread::spawn(move || engine.run());
    come.recv().unwrap();
    Played {
        keys,
        permits,
        come,
        frames,
        now,
        engine,
    }
}

impl Played {
    /// Lets `count` blocks be heard, and waits for the one after them.
    fn blocks(&self, count: usize) {
        for _ in 0..count {
            self.permits.send(()).unwrap();
            self.come.recv().unwrap();
        }
    }

    /// Asks while a block waits, which is heard before the request is seen.
    fn ask(&self, request: Request) {
        self.keys.send(request).unwrap();
        self.blocks(1);
    }

    /// Ends the keys, lets the rest be heard, and returns all frames.
    fn rest(self) -> Vec<[f32; 2]> {
        drop((self.keys, self.permits));
        self.engine.join().unwrap().unwrap();
        assert!(self.now.ended());
        std::mem::take(&mut self.frames.lock().unwrap())
    }
}

fn rendered(path: &Path) -> Vec<[f32; 2]> {
    let song = Song::open(path, MissingChips::Refuse).unwrap();
    let mut renderer = Renderer::new(song, &Options::default());
    let mut frames = vec![[0.0; 2]; renderer.length() as usize];
    assert_eq!(renderer.fill(&mut frames), frames.len());
    frames
}

#[test]
fn what_is_played_is_what_is_rendered() {
    let songs = tempfile::tempdir().unwrap();
    let one = write(songs.path(), "a.vgm", 3);
    let two = write(songs.path(), "b.vgm", 5);
    let frames = play(songs.path()).rest();
    assert_eq!(frames, [rendered(&one), rendered(&two)].concat());
}

#[test]
fn keys_change_the_song() {
    let songs = tempfile::tempdir().unwrap();
    let one = write(songs.path(), "a.vgm", 100);
    let two = write(songs.path(), "b.vgm", 5);
    let played = play(songs.path());
    played.blocks(2);
    assert_eq!(played.now.song(), 0);
    assert_eq!(played.now.text().title, "a");
    assert!(played.now.strikes(0) > 0);
    played.ask(Request::Next);
    assert_eq!(played.now.song(), 1);
    played.blocks(1);
    played.ask(Request::Previous);
    assert_eq!(played.now.song(), 0);
    let heard = played.frames.lock().unwrap().clone();
    let (a, b) = (rendered(&one), rendered(&two));
    assert_eq!(heard, [&a[..3072], &b[..2048]].concat());
    played.keys.send(Request::Quit).unwrap();
    let frames = played.rest();
    assert_eq!(frames, [&heard, &a[..1024]].concat());
}

#[test]
fn seeking_goes_both_ways() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 100);
    let played = play(songs.path());
    played.blocks(1);
    // At 2,048 frames, and then the block behind the place.
    played.ask(Request::Seek(5));
    played.blocks(1);
    assert_eq!(played.now.frame(), 2048 + 5 * 44_100 + 1024);
    played.ask(Request::Seek(-100));
    played.blocks(1);
    assert_eq!(played.now.frame(), 1024);
    // Behind the end there is nothing.
    played.keys.send(Request::Seek(1_000_000)).unwrap();
    played.rest();
}

#[test]
fn a_song_that_stands_still_makes_no_frames() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 50);
    let played = play(songs.path());
    played.keys.send(Request::Pause).unwrap();
    played.permits.send(()).unwrap();
    // No block comes, so the answer is waited for in what the screen reads.
    played.keys.send(Request::Louder(-6)).unwrap();
    while played.now.volume() == 0 {
        thread::yield_now();
    }
    assert!(played.now.paused());
    assert_eq!(played.frames.lock().unwrap().len(), 1024);
    assert!(played.come.try_recv().is_err());
    played.keys.send(Request::Pause).unwrap();
    played.come.recv().unwrap();
    assert!(!played.now.paused());
    played.rest();
}

/// A song that cannot be played is left out, in the direction in which the user goes.
#[test]
fn a_broken_song_is_left_out() {
    let songs = tempfile::tempdir().unwrap();
    let one = write(songs.path(), "a.vgm", 2);
    std::fs::write(songs.path().join("b.vgm"), b"nothing").unwrap();
    let three = write(songs.path(), "c.vgm", 2);
    let played = play(songs.path());
    let now = Arc::clone(&played.now);
    let frames = played.rest();
    assert_eq!(frames, [rendered(&one), rendered(&three)].concat());
    assert_eq!(now.song(), 2);
    // What was wrong is said until the end.
    let problem = now.text().problem.unwrap();
    assert!(problem.contains("b.vgm: is no register log"), "{problem}");
}

/// A log that repeats 70,000 writes after each sample would never come to its next block.
#[test]
fn a_song_that_does_more_than_a_machine_could_is_left_out() {
    let songs = tempfile::tempdir().unwrap();
    let mut log = b"Vgm ".to_vec();
    log.resize(0x100, 0);
    for (field, value) in [
        (0x08, 0x171),
        // The clock of an SN76489, and where the commands and the loop begin.
        (0x0c, 3_579_545),
        (0x34, 0x100 - 0x34),
        (0x1c, 0x100 - 0x1c_u32),
    ] {
        log[field..field + 4].copy_from_slice(&value.to_le_bytes());
    }
    log.extend([0x50, 0x9f].repeat(70_000));
    log.extend([0x70, 0x66]);
    std::fs::write(songs.path().join("a.vgm"), log).unwrap();
    let after = write(songs.path(), "b.vgm", 2);
    let played = play(songs.path());
    let now = Arc::clone(&played.now);
    assert_eq!(played.rest(), rendered(&after));
    let problem = now.text().problem.unwrap();
    assert!(problem.contains("no machine could"), "{problem}");
}

/// A sink that has enough of blocks after some.
struct Few(usize);

impl Sink for Few {
    fn write(&mut self, _: &[[f32; 2]]) -> Result<(), SinkError> {
        self.0 = self.0.checked_sub(1).ok_or(SinkError::NoProgram)?;
        Ok(())
    }
}

#[test]
fn a_song_without_frames_is_not_repeated() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 0);
    let (keys, requests) = mpsc::unbounded();
    keys.send(Request::Loop).unwrap();
    drop(keys);
    let now = Arc::new(Now::default());
    let engine = Engine {
        songs: expand(&[songs.path()]).entries,
        missing: MissingChips::Refuse,
        options: Options::default(),
        requests,
        now: now.clone(),
        sink: Box::new(Few(10)),
    };
    assert_eq!(engine.run().unwrap(), [""; 0]);
    assert!(now.ended());
}
