//! The program's middle part, on several runtimes.
//!
//! Two questions are kept apart: what runs it, and how the text is cut. So both runtimes get both,
//! chunks and lines.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use anyhow::{Context, Error, Result};
use clap::ValueEnum;
use drumline::{Pool, stream};
use rayon::iter::{ParallelBridge, ParallelIterator};

use crate::chunks::{self, Chunks};
use crate::counts::Counts;

/// What counts, and of what.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Runtime {
    /// A stream of chunks.
    Drumline,
    /// A stream of lines.
    DrumlineLines,
    /// Chunks over rayon's bridge.
    RayonChunks,
    /// Lines over rayon's bridge.
    Rayon,
    /// One thread, without a runtime.
    Seq,
}

impl Runtime {
    /// Counts the words of files, with as many threads as `pool` has jobs.
    pub fn count(self, files: &[PathBuf], ignore_case: bool, pool: &Pool) -> Result<Counts> {
        let add = |counts: &mut Counts, mut text: Vec<u8>| counts.add(&mut text, ignore_case);
        match self {
            Runtime::Drumline => {
                let mut chunks = Chunks::of(files);
                let counts = stream::iter(&mut chunks).pool(pool).fold_init(
                    Counts::default,
                    add,
                    Counts::merge,
                );
                chunks.finish().map(|()| counts)
            }
            Runtime::DrumlineLines => {
                let mut error = None;
                let counts = stream::iter(lines(files, &mut error)).pool(pool).fold_init(
                    Counts::default,
                    add,
                    Counts::merge,
                );
                error.map_or(Ok(counts), Err)
            }
            Runtime::RayonChunks => {
                let mut chunks = Chunks::of(files);
                let counts = on_rayon(pool, || bridged(&mut chunks, add))?;
                chunks.finish().map(|()| counts)
            }
            Runtime::Rayon => {
                let mut error = None;
                let counts = on_rayon(pool, || bridged(lines(files, &mut error), add))?;
                error.map_or(Ok(counts), Err)
            }
            Runtime::Seq => {
                let mut chunks = Chunks::of(files);
                let mut counts = Counts::default();
                for chunk in &mut chunks {
                    add(&mut counts, chunk);
                }
                chunks.finish().map(|()| counts)
            }
        }
    }
}

/// The lines of files, as one cuts them without thinking of cost; not as `String`s, because they
/// need not be UTF-8.
fn lines<'e>(
    files: &[PathBuf],
    error: &'e mut Option<Error>,
) -> impl Iterator<Item = Vec<u8>> + Send + use<'e> {
    let all = chunks::files_or_stdin(files).into_iter().flat_map(|path| {
        let reader = chunks::open_plain(&path);
        let (reader, failed) = match reader {
            Ok(reader) => (Some(reader), None),
            Err(error) => (None, Some(Err(error))),
        };
        let lines = reader
            .into_iter()
            .flat_map(|reader| BufReader::new(reader).split(b'\n'))
            .map(move |line| line.with_context(|| format!("cannot read {}", path.display())));
        failed.into_iter().chain(lines)
    });
    all.map_while(|line| line.map_err(|failed| *error = Some(failed)).ok())
}

fn bridged(
    texts: impl Iterator<Item = Vec<u8>> + Send,
    add: impl Fn(&mut Counts, Vec<u8>) + Sync,
) -> Counts {
    texts
        .par_bridge()
        .fold(Counts::default, |mut counts, text| {
            add(&mut counts, text);
            counts
        })
        .reduce(Counts::default, |mut counts, more| {
            counts.merge(more);
            counts
        })
}

/// Runs it in a pool of rayon that is as large as ours.
fn on_rayon(pool: &Pool, body: impl FnOnce() -> Counts + Send) -> Result<Counts> {
    let theirs = rayon::ThreadPoolBuilder::new()
        .num_threads(pool.jobs())
        .build()
        .context("cannot start rayon's threads")?;
    Ok(theirs.install(body))
}
