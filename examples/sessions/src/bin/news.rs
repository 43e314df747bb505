//! A broker, publishers, and readers of some topics.
//!
//! ```sh
//! cargo run --release -p sessions --bin news -- --readers 4 --articles 100000
//! ```

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use drumline::{Jobs, Pool};
use sessions::news::{broker, counter, leave, publish, read, subscribe};

/// Publishes articles, and counts those that readers get.
#[derive(Debug, Parser)]
struct Options {
    /// A number, `auto`, `physical`, or a share as `50%`.
    #[arg(long, default_value = "auto")]
    jobs: Jobs,
    /// How many readers there are. Each has a topic of its own.
    #[arg(long, default_value_t = 4)]
    readers: usize,
    /// How many articles are published, of each topic in turn.
    #[arg(long, default_value_t = 100_000)]
    articles: usize,
}

fn main() -> Result<()> {
    let options = Options::parse();
    ensure!(options.readers > 0, "there is no reader");
    let pool = Pool::builder().jobs(options.jobs).build()?;
    let begun = Instant::now();
    let (mut guest, counter) = counter::unbounded();
    let broker = pool.spawn(|| broker(vec![counter]));
    let topics: Vec<_> = (0..options.readers)
        .map(|number| format!("topic {number}"))
        .collect();
    let mut readers = Vec::new();
    for topic in &topics {
        let (next, reader) = subscribe(guest, topic)?;
        guest = next;
        readers.push(pool.spawn(|| read(reader)));
    }
    for (number, topic) in (0..options.articles).zip(topics.iter().cycle()) {
        guest = publish(guest, topic, &number.to_string())?;
    }
    leave(guest)?;
    let mut copies = 0;
    for reader in readers {
        copies += reader.join()?.context("the broker has gone home")?.len();
    }
    broker.join()?;
    let time = begun.elapsed().as_secs_f64();
    println!("{copies} articles read in {time:.3} s");
    ensure!(copies == options.articles, "articles are lost");
    Ok(())
}
