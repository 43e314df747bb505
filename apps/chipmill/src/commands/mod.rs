//! What the program's commands do.

mod bars;
pub mod bench;
pub mod compose;
pub mod info;
pub mod play;
pub mod render;
mod songs;
mod sound;
mod text;

/// The exit status when some songs have failed, and the others have not.
const SOME_FAILED: u8 = 1;
/// The exit status after Ctrl-C, as shells have it: 128 and the number of the signal.
const INTERRUPTED: u8 = 130;
