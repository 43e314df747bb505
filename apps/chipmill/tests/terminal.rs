//! The program in a terminal, which is one of tmux. Where there is no tmux, the tests say so and
//! pass; with `CI=true` they fail.

#![cfg(unix)]

mod file_names;
mod scripts;
mod small_songs;
mod waiting;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use file_names::names;
use scripts::write_script;
use small_songs::write;
use waiting::eventually;

/// A terminal of 80 × 24 in which a program runs.
struct Terminal {
    socket: String,
}

impl Terminal {
    fn start(name: &str, command: &str) -> Option<Terminal> {
        if Command::new("tmux").arg("-V").output().is_err() {
            let is_demanded = std::env::var_os("CI").is_some_and(|ci| ci == "true");
            assert!(!is_demanded, "there is no tmux");
            // Not by `eprintln!`, which the test runner keeps to itself.
            let _ = std::io::stderr().write_all(b"skipped: there is no tmux\n");
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
            // As UTF-8, whatever the locale is.
            .args(["-u", "-L", &self.socket, "-f", "/dev/null"])
            .args(arguments);
        command.output().unwrap()
    }

    fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// Waits until the screen shows a text.
    fn wait_for(&self, text: &str) {
        let message = || {
            let captured = self.tmux(&["capture-pane", "-p"]);
            format!("`{text}` on the screen: {captured:?}")
        };
        eventually(|| self.screen().contains(text), message);
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
    terminal.press("Down");
    terminal.press("Down");
    terminal.wait_for("-1 dB");
    terminal.press("l");
    terminal.wait_for("loop");
    terminal.press("Space");
    terminal.wait_for("paused");
    // The time stands still, but for what is sought.
    terminal.press(",");
    terminal.wait_for("0:00 / 10:00");
    terminal.press(".");
    terminal.wait_for("0:30 / 10:00");
    terminal.press("Right");
    terminal.wait_for("0:35 / 10:00");
    terminal.press("Left");
    terminal.wait_for("0:30 / 10:00");
    terminal.press("Space");
    // Smaller than the picture, and large again.
    terminal.tmux(&["resize-window", "-x", "20", "-y", "4"]);
    // At the latest, the second one comes at the beginning of a song.
    terminal.press("b");
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

/// The engine waits in the pipe of that program, and the key is obeyed without it.
#[test]
fn q_quits_beside_a_program_that_does_not_read() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "first.vgm", 6000);
    let pw_cat = songs.path().join("pw-cat");
    write_script(&pw_cat, "exec sleep 1000");
    let (program, songs) = (env!("CARGO_BIN_EXE_chipmill"), songs.path().display());
    let line = format!("PATH={songs}:$PATH {program} play {songs}");
    let Some(terminal) = Terminal::start("hangs", &line) else {
        return;
    };
    terminal.wait_for("1/1 first");
    terminal.press("q");
    terminal.wait_for("status=0");
}

/// The program that plays is ended at once, and the engine still says what was wrong.
#[test]
fn q_tells_of_broken_songs_beside_a_program_that_does_not_end() {
    let songs = tempfile::tempdir().unwrap();
    std::fs::write(songs.path().join("a.vgm"), b"nothing").unwrap();
    write(songs.path(), "b.vgm", 36_000);
    let pw_cat = songs.path().join("pw-cat");
    write_script(&pw_cat, "head -c 1000000 >/dev/null; exec sleep 1000");
    let (program, songs) = (env!("CARGO_BIN_EXE_chipmill"), songs.path().display());
    let line = format!("PATH={songs}:$PATH {program} play {songs}");
    let Some(terminal) = Terminal::start("wrong", &line) else {
        return;
    };
    terminal.wait_for("2/2 b");
    terminal.press("q");
    terminal.wait_for("status=1");
    let screen = terminal.screen();
    assert!(screen.contains("is no register log"), "{screen}");
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

/// A terminal that is closed takes the player with it. Elsewhere no file tells of a process.
#[cfg(target_os = "linux")]
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
    eventually(|| !lives(), || format!("the end of the process {id}"));
}

/// Its status is that of a signal, and the file is whole or has gone.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_terminal_leaves_no_half_file() {
    let songs = tempfile::tempdir().unwrap();
    let out = tempfile::tempdir().unwrap();
    write(songs.path(), "first.vgm", 36_000);
    let (program, songs) = (env!("CARGO_BIN_EXE_chipmill"), songs.path().display());
    let (dir, status) = (out.path().display(), out.path().join("status"));
    let line = format!(
        "sh -c 'trap : HUP; {program} play {songs} --audio {dir}/a.wav; echo $? > {dir}/written; \
         mv {dir}/written {dir}/status'"
    );
    let Some(terminal) = Terminal::start("half", &line) else {
        return;
    };
    terminal.wait_for("1/1 first");
    terminal.tmux(&["kill-server"]);
    eventually(|| status.exists(), || format!("the end of {line}"));
    assert_eq!(std::fs::read_to_string(&status).unwrap(), "130\n");
    let is_whole = |name: &String| ["a.wav", "status"].contains(&name.as_str());
    let files = names(out.path());
    assert!(files.iter().all(is_whole), "{files:?}");
}

