//! No file is lost: neither the input, nor a file that has the name of the output.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::read::GzDecoder;
use tempfile::TempDir;

const TEXT: &[u8] = b"what must not be lost";

/// A directory with a file of this name, which holds [`TEXT`].
fn with_file(name: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, TEXT).unwrap();
    (dir, path)
}

/// The program, which runs in `dir` and has no terminal.
fn gzip_blocks(dir: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gzip-blocks"));
    command.current_dir(dir).stdin(Stdio::null());
    command
}

#[track_caller]
fn succeeds(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[track_caller]
fn is_refused(command: &mut Command, expected: &str) {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message, format!("gzip-blocks: {expected}\n"));
}

#[track_caller]
fn holds_compressed_text(path: &Path) {
    let mut text = Vec::new();
    GzDecoder::new(&*fs::read(path).unwrap())
        .read_to_end(&mut text)
        .unwrap();
    assert_eq!(text, TEXT);
}

#[track_caller]
fn holds(path: &Path, expected: &[u8]) {
    assert_eq!(fs::read(path).unwrap(), expected);
}

/// The names in `dir`, in order.
fn names(dir: &TempDir) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_input_is_never_the_output() {
    let (dir, path) = with_file("a");
    fs::create_dir(dir.path().join("sub")).unwrap();
    for output in ["a", "./a", "sub/../a", path.to_str().unwrap()] {
        for force in [&[][..], &["--force"]] {
            let mut command = gzip_blocks(&dir);
            command.args(["a", "-o", output]).args(force);
            let expected = format!("{output} is the same file as the input, a");
            is_refused(&mut command, &expected);
            holds(&path, TEXT);
        }
    }
    assert_eq!(names(&dir), ["a", "sub"]);
}

#[test]
#[cfg(unix)]
fn links_do_not_hide_the_input() {
    let (dir, path) = with_file("a");
    fs::hard_link(&path, dir.path().join("hard")).unwrap();
    std::os::unix::fs::symlink("a", dir.path().join("soft")).unwrap();
    for (input, output) in [
        ("a", "hard"),
        ("a", "soft"),
        ("soft", "a"),
        ("soft", "hard"),
    ] {
        let mut command = gzip_blocks(&dir);
        command.args([input, "--force", "-o", output]);
        let expected = format!("{output} is the same file as the input, {input}");
        is_refused(&mut command, &expected);
        holds(&path, TEXT);
    }
    assert_eq!(names(&dir), ["a", "hard", "soft"]);
}

#[test]
#[cfg(unix)]
fn standard_streams_do_not_hide_the_input() {
    let (dir, path) = with_file("a");
    let read = || fs::File::open(&path).unwrap();
    let append = || fs::File::options().append(true).open(&path).unwrap();
    let to_file = "a is the same file as the input, standard input";
    let mut command = gzip_blocks(&dir);
    is_refused(command.args(["-fo", "a"]).stdin(read()), to_file);
    let to_stdout = "standard output is the same file as the input, a";
    is_refused(gzip_blocks(&dir).arg("a").stdout(append()), to_stdout);
    let both = "standard output is the same file as the input, standard input";
    is_refused(gzip_blocks(&dir).stdin(read()).stdout(append()), both);
    holds(&path, TEXT);
}

#[test]
fn an_input_may_have_any_name() {
    for name in ["a.partial", ".a.partial", "a.gz", "a.tmp", "a~"] {
        let (dir, path) = with_file(name);
        succeeds(gzip_blocks(&dir).args([name, "-o", "a"]));
        holds(&path, TEXT);
        holds_compressed_text(&dir.path().join("a"));
        assert_eq!(names(&dir).len(), 2);
    }
}

#[test]
#[cfg(unix)]
fn a_name_may_be_as_long_as_the_system_allows() {
    let (dir, path) = with_file("a");
    let longest = "x".repeat(255);
    succeeds(gzip_blocks(&dir).args(["a", "-o", &longest]));
    holds(&path, TEXT);
    assert_eq!(names(&dir), ["a", &longest]);
}

