//! Crawls a made-up site, and says what it has found.
//!
//! ```sh
//! cargo run --release -p crawler -- --pages 10000 --fetchers 8
//! ```

use std::io::{self, Write};
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use crawler::site::{Site, SiteRecord};
use crawler::site_map::SiteMap;
use crawler::{CrawlReport, Limits, crawl, http};
use drumline::{Jobs, Pool};

/// A crawler of actors: it fetches all pages of a made-up site, and counts their words.
///
/// The site listens on the loopback. It fails the run if more pages are in flight at once than
/// there are fetchers.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// How many pages the site has.
    #[arg(short, long, default_value = "1000", value_name = "PAGES")]
    pages: NonZero<usize>,
    /// How many milliseconds the site takes for a page.
    #[arg(long, default_value_t = 0, value_name = "MILLISECONDS")]
    latency: u64,
    /// How many of the most frequent words are printed.
    #[arg(long, default_value_t = 5, value_name = "WORDS")]
    top: usize,
    /// How many threads run the actors: a number, `auto`, `physical`, or a share as `50%`.
    #[arg(short, long, default_value = "auto", value_name = "JOBS")]
    jobs: Jobs,
    #[command(flatten)]
    limits: Limits,
}

fn run(options: &Options) -> Result<()> {
    let pool = Pool::builder()
        .jobs(options.jobs)
        .build()
        .context("cannot start the threads")?;
    let map = SiteMap {
        pages: options.pages.get(),
    };
    let latency = Site::latency(Duration::from_millis(options.latency));
    let site = Site::start(map, options.limits.fetchers.get(), latency)?;
    let address = site.address();
    let start = Instant::now();
    let fetch = Arc::new(move |path: &str| http::get(address, path));
    let report = crawl(&pool, SiteMap::FIRST, options.limits, fetch)?;
    let seconds = start.elapsed().as_secs_f64();
    let record = site.finish()?;
    check(&record)?;
    print(&report, &record, seconds, options.top).context("cannot write to standard output")
}

fn check(record: &SiteRecord) -> Result<()> {
    for (path, count) in &record.requests {
        ensure!(*count == 1, "{path} was fetched {count} times");
    }
    Ok(())
}

fn print(report: &CrawlReport, record: &SiteRecord, seconds: f64, top: usize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let requests = record.requests.len();
    writeln!(
        out,
        "{} pages, each fetched once; {requests} requests in {seconds:.2} s, {:.0} per second; at \
         most {} in flight",
        report.pages,
        requests as f64 / seconds,
        record.most_in_flight
    )?;
    write!(out, "{report}")?;
    writeln!(out, "the most frequent words")?;
    for (word, count) in report.top(top) {
        writeln!(out, "  {word} {count}")?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without standard error there is no place for the message.
            let _ = writeln!(io::stderr(), "crawler: {error:#}");
            ExitCode::FAILURE
        }
    }
}
