//! What the command line says about a server.

use std::net::SocketAddr;
use std::num::NonZero;
use std::time::Duration;

use clap::Args;
use drumline::Jobs;

/// The limits of a server, and how many threads it has.
#[derive(Clone, Debug, Args)]
pub struct Settings {
    /// The address to listen on. Port 0 takes any free port.
    #[arg(long, default_value = "127.0.0.1:7070", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// How many threads run the actors: a number, `auto`, `physical`, or a share as `50%`.
    #[arg(short, long, default_value = "auto", value_name = "JOBS")]
    pub jobs: Jobs,
    /// How many threads tokio has for the sockets.
    #[arg(long, default_value = "1", value_name = "THREADS")]
    pub io_threads: NonZero<usize>,
    /// How many lines may wait for a client. With one more, it is too slow, and is disconnected.
    #[arg(long, default_value = "4096", value_name = "LINES")]
    pub backlog: NonZero<usize>,
    /// How many clients may be connected. Others wait in the queue of the operating system.
    #[arg(long, default_value = "10000", value_name = "CLIENTS")]
    pub connections: NonZero<usize>,
    /// How many milliseconds a client that leaves has to read its last lines.
    #[arg(long, default_value = "5000", value_name = "MILLISECONDS", value_parser = milliseconds)]
    pub grace: Duration,
}

fn milliseconds(text: &str) -> Result<Duration, String> {
    // A day: timers need an end that the clock can reach.
    const MOST: u64 = 24 * 60 * 60 * 1000;
    match text.parse::<u64>() {
        Ok(millis) if millis <= MOST => Ok(Duration::from_millis(millis)),
        Ok(_) => Err(format!("at most {MOST} milliseconds")),
        Err(error) => Err(error.to_string()),
    }
}
