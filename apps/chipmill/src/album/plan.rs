//! Which songs are rendered, into which files.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use drumline::prelude::*;

use super::{Failure, Settings};
use crate::output::{Names, Tags, Writer};
use crate::playlist::{Entry, Input};
use crate::render::Renderer;
use crate::song::{self, MissingChips, Song, SongError};

/// What is to be done.
#[derive(Debug, Default)]
pub struct Plan {
    /// The songs, in the order of the list.
    pub songs: Vec<Planned>,
    /// Songs that have their file already.
    pub skipped: Vec<Skipped>,
    /// Songs that cannot be rendered: their name, and why.
    pub failed: Vec<(String, Failure)>,
}

/// A song that waits for its turn.
#[derive(Debug)]
pub struct Planned {
    /// Its name, for messages.
    pub name: String,
    /// The song, and what a playlist says of it.
    pub entry: Entry,
    /// The bytes of a song that can be read only once: from standard input, or from a pipe.
    bytes: Option<Vec<u8>>,
    /// The file that it becomes.
    pub target: PathBuf,
    /// Its length in frames.
    pub frames: u64,
    /// About how much work it is, beside the others.
    pub work: u64,
}

/// A song that is left out, as its file is there.
#[derive(Debug)]
pub struct Skipped {
    /// Its name, for messages.
    pub name: String,
    /// The file.
    pub target: PathBuf,
}

impl Plan {
    /// The places of the songs in the plan, the one that is most work first.
    pub fn longest_first(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.songs.len()).collect();
        order.sort_by_key(|&song| std::cmp::Reverse(self.songs[song].work));
        order
    }
}

impl Planned {
    /// Reads the song.
    pub fn open(&self, missing: MissingChips) -> Result<Song, SongError> {
        match &self.bytes {
            Some(bytes) => Song::parse(bytes, missing),
            None => self.entry.open(missing),
        }
    }
}

/// What reading a song has come to.
struct Seen {
    tags: Tags,
    frames: u64,
    work: u64,
    bytes: Option<Vec<u8>>,
}

/// Makes a plan. The songs are read in parallel, by the pool that the calling thread is in.
pub fn plan(entries: Vec<Entry>, settings: &Settings) -> Plan {
    let all_inputs: Vec<PathBuf> = entries
        .iter()
        .filter_map(|entry| entry.path().map(Path::to_owned))
        .collect();
    let seen: Vec<_> = entries
        .into_par_iter()
        .map(|entry| {
            let seen = see(&entry, settings);
            (entry, seen)
        })
        .collect();
    let inputs: OnceCell<HashSet<PathBuf>> = OnceCell::new();
    let mut names = Names::default();
    let mut plan = Plan::default();
    for (number, (entry, seen)) in (1..).zip(seen) {
        let name = entry.input.to_string();
        let seen = match seen {
            Ok(seen) => seen,
            Err(failure) => {
                plan.failed.push((entry.label(), failure));
                continue;
            }
        };
        let file = names.distinct(&settings.names.name(&seen.tags, number, &entry.stem()));
        let target = settings
            .out
            .join(format!("{file}.{}", settings.format.extension()));
        if target.is_file() {
            if settings.skip_existing {
                plan.skipped.push(Skipped { name, target });
                continue;
            }
            let inputs =
                inputs.get_or_init(|| all_inputs.iter().filter_map(|input| real(input)).collect());
            if real(&target).is_some_and(|target| inputs.contains(&target)) {
                plan.failed.push((name, Failure::Replaces(target)));
                continue;
            }
        }
        let (format, rate) = (settings.format, settings.render.rate);
        if let Err(error) = Writer::check(&target, format, rate, &seen.tags, seen.frames) {
            plan.failed.push((name, error.into()));
            continue;
        }
        plan.songs.push(Planned {
            name,
            entry,
            bytes: seen.bytes,
            target,
            frames: seen.frames,
            work: seen.work,
        });
    }
    plan
}

fn see(entry: &Entry, settings: &Settings) -> Result<Seen, Failure> {
    let bytes = match &entry.input {
        Input::File(path) if path.metadata().is_ok_and(|found| !found.is_file()) => {
            let file = File::open(path).map_err(SongError::Read)?;
            Some(song::read(file)?)
        }
        Input::File(_) => None,
        Input::Stdin => Some(song::read(io::stdin().lock())?),
    };
    let song = match &bytes {
        Some(bytes) => Song::parse(bytes, settings.missing)?,
        None => entry.open(settings.missing)?,
    };
    let frames = Renderer::length_of(&song, &settings.render);
    let seconds = frames / u64::from(settings.render.rate.max(1));
    if seconds > settings.max_seconds {
        return Err(Failure::TooLong {
            seconds,
            limit: settings.max_seconds,
        });
    }
    Ok(Seen {
        tags: entry.tags(&song),
        frames,
        work: Renderer::work_of(&song, &settings.render),
        bytes,
    })
}

/// A path without links, if it is there.
fn real(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}