/// Renders songs that are too loud, which is told of each, in a terminal that is closed meanwhile.
/// Returns the status, and the files that are there then.
fn renders_without_a_terminal(name: &str, trap: &str, notes: u16) -> Option<(String, Vec<String>)> {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", notes);
    write(songs.path(), "b.vgm", 3);
    let (out, end) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let program = env!("CARGO_BIN_EXE_chipmill");
    let end_of = |name: &str| end.path().join(name).display().to_string();
    // The signal is for the shell of the terminal, and, when that has ended, for what runs in it.
    let line = format!(
        "sh -c 'trap {trap} HUP; {program} render {} --out {} --jobs 1 --gain 60 > {}; \
         echo $? > {}; mv {} {}'",
        songs.path().display(),
        out.path().display(),
        end_of("lines"),
        end_of("written"),
        end_of("written"),
        end_of("status"),
    );
    let terminal = Terminal::start(name, &line)?;
    terminal.wait_for("2 songs  ");
    terminal.tmux(&["kill-server"]);
    let status = || std::fs::read_to_string(end_of("status")).ok();
    eventually(|| status().is_some(), || format!("the end of {line}"));
    Some((status()?.trim().to_owned(), names(out.path())))
}

/// As with `nohup`, or `disown`.
#[test]
fn songs_are_rendered_without_their_terminal_if_they_may_be() {
    if let Some(ended) = renders_without_a_terminal("ignored", "\"\"", 9000) {
        let files = ["a.wav", "b.wav"].map(str::to_owned).to_vec();
        assert_eq!(ended, ("0".to_owned(), files));
    }
}

#[test]
fn a_closed_terminal_ends_what_renders() {
    if let Some((status, files)) = renders_without_a_terminal("hung-up", ":", 36_000) {
        assert_eq!(status, "130");
        // Those that are there are whole.
        assert!(files.iter().all(|file| file.ends_with(".wav")), "{files:?}");
    }
}

/// With more songs in flight than the terminal has lines.
#[test]
fn the_bar_of_all_songs_is_always_seen() {
    let songs = tempfile::tempdir().unwrap();
    for number in 0..30 {
        write(songs.path(), &format!("{number}.vgm"), 1000);
    }
    let out = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_chipmill");
    let line = format!(
        "trap : INT; cd {} && {program} render . --out {} --jobs 1 --in-flight 30",
        songs.path().display(),
        out.path().display(),
    );
    let Some(terminal) = Terminal::start("bars", &line) else {
        return;
    };
    let all_have_begun = || names(out.path()).len() == 30;
    eventually(all_have_begun, || format!("{:?}", names(out.path())));
    terminal.wait_for("30 songs  ");
    // Those of the songs, as far as there are lines.
    let bars = || {
        let screen = terminal.screen();
        screen.lines().filter(|line| line.contains(".vgm ")).count()
    };
    eventually(|| bars() > 10, || format!("{} bars", bars()));
    terminal.press("C-c");
    terminal.wait_for("status=130");
    assert_eq!(names(out.path()), [""; 0]);
}

/// The bars are in the terminal, and the lines in the file.
#[test]
fn lines_for_a_file_are_written_beside_bars() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 2);
    let program = env!("CARGO_BIN_EXE_chipmill");
    let line = format!(
        "cd {} && {program} render . --out out >lines; mv lines out",
        songs.path().display(),
    );
    let Some(_terminal) = Terminal::start("lines", &line) else {
        return;
    };
    let lines = songs.path().join("out/lines");
    eventually(|| lines.exists(), || "the lines".to_owned());
    let lines = std::fs::read_to_string(lines).unwrap();
    assert!(lines.contains("a.vgm -> out/a.wav\n"), "{lines}");
    assert!(!lines.contains('\u{1b}'), "{lines}");
}
