//! The player in a terminal, which is one of tmux. Where there is no tmux, the test says so and
//! passes.

#![cfg(unix)]

mod small_songs;

use std::path::Path;
use std::process::{Command, Output};

use small_songs::write;

/// A terminal of 80 × 24 in which a program runs.
struct Terminal {
    socket: String,
}

impl Terminal {
    fn start(name: &str, command: &str) -> Option<Terminal> {
        if Command::new("tmux").arg("-V").output().is_err() {
            println!("skipped: there is no tmux");
            return None;
        }
        let terminal = Terminal {
            socket: format!("chipmill-{name}-{}", std::process::id()),
        };
        let line = format!("{command}; echo status=$?; exec sleep 1000");
        let started = terminal.tmux(&[
            "new-session",
            "-d",
            "-x",
            "80",
            "-y",
            "24",
            "sh",
            "-c",
            &line,
        ]);
        assert!(started.status.success(), "{started:?}");
        Some(terminal)
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command
            .args(["-L", &self.socket, "-f", "/dev/null"])
            .args(arguments);
        command.output().unwrap()
    }

    fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// Waits until the screen shows a text.
    fn wait_for(&self, text: &str) {
        while !self.screen().contains(text) {
            std::thread::yield_now();
        }
    }

    fn screen(&self) -> String {
        let output = self.tmux(&["capture-pane", "-p"]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

fn command(songs: &Path) -> String {
    let program = env!("CARGO_BIN_EXE_chipmill");
    format!("{program} play {} --audio null", songs.display())
}

#[test]
fn keys_and_sizes_do_what_they_should() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "first.vgm", 6000);
    write(songs.path(), "second.vgm", 6000);
    let Some(terminal) = Terminal::start("keys", &command(songs.path())) else {
        return;
    };
    terminal.wait_for("1/2 first");
    terminal.wait_for("YM2612 1    █");
    terminal.press("n");
    terminal.wait_for("2/2 second");
    terminal.press("Up");
    terminal.wait_for("+1 dB");
    terminal.press("Space");
    terminal.wait_for("paused");
    terminal.press("Space");
    // Smaller than the picture, and large again.
    terminal.tmux(&["resize-window", "-x", "20", "-y", "4"]);
    terminal.press("b");
    terminal.wait_for("1/2 first");
    terminal.tmux(&["resize-window", "-x", "100", "-y", "30"]);
    terminal.wait_for("q quit");
    terminal.press("q");
    terminal.wait_for("status=0");
    assert!(
        !terminal.screen().contains("1/2 first"),
        "the screen is as it was before"
    );
}

/// The user's shell has its terminal back, with a cursor.
#[test]
fn a_signal_ends_the_player_and_gives_the_terminal_back() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "first.vgm", 6000);
    let id = songs.path().join("id");
    let play = command(songs.path());
    let line = format!("sh -c 'echo $$ > {}; exec {play}'", id.display());
    let Some(terminal) = Terminal::start("signal", &line) else {
        return;
    };
    terminal.wait_for("1/1 first");
    let id = std::fs::read_to_string(id).unwrap();
    let killed = Command::new("kill").args(["-TERM", id.trim()]).status();
    assert!(killed.unwrap().success());
    terminal.wait_for("status=130");
    let state = terminal.tmux(&["display-message", "-p", "#{alternate_on} #{cursor_flag}"]);
    assert_eq!(String::from_utf8_lossy(&state.stdout).trim(), "0 1");
}

/// It would read the song from the keys.
#[test]
fn a_song_does_not_come_from_the_terminal_of_the_keys() {
    let program = env!("CARGO_BIN_EXE_chipmill");
    let line = format!("{program} play - --audio null");
    let Some(terminal) = Terminal::start("keys-or-song", &line) else {
        return;
    };
    terminal.wait_for("status=1");
    assert!(terminal.screen().contains("standard input is the terminal"));
}

#[test]
fn the_end_of_the_list_ends_the_player() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "short.vgm", 3);
    let Some(terminal) = Terminal::start("end", &command(songs.path())) else {
        return;
    };
    terminal.wait_for("status=0");
}

/// A terminal that is closed takes the player with it.
#[test]
fn a_closed_terminal_ends_the_player() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "first.vgm", 6000);
    let line = format!("echo $$; exec {}", command(songs.path()));
    let Some(terminal) = Terminal::start("closed", &line) else {
        return;
    };
    terminal.wait_for("1/1 first");
    let id = terminal.tmux(&["display-message", "-p", "#{pane_pid}"]);
    let id = String::from_utf8_lossy(&id.stdout).trim().to_owned();
    assert!(!id.is_empty());
    terminal.tmux(&["kill-server"]);
    let lives = || {
        let status = std::fs::read_to_string(format!("/proc/{id}/stat"));
        // A zombie has ended; nothing waits for it where there is no init.
        status.is_ok_and(|status| !status.contains(") Z "))
    };
    while lives() {
        std::thread::yield_now();
    }
}
