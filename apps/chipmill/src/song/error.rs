//! Why a file is no song.

use std::any::Any;
use std::io;

use super::chips::Silent;
use super::file::MAX_BYTES;

/// Why a file is no song. The name of the file is the caller's to add.
#[derive(Debug, thiserror::Error)]
pub enum SongError {
    /// The file cannot be opened or read.
    #[error("cannot be read{}: {error}; look whether it is there and may be read", at(*.offset))]
    Read {
        /// What the system says.
        #[source]
        error: io::Error,
        /// Where, in bytes from the start of the file; none if it cannot even be opened.
        offset: Option<u64>,
    },
    /// The compressed data are broken.
    #[error(
        "is compressed (VGZ) and broken at offset {offset:#x} of the compressed file: {error}; get \
         the file again"
    )]
    Compression {
        /// What is wrong with them.
        error: io::Error,
        /// How far the decoder came, in bytes from the start of the compressed file.
        offset: u64,
    },
    /// The file is larger than any song.
    #[error(
        "goes on behind offset {MAX_BYTES:#x} (uncompressed), and no song has more than {} MiB; it \
         is refused to keep memory within bounds: leave it out, or get the file again",
        MAX_BYTES >> 20
    )]
    TooLarge,
    /// The file is something else.
    #[error(
        "is no register log: a VGM file has \"Vgm \" at offset 0x0, and this begins with {0}; name \
         a song"
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
    /// Of all chips of the log there is no model here.
    #[error(
        "needs {} only, of which there is no model here, so that nothing would be heard: leave it \
         out",
        list(.0)
    )]
    AllSilent(Vec<Silent>),
    /// The log has no chip.
    #[error(
        "names no sound chip in its header (the first clock is at offset {FIRST_CLOCK:#x}), or \
         writes to none, so that nothing would be heard: leave it out, or get the file again"
    )]
    NoChips,
    /// The parser has panicked.
    #[error(
        "could not be read from offset {offset:#x} on ({text}); this is a fault of chipmill: \
         please report it"
    )]
    Panicked {
        /// What the panic says.
        text: String,
        /// How far the parser came, in bytes from the start of the uncompressed file.
        offset: usize,
    },
}

impl From<io::Error> for SongError {
    fn from(error: io::Error) -> Self {
        SongError::Read {
            error,
            offset: None,
        }
    }
}

/// Where the header has the clock of its first chip.
const FIRST_CLOCK: usize = 0x0c;

fn at(offset: Option<u64>) -> String {
    offset.map_or_else(String::new, |offset| format!(" at offset {offset:#x}"))
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
