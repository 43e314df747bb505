//! The serial end: the pieces, one after another, between the head and the tail of a gzip file.

use anyhow::Result;
use crc32fast::Hasher;

use crate::deflate::Piece;
use crate::output::Output;

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
