//! Sends files in chunks through a bounded channel, and goes on where an earlier transfer stopped.
//!
//! ```no_run
//! use file_transfer::{Download, Server, Settings};
//!
//! let pool = drumline::Pool::builder().build()?;
//! let server = Server::start(&pool);
//! let settings = Settings::new("source", "destination");
//! let received = Download::begin(&mut server.connect(), &settings)?.finish()?;
//! println!("{received}");
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! ```text
//!            lanes::unbounded: requests, from many clients
//!   client ══════════════════════════════════════════════════► server
//!      ▲                                                         │ one job per transfer
//!      │           spsc::bounded: chunks, then the digest        ▼
//!      ├◄────────────────────────────────────────────────────── upload
//!      └──────────────────────────────────────────────────────►
//!                  spsc::unbounded: acknowledgements
//! ```
//!
//! | file | noun |
//! |---|---|
//! | `server` | what answers requests, each with a job |
//! | `request` | what the client wants, and its ends of the two channels |
//! | `upload` | one transfer on the side of the server |
//! | `source` | the file that is read |
//! | `source_error` | why the server cannot go on |
//! | `download` | one transfer on the side of the client |
//! | `partial` | the file that is written, until it is complete |
//! | `lock` | at most one transfer writes a file |
//! | `digest` | the checksum |
//!
//! # Back-pressure
//!
//! The channel of chunks has room for as many as the client says. While it is full, the upload
//! waits. So what is in memory does not depend on the length of the file, or on how slow the client
//! is. The channel of acknowledgements needs no bound, because the upload empties it before each
//! chunk. If it had one, the two sides could wait for each other.
//!
//! # Resume
//!
//! The client writes to `DESTINATION.partial`, and acknowledges a chunk when it is written. A
//! transfer that stops for any reason leaves this file. The next one asks for the rest, and sends
//! the digest of what is there. The server compares it with the beginning of its own file, so no
//! transfer goes on from another file. At the end the client compares the digest of the whole file,
//! and only then gives the file its name.
//!
//! # Why it ended
//!
//! Each side learns it from the end of its channel. The client gets the digest as the last message,
//! or an error of the source, or a [`CloseReason`](drumline::channel::CloseReason) of a server that
//! is gone. The server gets `Finished` when the file has its name, and otherwise `Dropped` or
//! `Panicked`.

mod digest;
mod download;
mod lock;
mod partial;
mod request;
mod server;
mod source;
mod source_error;
mod upload;

pub use digest::Digest;
pub use download::{Download, Received, Settings};
pub use partial::partial_path;
pub use request::{Frame, FrameResult, Request};
pub use server::{Connection, Server};
pub use source_error::{SourceError, SourceProblem};
pub use upload::{End, Outcome};
