//! From what a user names to a list of songs.

use super::directory::{has_extension, walk};
use super::track::Track;
use super::{
    Entry, Input, MAX_BYTES, MAX_DEPTH, MAX_ENTRIES, MAX_PATHS, Place, Problem, ProblemKind, m3u,
    text, xspf,
};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A list of songs, and what is missing in it.
#[derive(Debug, Default)]
pub struct Expanded {
    /// The songs, in the order in which they are to be played.
    pub entries: Vec<Entry>,
    /// What could not be followed.
    pub problems: Vec<Problem>,
}

/// Makes a list of songs of what a user names.
///
/// - `-` is standard input.
/// - A directory stands for the `.vgm` and `.vgz` files in it and below it, in natural order ("2"
///   is before "10"). Hidden names and playlists in it are skipped. Links are followed, and a
///   directory is read once.
/// - A file named `.m3u`, `.m3u8` or `.xspf` is a playlist. Playlists in it are followed to a depth
///   of [`MAX_DEPTH`]. A directory, a device or a pipe in it is a problem.
/// - Every other name is a song. The file need not exist, whether a user or a playlist names it:
///   opening it gives the error.
///
/// A playlist is UTF-16, which is known by its byte order mark or by the zeros of its first
/// letters, or UTF-8. What is no UTF-8 is
/// Windows-1252: each line of an M3U playlist for itself, and an XSPF playlist as a whole. On Unix
/// such a line can also name a file by its bytes. One playlist, with those in it, may have
/// [`MAX_BYTES`] bytes and [`MAX_ENTRIES`] entries, whose paths may have [`MAX_PATHS`] bytes. What
/// is wrong with one input is a [`Problem`], and does not touch the others.
///
/// ```
/// let list = chipmill::playlist::expand(&["opening.vgz", "-"]);
/// assert_eq!(list.entries[0].stem(), "opening");
/// assert!(list.problems.is_empty());
/// ```
#[must_use]
pub fn expand<S: AsRef<OsStr>>(inputs: &[S]) -> Expanded {
    let mut expander = Expander {
        list: Expanded::default(),
        has_stdin: false,
    };
    for input in inputs {
        expander.argument(input.as_ref());
    }
    expander.list
}

struct Expander {
    list: Expanded,
    has_stdin: bool,
}

/// What is left of the limits of one input.
struct Budget<'a> {
    /// The input, for messages.
    input: &'a Path,
    entries: usize,
    bytes: u64,
    /// The bytes of the entries' paths.
    paths: usize,
}

impl Expander {
    fn argument(&mut self, input: &OsStr) {
        let path = Path::new(input);
        if input == "-" {
            self.stdin();
        } else if path.is_dir() {
            self.directory(path);
        } else if is_playlist(path) {
            let mut budget = Budget {
                input: path,
                entries: MAX_ENTRIES,
                bytes: MAX_BYTES,
                paths: MAX_PATHS,
            };
            // A break says that the budget is spent, and this is the outermost playlist.
            let _ = self.playlist(path, Place::Argument, &mut Vec::new(), &mut budget);
        } else {
            self.song(path.to_owned(), Place::Argument);
        }
    }

    fn stdin(&mut self) {
        if self.has_stdin {
            self.problem(Place::Argument, ProblemKind::StdinTwice);
        } else {
            self.has_stdin = true;
            self.list
                .entries
                .push(Entry::untitled(Input::Stdin, Place::Argument));
        }
    }

    fn directory(&mut self, root: &Path) {
        let place = Place::Directory(root.into());
        let mut budget = Budget {
            input: root,
            entries: MAX_ENTRIES,
            bytes: 0,
            paths: MAX_PATHS,
        };
        walk(root, |found| {
            self.take_entry(&mut budget, &Place::Argument)?;
            match found {
                Ok(path) => {
                    self.take_path(&mut budget, &path, &Place::Argument)?;
                    self.song(path, place.clone());
                }
                Err((path, error)) => {
                    self.problem(Place::Argument, ProblemKind::Unreadable { path, error });
                }
            }
            ControlFlow::Continue(())
        });
    }

    fn song(&mut self, path: PathBuf, place: Place) {
        self.list
            .entries
            .push(Entry::untitled(Input::File(path), place));
    }

    fn problem(&mut self, place: Place, kind: ProblemKind) {
        self.list.problems.push(Problem { place, kind });
    }

    /// Counts an entry, or reports that there are too many and breaks.
    fn take_entry(&mut self, budget: &mut Budget<'_>, place: &Place) -> ControlFlow<()> {
        if budget.entries == 0 {
            self.problem(
                place.clone(),
                ProblemKind::TooManyEntries(budget.input.to_owned()),
            );
            return ControlFlow::Break(());
        }
        budget.entries -= 1;
        ControlFlow::Continue(())
    }

