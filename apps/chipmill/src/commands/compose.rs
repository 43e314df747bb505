//! `chipmill compose` and `chipmill album`: songs that this program makes itself.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use chipmill::compose;
use clap::{Args, Parser};

use super::render;

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
    write(&arguments.out, arguments)?;
    println!("{} songs in {}", arguments.count, arguments.out.display());
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
    let songs = arguments.out.join("songs");
    write(&songs, arguments)?;
    let words = [
        "render".as_ref(),
        songs.as_os_str(),
        "--out".as_ref(),
        arguments.out.as_os_str(),
    ];
    let typed = Typed::try_parse_from(words)?;
    render::run(&typed.render)
}

fn write(directory: &Path, arguments: &Arguments) -> Result<()> {
    std::fs::create_dir_all(directory)
        .with_context(|| format!("{}: cannot be made", directory.display()))?;
    for (number, song) in (1..).zip(compose::album(arguments.seed, arguments.count)) {
        let path = directory.join(format!("{number:02} {}.vgm", song.name));
        std::fs::write(&path, song.bytes)
            .with_context(|| format!("{}: cannot be written", path.display()))?;
    }
    Ok(())
}
