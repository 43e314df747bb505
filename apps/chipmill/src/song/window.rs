//! A window on a file that is read from its beginning to its end.
//!
//! ```text
//!            offset
//!              ▼
//! ░░░░░░░░░░░░░████████████░░░░░░░░░░░░░░░░  the file
//!              └─ buffered ┘
//! ```
//! A parser asks for a number of bytes with [`at_least`](Window::at_least), looks at them, and
//! [takes](Window::take) those that it has understood. When too few are left, they go to the front
//! of the buffer, and the source fills the rest of it. So what is asked for at a time has to fit
//! into the buffer, which has [`SIZE`] bytes: the longest command with a fixed length has 12, and
//! [a batch of them](super::commands) two thousand. A data block, which can be as long as the file,
//! never is in the buffer as a whole: [`copy`](Window::copy) moves it to where it is kept.
//!
//! Tags can be anywhere in a file, also before the commands, and the window never goes back. So it
//! hands [`PassingTags`] all bytes that it reads.
//!
//! After an error of the source the window is at its end.

use super::SongError;
use super::gd3::PassingTags;
use super::source::Source;

/// The most bytes in memory.
pub const SIZE: usize = 16 << 10;

/// The bytes for which room is made before they are there: the length of a data block is what the
/// file says, which can have ended by then.
const TRUSTED: usize = 1 << 20;

/// The part of a file that is being looked at.
pub struct Window<'a> {
    source: Source<'a>,
    buffer: Box<[u8]>,
    /// The bytes that are left, in the buffer.
    start: usize,
    end: usize,
    /// Where in the file the first of them is.
    offset: usize,
    ended: bool,
    tags: Option<PassingTags>,
}

impl<'a> Window<'a> {
    /// A window at the beginning of a file.
    pub fn new(source: Source<'a>) -> Self {
        Window {
            source,
            buffer: vec![0; SIZE].into(),
            start: 0,
            end: 0,
            offset: 0,
            ended: false,
            tags: None,
        }
    }

    /// The place in the file of the next byte.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The next bytes: at least this number, which [`SIZE`] bounds, or all that the file has still.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn at_least(&mut self, bytes: usize) -> Result<&[u8], SongError> {
        debug_assert!(bytes <= SIZE);
        while self.end - self.start < bytes && !self.ended {
            self.refill()?;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// Goes on behind bytes that have been looked at.
    pub fn take(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.end - self.start);
        self.start += bytes;
        self.offset += bytes;
    }

    /// Appends the next bytes to `to`, and returns how many: fewer than `bytes` at the end.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn copy(&mut self, bytes: usize, to: &mut Vec<u8>) -> Result<usize, SongError> {
        let room = bytes.min(TRUSTED);
        // Most banks and memories are one block, which then has no room for another.
        match to.is_empty() {
            true => to.reserve_exact(room),
            false => to.reserve(room),
        }
        self.each_part(bytes, |part| to.extend_from_slice(part))
    }

    /// Goes on behind the next bytes, and returns how many: fewer than `bytes` at the end.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn skip(&mut self, bytes: usize) -> Result<usize, SongError> {
        self.each_part(bytes, |_| {})
    }

    /// Goes on to the end of the file, and returns how many bytes it has in all.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn skip_all(&mut self) -> Result<usize, SongError> {
        self.skip(usize::MAX)?;
        Ok(self.offset)
    }

    /// Has tags collected that begin at this place of the file, no byte of which is taken yet.
    pub fn collect_tags(&mut self, at: usize) {
        debug_assert_eq!(self.offset, 0);
        let mut tags = PassingTags::new(at);
        tags.pass(0, &self.buffer[self.start..self.end]);
        self.tags = Some(tags);
    }

    /// The tags, when all of the file has passed.
    pub fn tags(&mut self) -> Option<PassingTags> {
        self.tags.take()
    }

    fn each_part(&mut self, bytes: usize, mut each: impl FnMut(&[u8])) -> Result<usize, SongError> {
        let mut left = bytes;
        while left > 0 {
            let part = self.at_least(1)?;
            let part = &part[..part.len().min(left)];
            if part.is_empty() {
                break;
            }
            each(part);
            let taken = part.len();
            self.take(taken);
            left -= taken;
        }
        Ok(bytes - left)
    }

    fn refill(&mut self) -> Result<(), SongError> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let read = self.source.read(&mut self.buffer[self.end..]);
        self.ended = !matches!(read, Ok(1..));
        let read = read?;
        if let Some(tags) = &mut self.tags {
            let new = &self.buffer[self.end..self.end + read];
            tags.pass(self.offset + self.end, new);
        }
        self.end += read;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(len: usize) -> Vec<u8> {
        (0..len).map(|place| (place % 251) as u8).collect()
    }

    #[test]
    fn all_bytes_pass_in_their_order() {
        let file = bytes(5 * SIZE + 7);
        let mut window = Window::new(Source::of_bytes(&file));
        let mut passed = Vec::new();
        for wanted in [1, 12, SIZE, SIZE - 1].into_iter().cycle() {
            let there = window.at_least(wanted).unwrap();
            if there.is_empty() {
                break;
            }
            assert!(there.len() >= wanted.min(file.len() - passed.len()));
            let taken = wanted.min(there.len());
            passed.extend_from_slice(&there[..taken]);
            window.take(taken);
            assert_eq!(window.offset(), passed.len());
        }
        assert_eq!(passed, file);
    }

    #[test]
    fn copies_end_with_the_file() {
        let file = bytes(3 * SIZE);
        let mut window = Window::new(Source::of_bytes(&file));
        window.at_least(10).unwrap();
        window.take(5);
        let mut copied = Vec::new();
        assert_eq!(window.copy(2 * SIZE, &mut copied).unwrap(), 2 * SIZE);
        assert_eq!(window.copy(usize::MAX, &mut copied).unwrap(), SIZE - 5);
        assert_eq!(copied, file[5..]);
        assert_eq!(window.skip_all().unwrap(), file.len());
    }

    #[test]
    fn an_error_of_the_source_ends_the_window() {
        let broken = [0x1f, 0x8b, 8, 0, 0];
        let mut window = Window::new(Source::new(&broken[..]).unwrap());
        assert!(matches!(
            window.at_least(1),
            Err(SongError::Compression { .. })
        ));
        assert_eq!(window.skip_all().unwrap(), 0);
    }
}
