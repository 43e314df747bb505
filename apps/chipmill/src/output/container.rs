//! What all kinds of files have in common.

use std::io;

/// A file of one kind: makes bytes of frames.
///
/// A file is a header, which is written again when all is known, and then the bytes that
/// [`push`](Self::push) and [`end`](Self::end) give.
pub(super) trait Container: Send {
    /// The header, for the frames until now. It always has the same length.
    fn header(&self) -> Vec<u8>;

    /// How many frames a file may have.
    fn max_frames(&self) -> u64;

    /// Appends the bytes of `frames` to `bytes`. Some may come with a later call.
    ///
    /// # Errors
    ///
    /// If the encoder fails.
    fn push(&mut self, frames: &[[f32; 2]], bytes: &mut Vec<u8>) -> io::Result<()>;

    /// Appends the bytes that are still missing.
    ///
    /// # Errors
    ///
    /// If the encoder fails.
    fn end(&mut self, bytes: &mut Vec<u8>) -> io::Result<()>;

    /// How many samples were clipped until now.
    fn clipped(&self) -> u64;
}
