//! The serial end: the pieces, one after another, between the head and the tail of a gzip file.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use crc32fast::Hasher;

use crate::deflate::Piece;

/// A last, empty block, without which a deflate stream is not over.
const LAST_BLOCK: [u8; 2] = [3, 0];

/// A gzip file that is being written.
pub struct Gzip {
    output: Output,
    crc: Hasher,
    length: u64,
}

impl Gzip {
    /// Writes the head.
    pub fn begin(mut output: Output, level: u32) -> Result<Self> {
        let effort = match level {
            9 => 2,
            1 => 4,
            _ => 0,
        };
        // Deflate, no flags, no time, and an unknown system.
        output.write(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, effort, 255])?;
        Ok(Gzip {
            output,
            crc: Hasher::new(),
            length: 0,
        })
    }

    /// Writes the next piece.
    pub fn append(&mut self, piece: &Piece) -> Result<()> {
        self.crc.combine(&piece.crc);
        self.length += piece.length as u64;
        self.output.write(&piece.deflated)
    }

    /// Writes the tail.
    pub fn finish(mut self) -> Result<()> {
        let mut tail = LAST_BLOCK.to_vec();
        tail.extend(self.crc.finalize().to_le_bytes());
        // As the format wants it: the length without what does not fit.
        tail.extend((self.length as u32).to_le_bytes());
        self.output.write(&tail)?;
        self.output.finish()
    }
}

/// Standard output, or a file that gets its name when it is complete.
pub struct Output {
    writer: Box<dyn Write>,
    name: String,
    /// Where it is now, and where it belongs.
    partial: Option<(PathBuf, PathBuf)>,
}

impl Output {
    /// Begins a file, or standard output.
    pub fn create(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            let stdout = io::stdout();
            ensure!(
                !stdout.is_terminal(),
                "compressed data is nothing for a terminal; name a file with `--output`"
            );
            return Ok(Output {
                writer: Box::new(stdout.lock()),
                name: "standard output".to_owned(),
                partial: None,
            });
        };
        let name = path.display().to_string();
        let is_special = fs::metadata(path).is_ok_and(|about| !about.is_file());
        let (target, partial) = if is_special {
            // A device or a pipe cannot be replaced.
            (path.to_owned(), None)
        } else {
            let mut partial = path.as_os_str().to_owned();
            partial.push(".partial");
            let partial = PathBuf::from(partial);
            (partial.clone(), Some((partial, path.to_owned())))
        };
        let file = File::create(&target).with_context(|| format!("cannot create {name}"))?;
        Ok(Output {
            writer: Box::new(file),
            name,
            partial,
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer
            .write_all(bytes)
            .with_context(|| format!("cannot write {}", self.name))
    }

    fn finish(mut self) -> Result<()> {
        self.writer
            .flush()
            .with_context(|| format!("cannot write {}", self.name))?;
        if let Some((partial, path)) = &self.partial {
            fs::rename(partial, path).with_context(|| format!("cannot create {}", self.name))?;
            self.partial = None;
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some((partial, _)) = &self.partial {
            // Nobody wants half a file. If it cannot be removed, there is nothing more to be done.
            let _ = fs::remove_file(partial);
        }
    }
}
