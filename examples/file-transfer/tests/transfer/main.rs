//! Transfers from outside: their promises, and the program.

mod clients;
mod command_line;
mod ends;
mod failures;
mod files;
mod resume;

use drumline::Pool;

/// A pool with this number of jobs.
fn pool(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).build().unwrap()
}
