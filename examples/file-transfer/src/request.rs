//! What the client wants, and its ends of the two channels.

use std::path::PathBuf;

use drumline::channel::spsc;

use crate::{Digest, SourceError};

/// What the server sends: a part of the file, or why it cannot go on.
pub type FrameResult = Result<Frame, SourceError>;

/// A request for a file, or for the rest of it.
#[derive(Debug)]
pub struct Request {
    /// The file, as the server knows it.
    pub path: PathBuf,
    /// Where the client wants to begin.
    pub offset: u64,
    /// The digest of what the client has: all that is before the offset.
    pub digest: Digest,
    /// How many bytes each chunk has, but for the last one.
    pub chunk_len: usize,
    /// Where the file goes.
    pub frames: spsc::Sender<FrameResult>,
    /// The offsets up to which the client has written the file.
    pub acknowledgements: spsc::Receiver<u64>,
}

/// What the server sends.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// The next bytes.
    Chunk {
        /// Where they belong.
        offset: u64,
        /// The bytes; never none.
        bytes: Vec<u8>,
    },
    /// The file is complete, and this is its digest.
    End(Digest),
}
