//! What the player writes to a terminal, which is a pair of pseudo terminals of the test's own.

#![cfg(unix)]

mod file_names;
mod scripts;
mod small_songs;
mod waiting;

use std::ffi::CStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::num::NonZero;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use file_names::names;
use scripts::write_script;
use small_songs::write;
use waiting::{eventually, found};

/// What begins and ends a picture.
const BEGIN: &str = "\x1b[?2026h";
const END: &str = "\x1b[?2026l";

/// A program in a terminal of 80 × 24.
struct Terminal {
    /// The end of the test: what the program writes is read here, and keys are written.
    keys: File,
    /// The path of the program's end.
    path: PathBuf,
    program: Child,
    /// What has been read.
    output: Vec<u8>,
}

impl Terminal {
    fn start(command: &mut Command) -> Terminal {
        let (mut ours, mut theirs) = (-1, -1);
        let mut name = [0; 256];
        let size = libc::winsize {
            ws_row: 24,
            ws_col: 80,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        // SAFETY: all pointers are valid for the call, or null, which stands for nothing. The name
        // of a terminal is much shorter than 256 bytes.
        let opened = unsafe {
            libc::openpty(
                &raw mut ours,
                &raw mut theirs,
                name.as_mut_ptr(),
                ptr::null(),
                (&raw const size).cast_mut(),
            )
        };
        assert_eq!(opened, 0, "{}", io::Error::last_os_error());
        // SAFETY: both have just been opened, and have no other owner.
        let (ours, theirs) = unsafe { (OwnedFd::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) };
        // SAFETY: it is a string with its end in it.
        let path = unsafe { CStr::from_ptr(name.as_ptr()) };
        command
            .stdin(theirs.try_clone().unwrap())
            .stdout(theirs.try_clone().unwrap())
            .stderr(theirs);
        // SAFETY: the child calls functions of the system only, which a child may.
        unsafe { command.pre_exec(take_terminal) };
        let program = command.spawn().unwrap();
        // The command has the program's end open.
        command
            .stdin(io::stderr())
            .stdout(io::stderr())
            .stderr(io::stderr());
        Terminal {
            keys: File::from(ours),
            path: path.to_str().unwrap().into(),
            program,
            output: Vec::new(),
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Reads until the output has what is looked for. Returns false at its end.
    fn read_until(&mut self, is_there: impl Fn(&str) -> bool) -> bool {
        let mut bytes = [0; 4096];
        while !is_there(&String::from_utf8_lossy(&self.output)) {
            match self.keys.read(&mut bytes) {
                Ok(0) => return false,
                Ok(count) => self.output.extend(&bytes[..count]),
                // The program has ended.
                Err(error) if error.raw_os_error() == Some(libc::EIO) => return false,
                Err(error) => panic!("{error}"),
            }
        }
        true
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }

    /// Fills the terminal: it takes no more output until it is read.
    fn fill(&self) {
        /// The system moves bytes from one of its buffers to another, and there is room again for
        /// a while: it is full when there has been none for this number of milliseconds.
        const FULL: i32 = 300;
        let mut full = OpenOptions::new()
            .write(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
            .open(&self.path)
            .unwrap();
        loop {
            match full.write(&[b'x'; 1024]) {
                Ok(_) => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => panic!("{error}"),
            }
            let mut room = libc::pollfd {
                fd: full.as_raw_fd(),
                events: libc::POLLOUT,
                revents: 0,
            };
            // SAFETY: it gets one descriptor, which is open, and a place for the answer.
            let ready = unsafe { libc::poll(&raw mut room, 1, FULL) };
            assert!(ready >= 0, "{}", io::Error::last_os_error());
            if ready == 0 {
                break;
            }
        }
    }

    fn wait(&mut self) -> ExitStatus {
        let look = || self.program.try_wait().unwrap();
        found(look, || "the program does not end".to_owned())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // One that has ended is no error.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// Makes standard input the terminal of a session of its own.
fn take_terminal() -> io::Result<()> {
    // SAFETY: both take numbers only.
    let taken = unsafe { libc::setsid() != -1 && libc::ioctl(0, libc::TIOCSCTTY as _, 0) != -1 };
    match taken {
        true => Ok(()),
        false => Err(io::Error::last_os_error()),
    }
}

fn player(songs: &Path, audio: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chipmill"));
    command.args(["play", "--audio", audio]).arg(songs);
    command
}

/// Plays a song, pauses it and lets it go on. Returns the pictures, the first one included.
fn pictures(mut command: Command) -> Vec<String> {
    let mut terminal = Terminal::start(&mut command);
    let shown = |text: &str| text.matches(END).count();
    assert!(
        terminal.read_until(|text| shown(text) > 20),
        "{}",
        terminal.text()
    );
    terminal.press(" ");
    assert!(terminal.read_until(|text| text.contains("paused")));
    terminal.press(" ");
    let so_far = shown(&terminal.text());
    assert!(terminal.read_until(|text| shown(text) > so_far + 20));
    // At the end a screen that is late does not draw alone.
    let text = terminal.text();
    terminal.press("q");
    assert!(!terminal.read_until(|_| false));
    assert!(terminal.wait().success());
    let from = text.find(BEGIN).unwrap();
    let to = text.rfind(END).unwrap();
    let pictures = text[from + BEGIN.len()..to].split(END);
    let begun = |(place, picture): (usize, &str)| match place {
        0 => picture.to_owned(),
        // Nothing is written between two pictures.
        _ => picture.strip_prefix(BEGIN).unwrap().to_owned(),
    };
    pictures.enumerate().map(begun).collect()
}

/// No picture erases anything: what changes is written over what was there. Flicker is an empty
/// screen, or a part of one, that is seen between two pictures.
fn do_not_flicker(pictures: &[String]) {
    let (first, others) = pictures.split_first().unwrap();
    assert!(first.contains("q quit"), "{first:?}");
    for picture in others {
        for erase in ["J", "0J", "1J", "2J", "3J", "K", "0K", "1K", "2K"] {
            assert!(!picture.contains(&format!("\x1b[{erase}")), "{picture:?}");
        }
        assert!(!picture.contains("q quit"), "drawn again: {picture:?}");
    }
    // The name of a voice without a sound is written once.
    let named = pictures
        .iter()
        .filter(|picture| picture.contains("YM2612 DAC"));
    assert_eq!(named.count(), 1);
}

#[test]
fn pictures_do_not_flicker() {
    let songs = tempfile::tempdir().unwrap();
    let song = write(songs.path(), "first.vgm", 6000);
    do_not_flicker(&pictures(player(&song, "null")));
}

/// The threads of the sound and of the screen have one processor.
#[cfg(target_os = "linux")]
#[test]
fn pictures_do_not_flicker_on_one_processor() {
    let songs = tempfile::tempdir().unwrap();
    let song = write(songs.path(), "first.vgm", 6000);
    let mut command = player(&song, "null");
    let one = || {
        const SIZE: usize = size_of::<libc::cpu_set_t>();
        // SAFETY: a set of processors is bits, all of which may be 0. The calls get its size, and
        // the child calls functions of the system only, which a child may.
        let done = unsafe {
            let mut all: libc::cpu_set_t = std::mem::zeroed();
            let got = libc::sched_getaffinity(0, SIZE, &raw mut all);
            let first = (0..8 * SIZE).find(|&place| libc::CPU_ISSET(place, &all));
            let mut one: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(first.unwrap_or(0), &mut one);
            got == 0 && libc::sched_setaffinity(0, SIZE, &raw const one) == 0
        };
        match done {
            true => Ok(()),
            false => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: see there.
    unsafe { command.pre_exec(one) };
    do_not_flicker(&pictures(command));
}

/// A player that has drawn its first picture.
fn playing(command: &mut Command) -> Terminal {
    let mut terminal = Terminal::start(command);
    assert!(
        terminal.read_until(|text| text.contains("q quit")),
        "{}",
        terminal.text()
    );
    terminal
}

/// A player whose terminal takes no more output.
fn stalled(command: &mut Command) -> Terminal {
    let terminal = playing(command);
    terminal.fill();
    terminal
}

/// Threads that compute, as many as there are processors, until this is dropped.
struct Busy {
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Busy {
    fn start() -> Busy {
        let is_over = Arc::new(AtomicBool::new(false));
        let count = std::thread::available_parallelism().map_or(1, NonZero::get);
        let thread = |_| {
            let is_over = Arc::clone(&is_over);
            std::thread::spawn(move || while !is_over.load(Ordering::Acquire) {})
        };
        let threads = (0..count).map(thread).collect();
        Busy { is_over, threads }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        for thread in self.threads.drain(..) {
            thread.join().unwrap();
        }
    }
}

/// How long that takes is printed (`--nocapture`); README says a tenth of a second.
#[test]
fn q_quits_whatever_the_sound_goes_to() {
    let songs = tempfile::tempdir().unwrap();
    let song = write(songs.path(), "first.vgm", 6000);
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("out.wav").display().to_string();
    let bin = out.path().join("bin");
    fs::create_dir(&bin).unwrap();
    write_script(&bin.join("pw-cat"), "exec /bin/sleep 1000");
    type Start = fn(&mut Command) -> Terminal;
    let cases: [(&str, &str, Start); 4] = [
        ("nothing", "null", playing),
        ("a file", &file, playing),
        ("a program that does not read", "auto", playing),
        ("nothing, and the terminal takes no output", "null", stalled),
    ];
    for is_busy in [false, true] {
        for (sound, audio, start) in cases {
            let mut longest = Duration::ZERO;
            for _ in 0..5 {
                let mut terminal = start(player(&song, audio).env("PATH", &bin));
                let _busy = is_busy.then(Busy::start);
                let pressed = Instant::now();
                terminal.press("q");
                let status = terminal.wait().code();
                longest = longest.max(pressed.elapsed());
                // A file that is not whole in that time is removed, which is an error.
                let is_late = status == Some(1) && audio == file;
                assert!(status == Some(0) || is_late, "{sound}: {status:?}");
            }
            let beside = if is_busy { ", beside busy threads" } else { "" };
            println!("sound to {sound}{beside}: ended after {longest:?} at most");
        }
    }
}

#[test]
fn a_signal_ends_the_player_in_a_terminal_that_takes_no_output() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "first.vgm", 6000);
    let mut terminal = stalled(&mut player(songs.path(), "null"));
    let id = terminal.program.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &id]).status();
    assert!(killed.unwrap().success());
    assert_eq!(terminal.wait().code(), Some(130));
}

/// Without bars there are lines, on a terminal as well.
#[test]
fn a_terminal_that_cannot_move_its_cursor_has_lines() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 3);
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_chipmill"));
    command
        .args(["render", "--out"])
        .args([out.path(), songs.path()])
        .env("TERM", "dumb");
    let mut terminal = Terminal::start(&mut command);
    assert!(!terminal.read_until(|_| false));
    assert!(terminal.wait().success());
    let text = terminal.text();
    assert!(
        text.contains("a.vgm -> ") && text.contains("1 songs"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

/// The jobs go on, and see the signal.
#[test]
fn a_signal_ends_what_renders_in_a_terminal_that_takes_no_output() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "long.vgm", 36_000);
    let short = write(songs.path(), "short.vgm", 300);
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_chipmill"));
    command
        .args(["render", "--jobs", "2", "--out"])
        .args([out.path(), songs.path()])
        .env("TERM", "xterm");
    let mut terminal = Terminal::start(&mut command);
    assert!(terminal.read_until(|text| text.contains("2 songs")));
    terminal.fill();
    let is_whole = || names(out.path()).iter().any(|name| name == "short.wav");
    eventually(is_whole, || format!("{} waits", short.display()));
    let id = terminal.program.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &id]).status();
    assert!(killed.unwrap().success());
    assert_eq!(terminal.wait().code(), Some(130));
    assert_eq!(names(out.path()), ["short.wav"]);
}

/// A file is whole, or is not there.
#[test]
fn q_leaves_no_half_file_in_a_terminal_that_takes_no_output() {
    let songs = tempfile::tempdir().unwrap();
    let song = write(songs.path(), "first.vgm", 60_000);
    let out = tempfile::tempdir().unwrap();
    let target = out.path().join("out.wav");
    let mut terminal = stalled(&mut player(&song, target.to_str().unwrap()));
    terminal.press("q");
    let status = terminal.wait();
    if status.success() {
        assert_eq!(names(out.path()), ["out.wav"]);
        assert_eq!(hound::WavReader::open(target).unwrap().spec().channels, 2);
    } else {
        assert_eq!(names(out.path()), [""; 0]);
    }
}

/// The program that plays is ended, and what was wrong with a song does not wait for the terminal.
#[test]
fn q_ends_the_program_that_plays_in_a_terminal_that_takes_no_output() {
    let songs = tempfile::tempdir().unwrap();
    fs::write(songs.path().join("broken.vgm"), "nothing").unwrap();
    write(songs.path(), "first.vgm", 6000);
    let id = songs.path().join("id");
    let bin = songs.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let script = format!("echo $$ > {}; exec /bin/sleep 1000", id.display());
    write_script(&bin.join("pw-cat"), &script);
    let mut command = player(songs.path(), "auto");
    let mut terminal = stalled(command.env("PATH", bin));
    let id = || {
        let id = fs::read_to_string(&id).unwrap_or_default();
        id.strip_suffix('\n').map(str::to_owned)
    };
    let id = found(id, || "the program that plays has not begun".to_owned());
    terminal.press("q");
    assert!(terminal.wait().code().is_some());
    let has_gone = || {
        let asked = Command::new("kill").args(["-0", &id]).output().unwrap();
        let state = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        !asked.status.success() || state.contains(") Z ")
    };
    eventually(has_gone, || format!("{id} lives"));
}
