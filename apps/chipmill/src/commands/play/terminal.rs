//! Keys, and when the screen is drawn.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use chipmill::player::{Now, Request};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use drumline::channel::mpsc::Sender;

use super::screen::Screen;

/// How long a picture stands.
const PICTURE: Duration = Duration::from_millis(40);

/// What the thread of the keys tells the one of the screen.
enum Told {
    /// The size of the terminal is another one.
    Resized,
    /// The user has had enough, or the terminal has gone.
    Quit,
}

/// Shows what is playing until the list or the user's patience ends, or a signal comes, and returns
/// whether the list has not ended.
pub fn run(
    now: &Now,
    songs: usize,
    rate: u32,
    keys: &Sender<Request>,
    engine: &JoinHandle<()>,
    signalled: &AtomicBool,
) -> Result<bool> {
    // One that has no size has been changed by then.
    let mut terminal = ratatui::try_init()
        .inspect_err(|_| ratatui::restore())
        .context("the terminal cannot be drawn on")?;
    let (tell, told) = mpsc::channel();
    let requests = keys.clone();
    let reader = thread::Builder::new().name("chipmill keys".to_owned());
    let result = match reader.spawn(move || read_keys(&requests, &tell)) {
        Ok(_) => {
            let mut screen = Screen::new(songs, rate);
            let mut before = Instant::now();
            loop {
                let at = Instant::now();
                let drawn = terminal.draw(|frame| screen.draw(frame, now, at - before));
                before = at;
                if drawn.is_err() {
                    // The terminal has gone.
                    break Ok(true);
                }
                match told.recv_timeout(PICTURE) {
                    Ok(Told::Quit) | Err(RecvTimeoutError::Disconnected) => break Ok(true),
                    Ok(Told::Resized) | Err(RecvTimeoutError::Timeout) => {}
                }
                // Relaxed: the flag carries no data with it.
                if signalled.load(Ordering::Relaxed) {
                    break Ok(true);
                }
                if engine.is_finished() {
                    break Ok(false);
                }
            }
        }
        Err(error) => Err(error).context("no thread for the keys can be started"),
    };
    // A receiver that has gone has ended already.
    let _ = keys.send(Request::Quit);
    ratatui::restore();
    result
}

/// Turns keys into requests. The thread ends with the program.
fn read_keys(requests: &Sender<Request>, tell: &mpsc::Sender<Told>) {
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
            // The screen that has gone knows.
            let _ = tell.send(Told::Quit);
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
