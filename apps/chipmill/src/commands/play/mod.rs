//! `chipmill play`: songs in the terminal.

mod screen;
mod terminal;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use chipmill::player::{Engine, Now, NullSink, ProcessSink, Sink, SinkError, WavSink};
use clap::Args;
use drumline::channel;

use super::songs::Songs;
use super::sound::Sound;

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

/// How long the program waits at its end for the last frames to be written.
const LAST_FRAMES: Duration = Duration::from_millis(50);

/// Plays the songs.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (songs, _) = arguments.songs.entries()?;
    let (keys, requests) = channel::mpsc::unbounded();
    let now = Arc::new(Now::default());
    let count = songs.len();
    let engine = Engine {
        songs,
        missing: arguments.songs.missing(),
        options: arguments.sound.options(),
        requests,
        now: Arc::clone(&now),
        sink: sink(arguments)?,
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
    if !(io::stdout().is_terminal() && io::stdin().is_terminal()) {
        drop(keys);
        let result = ended
            .recv()
            .map_err(|_| anyhow!("the player has panicked"))?;
        return finish(result, &now);
    }
    let quit = terminal::run(&now, count, arguments.sound.rate, &keys, &playing)?;
    let result = match quit {
        true => ended.recv_timeout(LAST_FRAMES).unwrap_or(Ok(())),
        false => ended
            .recv()
            .map_err(|_| anyhow!("the player has panicked"))?,
    };
    finish(result, &now)
}

fn finish(result: Result<(), SinkError>, now: &Now) -> Result<ExitCode> {
    result?;
    match now.text().problem {
        Some(problem) => Err(anyhow!(problem)),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn sink(arguments: &Arguments) -> Result<Box<dyn Sink>> {
    let rate = arguments.sound.rate;
    let audio = &arguments.audio;
    if audio == "null" {
        return Ok(Box::new(NullSink::new(rate)));
    }
    if audio == "auto" {
        return Ok(Box::new(ProcessSink::start(rate)?));
    }
    if audio == "device" {
        return device(rate);
    }
    let path = std::path::Path::new(audio);
    if path
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("wav"))
    {
        return Ok(Box::new(WavSink::create(path, rate)?));
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
