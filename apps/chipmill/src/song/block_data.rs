//! The data of a data block.

use super::SongError;
use super::scan::{BLOCK, BLOCK_HEAD, command_len, cut};
use super::window::Window;

/// The data of a data block, which are taken from the file as they are wanted.
pub struct BlockData<'a, 'b> {
    window: &'a mut Window<'b>,
    /// Where the command begins.
    offset: usize,
    /// The bytes of the data in all, and those that are left.
    len: usize,
    left: usize,
    /// Why the file has no more.
    error: Option<SongError>,
    /// The mark, the type, whether it is for the second chip.
    pub mark: u8,
    pub kind: u8,
    pub second: bool,
}

impl<'a, 'b> BlockData<'a, 'b> {
    /// The data of the block at which the window is.
    ///
    /// # Errors
    ///
    /// The file ends before them.
    pub fn new(window: &'a mut Window<'b>) -> Result<Self, SongError> {
        let offset = window.offset();
        let rest = window.at_least(BLOCK_HEAD)?;
        let head = command_len(rest, offset)?;
        let (mark, kind) = (rest[1], rest[2]);
        let len = u32::from_le_bytes([rest[3], rest[4], rest[5], rest[6]]);
        window.take(head);
        // The highest bit is the chip's.
        let (second, len) = (len >> 31 != 0, (len & 0x7fff_ffff) as usize);
        Ok(BlockData {
            window,
            offset,
            len,
            left: len,
            error: None,
            mark,
            kind,
            second,
        })
    }

    /// The bytes that are left.
    pub fn left(&self) -> usize {
        self.left
    }

    /// Appends the next bytes to `to`: `bytes` of them, or all that are left.
    pub fn copy(&mut self, bytes: usize, to: &mut Vec<u8>) {
        let bytes = bytes.min(self.left);
        let copied = match &self.error {
            Some(_) => return,
            None => self.window.copy(bytes, to),
        };
        self.count(bytes, copied);
    }

    /// Goes on behind the data.
    ///
    /// # Errors
    ///
    /// The file ends before, or could not be read. Whatever was taken has bytes missing then.
    pub fn finish(mut self) -> Result<(), SongError> {
        if self.error.is_none() {
            let skipped = self.window.skip(self.left);
            self.count(self.left, skipped);
        }
        self.error.map_or(Ok(()), Err)
    }

    fn count(&mut self, wanted: usize, taken: Result<usize, SongError>) {
        match taken {
            Ok(taken) => {
                self.left -= taken;
                if taken < wanted {
                    let len = BLOCK_HEAD.saturating_add(self.len);
                    let there = BLOCK_HEAD + self.len - self.left;
                    self.error = Some(cut(self.offset, BLOCK, len, there));
                }
            }
            Err(error) => self.error = Some(error),
        }
    }
}
