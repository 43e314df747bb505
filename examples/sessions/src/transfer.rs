//! A file transfer: chunks from a server to a client, which checks their digest.
//!
//! ```
//! use sessions::transfer::{self, Source, file};
//!
//! // Four chunks may be on their way.
//! let (client, server) = file::bounded(4);
//! let data: Vec<u8> = (0..100_000).map(|number| number as u8).collect();
//! let served = std::io::Cursor::new(data.clone());
//! let server = std::thread::spawn(|| {
//!     transfer::send(server, 1_000, |_name| Ok(Source::new(100_000, served)))
//! });
//! let mut received = Vec::new();
//! let len = transfer::receive(client, "some file", &mut received)?;
//! assert_eq!((len, received), (100_000, data));
//! assert_eq!(server.join().unwrap()?, transfer::Outcome::Complete);
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! A session with a bound makes a fast server as slow as its client, and limits what is in memory.
//! The server cannot forget the digest, and the client cannot forget the verdict: neither would
//! come to its `End`. (The example `file-transfer` goes on where a transfer was stopped, which is
//! more than this one does.)

use std::io::{Read, Write};

use anyhow::{Context, Result, bail, ensure};

drumline::protocol! {
    /// One file, from a server to a client.
    pub mod file of client with server {
        /// The name of the file.
        Request = send String => Reply;
        Reply = offer {
            /// Why the client does not get it.
            Refused(String) => end,
            /// How many bytes it has.
            Accepted(u64) => Chunks,
        };
        Chunks = offer {
            /// The next bytes; never none.
            Chunk(Vec<u8>) => Chunks,
            /// That was all, and this is the digest.
            Done(u64) => Verdict,
            /// Why the server cannot go on.
            Failed(String) => end,
        };
        /// Whether the client has the same digest.
        Verdict = choose {
            Complete => end,
            Damaged => end,
        };
    }
}

use file::{choice, client, offer, server};

/// A file that can be read.
#[derive(Debug)]
pub struct Source<R> {
    len: u64,
    bytes: R,
}

impl<R: Read> Source<R> {
    /// A file of this length.
    pub fn new(len: u64, bytes: R) -> Self {
        Source { len, bytes }
    }
}

impl Source<std::fs::File> {
    /// The file at this path.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn open(path: &str) -> Result<Self> {
        let bytes = std::fs::File::open(path).with_context(|| format!("cannot open {path}"))?;
        let len = bytes.metadata()?.len();
        Ok(Source { len, bytes })
    }
}

/// How a transfer ended, as the server knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The client has the whole file.
    Complete,
    /// The client has something else.
    Damaged,
    /// There is no such file.
    Refused,
}

/// A digest by Fowler, Noll and Vo (FNV-1a, 64 bits). It finds accidents, and no forgeries.
#[derive(Clone, Copy, Debug)]
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// Answers a request: opens the file, and sends it in chunks of this length.
///
/// # Errors
///
/// If the client leaves, or the file cannot be read to its end. The client is told that.
pub fn send<R: Read>(
    request: server::Request,
    chunk_len: usize,
    open: impl FnOnce(&str) -> Result<Source<R>>,
) -> Result<Outcome> {
    let (name, reply) = request.recv()?;
    let Source { len, mut bytes } = match open(&name) {
        Ok(source) => source,
        Err(error) => {
            reply.choose(choice::Reply::Refused(format!("{error:#}")))?;
            return Ok(Outcome::Refused);
        }
    };
    let mut chunks = reply.choose(choice::Reply::Accepted(len))?;
    let mut digest = Digest::new();
    let verdict = loop {
        match chunk(&mut bytes, chunk_len.max(1)) {
            Ok(chunk) if chunk.is_empty() => {
                break chunks.choose(choice::Chunks::Done(digest.0))?;
            }
            Ok(chunk) => {
                digest.add(&chunk);
                chunks = chunks.choose(choice::Chunks::Chunk(chunk))?;
            }
            Err(error) => {
                chunks.choose(choice::Chunks::Failed(error.to_string()))?;
                return Err(error).context("cannot read the file");
            }
        }
    };
    Ok(match verdict.offer()? {
        offer::Verdict::Complete(_end) => Outcome::Complete,
        offer::Verdict::Damaged(_end) => Outcome::Damaged,
    })
}

