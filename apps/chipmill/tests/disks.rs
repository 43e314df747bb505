//! Places where files cannot be written.

#![cfg(unix)]

mod file_names;
mod small_songs;

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output};

use file_names::names;
use small_songs::write;

/// What a shell runs: the arguments are the program, the directory of the songs, and that of the
/// files.
fn by_a_shell(shell: &mut Command, script: &str, songs: &Path, out: &Path) -> io::Result<Output> {
    let program = env!("CARGO_BIN_EXE_chipmill");
    shell.args(["sh", "-c", script, program]);
    shell.args([songs, out]).output()
}

fn errors(run: &Output) -> String {
    String::from_utf8(run.stderr.clone()).unwrap()
}

/// A file system of 1 MiB that the process alone sees. The second song has room, the first has
/// none.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_for_its_song_and_leaves_nothing() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 200);
    write(songs.path(), "b.vgm", 2);
    let out = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=1m none \"$2\" || exit 77
        \"$0\" render \"$1\" --out \"$2\" --jobs 1; status=$?; ls -A \"$2\"; exit $status";
    let mut own = Command::new("unshare");
    // As the user root of a name space of its own, any user may mount.
    let own = own.args(["--user", "--map-root-user", "--mount"]);
    let skipped = |why: &str| {
        // Not by `eprintln!`, which the test runner keeps to itself.
        let said = format!("skipped: no file system can be mounted: {why}\n");
        let _ = io::stderr().write_all(said.as_bytes());
    };
    let run = match by_a_shell(own, script, songs.path(), out.path()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return skipped("no unshare"),
        run => run.unwrap(),
    };
    if run.status.code() == Some(77) || errors(&run).starts_with("unshare: ") {
        return skipped(&errors(&run));
    }
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let said = errors(&run);
    assert!(said.contains("a.vgm: \""), "{said}");
    assert!(
        said.contains("is full after") && said.contains("make room"),
        "{said}"
    );
    let printed = String::from_utf8(run.stdout).unwrap();
    assert!(printed.contains("b.vgm -> "), "{printed}");
    assert!(printed.ends_with("\nb.wav\n"), "{printed}");
}

/// The system would end the program by a signal.
#[test]
fn a_file_that_grows_over_the_limit_is_an_error_for_its_song() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 200);
    write(songs.path(), "b.vgm", 2);
    let out = tempfile::tempdir().unwrap();
    // In blocks of 512 or 1,024 bytes.
    let script = "ulimit -f 512 && exec \"$0\" render \"$1\" --out \"$2\" --jobs 1";
    let run = by_a_shell(&mut Command::new("env"), script, songs.path(), out.path()).unwrap();
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    assert!(errors(&run).contains("a.vgm: \""), "{run:?}");
    assert!(errors(&run).contains("cannot be written"), "{run:?}");
    assert_eq!(names(out.path()), ["b.wav"]);
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let songs = tempfile::tempdir().unwrap();
    let song = write(songs.path(), "a.vgm", 2);
    for out in [song.clone(), song.join("below")] {
        let script = "exec \"$0\" render \"$1\" --out \"$2\"";
        let run = by_a_shell(&mut Command::new("env"), script, songs.path(), &out).unwrap();
        assert_eq!(run.status.code(), Some(1), "{run:?}");
        let said = errors(&run);
        let name = out.display().to_string();
        assert!(
            said.contains(&name) && said.contains("cannot be made"),
            "{said}"
        );
    }
}
