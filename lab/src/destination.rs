//! Where a run writes. All of it is checked, and made, before anything is measured; what is there
//! already is overwritten only if `--force` says so.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::console;
use crate::journal;
use crate::machine::target_directory;
use crate::options::Options;
use crate::output;

/// Where a run writes.
#[derive(Debug)]
pub struct Destination {
    /// The directory of the journal, the records, the charts and the report.
    pub directory: PathBuf,
    /// A further file for the records; `-` is standard output.
    pub json: Option<String>,
    #[cfg(unix)]
    _hold: Option<hold::Hold>,
}

impl Destination {
    /// Checks everything, and then makes it. Where something is refused, nothing was touched.
    pub fn make(options: &Options) -> Result<Self> {
        if options.json.as_deref() == Some("-") {
            console::ensure_stdout().context("--json -")?;
        }
        let file = options.json.as_deref().filter(|json| *json != "-");
        if let Some(file) = file {
            check_file("--json", file, options.force)?;
            let out = options.resume.as_ref().or(options.out.as_ref());
            ensure!(
                !out.is_some_and(|out| is_same(out, file.as_ref())),
                "--json {file}: this is the directory of the run; name a file"
            );
        }
        let directory = match (&options.resume, &options.out) {
            (Some(directory), _) => directory.clone(),
            (None, Some(directory)) => {
                check_directory(directory, options.force)?;
                fs::create_dir_all(directory).with_context(|| elsewhere(directory))?;
                directory.clone()
            }
            (None, None) => default_directory()?,
        };
        #[cfg(unix)]
        let hold = hold::of(&directory)?;
        if let Some(file) = file {
            make_file("--json", file)?;
        }
        if options.resume.is_none() {
            // They tell of another run.
            output::remove(&directory).with_context(|| elsewhere(&directory))?;
        }
        Ok(Self {
            directory,
            json: options.json.clone(),
            #[cfg(unix)]
            _hold: hold,
        })
    }
}

fn elsewhere(directory: &Path) -> String {
    format!(
        "the results cannot be written to {}; name another directory with --out",
        directory.display()
    )
}

fn check_directory(directory: &Path, force: bool) -> Result<()> {
    match fs::read_dir(directory) {
        Ok(mut entries) => {
            if entries.next().is_some() && !force {
                let name = directory.display();
                let or = if journal::is_in(directory) {
                    format!(
                        ", or, if it holds a run that was interrupted, go on with --resume {name}"
                    )
                } else {
                    String::new()
                };
                bail!(
                    "--out {name}: the directory is not empty; name another one, overwrite what is \
                     there with --force{or}"
                );
            }
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| elsewhere(directory)),
    }
}

/// Whether two names are those of one file, by whatever links; of files that are not there yet,
/// too.
pub fn is_same(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(one), Ok(other)) = (fs::metadata(one), fs::metadata(other)) {
        use std::os::unix::fs::MetadataExt;
        return (one.dev(), one.ino()) == (other.dev(), other.ino());
    }
    match (real(one, LINKS_MAX), real(other, LINKS_MAX)) {
        (Some(one), Some(other)) => one == other,
        // Making the files will say what is wrong with them.
        _ => one == other,
    }
}

/// As many links in a row as the kernel follows.
const LINKS_MAX: usize = 40;

/// The name of a file without links, `.` and `..`, whether it is there or not; `None` if there is
/// no directory for it.
fn real(file: &Path, links: usize) -> Option<PathBuf> {
    if let Ok(real) = file.canonicalize() {
        return Some(real);
    }
    let directory = match file.parent()? {
        here if here.as_os_str().is_empty() => Path::new("."),
        directory => directory,
    };
    match fs::read_link(file) {
        Ok(target) => real(&directory.join(target), links.checked_sub(1)?),
        Err(_) => Some(directory.canonicalize().ok()?.join(file.file_name()?)),
    }
}

/// Looks whether the file that an option names may be made, or overwritten.
///
/// # Errors
/// It is a directory, or it holds something and `force` is not given.
pub fn check_file(option: &str, file: &str, force: bool) -> Result<()> {
    match fs::metadata(file) {
        Ok(found) if found.is_dir() => bail!("{option} {file}: it is a directory; name a file"),
        Ok(found) if found.is_file() && found.len() > 0 && !force => {
            bail!(
                "{option} {file}: the file exists; name another one, or overwrite it with --force"
            )
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("{option} {file}: cannot be written")),
    }
}

