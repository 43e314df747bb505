//! A file that ends when the user has had enough.

use std::io::{self, Read};
use std::sync::atomic::AtomicBool;

use super::job::check;

/// Reads from a file until the user has had enough: then each read is an error. The largest log
/// takes some two seconds to read, and Ctrl-C does not wait for them.
pub struct Cancellable<'a, R> {
    file: R,
    cancelled: &'a AtomicBool,
}

impl<'a, R> Cancellable<'a, R> {
    /// A file that is read until the flag is set.
    pub fn new(file: R, cancelled: &'a AtomicBool) -> Self {
        Cancellable { file, cancelled }
    }
}

impl<R: Read> Read for Cancellable<'_, R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        check(self.cancelled).map_err(io::Error::other)?;
        self.file.read(room)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn a_file_is_read_until_the_flag_is_set() {
        let cancelled = AtomicBool::new(false);
        let mut file = Cancellable::new(&b"bytes"[..], &cancelled);
        let mut room = [0; 2];
        assert_eq!(file.read(&mut room).unwrap(), 2);
        // Relaxed: by the thread that reads it.
        cancelled.store(true, Ordering::Relaxed);
        assert!(file.read(&mut room).is_err());
    }
}
