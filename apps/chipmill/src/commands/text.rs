//! Texts for a terminal, and for standard output.

use std::io::{self, ErrorKind};

use anyhow::{Context, Result};

/// Minutes and seconds.
pub fn clock(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// The text without control characters: the name of a file, or a tag in it, must not move the
/// terminal's cursor.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// What has come of writing to standard output. A reader that has gone, such as `head`, has had
/// enough, which is no error.
pub fn written(result: io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("standard output cannot be written to"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_move_the_cursor() {
        assert_eq!(printable("a\x1b[2Jb\u{9b}c\n"), "a [2Jb c ");
        assert_eq!(clock(361), "6:01");
    }
}
