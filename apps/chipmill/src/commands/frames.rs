//! What the bars draw, on its way to the terminal.
//!
//! A terminal can take no output for a while: its user has pressed Ctrl-S, or its reader pauses.
//! The jobs draw the bars, and do not wait with it: they could not see that the user has had
//! enough. So a picture is put together here, and written by the thread that writes lines.

use std::fmt;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use console::Term;
use indicatif::TermLike;

/// Pictures are left out while this many bytes of earlier ones wait: some seconds of them.
const MOST: usize = 1 << 16;

/// A terminal that is drawn to without waiting.
#[derive(Clone)]
pub struct Frames {
    send: Arc<dyn Fn(Frame) + Send + Sync>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// The picture that is being put together.
    frame: Mutex<String>,
    /// The bytes of the pictures that wait to be written.
    waiting: AtomicUsize,
    /// The last picture comes, which takes the bars away.
    is_last: AtomicBool,
}

/// A picture that waits to be written.
pub struct Frame {
    text: String,
    shared: Arc<Shared>,
}

impl Frame {
    /// Writes it. A terminal that has gone shows nothing.
    pub fn write(self, terminal: &mut impl io::Write) {
        let _ = terminal.write_all(self.text.as_bytes());
        let _ = terminal.flush();
        // Relaxed: a count, with which nothing is published.
        self.shared
            .waiting
            .fetch_sub(self.text.len(), Ordering::Relaxed);
    }
}

impl Frames {
    /// A terminal whose pictures are sent to the thread that writes them.
    pub fn new(send: impl Fn(Frame) + Send + Sync + 'static) -> Self {
        Frames {
            send: Arc::new(send),
            shared: Arc::default(),
        }
    }

    /// The next picture is the last one, and is not left out.
    pub fn last(&self) {
        // Relaxed: the thread that says so draws the picture.
        self.shared.is_last.store(true, Ordering::Relaxed);
    }

    /// Whether pictures are left out: the terminal has taken no output for a while.
    fn is_stuck(&self) -> bool {
        // Relaxed, twice: as in `Frame::write` and in `last`.
        self.shared.waiting.load(Ordering::Relaxed) >= MOST
            && !self.shared.is_last.load(Ordering::Relaxed)
    }

    fn add(&self, text: fmt::Arguments<'_>) -> io::Result<()> {
        let mut frame = self
            .shared
            .frame
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        fmt::Write::write_fmt(&mut *frame, text).map_err(io::Error::other)
    }

    fn move_cursor(&self, count: usize, direction: char) -> io::Result<()> {
        match count {
            0 => Ok(()),
            count => self.add(format_args!("\x1b[{count}{direction}")),
        }
    }
}

impl fmt::Debug for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frames").finish_non_exhaustive()
    }
}

impl TermLike for Frames {
    fn width(&self) -> u16 {
        Term::stderr().size().1
    }

    fn height(&self) -> u16 {
        Term::stderr().size().0
    }

    fn move_cursor_up(&self, count: usize) -> io::Result<()> {
        self.move_cursor(count, 'A')
    }

    fn move_cursor_down(&self, count: usize) -> io::Result<()> {
        self.move_cursor(count, 'B')
    }

    fn move_cursor_right(&self, count: usize) -> io::Result<()> {
        self.move_cursor(count, 'C')
    }

    fn move_cursor_left(&self, count: usize) -> io::Result<()> {
        self.move_cursor(count, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.add(format_args!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.add(format_args!("{text}"))
    }

    fn clear_line(&self) -> io::Result<()> {
        self.add(format_args!("\r\x1b[2K"))
    }

    /// The picture is whole. If it is left out, that is an error: what draws the next one goes by
    /// what is on the screen.
    fn flush(&self) -> io::Result<()> {
        let mut frame = self
            .shared
            .frame
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let text = std::mem::take(&mut *frame);
        if text.is_empty() {
            return Ok(());
        }
        if self.is_stuck() {
            return Err(ErrorKind::WouldBlock.into());
        }
        // Relaxed: as in `Frame::write`.
        self.shared.waiting.fetch_add(text.len(), Ordering::Relaxed);
        let shared = Arc::clone(&self.shared);
        (self.send)(Frame { text, shared });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// A terminal, and the pictures that wait to be written.
    fn frames() -> (Frames, mpsc::Receiver<Frame>) {
        let (frames, waiting) = mpsc::channel();
        (
            Frames::new(move |frame| frames.send(frame).unwrap()),
            waiting,
        )
    }

    #[test]
    fn a_picture_is_written_as_a_whole() {
        let (frames, waiting) = frames();
        frames.flush().unwrap();
        frames.move_cursor_up(0).unwrap();
        frames.move_cursor_up(2).unwrap();
        frames.clear_line().unwrap();
        frames.write_line("a").unwrap();
        frames.write_str("b").unwrap();
        assert!(waiting.try_recv().is_err());
        frames.flush().unwrap();
        let frame = waiting.try_recv().unwrap();
        let mut written = Vec::new();
        frame.write(&mut written);
        assert_eq!(written, b"\x1b[2A\r\x1b[2Ka\nb");
    }

    #[test]
    fn a_terminal_that_takes_nothing_gets_no_more() {
        let (frames, waiting) = frames();
        let picture = "x".repeat(MOST / 2);
        let draw = |text: &str| {
            frames.write_str(text).unwrap();
            frames.flush()
        };
        assert!(draw(&picture).is_ok() && draw(&picture).is_ok());
        assert!(draw("left out").is_err());
        let mut written = Vec::new();
        let mut write = |frame: Frame| frame.write(&mut written);
        waiting.try_iter().for_each(&mut write);
        // What was left out does not come later.
        assert!(draw("more").is_ok());
        waiting.try_iter().for_each(&mut write);
        assert!(draw(&picture).is_ok() && draw(&picture).is_ok());
        frames.last();
        assert!(draw("the last one").is_ok());
        assert_eq!(waiting.try_iter().count(), 3);
        let text = picture.repeat(2) + "more";
        assert_eq!(String::from_utf8(written).unwrap(), text);
    }
}
