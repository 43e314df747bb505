//! All actors together, from the first page to the report.

use std::num::NonZero;
use std::sync::{Arc, mpsc};

use anyhow::{Context, Result};
use clap::Args;
use drumline::Pool;
use drumline::actor::{ActorSystem, Overflow, SpawnOptions};

use crate::fetcher::Fetch;
use crate::frontier::Frontier;
use crate::index::{TakeCounts, WordIndex};
use crate::report::CrawlReport;

/// How much a crawl does at once.
///
/// At most as many pages are being fetched as there are fetchers.
#[derive(Clone, Copy, Debug, Args)]
pub struct Limits {
    /// How many pages are fetched at the same time.
    #[arg(short, long, default_value = "8", value_name = "FETCHERS")]
    pub fetchers: NonZero<usize>,
    /// How many pages may wait in the mailbox of a fetcher.
    #[arg(long, default_value = "2", value_name = "PAGES")]
    pub ahead: NonZero<usize>,
    /// How many pages may wait in the mailbox of the index.
    #[arg(long, default_value = "16", value_name = "PAGES")]
    pub index_ahead: NonZero<usize>,
    /// How many pages the frontier remembers. Links to others are left out.
    #[arg(long, default_value = "1000000", value_name = "PAGES")]
    pub most_pages: NonZero<usize>,
}

/// Fetches a page, all to which it links, and so on.
///
/// # Errors
///
/// If the frontier or the index has panicked.
///
/// # Blocking
///
/// Until all is crawled.
pub fn crawl(pool: &Pool, first: &str, limits: Limits, fetch: Arc<Fetch>) -> Result<CrawlReport> {
    let system = ActorSystem::new(pool);
    let options = SpawnOptions::new()
        .name("index")
        .bounded(limits.index_ahead.get(), Overflow::Wait);
    let index = system.spawn_with(WordIndex::default(), options);
    let (over, report) = mpsc::channel();
    let frontier = Frontier::new(first, limits, fetch, index.clone(), over);
    let frontier = system.spawn_with(frontier, SpawnOptions::new().name("frontier"));
    let mut report = report.recv().context("the frontier has failed")?;
    drop(frontier);
    // The words of a page are told before its end is. So all are here.
    report.words = index
        .ask(TakeCounts)
        .recv()
        .context("the index has failed")?;
    Ok(report)
}
