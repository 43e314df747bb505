//! Standard output, which can be full, and can lose its reader.

use std::io::{ErrorKind, Write};

use anyhow::{Context, Result};

/// Writes text, and returns whether there is still a reader. One that has gone, such as `head`, has
/// had enough, which is no error.
pub fn print(output: &mut impl Write, text: &str) -> Result<bool> {
    let written = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        other => other
            .map(|()| true)
            .context("standard output cannot be written to; send it to another place"),
    }
}
