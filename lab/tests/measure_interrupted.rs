//! `measure` when it is ended before its time. The third run of a command never ends by itself, so
//! nothing has to be hit at the right moment.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use nix::sys::signal::Signal;

use crate::processes::{Lab, Started, is_gone, wait_for};
use crate::{command, stderr, stdout};

/// Two runs end at once. The third starts a process, and one in a group of its own, which `timeout`
/// makes, and waits for them.
const SCRIPT: &str = "echo >> log\n\
                      if [ $(wc -l < log) -lt 3 ]; then exit; fi\n\
                      sleep 600 & echo $! > one\n\
                      timeout 600 sh -c 'echo $$ > two.new; mv two.new two; exec sleep 600' &\n\
                      wait\n";

/// A measurement whose third run has begun, and what that has started.
fn held(directory: &Path) -> (Lab, Started) {
    fs::write(directory.join("script"), SCRIPT).unwrap();
    let arguments = [
        "measure", "--rounds", "9", "--json", "records", "--", "sh", "script",
    ];
    let lab = command(&arguments)
        .current_dir(directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut lab = Lab::new(lab.unwrap());
    let two = wait_for("the third run begins", || {
        assert!(lab.child().try_wait().unwrap().is_none(), "the lab ended");
        fs::read_to_string(directory.join("two")).ok()
    });
    let one = fs::read_to_string(directory.join("one")).unwrap();
    (lab, Started::with(&format!("{one} {two}")))
}

/// Sends a signal, and waits for the end of the lab and of what it measured.
fn end(signal: Signal) -> (tempfile::TempDir, Output) {
    let directory = tempfile::tempdir().unwrap();
    let (mut lab, started) = held(directory.path());
    lab.send(signal);
    wait_for("the lab ends", || lab.child().try_wait().unwrap());
    started.0.iter().for_each(is_gone);
    (directory, lab.output())
}

#[test]
fn a_signal_ends_the_command_and_tells_what_was_measured() {
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let (directory, output) = end(signal);
        assert_eq!(output.status.code(), Some(code));
        let table = stdout(&output);
        assert!(table.contains("sh script: 2 runs"), "{table}");
        let text = stderr(&output);
        assert!(text.contains("interrupted: these are 2 runs"), "{text}");
        let record = fs::read_to_string(directory.path().join("records")).unwrap();
        assert!(record.contains("\"partial\":true"), "{record}");
    }
}

#[test]
fn nothing_outlives_a_lab_that_is_killed() {
    let (directory, output) = end(Signal::SIGKILL);
    assert_eq!(output.status.code(), None);
    // The file was made before anything ran.
    assert_eq!(
        fs::read_to_string(directory.path().join("records")).unwrap(),
        ""
    );
}
