//! The bank from outside: its promises, and the program.

mod clients;
mod closing;
mod command_line;
mod gate;
mod transfers;

use drumline::Pool;

/// A pool with this number of jobs.
fn pool(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).build().unwrap()
}
