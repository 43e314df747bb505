//! One transfer on the side of the client.

use std::fmt;
use std::num::NonZero;
use std::path::PathBuf;

use anyhow::{Context, Error, Result, ensure};
use drumline::channel::spsc;

use crate::digest::Digest;
use crate::partial::Partial;
use crate::request::{Frame, FrameResult, Request};
use crate::server::Connection;

/// What a client wants.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The file, as the server knows it.
    pub source: PathBuf,
    /// Where it goes.
    pub destination: PathBuf,
    /// How many bytes are written and acknowledged at once.
    pub chunk_len: NonZero<usize>,
    /// How many chunks may be on their way.
    pub window: NonZero<usize>,
    /// Whether a file at the destination is replaced.
    pub replaces: bool,
    /// Whether what an earlier transfer has left is thrown away.
    pub restarts: bool,
}

impl Settings {
    /// The usual settings.
    pub fn new(source: impl Into<PathBuf>, destination: impl Into<PathBuf>) -> Self {
        Settings {
            source: source.into(),
            destination: destination.into(),
            chunk_len: const { NonZero::new(64 << 10).unwrap() },
            window: const { NonZero::new(8).unwrap() },
            replaces: false,
            restarts: false,
        }
    }
}

/// A file that has been received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// The length of the file.
    pub len: u64,
    /// How many bytes of it an earlier transfer had received.
    pub resumed_at: u64,
    /// Its digest.
    pub digest: Digest,
}

impl fmt::Display for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Received {
            len,
            resumed_at,
            digest,
        } = self;
        write!(
            f,
            "{len} bytes, {resumed_at} of which were here before; SHA-256 {digest}"
        )
    }
}

/// A transfer that is at work. If it is dropped, the next one goes on from its
/// [`offset`](Self::offset).
pub struct Download {
    partial: Partial,
    resumed_at: u64,
    is_complete: bool,
    frames: spsc::Receiver<FrameResult>,
    acknowledgements: spsc::Sender<u64>,
}

impl Download {
    /// Asks the server for a file, or for the rest of it.
    ///
    /// # Errors
    ///
    /// If the destination cannot be written, or the server is gone. An error of the server comes
    /// with [`next_chunk`](Self::next_chunk).
    pub fn begin(connection: &mut Connection, settings: &Settings) -> Result<Self> {
        let partial = Partial::open(&settings.destination, settings.replaces, settings.restarts)?;
        let (frame_sender, frames) = spsc::bounded(settings.window.get());
        let (acknowledgements, acknowledged) = spsc::unbounded();
        let request = Request {
            path: settings.source.clone(),
            offset: partial.len(),
            digest: partial.digest(),
            chunk_len: settings.chunk_len.get(),
            frames: frame_sender,
            acknowledgements: acknowledged,
        };
        connection.request(request)?;
        Ok(Download {
            resumed_at: partial.len(),
            partial,
            is_complete: false,
            frames,
            acknowledgements,
        })
    }

    /// How much of the file is here.
    pub fn offset(&self) -> u64 {
        self.partial.len()
    }

    /// Waits for a chunk, and writes it. Returns whether there was one: after the last one the
    /// digest is compared.
    ///
    /// # Errors
    ///
    /// If the chunk cannot be written; if the server is gone, cannot go on, or sends what does not
    /// fit. Chunks that are written stay.
    pub fn next_chunk(&mut self) -> Result<bool> {
        if self.is_complete {
            return Ok(false);
        }
        let frame = self
            .frames
            .recv()
            .map_err(|closed| Error::msg(format!("the server is gone: {}", closed.reason())))?
            .context("the server cannot go on")?;
        match frame {
            Frame::Chunk { offset, bytes } => {
                ensure!(
                    offset == self.offset(),
                    "the server sends bytes of offset {offset} where those of {} are expected",
                    self.offset()
                );
                self.partial.append(&bytes)?;
                // A server that is gone shows at the next frame.
                let _ = self.acknowledgements.send(self.offset());
                Ok(true)
            }
            Frame::End(digest) => {
                let ours = self.partial.digest();
                ensure!(
                    ours == digest,
                    "the checksum is wrong: {ours} here, {digest} at the server"
                );
                self.is_complete = true;
                Ok(false)
            }
        }
    }

    /// Receives the rest, and gives the file its name.
    ///
    /// # Errors
    ///
    /// As [`next_chunk`](Self::next_chunk), and if the file cannot have its name.
    pub fn finish(mut self) -> Result<Received> {
        while self.next_chunk()? {}
        let received = Received {
            len: self.partial.len(),
            resumed_at: self.resumed_at,
            digest: self.partial.digest(),
        };
        self.partial.complete()?;
        self.acknowledgements.finish();
        Ok(received)
    }
}