#[test]
fn an_output_that_exists_is_kept() {
    let (dir, path) = with_file("a");
    let output = dir.path().join("a.gz");
    fs::write(&output, "was there before").unwrap();
    let expected = "a.gz exists already; `--force` overwrites it";
    is_refused(gzip_blocks(&dir).args(["a", "-o", "a.gz"]), expected);
    holds(&output, b"was there before");
    succeeds(gzip_blocks(&dir).args(["a", "-fo", "a.gz"]));
    holds_compressed_text(&output);
    holds(&path, TEXT);
    assert_eq!(names(&dir), ["a", "a.gz"]);
}

/// The output appears while the program waits for the rest of its input.
#[test]
fn an_output_that_appears_meanwhile_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = gzip_blocks(&dir)
        .args(["-o", "a.gz"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program has looked at the output once its own file is there.
    while names(&dir).is_empty() {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    let output = dir.path().join("a.gz");
    fs::write(&output, "came first").unwrap();
    drop(child.stdin.take());
    let run = child.wait_with_output().unwrap();
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let message = String::from_utf8(run.stderr).unwrap();
    assert!(
        message.starts_with("gzip-blocks: cannot create a.gz: "),
        "{message}"
    );
    holds(&output, b"came first");
    assert_eq!(names(&dir), ["a.gz"]);
}

#[test]
#[cfg(unix)]
fn a_link_is_kept_and_its_file_replaced() {
    let (dir, _) = with_file("a");
    let target = dir.path().join("target");
    let link = dir.path().join("link");
    std::os::unix::fs::symlink("target", &link).unwrap();

    // A link that leads nowhere is something that exists.
    let expected = "link exists already; `--force` overwrites it";
    is_refused(gzip_blocks(&dir).args(["a", "-o", "link"]), expected);

    fs::write(&target, "was there before").unwrap();
    is_refused(gzip_blocks(&dir).args(["a", "-o", "link"]), expected);
    succeeds(gzip_blocks(&dir).args(["a", "-fo", "link"]));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    holds_compressed_text(&target);
}

#[test]
#[cfg(unix)]
fn permissions_are_kept() {
    use std::os::unix::fs::PermissionsExt;

    let set = |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;

    let (dir, input) = with_file("a");
    set(&input, 0o600).unwrap();
    let output = dir.path().join("a.gz");
    // What only its owner may read is not shown to others.
    succeeds(gzip_blocks(&dir).args(["a", "-o", "a.gz"]));
    assert_eq!(mode(&output), 0o600);
    // A file that is replaced had its own.
    for kept in [0o640, 0o666, 0o440] {
        set(&output, kept).unwrap();
        succeeds(gzip_blocks(&dir).args(["a", "-fo", "a.gz"]));
        assert_eq!(mode(&output), kept);
    }
    holds_compressed_text(&output);
}

#[test]
#[cfg(unix)]
fn a_user_at_a_terminal_is_asked() {
    use std::io::Write;

    for (answer, replaced) in [("y", true), ("YES", true), ("n", false), ("", false)] {
        let (dir, _) = with_file("a");
        let output = dir.path().join("a.gz");
        fs::write(&output, "was there before").unwrap();
        let terminal = nix::pty::openpty(None, None).unwrap();
        let mut user = fs::File::from(terminal.master);
        // The terminal keeps the line until the program reads it.
        writeln!(user, "{answer}").unwrap();
        let run = gzip_blocks(&dir)
            .args(["a", "-o", "a.gz"])
            .stdin(terminal.slave.try_clone().unwrap())
            .stderr(terminal.slave)
            .status()
            .unwrap();
        let mut shown = Vec::new();
        // Linux reports an error where the other end is closed.
        let _ = user.read_to_end(&mut shown);
        let shown = String::from_utf8(shown).unwrap();
        let question = "gzip-blocks: a.gz exists already; overwrite it? [y/N] ";
        assert!(shown.contains(question), "{shown}");
        if replaced {
            assert!(run.success(), "{shown}");
            holds_compressed_text(&output);
        } else {
            assert_eq!(run.code(), Some(1), "{shown}");
            assert!(shown.contains("a.gz was not overwritten"), "{shown}");
            holds(&output, b"was there before");
        }
        assert_eq!(names(&dir), ["a", "a.gz"]);
    }
}
