//! Programs that tests write themselves.

use std::path::Path;
use std::process::Command;

/// Makes a shell script that can be started.
///
/// A process of its own writes it. While this one had the file open, a process that another test
/// starts would have it open as well, until it has become its program; and a file that is open for
/// writing cannot be started.
pub fn write_script(path: &Path, script: &str) {
    let write = "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", write, "sh"]).arg(path).arg(script);
    assert!(shell.status().unwrap().success());
}
