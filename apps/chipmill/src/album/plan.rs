//! Which songs are rendered, into which files.

use std::io;
use std::path::PathBuf;

use drumline::prelude::*;

use super::{Failure, Settings};
use crate::output::{Names, Tags};
use crate::playlist::{Entry, Input};
use crate::render::Renderer;
use crate::song::{self, Song};

/// What is to be done.
#[derive(Debug, Default)]
pub struct Plan {
    /// The songs, in the order of the list.
    pub songs: Vec<Planned>,
    /// Songs whose file is there.
    pub skipped: Vec<Skipped>,
    /// Songs that cannot be rendered: their name, and why.
    pub failed: Vec<(String, Failure)>,
}

/// A song that waits for its turn.
#[derive(Debug)]
pub struct Planned {
    /// Its name, for messages.
    pub name: String,
    /// Where it comes from.
    pub source: Source,
    /// The file that it becomes.
    pub target: PathBuf,
    /// Its length in frames.
    pub frames: u64,
    /// About how much work it is, beside the others.
    pub work: u64,
    /// What the playlist says of it, and its number.
    said: Said,
}

/// A song that is left out, as its file is there.
#[derive(Debug)]
pub struct Skipped {
    /// Its name, for messages.
    pub name: String,
    /// The file.
    pub target: PathBuf,
}

/// Where a song comes from.
#[derive(Debug)]
pub enum Source {
    /// A file, which is read when its turn comes.
    File(PathBuf),
    /// Standard input, which has been read.
    Bytes(Vec<u8>),
}

/// What a playlist says of a song.
#[derive(Debug)]
struct Said {
    title: Option<Box<str>>,
    artist: Option<Box<str>>,
    album: Option<Box<str>>,
    track: Option<u32>,
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
    /// The tags of its file: what the playlist says goes before what the song says.
    pub fn tags(&self, song: &Song) -> Tags {
        tags(&self.said, song)
    }
}

fn tags(said: &Said, song: &Song) -> Tags {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let first = |said: &Option<Box<str>>, tag: &song::Tag| match said {
        Some(said) => Some(said.to_string()),
        None => some(tag.any()),
    };
    let own = &song.tags;
    Tags {
        title: first(&said.title, &own.title),
        album: first(&said.album, &own.game),
        artist: first(&said.artist, &own.author),
        date: some(&own.date),
        system: some(own.system.any()),
        comment: some(&own.notes),
        track: said.track,
    }
}

/// What reading a song has come to.
struct Seen {
    tags: Tags,
    frames: u64,
    work: u64,
    source: Source,
    said: Said,
}

/// Makes a plan. The songs are read in parallel, by the pool that the calling thread is in.
pub fn plan(entries: Vec<Entry>, settings: &Settings) -> Plan {
    let seen: Vec<_> = entries
        .into_par_iter()
        .map(|entry| {
            let (name, stem) = (entry.input.to_string(), entry.stem());
            (name, stem, see(entry, settings))
        })
        .collect();
    let mut names = Names::default();
    let mut plan = Plan::default();
    for (number, (name, stem, seen)) in (1..).zip(seen) {
        let seen = match seen {
            Ok(seen) => seen,
            Err(failure) => {
                plan.failed.push((name, failure));
                continue;
            }
        };
        let file = names.distinct(&settings.names.name(&seen.tags, number, &stem));
        let target = settings
            .out
            .join(format!("{file}.{}", settings.format.extension()));
        if settings.skip_existing && target.exists() {
            plan.skipped.push(Skipped { name, target });
            continue;
        }
        plan.songs.push(Planned {
            name,
            source: seen.source,
            target,
            frames: seen.frames,
            work: seen.work,
            said: seen.said,
        });
    }
    plan
}

fn see(entry: Entry, settings: &Settings) -> Result<Seen, Failure> {
    let (song, source) = match entry.input {
        Input::File(path) => (Song::open(&path, settings.missing)?, Source::File(path)),
        Input::Stdin => {
            let bytes = song::read(io::stdin().lock())?;
            (Song::parse(&bytes, settings.missing)?, Source::Bytes(bytes))
        }
    };
    let said = Said {
        title: entry.title,
        artist: entry.artist,
        album: entry.album,
        track: entry.track,
    };
    let tags = tags(&said, &song);
    let frames = Renderer::length_of(&song, &settings.render);
    let seconds = frames / u64::from(settings.render.rate.max(1));
    if seconds > settings.max_seconds {
        return Err(Failure::TooLong {
            seconds,
            limit: settings.max_seconds,
        });
    }
    Ok(Seen {
        tags,
        frames,
        work: Renderer::work_of(&song, &settings.render),
        source,
        said,
    })
}
