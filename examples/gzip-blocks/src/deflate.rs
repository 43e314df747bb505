//! What happens to a block: it becomes a piece of a deflate stream.
//!
//! As pigz does it. Each block is compressed by itself, but what stood in the 32 KiB before it is known to the
//! compressor, so hardly anything is lost by the cutting. It ends with a flush to a whole byte, so that the pieces can be
//! put one after another.

use anyhow::{Context, Result};
use crc32fast::Hasher;
use flate2::{Compress, Compression, FlushCompress};

use crate::blocks::Block;

/// How far back a deflate stream may refer.
const WINDOW: usize = 32 << 10;

/// A compressor, which is used for one block after another.
pub struct Deflater {
    compress: Compress,
}

/// A compressed block.
pub struct Piece {
    /// A piece of a deflate stream: whole bytes, and not its end.
    pub deflated: Vec<u8>,
    /// The checksum of what was compressed.
    pub crc: Hasher,
    /// How much was compressed.
    pub length: usize,
}

impl Deflater {
    /// A compressor with a level from 1 to 9.
    pub fn new(level: u32) -> Self {
        Deflater {
            compress: Compress::new(Compression::new(level), false),
        }
    }

    /// Compresses a block.
    pub fn deflate(&mut self, block: &Block) -> Result<Piece> {
        let (compress, data) = (&mut self.compress, block.data.as_slice());
        let mut crc = Hasher::new();
        crc.update(data);

        compress.reset();
        let before = &block.before[block.before.len().saturating_sub(WINDOW)..];
        if !before.is_empty() {
            compress.set_dictionary(before).context("cannot compress")?;
        }
        let mut deflated = Vec::with_capacity(data.len() / 2 + 64);
        loop {
            let rest = &data[compress.total_in() as usize..];
            compress
                .compress_vec(rest, &mut deflated, FlushCompress::Sync)
                .context("cannot compress")?;
            // Where room is left, there was nothing more to write.
            if deflated.len() < deflated.capacity() {
                return Ok(Piece {
                    deflated,
                    crc,
                    length: data.len(),
                });
            }
            deflated.reserve(data.len() / 2 + 64);
        }
    }
}