    /// Counts the path of an entry, or reports that there are too many bytes of them and breaks. A
    /// short entry of a list in a deep directory has a long path.
    fn take_path(
        &mut self,
        budget: &mut Budget<'_>,
        path: &Path,
        place: &Place,
    ) -> ControlFlow<()> {
        let Some(left) = budget.paths.checked_sub(path.as_os_str().len()) else {
            let input = budget.input.to_owned();
            self.problem(place.clone(), ProblemKind::LongPaths(input));
            return ControlFlow::Break(());
        };
        budget.paths = left;
        ControlFlow::Continue(())
    }

    /// Adds what is in the playlist `path`. `open` are the playlists that it is in, without links.
    /// Breaks when the budget is spent.
    fn playlist(
        &mut self,
        path: &Path,
        place: Place,
        open: &mut Vec<PathBuf>,
        budget: &mut Budget<'_>,
    ) -> ControlFlow<()> {
        let (real, bytes) = match read(path, open, &mut budget.bytes) {
            Ok(read) => read,
            Err(kind) => {
                self.problem(place, kind);
                return ControlFlow::Continue(());
            }
        };
        open.push(real);
        let file: Arc<Path> = path.into();
        let directory = path.parent().unwrap_or(Path::new(""));
        let mut step = ControlFlow::Continue(());
        let emit = |track: Track| {
            let place = Place::Playlist {
                file: file.clone(),
                line: track.line,
            };
            step = self.track(track, place, open, budget);
            step
        };
        let parsed = if has_extension(path, &["xspf"]) {
            xspf::parse(&text::decode(&bytes), directory, emit)
        } else {
            m3u::parse(&bytes, directory, emit);
            Ok(())
        };
        if let Err(xspf::Malformed { line, message }) = parsed {
            self.problem(
                Place::Playlist { file, line },
                ProblemKind::Malformed(message),
            );
        }
        open.pop();
        step
    }

    /// Adds what a playlist's entry names.
    fn track(
        &mut self,
        track: Track,
        place: Place,
        open: &mut Vec<PathBuf>,
        budget: &mut Budget<'_>,
    ) -> ControlFlow<()> {
        self.take_entry(budget, &place)?;
        let path = match track.location {
            Some(Ok(path)) => path,
            Some(Err(error)) => {
                self.problem(place, error.into());
                return ControlFlow::Continue(());
            }
            None => {
                self.problem(place, ProblemKind::NoLocation);
                return ControlFlow::Continue(());
            }
        };
        self.take_path(budget, &path, &place)?;
        let kind = fs::metadata(&path)
            .map(|metadata| metadata.file_type())
            .ok();
        if kind.is_some_and(|kind| kind.is_dir()) {
            // A line with "/" would stand for every song of the machine.
            self.problem(place, ProblemKind::Directory(path));
        } else if kind.is_some_and(|kind| !kind.is_file()) {
            // A pipe would be waited for, and all other songs with it.
            self.problem(place, ProblemKind::NotRegular(path));
        } else if is_playlist(&path) {
            return self.playlist(&path, place, open, budget);
        } else {
            self.list.entries.push(Entry {
                input: Input::File(path),
                title: track.title,
                artist: track.artist,
                album: track.album,
                track: track.track,
                place,
            });
        }
        ControlFlow::Continue(())
    }
}

fn is_playlist(path: &Path) -> bool {
    has_extension(path, &["m3u", "m3u8", "xspf"])
}

/// The path without links and the content of a playlist that is in the playlists `open`. Takes the
/// bytes from the budget.
fn read(
    path: &Path,
    open: &[PathBuf],
    budget: &mut u64,
) -> Result<(PathBuf, Vec<u8>), ProblemKind> {
    let unreadable = |error| ProblemKind::Unreadable {
        path: path.to_owned(),
        error,
    };
    let real = fs::canonicalize(path).map_err(unreadable)?;
    if open.contains(&real) {
        return Err(ProblemKind::Circle(path.to_owned()));
    }
    if open.len() > MAX_DEPTH {
        return Err(ProblemKind::TooDeep(path.to_owned()));
    }
    let metadata = fs::metadata(&real).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(ProblemKind::NotRegular(path.to_owned()));
    }
    if metadata.len() > *budget {
        return Err(ProblemKind::TooLarge(path.to_owned()));
    }
    // The file may grow meanwhile.
    let bytes = read_at_most(&real, *budget).map_err(unreadable)?;
    *budget = budget
        .checked_sub(bytes.len() as u64)
        .ok_or_else(|| ProblemKind::TooLarge(path.to_owned()))?;
    Ok((real, bytes))
}

/// Reads a file, but not more than one byte beyond `limit`.
fn read_at_most(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
