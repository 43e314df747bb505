//! Why a file is no song.

use std::any::Any;
use std::io;

use super::chips::Silent;
use super::file::MAX_BYTES;

/// Why a file is no song. The name of the file is the caller's to add.
#[derive(Debug, thiserror::Error)]
pub enum SongError {
    /// The file cannot be opened or read.
    #[error("cannot be read: {0}; look whether it is there and may be read")]
    Read(#[from] io::Error),
    /// The compressed data are broken.
    #[error("is compressed (VGZ) and broken: {0}; get the file again")]
    Compression(io::Error),
    /// The file is larger than any song.
    #[error(
        "has more than {} MiB uncompressed, and no song has as much; it is refused to keep memory \
         within bounds",
        MAX_BYTES >> 20
    )]
    TooLarge,
    /// The file is something else.
    #[error(
        "is no register log: a VGM file begins with \"Vgm \", and this begins with {0}; name a song"
    )]
    NotVgm(String),
    /// The header is broken.
    #[error("has a broken header at offset {offset:#x}: {what}; get the file again")]
    Header {
        /// Where the field is, in bytes from the start of the uncompressed file.
        offset: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A command is broken.
    #[error("is broken at offset {offset:#x}: {what}; the file may be cut short: get it again")]
    Command {
        /// Where the command begins, in bytes from the start of the uncompressed file.
        offset: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A chip has no model here.
    #[error(
        "needs {}, of which there is no model here; `--missing-chips silent` renders the rest",
        list(.0)
    )]
    MissingChips(Vec<Silent>),
    /// The log has no chip.
    #[error(
        "names no sound chip in its header, or writes to none, so that nothing would be heard: \
         leave it out, or get the file again"
    )]
    NoChips,
    /// The parser has panicked.
    #[error("could not be read ({0}); this is a fault of chipmill: please report it")]
    Panicked(String),
}

/// What a panic says.
pub(crate) fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic").to_owned()
}

fn list(chips: &[Silent]) -> String {
    let each: Vec<String> = chips.iter().map(Silent::to_string).collect();
    each.join(", ")
}
