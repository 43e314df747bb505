//! What is to be written to a socket.

use std::io::{self, ErrorKind};

use tokio::io::AsyncWriteExt;
use tokio::net::tcp::OwnedWriteHalf;

/// Bytes that wait for a socket.
#[derive(Debug)]
pub struct Outbox {
    socket: OwnedWriteHalf,
    pending: Vec<u8>,
    /// How many of the pending bytes have been written.
    written: usize,
}

impl Outbox {
    /// An empty one.
    pub fn new(socket: OwnedWriteHalf) -> Self {
        Outbox {
            socket,
            pending: Vec::new(),
            written: 0,
        }
    }

    /// Adds a line. Nothing is written yet.
    pub fn push(&mut self, line: &str) {
        self.pending.extend_from_slice(line.as_bytes());
    }

    /// Writes all that is pending.
    ///
    /// # Cancellation
    ///
    /// If the future is dropped, the bytes that were not written are still pending, so a later
    /// call does not break a line in two.
    pub async fn write(&mut self) -> io::Result<()> {
        while self.written < self.pending.len() {
            match self.socket.write(&self.pending[self.written..]).await? {
                0 => return Err(ErrorKind::WriteZero.into()),
                count => self.written += count,
            }
        }
        self.pending.clear();
        self.written = 0;
        Ok(())
    }

    /// Writes all that is pending, and ends the stream.
    pub async fn finish(mut self) -> io::Result<()> {
        self.write().await?;
        self.socket.shutdown().await
    }
}