/// Makes the file that an option names, or looks whether it can be written. A pipe or a device may
/// wait for a reader, and is opened at the end.
///
/// # Errors
/// It cannot be written.
pub fn make_file(option: &str, file: &str) -> Result<()> {
    if fs::metadata(file).is_ok_and(|found| !found.is_file()) {
        return Ok(());
    }
    let opened = OpenOptions::new().append(true).create(true).open(file);
    opened
        .map(drop)
        .with_context(|| format!("{option} {file}: cannot be written; name another file"))
}

/// Makes the directory of a run that was not told where to write: `target/lab/<time>`, with a
/// number for each further run of the same second.
fn default_directory() -> Result<PathBuf> {
    let parent = target_directory().join("lab");
    let or = || {
        format!(
            "{}, or another target with CARGO_TARGET_DIR",
            elsewhere(&parent)
        )
    };
    fs::create_dir_all(&parent).with_context(or)?;
    let time = jiff::Timestamp::now()
        .strftime("%Y-%m-%dT%H-%M-%SZ")
        .to_string();
    numbered(&parent, &time).with_context(or)
}

fn numbered(parent: &Path, name: &str) -> Result<PathBuf> {
    for number in 1.. {
        let directory = match number {
            1 => parent.join(name),
            number => parent.join(format!("{name}-{number}")),
        };
        // Of several that try, one makes it.
        match fs::create_dir(&directory) {
            Ok(()) => return Ok(directory),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| elsewhere(&directory)),
        }
    }
    unreachable!("there are more numbers than directories")
}

/// A lock on a directory, as long as a run writes there.
#[cfg(unix)]
mod hold {
    use std::fs::File;
    use std::path::Path;

    use anyhow::{Context, Result, bail};
    use nix::errno::Errno;
    use nix::fcntl::{Flock, FlockArg};

    /// Kept until the end; the kernel lets go of it when the process ends.
    pub type Hold = Flock<File>;

    /// Holds a directory; `None` where the file system has no locks.
    pub fn of(directory: &Path) -> Result<Option<Hold>> {
        let opened = File::open(directory)
            .with_context(|| format!("{} cannot be opened", directory.display()))?;
        match Flock::lock(opened, FlockArg::LockExclusiveNonblock) {
            Ok(hold) => Ok(Some(hold)),
            Err((_, Errno::EWOULDBLOCK)) => bail!(
                "{}: another run is under way there; wait for its end, or name another directory",
                directory.display()
            ),
            Err(_) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_is_the_same_by_all_of_its_names() {
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name);
        fs::create_dir(place("deep")).unwrap();
        for there in [false, true] {
            if there {
                fs::write(place("a"), "").unwrap();
            }
            for name in ["a", "./a", "deep/../a"] {
                assert!(is_same(&place("a"), &place(name)), "{name}, {there}");
            }
            assert!(!is_same(&place("a"), &place("deep/a")));
            assert!(!is_same(&place("none/a"), &place("other/a")));
        }
    }

    #[test]
    #[cfg(unix)]
    fn links_lead_to_the_same_file() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name);
        symlink("a", place("link")).unwrap();
        symlink("loop", place("loop")).unwrap();
        assert!(is_same(&place("a"), &place("link")));
        assert!(!is_same(&place("a"), &place("loop")));
        fs::write(place("a"), "").unwrap();
        fs::hard_link(place("a"), place("b")).unwrap();
        assert!(is_same(&place("link"), &place("b")));
    }

    #[test]
    fn runs_of_one_second_have_directories_of_their_own() {
        let parent = tempfile::tempdir().unwrap();
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let parent = parent.path().to_owned();
                std::thread::spawn(move || numbered(&parent, "now").unwrap())
            })
            .collect();
        let mut made: Vec<_> = threads.into_iter().map(|t| t.join().unwrap()).collect();
        made.sort();
        made.dedup();
        assert_eq!(made.len(), 8);
        assert!(made.contains(&parent.path().join("now")));
        assert!(made.contains(&parent.path().join("now-8")));
    }
}
