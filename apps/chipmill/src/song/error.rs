//! Why a file is no song.

use std::io;

use super::chips::Silent;
use super::file::MAX_BYTES;

/// Why a file is no song. The name of the file is the caller's to add.
#[derive(Debug, thiserror::Error)]
pub enum SongError {
    /// The file cannot be opened or read.
    #[error("cannot be read: {0}")]
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
    #[error("is no register log: a VGM file begins with \"Vgm \", and this begins with {0}")]
    NotVgm(String),
    /// The header is broken.
    #[error("has a broken header: {0}; get the file again")]
    Header(String),
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
    /// The log names no chip.
    #[error("names no sound chip in its header, so that nothing would be heard")]
    NoChips,
}

fn list(chips: &[Silent]) -> String {
    let each: Vec<String> = chips.iter().map(Silent::to_string).collect();
    each.join(", ")
}
