//! The file that is read.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::digest::{Digest, Hasher};
use crate::{SourceError, SourceProblem};

/// A file that is sent from some offset on.
pub struct Source<'p> {
    path: &'p Path,
    file: File,
    hasher: Hasher,
    offset: u64,
}

impl<'p> Source<'p> {
    /// Opens a file, and reads what is before the offset.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is shorter, or begins with something else than the digest says.
    pub fn open(path: &'p Path, offset: u64, digest: Digest) -> Result<Self, SourceError> {
        let failure = |error| SourceError::new(path, SourceProblem::Open(error));
        let file = File::open(path).map_err(failure)?;
        if !file.metadata().map_err(failure)?.is_file() {
            return Err(SourceError::new(path, SourceProblem::NoFile));
        }
        let mut source = Source {
            path,
            file,
            hasher: Hasher::default(),
            offset: 0,
        };
        source.skip_to(offset)?;
        if source.digest() != digest {
            return Err(source.error(SourceProblem::Differs { offset }));
        }
        Ok(source)
    }

    fn skip_to(&mut self, offset: u64) -> Result<(), SourceError> {
        const AT_ONCE: u64 = 64 << 10;
        while self.offset < offset {
            let len = AT_ONCE.min(offset - self.offset);
            if self.read(len as usize)?.is_empty() {
                let len = self.offset;
                return Err(self.error(SourceProblem::WrongOffset { offset, len }));
            }
        }
        Ok(())
    }

    /// The next bytes: as many as `len` says, fewer before the end, and none there.
    pub fn read(&mut self, len: usize) -> Result<Vec<u8>, SourceError> {
        let mut bytes = vec![0; len];
        let mut filled = 0;
        while filled < len {
            match self.file.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let offset = self.offset + filled as u64;
                    return Err(self.error(SourceProblem::Read { offset, error }));
                }
            }
        }
        bytes.truncate(filled);
        self.hasher.update(&bytes);
        self.offset += filled as u64;
        Ok(bytes)
    }

    /// The offset of the next bytes.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The digest of all that was read.
    pub fn digest(&self) -> Digest {
        self.hasher.digest()
    }

    fn error(&self, problem: SourceProblem) -> SourceError {
        SourceError::new(self.path, problem)
    }
}
