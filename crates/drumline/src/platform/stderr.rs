//! Saying something on standard error, come what may.
//!
//! The macros of the standard library panic when standard error cannot be written: the disk is
//! full, the reader of a pipe is gone. They also wait for its lock, which a thread of the program
//! may hold while it waits for the thread that wants to say something.

/// Writes one line that says which library speaks. What cannot be written is lost.
pub(crate) fn say(text: &str) {
    write(format!("drumline: {text}\n").as_bytes());
}

/// Writes to the descriptor itself, without a lock.
#[cfg(all(unix, not(miri)))]
fn write(mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the buffer is as long as is said.
        let written =
            unsafe { libc::write(libc::STDERR_FILENO, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(written) {
            Ok(written) if written > 0 => bytes = &bytes[written.min(bytes.len())..],
            Ok(_) => return,
            Err(_) => {
                if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
                    return;
                }
            }
        }
    }
}

/// Writes through the standard library; a failure is no panic.
#[cfg(not(all(unix, not(miri))))]
fn write(bytes: &[u8]) {
    use std::io::Write;

    let _ = std::io::stderr().write_all(bytes);
}
