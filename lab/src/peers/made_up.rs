//! Tools for tests: shell scripts in a directory of their own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A directory of scripts, which is all of `PATH`.
pub struct Tools(TempDir);

impl Tools {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn directory(&self) -> &Path {
        self.0.path()
    }

    /// Adds a script of this name. A process of its own writes it: while this one had the file
    /// open, a process that another test starts would keep it open, and it could not be started.
    pub fn add(&self, name: &str, script: &str) -> PathBuf {
        let file = self.directory().join(name);
        let text = format!("#!/bin/sh\n{script}\n");
        let write = "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"";
        let mut shell = Command::new("sh");
        shell.args(["-c", write, "sh"]).arg(&file).arg(text);
        assert!(shell.status().unwrap().success());
        file
    }

    pub fn variables(&self) -> impl Fn(&str) -> Option<OsString> {
        let path = self.directory().as_os_str().to_owned();
        move |name| (name == "PATH").then(|| path.clone())
    }
}
