//! `chipmill info`: what is known of songs without playing them.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use chipmill::playlist::Entry;
use chipmill::song::{self, Gd3, LOG_RATE, Song};
use clap::Args;
use serde::Serialize;

use super::songs::{Songs, report};
use super::status;
use super::text::{clock, printable, written};

/// The options of `info`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    songs: Songs,
    /// One line of JSON for each song, and for each input that cannot be followed.
    #[arg(long)]
    json: bool,
}

/// What is printed of a song.
#[derive(Serialize)]
struct Info<'a> {
    path: String,
    version: String,
    tags: &'a Gd3,
    chips: Vec<String>,
    silent_chips: Vec<String>,
    seconds: f64,
    loop_seconds: Option<f64>,
    remarks: &'a [String],
}

/// Prints what is known.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (entries, problems) = arguments.songs.entries()?;
    let mut wrong = problems.len();
    let mut out = io::stdout().lock();
    if arguments.json {
        for problem in &problems {
            written(writeln!(out, "{}", serde_json::json!({ "error": problem })))?;
        }
    }
    for entry in entries {
        match entry.open(arguments.songs.missing()) {
            Ok(song) => match print(&mut out, &entry, &song, arguments.json) {
                Ok(()) => {}
                Err(error) => {
                    written(Err(error))?;
                    break;
                }
            },
            Err(error) => {
                wrong += 1;
                report(&format!("{}: {error}", entry.label()));
                if arguments.json {
                    let path = entry.input.to_string();
                    let line = serde_json::json!({ "path": path, "error": error.to_string() });
                    if let Err(error) = writeln!(out, "{line}") {
                        written(Err(error))?;
                        break;
                    }
                }
            }
        }
    }
    Ok(status(wrong, false))
}

fn print(out: &mut impl Write, entry: &Entry, song: &Song, json: bool) -> io::Result<()> {
    let seconds = |samples: u64| samples as f64 / f64::from(LOG_RATE);
    let info = Info {
        path: entry.input.to_string(),
        version: format!("{:x}.{:02x}", song.version >> 8, song.version & 0xff),
        tags: &song.tags,
        chips: song.chips.iter().map(ToString::to_string).collect(),
        silent_chips: song.silent.iter().map(ToString::to_string).collect(),
        seconds: seconds(song.samples),
        loop_seconds: song.loop_start.map(|_| seconds(song.loop_samples)),
        remarks: &song.remarks,
    };
    if json {
        return writeln!(out, "{}", serde_json::to_string(&info)?);
    }
    writeln!(out, "{}", printable(&info.path))?;
    let tags = &song.tags;
    let both = |tag: &song::Tag| match (tag.english.as_str(), tag.origin.as_str()) {
        (english, "") => english.to_owned(),
        ("", origin) => origin.to_owned(),
        (english, origin) if english == origin => english.to_owned(),
        (english, origin) => format!("{english} ({origin})"),
    };
    let length = match info.loop_seconds {
        Some(repeats) => format!(
            "{}, repeats {}",
            clock(info.seconds.round() as u64),
            clock(repeats.round() as u64)
        ),
        None => clock(info.seconds.round() as u64),
    };
    let lines = [
        ("title", both(&tags.title)),
        ("game", both(&tags.game)),
        ("author", both(&tags.author)),
        ("system", both(&tags.system)),
        ("date", tags.date.clone()),
        ("chips", info.chips.join(", ")),
        ("silent", info.silent_chips.join(", ")),
        ("length", length),
        ("remarks", song.remarks.join("; ")),
    ];
    for (name, text) in lines {
        if !text.is_empty() {
            writeln!(out, "  {name:8} {}", printable(&text))?;
        }
    }
    Ok(())
}
