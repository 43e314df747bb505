//! An HTTP service that answers an upload with its hash.
//!
//! tokio owns the sockets, and a pool of Drumline computes. A handler gives its work to the pool
//! and awaits the handle: `pool.spawn(work).await`. The rest of this package is what a service
//! needs around that line:
//!
//! | file | noun |
//! |---|---|
//! | `settings` | what the command line says |
//! | `server` | the listener and its connections, until the service is told to stop |
//! | `service` | what is done with one request: its path, its body, its deadline |
//! | `computer` | the pool, and the work that a request has it do |
//! | `admission` | how many requests may be admitted at once |
//! | `hashing` | the computing itself, which looks at a token between two blocks |
//! | `answer` | the response to each outcome |
//! | `counters` | how often things have happened |
//! | `signals` | when the operator wants the service to stop |
//!
//! Nothing here grows with the load. Connections, admitted requests and the length of a body have
//! limits, and each request has a deadline.

mod admission;
mod answer;
mod computer;
mod counters;
mod hashing;
mod server;
mod service;
mod settings;
pub mod signals;

pub use computer::{Computer, Work};
pub use counters::Counters;
pub use hashing::{Digest, Stopped, hash};
pub use server::Server;
pub use service::Service;
pub use settings::Settings;
