//! Keys, and when the screen is drawn.
//!
//! ```text
//! keys (a thread) ── Asked ──────────────► Terminal::wait
//!      └─ Resized ─► screen (a thread) ── Ended ──┘
//! ```
//! A terminal that takes no output, such as one at a connection that hangs, keeps the thread of the
//! screen in a write. That is why it is a thread of its own: the player ends without it.

use std::io;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use chipmill::player::{Now, Request};
use crossterm::cursor::Show;
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use drumline::channel::mpsc::Sender;

use super::canvas::Canvas;
use super::screen::Screen;

/// How long a picture stands.
const PICTURE: Duration = Duration::from_millis(40);

/// What the thread of the screen is told.
enum Told {
    /// The size of the terminal is another one.
    Resized,
    /// The last picture has been drawn.
    End,
}

/// What the threads of the keys and of the screen say.
enum Word {
    /// The user has had enough, or the terminal has gone.
    Asked,
    /// The screen has given the terminal back, which has gone if it is an error.
    Ended(Result<()>),
}

/// A terminal that shows what is playing.
pub struct Terminal {
    tell: mpsc::Sender<Told>,
    words: Receiver<Word>,
    screen: JoinHandle<()>,
    /// Whether the terminal has been given back without the screen.
    given_back: Arc<AtomicBool>,
    /// What the screen has said at its end.
    ended: Option<Result<()>>,
}

impl Terminal {
    /// Shows what is playing, and turns keys into requests.
    pub fn start(
        now: &Arc<Now>,
        songs: usize,
        rate: u32,
        keys: &Sender<Request>,
    ) -> Result<Terminal> {
        let (tell, told) = mpsc::channel();
        let (says, words) = mpsc::channel();
        let (now, ends) = (Arc::clone(now), says.clone());
        let given_back = Arc::new(AtomicBool::new(false));
        let is_given_back = Arc::clone(&given_back);
        let screen = thread::Builder::new()
            .name("chipmill screen".to_owned())
            .spawn(move || {
                let ended = show(Screen::new(songs, rate), &now, &told, &is_given_back);
                // The player may have ended without it.
                let _ = ends.send(Word::Ended(ended));
            })
            .context("no thread for the screen can be started")?;
        let terminal = Terminal {
            tell: tell.clone(),
            words,
            screen,
            given_back,
            ended: None,
        };
        let requests = keys.clone();
        let reader = thread::Builder::new()
            .name("chipmill keys".to_owned())
            .spawn(move || read_keys(&requests, &tell, &says));
        match reader {
            Ok(_) => Ok(terminal),
            Err(error) => {
                terminal.end(Instant::now() + PICTURE)?;
                Err(error).context("no thread for the keys can be started")
            }
        }
    }

    /// Waits until the list or the user's patience ends, or a signal comes. Returns whether the
    /// list has not ended.
    pub fn wait(&mut self, engine: &JoinHandle<()>, signalled: &AtomicBool) -> bool {
        let is_early = loop {
            match self.words.recv_timeout(PICTURE) {
                Ok(Word::Asked) | Err(RecvTimeoutError::Disconnected) => break true,
                Ok(Word::Ended(ended)) => {
                    self.ended = Some(ended);
                    break true;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            // Relaxed: the flag carries no data with it.
            if signalled.load(Ordering::Relaxed) || self.screen.is_finished() {
                break true;
            }
            if engine.is_finished() {
                break false;
            }
        };
        // A screen that has gone need not be told.
        let _ = self.tell.send(Told::End);
        is_early
    }

    /// Gives the terminal back. Returns whether it has taken all that it was to show by then: one
    /// that takes no output is left as it is.
    ///
    /// # Errors
    ///
    /// It could not be drawn on.
    pub fn end(mut self, by: Instant) -> Result<bool> {
        // A screen that has gone need not be told.
        let _ = self.tell.send(Told::End);
        loop {
            if let Some(ended) = self.ended {
                return ended.map(|()| true);
            }
            let left = by.saturating_duration_since(Instant::now());
            match self.words.recv_timeout(left) {
                Ok(Word::Asked) => {}
                Ok(Word::Ended(ended)) => self.ended = Some(ended),
                Err(_) if self.screen.is_finished() && self.words.try_iter().all(is_asked) => {
                    restore_at_once();
                    return Err(anyhow!("the screen has panicked"));
                }
                Err(_) => {
                    // Relaxed: the flag carries no data with it.
                    self.given_back.store(true, Ordering::Relaxed);
                    return Ok(restore_at_once());
                }
            }
        }
    }
}

fn is_asked(word: Word) -> bool {
    matches!(word, Word::Asked)
}

/// Draws until it is told to end, or the terminal has been given back without it.
fn show(
    mut screen: Screen,
    now: &Now,
    told: &Receiver<Told>,
    given_back: &AtomicBool,
) -> Result<()> {
    give_back_before_panics();
    // What has been changed by then is changed back.
    let mut canvas = take()
        .and_then(|()| Canvas::new(io::stdout()))
        .inspect_err(|_| give_back())
        .context("the terminal cannot be drawn on")?;
    let mut before = Instant::now();
    // Relaxed: the flag carries no data with it.
    while !given_back.load(Ordering::Relaxed) {
        let at = Instant::now();
        let drawn = canvas.draw(|frame| screen.draw(frame, now, at - before));
        before = at;
        if drawn.is_err() {
            // The terminal has gone.
            break;
        }
        match told.recv_timeout(PICTURE) {
            Ok(Told::End) | Err(RecvTimeoutError::Disconnected) => break,
            Ok(Told::Resized) | Err(RecvTimeoutError::Timeout) => {}
        }
    }
    give_back();
    Ok(())
}

/// Takes the terminal: its keys without lines, and a screen beside the one that is there.
fn take() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen)
}

