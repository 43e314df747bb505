//! What computes, and on how many threads.

use std::sync::Arc;

use anyhow::Result;
use clap::ValueEnum;
use drumline::Pool;

use crate::place;

/// Where the hashes are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Arrangement {
    /// Nowhere: the echo alone.
    Alone,
    /// In tasks of tokio, which yield after each hash.
    Tasks,
    /// In `spawn_blocking`, with as many threads as tokio likes.
    Blocking,
    /// In `spawn_blocking`, with as many threads as cores.
    BlockingFew,
    /// On Drumline, with as many jobs as cores.
    Drumline,
    /// On Drumline, with as many jobs as cores and with nice threads.
    DrumlineNice,
    /// On Drumline, with a job less than cores.
    DrumlineLess,
    /// On Drumline, with a job less than cores. The first core is tokio's, the others are the
    /// pool's.
    DrumlinePinned,
}

/// What computes.
pub enum Computer {
    Nothing,
    Tasks,
    Blocking,
    Drumline(Arc<Pool>),
}

impl Arrangement {
    /// How many threads tokio has in this arrangement: one for sockets alone, but as many as cores
    /// if they also compute.
    pub fn io_threads(self, cores: usize) -> usize {
        if self == Arrangement::Tasks { cores } else { 1 }
    }

    pub fn title(self, cores: usize) -> String {
        let less = jobs_less(cores);
        match self {
            Arrangement::Alone => "none".to_owned(),
            Arrangement::Tasks => "in tasks of tokio".to_owned(),
            Arrangement::Blocking => "`spawn_blocking`".to_owned(),
            Arrangement::BlockingFew => format!("`spawn_blocking`, {cores} threads"),
            Arrangement::Drumline => format!("Drumline, jobs = {cores}"),
            Arrangement::DrumlineNice => format!("Drumline, jobs = {cores}, nice 10"),
            Arrangement::DrumlineLess => format!("Drumline, jobs = {less}"),
            Arrangement::DrumlinePinned => format!("Drumline, jobs = {less}, pinned"),
        }
    }

    /// Starts what computes.
    pub fn computer(self, cores: usize) -> Result<Computer> {
        let builder = Pool::builder().spares(false);
        let pool = match self {
            Arrangement::Alone => return Ok(Computer::Nothing),
            Arrangement::Tasks => return Ok(Computer::Tasks),
            Arrangement::Blocking | Arrangement::BlockingFew => return Ok(Computer::Blocking),
            Arrangement::Drumline => builder.jobs(cores),
            Arrangement::DrumlineNice => builder.jobs(cores).start_handler(|_| place::be_nice()),
            Arrangement::DrumlineLess => builder.jobs(jobs_less(cores)),
            Arrangement::DrumlinePinned => builder
                .jobs(jobs_less(cores))
                .pin(|index| place::pin_to(1 + index)),
        };
        Ok(Computer::Drumline(Arc::new(pool.build()?)))
    }
}

impl Computer {
    /// Waits for the end of all threads that compute.
    pub fn shutdown(self) -> Result<()> {
        if let Computer::Drumline(pool) = self {
            Arc::into_inner(pool)
                .expect("the tasks that used it have ended")
                .shutdown()?;
        }
        Ok(())
    }
}

fn jobs_less(cores: usize) -> usize {
    cores.saturating_sub(1).max(1)
}
