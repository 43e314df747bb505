//! The standard streams of the lab.

#[cfg(unix)]
use std::fs;
use std::io::{self, ErrorKind, Write as _};

use anyhow::{Context, Result, ensure};

/// Writes text to standard output. A reader that has gone, such as `head`, has had enough, which is
/// no error: what else there is to be done goes on.
///
/// # Errors
/// It is closed, or full.
pub fn print(text: &str) -> Result<()> {
    ensure!(
        !is_closed(),
        "standard output is closed; send it to a place"
    );
    match write_stdout(text) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("standard output cannot be written to; send it to another place"),
    }
}

pub(crate) fn write_stdout(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Looks whether there is a standard output for records.
///
/// # Errors
/// It is closed.
pub fn ensure_stdout() -> Result<()> {
    ensure!(
        !is_closed(),
        "standard output is closed, and the records would be lost; name a file"
    );
    Ok(())
}

/// Whether standard output was closed when the program began. Rust has opened `/dev/null` then, for
/// reading, too; a shell's `> /dev/null` is for writing only.
#[cfg(unix)]
fn is_closed() -> bool {
    use std::os::unix::fs::MetadataExt as _;

    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    use nix::sys::stat::fstat;

    let output = io::stdout();
    let is_null = match (fstat(&output), fs::metadata("/dev/null")) {
        (Ok(output), Ok(null)) => output.st_rdev == null.rdev() && output.st_rdev != 0,
        _ => false,
    };
    let flags = fcntl(&output, FcntlArg::F_GETFL).map(OFlag::from_bits_truncate);
    is_null && flags.is_ok_and(|flags| flags & OFlag::O_ACCMODE == OFlag::O_RDWR)
}

/// Whether standard output was closed: unknown on this system.
#[cfg(not(unix))]
fn is_closed() -> bool {
    false
}

/// Writes a line to standard error. Without a reader there is no other place for it.
pub fn note(text: &str) {
    let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
}
