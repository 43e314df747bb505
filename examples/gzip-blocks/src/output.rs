//! Where the result goes.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use tempfile::NamedTempFile;

use crate::file_id::FileId;
use crate::input::Input;

/// What happens to a file that has the name of the output already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfExists {
    /// The output takes its place.
    Replace,
    /// The user is asked, on standard error.
    Ask,
    /// The output is refused.
    Refuse,
}

/// Standard output, or a file that gets its name when it is complete.
pub struct Output {
    sink: Sink,
    name: String,
}

enum Sink {
    /// Standard output, a device or a pipe.
    Stream(Box<dyn Write>),
    /// A new file.
    File {
        /// The file, under a name of its own in the directory of `place`. It is removed when it is
        /// dropped.
        file: NamedTempFile,
        /// Where the file belongs.
        place: PathBuf,
        /// Whether there may be a file already.
        replaces: bool,
    },
}

impl Output {
    /// Begins a file, or standard output, for what is made of `input`.
    pub fn create(path: Option<&Path>, input: &Input, if_exists: IfExists) -> Result<Self> {
        match path.filter(|path| *path != Path::new("-")) {
            None => Output::stdout(input),
            Some(path) => Output::file(path, input, if_exists),
        }
    }

    fn stdout(input: &Input) -> Result<Self> {
        let stdout = io::stdout();
        ensure!(
            !stdout.is_terminal(),
            "compressed data is nothing for a terminal; name a file with `--output`"
        );
        let name = "standard output".to_owned();
        differs(FileId::of_stdout(), input, &name)?;
        Ok(Output {
            sink: Sink::Stream(Box::new(stdout.lock())),
            name,
        })
    }

    fn file(path: &Path, input: &Input, if_exists: IfExists) -> Result<Self> {
        let name = path.display().to_string();
        let failure = || format!("cannot create {name}");
        let existing = match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            about => Some(about.with_context(failure)?),
        };
        if existing.is_some() {
            let id = FileId::of_path(path).with_context(failure)?;
            differs(Some(id), input, &name)?;
        }
        if existing.as_ref().is_some_and(|about| !about.is_file()) {
            // A device or a pipe cannot be replaced.
            let file = OpenOptions::new().write(true).open(path);
            return Ok(Output {
                sink: Sink::Stream(Box::new(file.with_context(failure)?)),
                name,
            });
        }

        // A symbolic link that leads nowhere would be lost, too.
        let replaces = existing.is_some() || fs::symlink_metadata(path).is_ok();
        if replaces {
            may_replace(&name, if_exists)?;
        }
        // The link stays, and the file that it leads to is replaced.
        let place = match &existing {
            Some(_) => fs::canonicalize(path).with_context(failure)?,
            None => path.to_owned(),
        };
        let file = beside(&place, input.permissions.as_ref()).with_context(failure)?;
        if let Some(about) = &existing {
            keep_permissions(&file, about.permissions()).with_context(failure)?;
        }
        Ok(Output {
            sink: Sink::File {
                file,
                place,
                replaces,
            },
            name,
        })
    }

    /// Writes all of `bytes`.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.sink {
            Sink::Stream(stream) => stream.write_all(bytes),
            Sink::File { file, .. } => file.write_all(bytes),
        }
        .with_context(|| format!("cannot write {}", self.name))
    }

    /// Completes the output. A file gets its name once its contents are on the disk.
    pub fn finish(self) -> Result<()> {
        let name = self.name;
        match self.sink {
            Sink::Stream(mut stream) => stream
                .flush()
                .with_context(|| format!("cannot write {name}")),
            Sink::File {
                file,
                place,
                replaces,
            } => {
                file.as_file()
                    .sync_all()
                    .with_context(|| format!("cannot write {name}"))?;
                let named = if replaces {
                    file.persist(place)
                } else {
                    // A file may have appeared there since the beginning.
                    file.persist_noclobber(place)
                };
                named
                    .map(drop)
                    .map_err(|refused| refused.error)
                    .with_context(|| format!("cannot create {name}"))
            }
        }
    }
}

/// Fails if the output is the file that is read.
fn differs(output: Option<FileId>, input: &Input, name: &str) -> Result<()> {
    ensure!(
        output.is_none() || output != input.id,
        "{name} is the same file as the input, {}",
        input.name
    );
    Ok(())
}

/// Fails unless the file called `name` may be replaced.
fn may_replace(name: &str, if_exists: IfExists) -> Result<()> {
    match if_exists {
        IfExists::Replace => Ok(()),
        IfExists::Ask => {
            let question = format!("gzip-blocks: {name} exists already; overwrite it? [y/N] ");
            ensure!(says_yes(&question)?, "{name} was not overwritten");
            Ok(())
        }
        IfExists::Refuse => bail!("{name} exists already; `--force` overwrites it"),
    }
}

fn says_yes(question: &str) -> io::Result<bool> {
    io::stderr().write_all(question.as_bytes())?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    let answer = answer.trim();
    Ok(["y", "yes"]
        .iter()
        .any(|yes| answer.eq_ignore_ascii_case(yes)))
}

/// A new file in the directory of `place`, under a name that no other file has. Its permissions are
/// those of the input, as far as the process lets new files have them.
fn beside(place: &Path, permissions: Option<&Permissions>) -> io::Result<NamedTempFile> {
    let directory = match place.parent() {
        Some(directory) if directory != Path::new("") => directory,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gzip-blocks-").suffix(".partial");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        let mode = permissions.map_or(0o666, |permissions| permissions.mode() & 0o777);
        builder.permissions(Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = permissions;
    builder.tempfile_in(directory)
}

/// The permissions of the file that `file` replaces.
#[cfg(unix)]
fn keep_permissions(file: &NamedTempFile, permissions: Permissions) -> io::Result<()> {
    file.as_file().set_permissions(permissions)
}

/// Elsewhere a file inherits them from its directory. A file that must not be written is not
/// replaced.
#[cfg(not(unix))]
fn keep_permissions(_: &NamedTempFile, _: Permissions) -> io::Result<()> {
    Ok(())
}
