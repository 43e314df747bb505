//! `chipmill play`: songs in the terminal.

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
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use chipmill::player::{
    Engine, Now, NullSink, ProcessSink, Request, Sink, SinkError, Stopper, Unfinished, WavSink,
};
use chipmill::playlist::Input;
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use drumline::channel;

use super::songs::{Songs, report};
use super::sound::Sound;
use super::{signals, status};

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
const LAST_FRAMES: Duration = Duration::from_millis(50);

/// How long it waits for a file to be whole.
const LAST_BYTES: Duration = Duration::from_secs(2);

/// How often it is looked whether a signal has come, where there is no screen.
const LOOK: Duration = Duration::from_millis(40);

/// What is done with the sound when it is over before its time.
enum AtEnd {
    /// A program that plays is ended.
    Stop(Stopper),
    /// A file gets what is missing, or is removed.
    Wait(Arc<Unfinished>),
    /// It ends with the program.
    Nothing,
}

/// What playing comes to: the songs that were wrong.
type Played = Result<Vec<String>, SinkError>;

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
    let result = if has_screen {
        let rate = arguments.sound.rate;
        match terminal::run(&now, count, rate, &keys, &playing, &signalled)? {
            true => last_frames(&ended, &at_end)?,
            false => ended.recv().map_err(|_| panicked())?,
        }
    } else {
        loop {
            match ended.recv_timeout(LOOK) {
                Ok(result) => break result,
                Err(RecvTimeoutError::Disconnected) => return Err(panicked()),
                // Relaxed: the flag carries no data with it.
                Err(RecvTimeoutError::Timeout) if signalled.load(Ordering::Relaxed) => {
                    // An engine that has gone has ended already.
                    let _ = keys.send(Request::Quit);
                    break last_frames(&ended, &at_end)?;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    };
    // Relaxed: the flag carries no data with it. The program that plays can have got the signal,
    // too, and its end can be seen before the signal is.
    let result = match signalled.load(Ordering::Relaxed) {
        true => end_as_wished(result),
        false => result,
    };
    let problems = result?;
    for problem in &problems {
        report(problem);
    }
    // Relaxed: as above.
    Ok(status(
        wrong.len() + problems.len(),
        signalled.load(Ordering::Relaxed),
    ))
}

fn panicked() -> anyhow::Error {
    anyhow!("the player has panicked")
}

/// The end of sound that was to end: no matter whether the program that plays was first.
fn end_as_wished(played: Played) -> Played {
    match played {
        Err(SinkError::Program(..) | SinkError::NoneWorks(_)) => Ok(Vec::new()),
        played => played,
    }
}

/// Waits for the end of an engine that was told to end, but not for long.
fn last_frames(ended: &Ended, at_end: &AtEnd) -> Result<Played> {
    let limit = match at_end {
        AtEnd::Wait(_) => LAST_BYTES,
        AtEnd::Stop(_) | AtEnd::Nothing => LAST_FRAMES,
    };
    match ended.recv_timeout(limit) {
        Ok(result) => Ok(end_as_wished(result)),
        Err(RecvTimeoutError::Timeout) => give_up(ended, at_end),
        Err(RecvTimeoutError::Disconnected) => Err(panicked()),
    }
}

/// Ends the sound without the engine, which is late.
fn give_up(ended: &Ended, at_end: &AtEnd) -> Result<Played> {
    match at_end {
        AtEnd::Stop(stopper) => stopper.stop(),
        AtEnd::Wait(file) => {
            file.give_up()?;
            // The engine is past its file, and says at once what has become of it.
            return ended.recv().map_err(|_| panicked());
        }
        AtEnd::Nothing => {}
    }
    Ok(Ok(Vec::new()))
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
            let at_end = AtEnd::Wait(sink.unfinished());
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

    /// A sink that has failed has removed its file. The one that is there is of an earlier run.
    #[test]
    fn an_older_file_is_not_the_one_that_failed() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.wav");
        std::fs::write(&target, "older").unwrap();
        let sink = WavSink::create(&target, 8_000).unwrap();
        let at_end = AtEnd::Wait(sink.unfinished());
        drop(sink);
        let (ends, ended) = std::sync::mpsc::channel();
        ends.send(Err(SinkError::Device("full".to_owned())))
            .unwrap();
        let played = give_up(&ended, &at_end).unwrap();
        assert!(matches!(played, Err(SinkError::Device(_))), "{played:?}");
        ends.send(Ok(Vec::new())).unwrap();
        assert!(give_up(&ended, &at_end).unwrap().is_ok());
    }
}
