//! The standard streams of the lab.

use std::io::{self, ErrorKind, Write as _};

use anyhow::{Context, Result};

/// Writes text to standard output. A reader that has gone, such as `head`, has had enough, which is
/// no error: what else there is to be done goes on.
pub fn print(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    let written = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("standard output cannot be written to; send it to another place"),
    }
}

/// Writes a line to standard error. Without a reader there is no other place for it.
pub fn note(text: &str) {
    let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
}
