//! What happens to a block: it becomes a piece of a deflate stream.
//!
//! As pigz does it. Each block is compressed by itself, but what stood in the 32 KiB before it (or
//! in the block before it, if that is smaller) is known to the compressor, so hardly anything is
//! lost by the cutting. It ends with a flush to a whole byte, so that the pieces can be put one
//! after another.

use anyhow::{Context, Result};
use crc32fast::Hasher;
use flate2::{Compress, Compression, FlushCompress};

use crate::blocks::Block;

/// How far back a deflate stream may refer.
const WINDOW: usize = 32 << 10;

/// A compressed block.
pub struct Piece {
    /// A piece of a deflate stream: whole bytes, and not its end.
    pub deflated: Vec<u8>,
    /// The checksum of what was compressed.
    pub crc: Hasher,
    /// How much was compressed.
    pub length: usize,
}

/// Compresses a block, with a level from 1 to 9.
///
/// The compressor is a new one each time. To reset one would save 2 %. But then what it makes of a
/// block may depend, in a few bytes, on the blocks that it had before: on which consumer happened
/// to take which block.
pub fn deflate(block: &Block, level: u32) -> Result<Piece> {
    let data = block.data.as_slice();
    let mut crc = Hasher::new();
    crc.update(data);

    let mut compress = Compress::new(Compression::new(level), false);
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
