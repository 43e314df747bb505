//! `chipmill play`: songs in the terminal.

mod canvas;
mod screen;
mod terminal;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use chipmill::player::{
    Engine, Now, NullSink, ProcessSink, Request, Sink, SinkError, Stopper, Unfinished, WavSink,
};
use chipmill::playlist::Input;
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use drumline::channel;

use super::lines::{Lines, takes_errors};
use super::songs::{Songs, error_line, report};
use super::sound::Sound;
use super::{signals, status};
use terminal::Terminal;

/// The options of `play`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    songs: Songs,
    /// Where it is heard: `auto` (pw-cat, pacat or aplay), `device` (without any of these, if
    /// chipmill was built with the feature `cpal`), `null` (nowhere, at the same pace), or a file
    /// that ends with .wav.
    #[arg(
        long,
        default_value = "auto",
        value_name = "WHERE",
        value_parser = OsStringValueParser::new().try_map(Audio::parse)
    )]
    audio: Audio,
    #[command(flatten)]
    sound: Sound,
}

/// Where the songs are heard.
#[derive(Clone)]
enum Audio {
    Auto,
    Device,
    Null,
    File(PathBuf),
}

impl Audio {
    fn parse(text: OsString) -> Result<Self, String> {
        let path = Path::new(&text);
        match text.to_str() {
            Some("auto") => Ok(Audio::Auto),
            Some("device") => Ok(Audio::Device),
            Some("null") => Ok(Audio::Null),
            _ if path
                .extension()
                .is_some_and(|end| end.eq_ignore_ascii_case("wav")) =>
            {
                Ok(Audio::File(path.to_owned()))
            }
            _ => Err("`auto`, `device`, `null` or a file that ends with .wav is wanted".to_owned()),
        }
    }
}

/// How long the program waits at its end for the last frames to be heard.
const LAST_FRAMES: Duration = Duration::from_millis(40);

/// How long it waits then for a file to be whole that the engine has not ended, or for an engine
/// whose program has been ended.
const LAST_BYTES: Duration = Duration::from_millis(30);

/// How long after the user's wish for an end the terminal may take to be as it was before. What the
/// sound takes passes meanwhile.
const LAST_PICTURE: Duration = Duration::from_millis(70);

/// How long it may take when the list has ended: there is no hurry.
const LAST_PICTURE_OF_ALL: Duration = Duration::from_secs(2);

/// How often it is looked whether a signal has come, where there is no screen.
const LOOK: Duration = Duration::from_millis(40);

/// What is done with the sound when it is over before its time.
enum AtEnd {
    /// A program that plays is ended.
    Stop(Stopper),
    /// A file gets what is missing, or is removed.
    Finish(Unfinished),
    /// It ends with the program.
    Nothing,
}

/// What playing comes to.
type Played = Result<(), SinkError>;

/// What the engine says at its end.
type Ended = std::sync::mpsc::Receiver<Played>;

