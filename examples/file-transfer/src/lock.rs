//! At most one transfer writes a file.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens the file, or makes it, for this process alone: another one gets an error of the kind
/// `WouldBlock` until the file is closed.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    imp::open(path, &mut options)
}

#[cfg(unix)]
mod imp {
    use std::fs::{self, File, OpenOptions};
    use std::io::{self, ErrorKind};
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use rustix::fs::{FlockOperation, flock};

    pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
        loop {
            let file = options.open(path)?;
            flock(&file, FlockOperation::NonBlockingLockExclusive)?;
            // Between the two calls the last transfer may have given the file another name.
            match fs::metadata(path) {
                Ok(about) if id(&about) == id(&file.metadata()?) => return Ok(file),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn id(about: &fs::Metadata) -> (u64, u64) {
        (about.dev(), about.ino())
    }
}

#[cfg(not(unix))]
mod imp {
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::path::Path;

    pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
        options.open(path)
    }
}
