//! Which songs are rendered, into which files.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use drumline::prelude::*;

use super::cancellable::Cancellable;
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
    /// Songs that cannot be rendered.
    pub failed: Vec<Unplanned>,
}

/// A song that waits for its turn.
#[derive(Debug)]
pub struct Planned {
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

/// A song that cannot be rendered.
#[derive(Debug)]
pub struct Unplanned {
    /// Its name, which it would have in [`Planned`].
    pub name: String,
    /// Its name behind that of the playlist which names it.
    pub label: String,
    /// Why it cannot.
    pub failure: Failure,
}

impl Unplanned {
    fn new(entry: &Entry, failure: Failure) -> Self {
        Unplanned {
            name: entry.input.to_string(),
            label: entry.label(),
            failure,
        }
    }
}

impl Plan {
    /// The frames of all songs. Those of one can be as many as there are numbers.
    pub fn frames(&self) -> u64 {
        let frames = self.songs.iter().map(|song| song.frames);
        frames.fold(0, u64::saturating_add)
    }

    /// The places of the songs in the plan, the one that is most work first.
    pub fn longest_first(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.songs.len()).collect();
        order.sort_by_key(|&song| std::cmp::Reverse(self.songs[song].work));
        order
    }
}

impl Planned {
    /// Its name, for messages.
    pub fn name(&self) -> String {
        self.entry.input.to_string()
    }

    /// Reads the song, as long as the flag is not set.
    pub fn open(&self, missing: MissingChips, cancelled: &AtomicBool) -> Result<Song, SongError> {
        let file: Box<dyn Read + '_> = match (&self.bytes, &self.entry.input) {
            (Some(bytes), _) => Box::new(bytes.as_slice()),
            (None, Input::File(path)) => Box::new(File::open(path)?),
            (None, Input::Stdin) => Box::new(io::stdin().lock()),
        };
        Song::from_reader(Cancellable::new(file, cancelled), missing)
    }
}

/// What reading a song has come to. Those of all songs are there at once, so that the tags, which
/// can be long, are not among it.
struct Seen {
    /// The name of its file that is wanted. A song that cannot be read has one if that needs no
    /// tags, or if its tags are known.
    file: Option<String>,
    song: Result<Readable, Failure>,
}

/// A song that can be read.
struct Readable {
    /// The most frames that its file can have.
    max_frames: u64,
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
        .enumerate()
        .map(|(place, entry)| {
            let seen = see(&entry, place + 1, settings);
            (entry, seen)
        })
        .collect();
    let inputs: OnceCell<HashSet<PathBuf>> = OnceCell::new();
    let mut names = Names::default();
    let mut plan = Plan::default();
    for (entry, seen) in seen {
        // A song that cannot be read keeps its name, so that those behind it have the same names
        // when it can be read.
        let file = seen.file.map(|file| names.distinct(&file));
        let (song, file) = match (seen.song, file) {
            (Ok(song), Some(file)) => (song, file),
            (Ok(_), None) => unreachable!("a song that is read has a name"),
            (Err(failure), _) => {
                plan.failed.push(Unplanned::new(&entry, failure));
                continue;
            }
        };
        let target = settings
            .out
            .join(format!("{file}.{}", settings.format.extension()));
        if target.is_file() {
            if settings.skip_existing {
                let name = entry.input.to_string();
                plan.skipped.push(Skipped { name, target });
                continue;
            }
            let inputs =
                inputs.get_or_init(|| all_inputs.iter().filter_map(|input| real(input)).collect());
            if real(&target).is_some_and(|target| inputs.contains(&target)) {
                let failure = Failure::Replaces(target);
                plan.failed.push(Unplanned::new(&entry, failure));
                continue;
            }
        }
        let (format, rate) = (settings.format, settings.render.rate);
        if let Err(error) = Writer::check(&target, format, rate, song.max_frames, song.frames) {
            plan.failed.push(Unplanned::new(&entry, error.into()));
            continue;
        }
        plan.songs.push(Planned {
            entry,
            bytes: song.bytes,
            target,
            frames: song.frames,
            work: song.work,
        });
    }
    plan
}

/// Reads a song, the one with this number in the list.
fn see(entry: &Entry, number: usize, settings: &Settings) -> Seen {
    let name = |tags: &Tags| settings.names.name(tags, number, &entry.stem());
    match read(entry, settings) {
        Ok((song, bytes)) => {
            let tags = entry.tags(&song);
            Seen {
                file: Some(name(&tags)),
                song: measure(&song, bytes, &tags, settings),
            }
        }
        Err(Unread { error, tags }) => Seen {
            file: match tags {
                Some(tags) => Some(name(&tags)),
                None => (!settings.names.needs_tags()).then(|| name(&Tags::default())),
            },
            song: Err(error.into()),
        },
    }
}

/// A song that is not to be rendered.
struct Unread {
    error: SongError,
    /// Those of a song that is refused, and could be read.
    tags: Option<Box<Tags>>,
}

impl<E: Into<SongError>> From<E> for Unread {
    fn from(error: E) -> Self {
        Unread {
            error: error.into(),
            tags: None,
        }
    }
}

/// Reads a song, and returns its bytes too if they can be read only once.
fn read(entry: &Entry, settings: &Settings) -> Result<(Song, Option<Vec<u8>>), Unread> {
    let bytes = match &entry.input {
        Input::File(path) if path.metadata().is_ok_and(|found| !found.is_file()) => {
            Some(song::read(File::open(path)?)?)
        }
        Input::File(_) => None,
        Input::Stdin => Some(song::read(io::stdin().lock())?),
    };
    let parsed = |missing| match &bytes {
        Some(bytes) => Song::parse(bytes, missing),
        None => entry.open(missing),
    };
    match parsed(settings.missing) {
        Ok(song) => Ok((song, bytes)),
        Err(error @ SongError::MissingChips(_)) if settings.names.needs_tags() => {
            let song = parsed(MissingChips::Silent).ok();
            Err(Unread {
                error,
                tags: song.map(|song| Box::new(entry.tags(&song))),
            })
        }
        Err(error) => Err(error.into()),
    }
}

fn measure(
    song: &Song,
    bytes: Option<Vec<u8>>,
    tags: &Tags,
    settings: &Settings,
) -> Result<Readable, Failure> {
    let rate = settings.render.rate;
    let frames = Renderer::length_of(song, &settings.render);
    let seconds = frames.div_ceil(u64::from(rate.max(1)));
    if seconds > settings.max_seconds {
        return Err(Failure::TooLong {
            seconds,
            limit: settings.max_seconds,
        });
    }
    Ok(Readable {
        max_frames: Writer::max_frames(settings.format, rate, tags),
        frames,
        work: Renderer::work_of(song, &settings.render),
        bytes,
    })
}

/// A path without links, if it is there.
fn real(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}