/// The next bytes; none at the end.
fn chunk(bytes: &mut impl Read, len: usize) -> std::io::Result<Vec<u8>> {
    let mut chunk = Vec::with_capacity(len);
    bytes.take(len as u64).read_to_end(&mut chunk)?;
    Ok(chunk)
}

/// Asks for a file, and writes it. Returns how many bytes it has.
///
/// # Errors
///
/// If the server refuses, cannot go on, or leaves; if the file cannot be written, or is not what
/// the server has.
pub fn receive(request: client::Request, name: &str, output: &mut impl Write) -> Result<u64> {
    let (len, mut chunks) = match request.send(name.to_owned())?.offer()? {
        offer::Reply::Refused(why, _end) => bail!("refused: {why}"),
        offer::Reply::Accepted(len, chunks) => (len, chunks),
    };
    let (mut digest, mut received) = (Digest::new(), 0);
    loop {
        match chunks.offer()? {
            offer::Chunks::Chunk(bytes, next) => {
                output.write_all(&bytes)?;
                digest.add(&bytes);
                received += bytes.len() as u64;
                chunks = next;
            }
            offer::Chunks::Failed(why, _end) => bail!("the server cannot go on: {why}"),
            offer::Chunks::Done(theirs, verdict) => {
                let is_right = received == len && digest.0 == theirs;
                if is_right {
                    output.flush()?;
                    verdict.choose(choice::Verdict::Complete)?;
                } else {
                    verdict.choose(choice::Verdict::Damaged)?;
                }
                ensure!(
                    is_right,
                    "{received} bytes of {len}, or the digest is wrong"
                );
                return Ok(received);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::thread;

    /// Reads all of `data`, and then fails, if it is to.
    struct Flaky(Vec<u8>, bool);

    impl Read for Flaky {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() && self.1 {
                return Err(io::Error::other("the disk is broken"));
            }
            let len = buffer.len().min(self.0.len()).min(7);
            buffer[..len].copy_from_slice(&self.0[..len]);
            self.0.drain(..len);
            Ok(len)
        }
    }

    fn data(len: usize) -> Vec<u8> {
        (0..len).map(|number| (number * 7) as u8).collect()
    }

    #[test]
    fn files_of_all_lengths_arrive() {
        for len in [0, 1, 99, 100, 101, 10_000] {
            let (client, server) = file::bounded(2);
            let server = thread::spawn(move || {
                send(server, 100, |_| {
                    Ok(Source::new(len as u64, Flaky(data(len), false)))
                })
            });
            let mut received = Vec::new();
            assert_eq!(receive(client, "name", &mut received).unwrap(), len as u64);
            assert_eq!(received, data(len));
            assert_eq!(server.join().unwrap().unwrap(), Outcome::Complete);
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_refused() {
        let (client, server) = file::unbounded();
        let server = thread::spawn(|| send(server, 100, Source::open));
        let error = receive(client, "/no/such/file", &mut Vec::new()).unwrap_err();
        assert!(
            error.to_string().starts_with("refused: cannot open"),
            "{error}"
        );
        assert_eq!(server.join().unwrap().unwrap(), Outcome::Refused);
    }

    #[test]
    fn a_file_that_cannot_be_read_fails_on_both_sides() {
        let (client, server) = file::unbounded();
        let flaky = |_: &str| Ok(Source::new(500, Flaky(data(500), true)));
        let server = thread::spawn(move || send(server, 100, flaky));
        let error = receive(client, "name", &mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("the disk is broken"), "{error}");
        assert!(server.join().unwrap().is_err());
    }

    #[test]
    fn a_file_that_is_too_short_is_damaged() {
        let (client, server) = file::unbounded();
        let short = |_: &str| Ok(Source::new(501, Flaky(data(500), false)));
        let server = thread::spawn(move || send(server, 100, short));
        assert!(receive(client, "name", &mut Vec::new()).is_err());
        assert_eq!(server.join().unwrap().unwrap(), Outcome::Damaged);
    }

    #[test]
    fn a_client_that_cannot_write_leaves() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::other("the disk is full"))
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (client, server) = file::bounded(1);
        let server = thread::spawn(|| {
            send(server, 100, |_| {
                Ok(Source::new(10_000, Flaky(data(10_000), false)))
            })
        });
        assert!(receive(client, "name", &mut Full).is_err());
        let error = server.join().unwrap().unwrap_err().to_string();
        assert!(error.contains("the client left the protocol `file` in the step `Chunks`"));
    }
}