/// Plays the songs.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (songs, wrong) = arguments.songs.entries()?;
    let has_keys = io::stdin().is_terminal();
    let has_screen = io::stdout().is_terminal() && has_keys;
    ensure!(
        !(has_keys && songs.iter().any(|song| song.input == Input::Stdin)),
        "`-` is a song on standard input, and standard input is the terminal: name a file, or \
         `chipmill play - < FILE`"
    );
    if songs.is_empty() {
        // What was named is reported. A file that is there stays as it is.
        return Ok(status(wrong.len(), false));
    }
    if let Audio::File(file) = &arguments.audio {
        ensure!(
            !songs
                .iter()
                .any(|song| song.path().is_some_and(|path| is_the_same(path, file))),
            "{}: is one of the songs, and would be replaced; choose another name",
            file.display()
        );
    }
    let signalled = signals::listen()?;
    let (keys, requests) = channel::mpsc::unbounded();
    let now = Arc::new(Now::default());
    let count = songs.len();
    let (sink, at_end) = sink(arguments)?;
    let engine = Engine {
        songs,
        missing: arguments.songs.missing(),
        options: arguments.sound.options(),
        requests,
        now: Arc::clone(&now),
        sink,
    };
    let (ends, ended) = std::sync::mpsc::channel();
    let playing = thread::Builder::new()
        .name("chipmill engine".to_owned())
        .spawn(move || {
            let result = engine.run();
            // After `q` the program does not wait for long.
            let _ = ends.send(result);
        })
        .context("no thread for the sound can be started")?;
    // Whether what is reported is seen, and whether the user is in a hurry.
    let (mut is_seen, mut is_early) = (true, false);
    let result = if has_screen {
        let started = Terminal::start(&now, count, arguments.sound.rate, &keys);
        let mut terminal = match started {
            Ok(terminal) => terminal,
            Err(error) => {
                // The file is ended, or removed, all the same; the error is that of the terminal.
                let _ = keys.send(Request::Quit);
                let _ = last_frames(&ended, &at_end);
                return Err(error);
            }
        };
        is_early = terminal.wait(&playing, &signalled);
        let since = Instant::now();
        // An engine that has gone has ended already.
        let _ = keys.send(Request::Quit);
        let (result, limit) = match is_early {
            true => (last_frames(&ended, &at_end), LAST_PICTURE),
            false => (ended.recv().map_err(|_| panicked()), LAST_PICTURE_OF_ALL),
        };
        is_seen = terminal.end(since + limit)? || !io::stderr().is_terminal();
        result
    } else {
        loop {
            match ended.recv_timeout(LOOK) {
                Ok(result) => break Ok(result),
                Err(RecvTimeoutError::Disconnected) => break Err(panicked()),
                // Relaxed: the flag carries no data with it.
                Err(RecvTimeoutError::Timeout) if signalled.load(Ordering::Relaxed) => {
                    // An engine that has gone has ended already.
                    let _ = keys.send(Request::Quit);
                    break last_frames(&ended, &at_end);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    };
    // What was wrong with songs is known here whether the engine has come to its end or not.
    let mut problems = now.problems();
    // Relaxed: the flag carries no data with it. The program that plays can have got the signal,
    // too, and its end can be seen before the signal is.
    match result {
        Ok(Err(error)) if signalled.load(Ordering::Relaxed) && is_end_of_program(&error) => {}
        Ok(played) => problems.extend(played.err().map(|error| error.to_string())),
        Err(error) => problems.push(format!("{error:#}")),
    }
    // A terminal that takes no output would keep the program.
    if is_seen && !problems.is_empty() {
        tell(&problems, || {
            // Relaxed: as above. A line that is only late is waited for.
            (is_early || signalled.load(Ordering::Relaxed)) && !takes_errors()
        })?;
    }
    // Relaxed: as above.
    Ok(status(
        wrong.len() + problems.len(),
        signalled.load(Ordering::Relaxed),
    ))
}

/// Says what was wrong, and waits until it is written, or until it is given up.
fn tell(problems: &[String], is_given_up: impl FnMut() -> bool) -> io::Result<()> {
    let Ok(lines) = Lines::new() else {
        // Without a thread more, what is said is waited for.
        problems.iter().for_each(|what| report(what));
        return Ok(());
    };
    problems.iter().for_each(|what| lines.err(error_line(what)));
    lines.finish_unless(is_given_up)
}

/// Whether both are the same file, which is there.
fn is_the_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(one).is_some_and(|one| real(other) == Some(one))
}

fn panicked() -> anyhow::Error {
    anyhow!("the player has panicked")
}

/// The end of sound that was to end: no matter whether the program that plays was first.
fn end_as_wished(played: Played) -> Played {
    match played {
        Err(error) if is_end_of_program(&error) => Ok(()),
        played => played,
    }
}

/// Whether this is the end of the program that plays.
fn is_end_of_program(error: &SinkError) -> bool {
    matches!(error, SinkError::Program(..) | SinkError::NoneWorks(_))
}

/// Waits for the end of an engine that was told to end, but not for long.
fn last_frames(ended: &Ended, at_end: &AtEnd) -> Result<Played> {
    match ended.recv_timeout(LAST_FRAMES) {
        Ok(result) => Ok(end_as_wished(result)),
        Err(RecvTimeoutError::Timeout) => give_up(ended, at_end),
        Err(RecvTimeoutError::Disconnected) => Err(panicked()),
    }
}

/// Ends the sound without the engine, which is late.
fn give_up(ended: &Ended, at_end: &AtEnd) -> Result<Played> {
    match at_end {
        AtEnd::Stop(stopper) => {
            stopper.stop();
            // The engine ends without its program.
            if let Ok(result) = ended.recv_timeout(LAST_BYTES) {
                return Ok(end_as_wished(result));
            }
        }
        AtEnd::Finish(file) => return finish(ended, file),
        AtEnd::Nothing => {}
    }
    Ok(Ok(()))
}

/// Makes a file whole without the engine, which may be at a long song or at its own last bytes. A
/// file that is not whole in time is removed.
fn finish(ended: &Ended, file: &Unfinished) -> Result<Played> {
    let by = Instant::now() + LAST_BYTES;
    let (tells, told) = std::sync::mpsc::channel();
    let finished = file.clone();
    // A thread of its own: a disk that does not answer keeps it. One that cannot be started tells
    // nothing.
    let _ = thread::Builder::new()
        .name("chipmill file".to_owned())
        .spawn(move || tells.send(finished.finish()));
    let left = || by.saturating_duration_since(Instant::now());
    match told.recv_timeout(left()) {
        Ok(Ok(true)) => return Ok(Ok(())),
        Ok(Err(error)) => return Ok(Err(error)),
        // The engine is past its last frame.
        Ok(Ok(false)) => {
            if let Ok(result) = ended.recv_timeout(left()) {
                return Ok(end_as_wished(result));
            }
        }
        Err(_) => {}
    }
    file.give_up()?;
    // The file had its name just then, or has failed: that is said at once.
    match told.recv() {
        Ok(Ok(true)) => Ok(Ok(())),
        Ok(Err(error)) => Ok(Err(error)),
        Ok(Ok(false)) | Err(_) => ended.recv().map_err(|_| panicked()),
    }
}

fn sink(arguments: &Arguments) -> Result<(Box<dyn Sink>, AtEnd)> {
    let rate = arguments.sound.rate;
    match &arguments.audio {
        Audio::Null => Ok((Box::new(NullSink::new(rate)), AtEnd::Nothing)),
        Audio::Auto => {
            let sink = ProcessSink::start(rate)?;
            let at_end = AtEnd::Stop(sink.stopper());
            Ok((Box::new(sink), at_end))
        }
        Audio::Device => Ok((device(rate)?, AtEnd::Nothing)),
        Audio::File(path) => {
            let sink = WavSink::create(path, rate)?;
            let at_end = AtEnd::Finish(sink.unfinished());
            Ok((Box::new(sink), at_end))
        }
    }
}

#[cfg(feature = "cpal")]
fn device(rate: u32) -> Result<Box<dyn Sink>> {
    Ok(Box::new(chipmill::player::DeviceSink::start(rate)?))
}

#[cfg(not(feature = "cpal"))]
fn device(_rate: u32) -> Result<Box<dyn Sink>> {
    Err(anyhow!(
        "--audio device: this chipmill was built without it; build it with `--features cpal` (on \
         Linux that needs the headers of ALSA), or use `--audio auto`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An engine that says nothing, because it reads a song or goes to a place in it.
    #[test]
    fn a_file_is_whole_without_the_engine() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.wav");
        let mut sink = WavSink::create(&target, 8_000).unwrap();
        sink.write(&[[0.5; 2]; 100]).unwrap();
        let at_end = AtEnd::Finish(sink.unfinished());
        let (_ends, ended) = std::sync::mpsc::channel();
        // A machine that is slow may remove the file, which is said.
        match give_up(&ended, &at_end) {
            Ok(played) => {
                played.unwrap();
                assert_eq!(hound::WavReader::open(&target).unwrap().duration(), 100);
            }
            Err(error) => assert!(error.to_string().contains("could not be ended in time")),
        }
        drop(sink);
        let whole = usize::from(target.exists());
        assert_eq!(directory.path().read_dir().unwrap().count(), whole);
    }

    /// A sink that has failed has removed its file. The one that is there is of an earlier run.
    #[test]
    fn an_older_file_is_not_the_one_that_failed() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.wav");
        std::fs::write(&target, "older").unwrap();
        let sink = WavSink::create(&target, 8_000).unwrap();
        let at_end = AtEnd::Finish(sink.unfinished());
        drop(sink);
        let (ends, ended) = std::sync::mpsc::channel();
        ends.send(Err(SinkError::Device("full".to_owned())))
            .unwrap();
        let played = give_up(&ended, &at_end).unwrap();
        assert!(matches!(played, Err(SinkError::Device(_))), "{played:?}");
        ends.send(Ok(())).unwrap();
        assert!(give_up(&ended, &at_end).unwrap().is_ok());
    }
}
