//! Which file a name leads to.

use std::fs::File;
use std::io;
use std::path::Path;

/// Identifies a file. A symbolic link has the identity of the file that it leads to.
///
/// On Unix it is the device and the inode, which all hard links share. Elsewhere it is the
/// canonical path, which does not see through hard links.
#[derive(Debug, PartialEq, Eq)]
pub struct FileId(imp::Id);

impl FileId {
    /// The identity of `file`, which was opened as `path`.
    pub fn of_file(file: &File, path: &Path) -> io::Result<Self> {
        imp::of_file(file, path).map(FileId)
    }

    /// The identity of the file at `path`.
    pub fn of_path(path: &Path) -> io::Result<Self> {
        imp::of_path(path).map(FileId)
    }

    /// The identity of the file that standard input reads. `None` where the system does not tell.
    pub fn of_stdin() -> Option<Self> {
        imp::of_stdin().map(FileId)
    }

    /// The identity of the regular file that standard output writes. `None` for anything else, and
    /// where the system does not tell.
    pub fn of_stdout() -> Option<Self> {
        imp::of_stdout().map(FileId)
    }
}

#[cfg(unix)]
mod imp {
    use std::fs::{self, File, Metadata};
    use std::io;
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    /// The device, and the inode on it.
    pub type Id = (u64, u64);

    fn of(about: &Metadata) -> Id {
        (about.dev(), about.ino())
    }

    pub fn of_file(file: &File, _: &Path) -> io::Result<Id> {
        file.metadata().map(|about| of(&about))
    }

    pub fn of_path(path: &Path) -> io::Result<Id> {
        fs::metadata(path).map(|about| of(&about))
    }

    pub fn of_stdin() -> Option<Id> {
        stream(io::stdin()).map(|about| of(&about))
    }

    pub fn of_stdout() -> Option<Id> {
        let about = stream(io::stdout()).filter(Metadata::is_file)?;
        Some(of(&about))
    }

    fn stream(stream: impl AsFd) -> Option<Metadata> {
        let owned = stream.as_fd().try_clone_to_owned().ok()?;
        File::from(owned).metadata().ok()
    }
}

#[cfg(not(unix))]
mod imp {
    use std::fs::{self, File};
    use std::io;
    use std::path::{Path, PathBuf};

    pub type Id = PathBuf;

    pub fn of_file(_: &File, path: &Path) -> io::Result<Id> {
        of_path(path)
    }

    pub fn of_path(path: &Path) -> io::Result<Id> {
        fs::canonicalize(path)
    }

    pub fn of_stdin() -> Option<Id> {
        None
    }

    pub fn of_stdout() -> Option<Id> {
        None
    }
}
