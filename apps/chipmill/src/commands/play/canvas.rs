//! Pictures go to the terminal as a whole.

use std::cell::RefCell;
use std::io::{self, Write};
use std::iter;
use std::rc::Rc;

use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::{Frame, Terminal};

/// A terminal that collects the bytes of a picture.
type Collecting = Terminal<CrosstermBackend<Bytes>>;

/// Bytes that have not gone to the terminal.
#[derive(Clone, Default)]
struct Bytes(Rc<RefCell<Vec<u8>>>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Draws pictures so that they do not flicker: one write for each, which a terminal that knows
/// synchronized updates shows at once, and none for a picture that is as the one before.
pub struct Canvas<W> {
    terminal: Collecting,
    bytes: Bytes,
    /// The bytes of a picture without a change: colours are reset, and the cursor is hidden.
    unchanged: Vec<u8>,
    out: W,
}

impl<W: Write> Canvas<W> {
    /// A canvas as large as the terminal.
    pub fn new(out: W) -> io::Result<Self> {
        Self::with(out, Terminal::new)
    }

    fn with(
        out: W,
        make: impl FnOnce(CrosstermBackend<Bytes>) -> io::Result<Collecting>,
    ) -> io::Result<Self> {
        let bytes = Bytes::default();
        let mut backend = CrosstermBackend::new(bytes.clone());
        backend.draw(iter::empty())?;
        backend.hide_cursor()?;
        Ok(Canvas {
            unchanged: bytes.0.take(),
            terminal: make(backend)?,
            bytes,
            out,
        })
    }

    /// Draws a picture.
    pub fn draw(&mut self, picture: impl FnOnce(&mut Frame)) -> io::Result<()> {
        self.terminal.draw(picture)?;
        let changes = self.bytes.0.take();
        if changes == self.unchanged {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(changes.len() + 16);
        queue!(bytes, BeginSynchronizedUpdate)?;
        bytes.extend(changes);
        queue!(bytes, EndSynchronizedUpdate)?;
        self.out.write_all(&bytes)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::TerminalOptions;
    use ratatui::Viewport;
    use ratatui::layout::Rect;

    /// What has come, a write each.
    #[derive(Clone, Default)]
    struct Writes(Rc<RefCell<Vec<String>>>);

    impl Write for Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            self.0.borrow_mut().push(text);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_picture_is_one_write_and_none_without_a_change() {
        let writes = Writes::default();
        let fixed = TerminalOptions {
            viewport: Viewport::Fixed(Rect::new(0, 0, 80, 24)),
        };
        let make = |backend| Terminal::with_options(backend, fixed);
        let mut canvas = Canvas::with(writes.clone(), make).unwrap();
        let mut lengths = Vec::new();
        for text in ["a bar: ████", "a bar: ████", "a bar: ███", "a bar: ███"]
        {
            canvas
                .draw(|frame| frame.render_widget(text, frame.area()))
                .unwrap();
            let written = writes.0.take();
            let is_whole =
                |write: &String| write.starts_with("\x1b[?2026h") && write.ends_with("\x1b[?2026l");
            assert!(written.iter().all(is_whole), "{written:?}");
            let has_clear = |write: &String| write.contains("\x1b[2J");
            assert!(!written.iter().any(has_clear), "{written:?}");
            lengths.push(written.len());
        }
        assert_eq!(lengths, [1, 0, 1, 0]);
    }
}
