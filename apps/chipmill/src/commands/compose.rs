//! `chipmill compose` and `chipmill album`: songs that this program makes itself.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use chipmill::compose;
use chipmill::output::temporary;
use clap::{Args, Parser};

use super::text::written;
use super::{render, signals, status};

/// The options of `compose`.
#[derive(Args)]
pub struct Arguments {
    /// How many songs there are.
    #[arg(
        long,
        alias = "songs",
        default_value_t = 12,
        value_parser = clap::value_parser!(u32).range(1..=10_000),
        value_name = "SONGS"
    )]
    count: u32,
    /// From what the songs are composed: the same number gives the same songs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The directory of the songs; it is made if it is not there.
    #[arg(long, short, default_value = "album", value_name = "DIRECTORY")]
    out: PathBuf,
}

/// Composes songs.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let cancelled = signals::listen()?;
    let Some(_songs) = write(&arguments.out, arguments, &cancelled)? else {
        return Ok(status(0, true));
    };
    let (count, out) = (arguments.count, arguments.out.display());
    written(writeln!(io::stdout(), "{count} songs in {out}"))?;
    Ok(ExitCode::SUCCESS)
}

/// Composes an album and renders it.
pub fn album(arguments: &Arguments) -> Result<ExitCode> {
    /// The options of `render`, as if they had been typed.
    #[derive(Parser)]
    struct Typed {
        #[command(flatten)]
        render: render::Arguments,
    }
    // Those of an album before this one may be there as well.
    let cancelled = signals::listen()?;
    let Some(songs) = write(&arguments.out.join("songs"), arguments, &cancelled)? else {
        return Ok(status(0, true));
    };
    let mut words = vec!["render".into(), "--out".into(), arguments.out.clone()];
    words.extend(songs);
    let typed = Typed::try_parse_from(words)?;
    render::run(&typed.render)
}

/// Writes the songs, each whole or not at all, and returns their files. `None`: the flag was set
/// before all were written.
fn write(
    directory: &Path,
    arguments: &Arguments,
    cancelled: &AtomicBool,
) -> Result<Option<Vec<PathBuf>>> {
    std::fs::create_dir_all(directory)
        .with_context(|| format!("{}: cannot be made", directory.display()))?;
    let mut paths = Vec::new();
    for (number, song) in (1..).zip(compose::album(arguments.seed, arguments.count)) {
        // Relaxed: the flag carries no data with it.
        if cancelled.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let path = directory.join(format!("{number:02} {}.vgm", song.name));
        whole(&path, &song.bytes)
            .with_context(|| format!("{}: cannot be written", path.display()))?;
        paths.push(path);
    }
    Ok(Some(paths))
}

/// Writes a file that appears when it is whole.
fn whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = temporary(path)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}