/// Gives the terminal back. One that has gone takes nothing, and is not told of it: ratatui would
/// print that, on the terminal that has gone, which is a panic.
fn give_back() {
    let _ = execute!(io::stdout(), Show, LeaveAlternateScreen);
    let _ = disable_raw_mode();
}

/// Has the message of a panic be seen.
fn give_back_before_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        give_back();
        before(panic);
    }));
}

/// Gives a terminal back that takes no output: its keys, and the screen as far as it has room for
/// the bytes. Nothing here waits. Returns whether it has taken them all: it was the screen then
/// that was late, and the terminal takes output.
fn restore_at_once() -> bool {
    // There is nothing else that could be done.
    let _ = disable_raw_mode();
    #[cfg(unix)]
    {
        use std::fs::OpenOptions;
        use std::io::Write;
        use std::os::unix::fs::OpenOptionsExt;

        use crossterm::queue;
        use crossterm::terminal::EndSynchronizedUpdate;

        let mut bytes = Vec::new();
        // Opened again: not to wait is a property of the open file, which others have as well.
        let terminal = OpenOptions::new()
            .write(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
            .open("/dev/tty");
        if let (Ok(mut terminal), Ok(())) = (
            terminal,
            queue!(bytes, EndSynchronizedUpdate, Show, LeaveAlternateScreen),
        ) {
            return terminal.write(&bytes).is_ok_and(|len| len == bytes.len());
        }
    }
    false
}

/// Turns keys into requests. The thread ends with the program.
fn read_keys(requests: &Sender<Request>, tell: &mpsc::Sender<Told>, says: &mpsc::Sender<Word>) {
    loop {
        let goes_on = match event::read() {
            Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => match request(key) {
                Some(Request::Quit) => false,
                Some(request) => requests.send(request).is_ok(),
                None => true,
            },
            Ok(Event::Resize(..)) => tell.send(Told::Resized).is_ok(),
            Ok(_) => true,
            Err(error) => error.kind() == io::ErrorKind::Interrupted,
        };
        if !goes_on {
            // A player that has gone knows.
            let _ = says.send(Word::Asked);
            return;
        }
    }
}

/// What a key asks for.
fn request(key: KeyEvent) -> Option<Request> {
    Some(match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Request::Quit,
        KeyCode::Char('q') | KeyCode::Esc => Request::Quit,
        KeyCode::Char(' ' | 'p') => Request::Pause,
        KeyCode::Char('n') | KeyCode::PageDown => Request::Next,
        KeyCode::Char('b') | KeyCode::PageUp => Request::Previous,
        KeyCode::Right => Request::Seek(5),
        KeyCode::Left => Request::Seek(-5),
        KeyCode::Char('.') => Request::Seek(30),
        KeyCode::Char(',') => Request::Seek(-30),
        KeyCode::Up | KeyCode::Char('+') => Request::Louder(1),
        KeyCode::Down | KeyCode::Char('-') => Request::Louder(-1),
        KeyCode::Char('l') => Request::Loop,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_ask_for_what_the_screen_says() {
        let plain = |code| request(KeyEvent::new(code, KeyModifiers::NONE));
        assert_eq!(plain(KeyCode::Char('q')), Some(Request::Quit));
        assert_eq!(plain(KeyCode::Char(' ')), Some(Request::Pause));
        assert_eq!(plain(KeyCode::Left), Some(Request::Seek(-5)));
        assert_eq!(plain(KeyCode::Char('c')), None);
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(request(interrupt), Some(Request::Quit));
    }
}
