//! The player without a screen.

mod small_songs;

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use chipmill::player::{Engine, Now, Request, Sink, SinkError, WavSink};
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
    engine: JoinHandle<Result<(), SinkError>>,
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

/// What is heard behind a place is what a renderer makes that has gone there.
#[test]
fn seeking_is_heard() {
    let songs = tempfile::tempdir().unwrap();
    let path = write(songs.path(), "a.vgm", 100);
    let played = play(songs.path());
    played.blocks(1);
    played.ask(Request::Seek(5));
    played.blocks(1);
    // Back to a place that is not the beginning.
    played.ask(Request::Seek(-2));
    played.blocks(1);
    let heard = played.frames.lock().unwrap().clone();
    let there = |mut renderer: Renderer, frame: u64| {
        renderer.skip_to(frame);
        let mut frames = vec![[0.0; 2]; 2048];
        assert_eq!(renderer.fill(&mut frames), frames.len());
        frames
    };
    let song = Arc::new(Song::open(&path, MissingChips::Refuse).unwrap());
    let new = || Renderer::new(Arc::clone(&song), &Options::default());
    let mut begun = new();
    let mut beginning = vec![[0.0; 2]; 2048];
    begun.fill(&mut beginning);
    let forward = there(begun, 2048 + 5 * 44_100);
    let back = there(new(), 2 * 2048 + 3 * 44_100);
    assert!(heard.iter().flatten().any(|&sample| sample != 0.0));
    assert_eq!(heard, [&beginning[..], &forward, &back[..1024]].concat());
    played.keys.send(Request::Quit).unwrap();
    played.rest();
}

/// Keys that have come while a place was looked for are one way to one place, and sound comes
/// before the way back.
#[test]
fn seeks_that_wait_are_one_and_others_come_after_sound() {
    let songs = tempfile::tempdir().unwrap();
    let path = write(songs.path(), "a.vgm", 100);
    let played = play(songs.path());
    for seconds in [2, 3, -1] {
        played.keys.send(Request::Seek(seconds)).unwrap();
    }
    played.blocks(2);
    let heard = played.frames.lock().unwrap().clone();
    assert_eq!(played.now.frame(), 1024 + 4 * 44_100 + 1024);
    let song = Song::open(&path, MissingChips::Refuse).unwrap();
    let mut renderer = Renderer::new(song, &Options::default());
    let mut frames = vec![[0.0; 2]; 2048];
    renderer.fill(&mut frames[..1024]);
    renderer.skip_to(1024 + 5 * 44_100);
    renderer.fill(&mut frames[1024..]);
    assert_eq!(heard, frames);
    played.keys.send(Request::Quit).unwrap();
    played.rest();
}

/// A request that has been taken from the keys behind a seek is obeyed, also when the song ends
/// before.
#[test]
fn a_request_behind_a_seek_to_the_end_is_not_lost() {
    let songs = tempfile::tempdir().unwrap();
    let one = write(songs.path(), "a.vgm", 10);
    write(songs.path(), "b.vgm", 10);
    let played = play(songs.path());
    for request in [Request::Seek(1000), Request::Quit] {
        played.keys.send(request).unwrap();
    }
    let now = Arc::clone(&played.now);
    let frames = played.rest();
    assert_eq!(frames, rendered(&one)[..1024]);
    assert_eq!(now.song(), 1);
}

#[test]
fn six_decibels_less_are_half_as_loud() {
    let songs = tempfile::tempdir().unwrap();
    let frames = rendered(&write(songs.path(), "a.vgm", 20));
    let played = play(songs.path());
    played.ask(Request::Louder(-6));
    played.blocks(1);
    played.ask(Request::Louder(12));
    let heard = played.rest();
    assert_eq!(heard.len(), frames.len());
    let loudest = |frames: &[[f32; 2]]| {
        let samples = frames.as_flattened().iter().map(|sample| sample.abs());
        samples.fold(0.0, f32::max)
    };
    // A block at each volume, and the rest.
    for (range, expected) in [
        (0..1024, 1.0),
        (1024..3072, 0.501),
        (3072..frames.len(), 1.995),
    ] {
        let ratio = loudest(&heard[range.clone()]) / loudest(&frames[range]);
        assert!((ratio - expected).abs() < 0.001, "{ratio} {expected}");
    }
    for (heard, frame) in heard[1024..3072].iter().zip(&frames[1024..]) {
        let factor = 10_f32.powf(-0.3);
        let differs = |side: usize| (heard[side] - frame[side] * factor).abs() > 1e-6;
        assert!(!differs(0) && !differs(1), "{heard:?} {frame:?}");
    }
}

#[test]
fn a_song_that_repeats_is_heard_again() {
    let songs = tempfile::tempdir().unwrap();
    // Of 13 blocks.
    let frames = rendered(&write(songs.path(), "a.vgm", 3));
    let played = play(songs.path());
    played.ask(Request::Loop);
    assert!(played.now.looped());
    played.blocks(17);
    // In the second time, which is the last one.
    played.ask(Request::Loop);
    assert!(!played.now.looped());
    assert_eq!(played.rest(), [&frames[..], &frames].concat());
}

#[test]
fn previous_begins_a_song_again_after_three_seconds() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 1);
    let frames = rendered(&write(songs.path(), "b.vgm", 100));
    let played = play(songs.path());
    played.keys.send(Request::Next).unwrap();
    played.blocks(3 * 44_100 / 1024 + 2);
    assert_eq!(played.now.song(), 1);
    let before = played.frames.lock().unwrap().len();
    // One more block, and the one that has been made already.
    played.ask(Request::Previous);
    assert_eq!(played.now.song(), 1);
    played.blocks(1);
    let heard = played.frames.lock().unwrap()[before..].to_vec();
    let again = [&frames[before - 1024..][..1024], &frames[..1024]].concat();
    assert_eq!(heard, again);
    played.keys.send(Request::Quit).unwrap();
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

/// As a file may be one that was there before.
#[test]
fn broken_songs_alone_leave_the_file_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let song = directory.path().join("a.vgm");
    std::fs::write(&song, b"nothing").unwrap();
    let target = directory.path().join("a.wav");
    std::fs::write(&target, b"older").unwrap();
    let (_keys, requests) = mpsc::unbounded();
    let now = Arc::new(Now::default());
    let engine = Engine {
        songs: expand(&[&song]).entries,
        missing: MissingChips::Refuse,
        options: Options::default(),
        requests,
        now: Arc::clone(&now),
        sink: Box::new(WavSink::create(&target, 44_100).unwrap()),
    };
    assert!(matches!(engine.run(), Err(SinkError::Empty(path)) if path == target));
    assert_eq!(now.problems().len(), 1);
    assert_eq!(std::fs::read(&target).unwrap(), b"older");
    assert_eq!(directory.path().read_dir().unwrap().count(), 2);
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
    engine.run().unwrap();
    assert_eq!(now.problems(), [""; 0]);
    assert!(now.ended());
}
