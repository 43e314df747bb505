//! What the command line says.

use std::net::SocketAddr;
use std::num::NonZero;
use std::time::Duration;

use clap::Args;
use drumline::Jobs;

/// The limits of a service, and how many threads it has.
///
/// How many requests are admitted at once is the number of jobs and [`queue`](Self::queue)
/// together. So at most this number of bodies, each as long as [`body_limit`](Self::body_limit)
/// says, is in memory.
#[derive(Debug, Clone, Args)]
pub struct Settings {
    /// The address to listen on. Port 0 takes any free port.
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// How many threads compute: a number, `auto`, `physical`, or a share as `50%`.
    #[arg(short, long, default_value = "auto", value_name = "JOBS")]
    pub jobs: Jobs,
    /// How many threads tokio has for the sockets.
    #[arg(long, default_value = "1", value_name = "THREADS")]
    pub io_threads: NonZero<usize>,
    /// How many admitted requests may wait besides those that are computed. Beyond that a request
    /// is refused with status 429.
    #[arg(long, default_value_t = 64, value_name = "REQUESTS", value_parser = queue_len)]
    pub queue: usize,
    /// How many connections may be open. Others wait in the queue of the operating system.
    #[arg(long, default_value = "1024", value_name = "CONNECTIONS")]
    pub connections: NonZero<usize>,
    /// How many bytes an upload may have. Longer ones are refused with status 413.
    #[arg(long, default_value = "1048576", value_name = "BYTES")]
    pub body_limit: NonZero<usize>,
    /// How many milliseconds a request may take, from its admission to its answer.
    #[arg(long, default_value = "2000", value_name = "MILLISECONDS", value_parser = milliseconds)]
    pub deadline: Duration,
    /// How often the hash of an upload is hashed again: 20,000 rounds take about a millisecond.
    #[arg(long, default_value_t = 20_000, value_name = "ROUNDS")]
    pub rounds: u32,
}

/// A queue that still fits into the semaphore behind it, together with the jobs.
fn queue_len(text: &str) -> Result<usize, String> {
    const MOST: usize = 1 << 20;
    match text.parse::<usize>() {
        Ok(len) if len <= MOST => Ok(len),
        Ok(_) => Err(format!("at most {MOST} requests can wait")),
        Err(error) => Err(error.to_string()),
    }
}

fn milliseconds(text: &str) -> Result<Duration, String> {
    // A day: timers need an end that the clock can reach.
    const MOST: u64 = 24 * 60 * 60 * 1000;
    match text.parse::<u64>() {
        Ok(0) => Err("a request needs some time".to_owned()),
        Ok(millis) if millis <= MOST => Ok(Duration::from_millis(millis)),
        Ok(_) => Err(format!("at most {MOST} milliseconds")),
        Err(error) => Err(error.to_string()),
    }
}
