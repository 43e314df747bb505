//! Lines that are written by a thread of their own.
//!
//! The reader of a pipe may pause, as `less` does, and what writes to the pipe then waits for it.
//! Jobs do not wait with it: they could not see that the user has had enough.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::frames::{Frame, Frames};

/// How often it is looked whether the user has had enough of waiting for a reader.
const LOOK: Duration = Duration::from_millis(20);

/// Lines on their way to standard output and standard error.
pub struct Lines {
    lines: mpsc::Sender<Line>,
    /// What has come of those of standard output. Behind a lock, as one thread at most waits.
    ended: Mutex<mpsc::Receiver<io::Result<()>>>,
}

enum Line {
    Out(String),
    Err(String),
    /// A picture on the terminal of standard error.
    Frame(Frame),
    /// No others follow.
    End,
}

impl Lines {
    /// Starts the thread that writes.
    ///
    /// # Errors
    ///
    /// The system has no thread for it.
    pub fn new() -> io::Result<Self> {
        Self::to(io::stdout(), io::stderr())
    }

    fn to<O, E>(out: O, err: E) -> io::Result<Self>
    where
        O: Write + Send + 'static,
        E: Write + Send + 'static,
    {
        let (lines, waiting) = mpsc::channel();
        let (ends, ended) = mpsc::channel();
        thread::Builder::new()
            .name("chipmill lines".to_owned())
            .spawn(move || {
                // A program that has ended without waiting has had enough.
                let _ = ends.send(write(&waiting, out, err));
            })?;
        Ok(Lines {
            lines,
            ended: Mutex::new(ended),
        })
    }

    /// A line of standard output.
    pub fn out(&self, text: String) {
        self.send(Line::Out(text));
    }

    /// What draws on the terminal of standard error.
    pub fn frames(&self) -> Frames {
        let lines = self.lines.clone();
        Frames::new(move |frame| {
            // The thread ends after the last line only.
            let _ = lines.send(Line::Frame(frame));
        })
    }

    /// A line of standard error.
    pub fn err(&self, text: String) {
        self.send(Line::Err(text));
    }

    fn send(&self, line: Line) {
        // The thread ends after the last line only.
        let _ = self.lines.send(line);
    }

    /// Waits until all lines are written: as long as it takes, but not for a reader that pauses
    /// when the user has had enough.
    ///
    /// # Errors
    ///
    /// Standard output has not taken a line.
    pub fn finish(&self, cancelled: &AtomicBool) -> io::Result<()> {
        // Relaxed: the flag carries no data with it.
        self.finish_unless(|| cancelled.load(Ordering::Relaxed))
    }

    /// Waits until all lines are written, or there is no more waiting for them, which is asked again
    /// and again.
    ///
    /// # Errors
    ///
    /// Standard output has not taken a line.
    pub fn finish_unless(&self, mut is_given_up: impl FnMut() -> bool) -> io::Result<()> {
        self.send(Line::End);
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match ended.recv_timeout(LOOK) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("the thread that writes has panicked"));
                }
                Err(RecvTimeoutError::Timeout) if is_given_up() => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Whether standard error takes output now. Where that cannot be asked, it does.
pub fn takes_errors() -> bool {
    #[cfg(unix)]
    {
        let mut room = libc::pollfd {
            fd: libc::STDERR_FILENO,
            events: libc::POLLOUT,
            revents: 0,
        };
        // SAFETY: it gets one descriptor and a place for the answer, and does not wait.
        let ready = unsafe { libc::poll(&raw mut room, 1, 0) };
        // One that has gone is an error for what is written next.
        ready != 0
    }
    #[cfg(not(unix))]
    true
}

/// Writes all lines, and returns the first error of standard output.
fn write(lines: &mpsc::Receiver<Line>, mut out: impl Write, mut err: impl Write) -> io::Result<()> {
    let mut result = Ok(());
    for line in lines {
        match line {
            Line::Out(text) => {
                let written = writeln!(out, "{text}");
                result = result.and(written);
            }
            Line::Err(text) => {
                // Without a reader there is no other place for it.
                let _ = writeln!(err, "{text}");
            }
            Line::Frame(frame) => frame.write(&mut err),
            Line::End => break,
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_in_order() {
        let (mut out, written) = io::pipe().unwrap();
        let lines = Lines::to(written.try_clone().unwrap(), written).unwrap();
        lines.out("one".to_owned());
        lines.err("two".to_owned());
        lines.out("three".to_owned());
        lines.finish(&AtomicBool::new(false)).unwrap();
        drop(lines);
        let mut text = String::new();
        io::Read::read_to_string(&mut out, &mut text).unwrap();
        assert_eq!(text, "one\ntwo\nthree\n");
    }

    #[test]
    fn a_reader_that_pauses_is_not_waited_for_after_a_signal() {
        // The pipe is full before its reader reads.
        let (out, written) = io::pipe().unwrap();
        let lines = Lines::to(written, io::sink()).unwrap();
        lines.out("x".repeat(1 << 22));
        lines.finish(&AtomicBool::new(true)).unwrap();
        drop(out);
        let error = lines.finish(&AtomicBool::new(false)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn the_first_error_is_told() {
        let (reader, written) = io::pipe().unwrap();
        drop(reader);
        let lines = Lines::to(written, io::sink()).unwrap();
        lines.out("lost".to_owned());
        lines.out("lost as well".to_owned());
        let error = lines.finish(&AtomicBool::new(false)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
