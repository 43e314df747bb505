//! One transfer on the side of the server.

use std::path::PathBuf;

use drumline::channel::{CloseReason, SendError, spsc};

use crate::request::{Frame, FrameResult, Request};
use crate::source::Source;
use crate::{Digest, SourceError};

/// What the server knows of a transfer that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The file.
    pub path: PathBuf,
    /// Where the transfer began.
    pub began_at: u64,
    /// The offset up to which the client has written the file.
    pub acknowledged: u64,
    /// How it ended.
    pub end: End,
}

/// How a transfer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The client has the whole file, under its name.
    Complete,
    /// The client has gone before.
    ClientGone(CloseReason),
    /// The server could not go on. The client got the error, of which this is the text.
    Failed(String),
}

/// Why no more is sent.
enum Stop {
    Source(SourceError),
    ClientGone,
}

impl From<SourceError> for Stop {
    fn from(error: SourceError) -> Self {
        Stop::Source(error)
    }
}

impl From<SendError<FrameResult>> for Stop {
    fn from(_: SendError<FrameResult>) -> Self {
        Stop::ClientGone
    }
}

/// A transfer that is at work.
struct Upload {
    path: PathBuf,
    chunk_len: usize,
    frames: spsc::Sender<FrameResult>,
    acknowledgements: spsc::Receiver<u64>,
    acknowledged: u64,
}

impl Upload {
    fn send(&mut self, offset: u64, digest: Digest) -> Result<(), Stop> {
        let mut source = Source::open(&self.path, offset, digest)?;
        loop {
            // So that they do not pile up.
            self.acknowledged = self
                .acknowledgements
                .try_iter()
                .last()
                .unwrap_or(self.acknowledged);
            let offset = source.offset();
            let bytes = source.read(self.chunk_len)?;
            if bytes.is_empty() {
                return Ok(self.frames.send(Ok(Frame::End(source.digest())))?);
            }
            self.frames.send(Ok(Frame::Chunk { offset, bytes }))?;
        }
    }

    /// Waits for the client, which has all frames or is gone.
    fn end(mut self, failure: Option<String>) -> (u64, End) {
        self.frames.finish();
        let last = self.acknowledgements.iter().last();
        let acknowledged = last.unwrap_or(self.acknowledged);
        let reason = self.acknowledgements.close_reason();
        let end = match (failure, reason.expect("the iterator has come to the end")) {
            (Some(failure), _) => End::Failed(failure),
            (None, CloseReason::Finished) => End::Complete,
            (None, reason) => End::ClientGone(reason),
        };
        (acknowledged, end)
    }
}

/// Answers a request. Returns when the client has everything, or is gone.
pub fn upload(request: Request) -> Outcome {
    let Request {
        path,
        offset,
        digest,
        chunk_len,
        frames,
        acknowledgements,
    } = request;
    let mut upload = Upload {
        path: path.clone(),
        chunk_len: chunk_len.max(1),
        frames,
        acknowledgements,
        acknowledged: offset,
    };
    let failure = match upload.send(offset, digest) {
        Ok(()) | Err(Stop::ClientGone) => None,
        Err(Stop::Source(error)) => {
            let failure = error.to_string();
            // A client that is gone needs no error.
            let _ = upload.frames.send(Err(error));
            Some(failure)
        }
    };
    let (acknowledged, end) = upload.end(failure);
    Outcome {
        path,
        began_at: offset,
        acknowledged,
        end,
    }
}
