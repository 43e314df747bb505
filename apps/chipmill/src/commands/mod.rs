//! What the program's commands do.

pub mod allocator;
mod bars;
pub mod bench;
pub mod compose;
mod frames;
pub mod info;
mod lines;
mod open_files;
pub mod play;
pub mod render;
pub mod signals;
mod songs;
mod sound;
mod text;

use std::process::ExitCode;

/// The exit status when some songs have failed, and the others have not.
const SOME_FAILED: u8 = 1;
/// The exit status after Ctrl-C, as shells have it: 128 and the number of the signal.
const INTERRUPTED: u8 = 130;

/// The exit status of a command of which this number of songs has failed.
fn status(wrong: usize, cancelled: bool) -> ExitCode {
    match (cancelled, wrong) {
        (true, _) => INTERRUPTED.into(),
        (false, 0) => ExitCode::SUCCESS,
        (false, _) => SOME_FAILED.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_says_what_has_happened() {
        assert_eq!(status(0, false), ExitCode::SUCCESS);
        assert_eq!(status(3, false), ExitCode::from(SOME_FAILED));
        assert_eq!(status(3, true), ExitCode::from(INTERRUPTED));
    }
}
