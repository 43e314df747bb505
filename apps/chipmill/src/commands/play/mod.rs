//! `chipmill play`: songs in the terminal.

mod screen;
mod terminal;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use chipmill::player::{
    Engine, Now, NullSink, ProcessSink, Request, Sink, SinkError, Stopper, WavSink,
};
use chipmill::playlist::Input;
use clap::Args;
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
    #[arg(long, default_value = "auto", value_name = "WHERE")]
    audio: OsString,
    #[command(flatten)]
    sound: Sound,
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
    /// A file gets what is missing.
    Wait,
    /// It ends with the program.
    Nothing,
}

/// What the engine says at its end.
type Ended = std::sync::mpsc::Receiver<Result<Vec<String>, SinkError>>;

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
            true => last_frames(&ended, &at_end),
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
                    break last_frames(&ended, &at_end);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    };
    let problems = result?;
    for problem in &problems {
        report(problem);
    }
    // Relaxed: as above.
    Ok(status(
        wrong + problems.len(),
        signalled.load(Ordering::Relaxed),
    ))
}

fn panicked() -> anyhow::Error {
    anyhow!("the player has panicked")
}

/// Waits for the end of an engine that was told to end, but not for long.
fn last_frames(ended: &Ended, at_end: &AtEnd) -> Result<Vec<String>, SinkError> {
    let limit = match at_end {
        AtEnd::Wait => LAST_BYTES,
        AtEnd::Stop(_) | AtEnd::Nothing => LAST_FRAMES,
    };
    if let Ok(result) = ended.recv_timeout(limit) {
        return result;
    }
    if let AtEnd::Stop(stopper) = at_end {
        stopper.stop();
    }
    Ok(Vec::new())
}

fn sink(arguments: &Arguments) -> Result<(Box<dyn Sink>, AtEnd)> {
    let rate = arguments.sound.rate;
    let audio = &arguments.audio;
    if audio == "null" {
        return Ok((Box::new(NullSink::new(rate)), AtEnd::Nothing));
    }
    if audio == "auto" {
        let sink = ProcessSink::start(rate)?;
        let at_end = AtEnd::Stop(sink.stopper());
        return Ok((Box::new(sink), at_end));
    }
    if audio == "device" {
        return Ok((device(rate)?, AtEnd::Nothing));
    }
    let path = std::path::Path::new(audio);
    if path
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("wav"))
    {
        return Ok((Box::new(WavSink::create(path, rate)?), AtEnd::Wait));
    }
    Err(anyhow!(
        "--audio {}: `auto`, `device`, `null` or a file that ends with .wav is wanted",
        path.display()
    ))
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
