//! The file that is written, until it is complete.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempPath;

use crate::digest::{Digest, Hasher};
use crate::lock::LockedFile;

/// Where a transfer to this destination keeps what it has.
pub fn partial_path(destination: &Path) -> PathBuf {
    let mut name = destination.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

/// The beginning of a file. It stays on the disk when it is dropped.
pub struct Partial {
    file: LockedFile,
    path: PathBuf,
    destination: PathBuf,
    replaces: bool,
    hasher: Hasher,
    len: u64,
}

impl Partial {
    /// Opens the beginning of a file that an earlier transfer has left, or makes an empty one.
    pub fn open(destination: &Path, replaces: bool, restarts: bool) -> Result<Self> {
        let name = destination.display();
        ensure!(
            destination.file_name().is_some() && !destination.is_dir(),
            "{name} is a directory; name a file"
        );
        ensure!(
            replaces || fs::symlink_metadata(destination).is_err(),
            "{name} exists already; `--force` overwrites it"
        );
        let path = partial_path(destination);
        let file = match LockedFile::open(&path) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                bail!("another transfer to {name} is at work")
            }
            opened => opened.with_context(|| format!("cannot create {}", path.display()))?,
        };
        if restarts {
            file.set_len(0)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        let mut partial = Partial {
            file,
            path,
            destination: destination.to_owned(),
            replaces,
            hasher: Hasher::default(),
            len: 0,
        };
        partial.read_all()?;
        Ok(partial)
    }

    fn read_all(&mut self) -> Result<()> {
        // A device has no beginning, and some never end.
        if !self.file.metadata().is_ok_and(|about| about.is_file()) {
            return Ok(());
        }
        let mut bytes = vec![0; 64 << 10];
        loop {
            match (&*self.file).read(&mut bytes) {
                Ok(0) => return Ok(()),
                Ok(count) => {
                    self.hasher.update(&bytes[..count]);
                    self.len += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(error)
                        .with_context(|| format!("cannot read {}", self.path.display()));
                }
            }
        }
    }

    /// How many bytes it has.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// The digest of all that it has.
    pub fn digest(&self) -> Digest {
        self.hasher.digest()
    }

    /// Adds bytes at the end.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        (&*self.file)
            .write_all(bytes)
            .with_context(|| format!("cannot write {} at {}", self.path.display(), self.len))?;
        self.hasher.update(bytes);
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Gives the file its name, once its contents are on the disk.
    pub fn complete(self) -> Result<()> {
        let name = self.destination.display();
        self.file
            .sync_all()
            .with_context(|| format!("cannot write {}", self.path.display()))?;
        let mut path =
            TempPath::try_from_path(&self.path).with_context(|| format!("cannot create {name}"))?;
        // It is complete, and not lost if it cannot have its name.
        path.disable_cleanup(true);
        let named = if self.replaces {
            path.persist(&self.destination)
        } else {
            // A file may have appeared there since the beginning.
            path.persist_noclobber(&self.destination)
        };
        named
            .map_err(|refused| refused.error)
            .with_context(|| format!("cannot create {name}"))
    }
}
