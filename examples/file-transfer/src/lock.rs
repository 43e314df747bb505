//! At most one transfer writes a file. On systems other than Unix, the user has to see to that.

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Deref;
use std::path::Path;

/// A file that this transfer has for itself, until it is dropped.
pub struct LockedFile(File);

impl LockedFile {
    /// Opens the file, or makes it. If another transfer has it, the error is of the kind
    /// `WouldBlock`.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        imp::open(path, &options).map(LockedFile)
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // To close the file is not enough: a process that is about to be started has it, too.
        imp::unlock(&self.0);
    }
}

#[cfg(unix)]
mod imp {
    use std::fs::{self, File, Metadata, OpenOptions};
    use std::io::{self, ErrorKind};
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use rustix::fs::{FlockOperation, flock};

    pub fn open(path: &Path, options: &OpenOptions) -> io::Result<File> {
        loop {
            let file = options.open(path)?;
            flock(&file, FlockOperation::NonBlockingLockExclusive)?;
            // Between the two calls, the transfer before may have given the file another name.
            match fs::metadata(path) {
                Ok(about) if id(&about) == id(&file.metadata()?) => return Ok(file),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            unlock(&file);
        }
    }

    fn id(about: &Metadata) -> (u64, u64) {
        (about.dev(), about.ino())
    }

    pub fn unlock(file: &File) {
        let _ = flock(file, FlockOperation::Unlock);
    }
}

#[cfg(not(unix))]
mod imp {
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::path::Path;

    pub fn open(path: &Path, options: &OpenOptions) -> io::Result<File> {
        options.open(path)
    }

    pub fn unlock(_: &File) {}
}
