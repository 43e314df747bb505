//! Crawls made-up sites.
//!
//! The tests wait for events: a request that is in flight, a page that was fetched. None of them
//! measures a time.

mod command_line;
mod faults;
mod pressure;
mod whole;

use std::num::NonZero;

use crawler::Limits;
use drumline::Pool;

/// This many fetchers, with one page ahead for each of them and for the index.
fn limits(fetchers: usize) -> Limits {
    Limits {
        fetchers: NonZero::new(fetchers).unwrap(),
        ahead: NonZero::<usize>::MIN,
        index_ahead: NonZero::<usize>::MIN,
        most_pages: NonZero::<usize>::MAX,
    }
}

fn pool(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).build().unwrap()
}
