//! `chipmill render`: songs to audio files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::{Context, Result};
use chipmill::album::{self, Failure, Plan, Settings, Skipped, Unplanned, Watch};
use chipmill::output::{Format, Template};
use chipmill::render::Options;
use clap::Args;
use drumline::{Jobs, Pool};

use super::allocator::give_free_pages_back;
use super::bars::{Bars, failure_line};
use super::songs::{Songs, report};
use super::sound::Sound;
use super::text::{printable, written};
use super::{open_files, signals, status};

/// The options of `render`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    songs: Songs,
    /// The directory of the files; it is made if it is not there.
    #[arg(long, short, default_value = ".", value_name = "DIRECTORY")]
    out: PathBuf,
    /// wav, wav24, wav-float, flac, flac24 or au.
    #[arg(long, short, default_value = "wav")]
    format: Format,
    #[command(flatten)]
    sound: Sound,
    /// How much louder all songs are, in decibels.
    #[arg(
        long,
        default_value_t = 0.0,
        value_parser = decibels,
        allow_negative_numbers = true,
        value_name = "DB"
    )]
    gain: f32,
    /// Gives every song the same peak, in decibels of full scale. Each is rendered twice.
    #[arg(
        long,
        num_args = 0..=1,
        default_missing_value = "-1",
        value_parser = decibels,
        allow_negative_numbers = true,
        require_equals = true,
        value_name = "DB"
    )]
    normalize: Option<f32>,
    /// How many threads render: a number, a share such as 50%, `auto`, or `physical` for as many
    /// as there are cores.
    #[arg(long, short, default_value_t = Jobs::Auto)]
    jobs: Jobs,
    /// How many songs are rendered at once; else as many as there are jobs. Each takes memory.
    #[arg(long, value_name = "SONGS", value_parser = clap::value_parser!(u32).range(1..))]
    in_flight: Option<u32>,
    /// The names of the files, of {title}, {album}, {artist}, {system}, {track:02} and {stem}.
    #[arg(long, default_value = "{stem}", value_name = "TEMPLATE")]
    name: Template,
    /// The longest song that is rendered.
    #[arg(long, default_value_t = 3600, value_name = "SECONDS")]
    max_seconds: u64,
    /// Leaves out songs that have their file already.
    #[arg(long)]
    skip_existing: bool,
    /// Says what would be rendered, and renders nothing.
    #[arg(long)]
    dry_run: bool,
    /// Prints one line of JSON for each song, also for one that is left out, for each input that
    /// cannot be followed, and one for all that are rendered.
    #[arg(long)]
    json: bool,
}

fn decibels(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(value) if (-100.0..=100.0).contains(&value) => Ok(10_f32.powf(value / 20.0)),
        _ => Err("a number of decibels from -100 to 100 is wanted".to_owned()),
    }
}

/// Renders the songs.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (format, rate) = (arguments.format, arguments.sound.rate);
    if rate > format.max_rate() {
        let what = format!(
            "--rate {rate}: a file of format {format} has at most {} frames per second\n",
            format.max_rate()
        );
        clap::Error::raw(clap::error::ErrorKind::ValueValidation, what).exit();
    }
    let (entries, problems) = arguments.songs.entries()?;
    let pool = Pool::builder().jobs(arguments.jobs).build()?;
    // Before the plan, for which each job reads a song.
    open_files::raise_limit();
    let settings = Arc::new(settings(arguments));
    let plan = pool.install(|| album::plan(entries, &settings));
    give_free_pages_back();
    for Unplanned { label, failure, .. } in &plan.failed {
        report(&format!("{label}: {failure}"));
    }
    let mut wrong = problems.len() + plan.failed.len();
    if arguments.json {
        written(print_failed(&problems, &plan))?;
    }
    if arguments.dry_run {
        written(print_plan(&plan, arguments))?;
        return Ok(status(wrong, false));
    }
    if arguments.json {
        written(print_skipped(&plan))?;
    }
    if !plan.songs.is_empty() {
        make_directory(&settings.out, arguments.json)?;
    }
    let cancelled = signals::listen()?;
    let in_flight = arguments
        .in_flight
        .map_or(pool.jobs(), |songs| songs as usize);
    // One at least, also where there are no songs.
    let in_flight = in_flight.min(plan.songs.len()).max(1);
    let in_flight = open_files::in_flight(in_flight, pool.jobs());
    let plan = Arc::new(plan);
    let bars = Arc::new(Bars::new(&plan, &settings, arguments.json, wrong)?);
    let watch: Arc<dyn Watch> = bars.clone();
    let start = Instant::now();
    album::render(&plan, &settings, &pool, in_flight, &watch, &cancelled);
    wrong += bars.finish(start.elapsed(), pool.jobs(), &cancelled)?;
    // Relaxed: the flag carries no data with it.
    Ok(status(wrong, cancelled.load(Ordering::Relaxed)))
}

/// Makes the directory of the files. An error is the last line of JSON, if that is wanted.
fn make_directory(path: &Path, json: bool) -> Result<()> {
    let made = std::fs::create_dir_all(path)
        .with_context(|| format!("{}: cannot be made", path.display()));
    if let (Err(error), true) = (&made, json) {
        let line = serde_json::json!({ "error": format!("{error:#}") });
        written(writeln!(io::stdout(), "{line}"))?;
    }
    made
}

fn settings(arguments: &Arguments) -> Settings {
    Settings {
        render: Options {
            gain: arguments.gain,
            ..arguments.sound.options()
        },
        normalize: arguments.normalize,
        format: arguments.format,
        out: arguments.out.clone(),
        names: arguments.name.clone(),
        missing: arguments.songs.missing(),
        max_seconds: arguments.max_seconds,
        skip_existing: arguments.skip_existing,
    }
}

fn print_plan(plan: &Plan, arguments: &Arguments) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for song in &plan.songs {
        let seconds = song.frames as f64 / f64::from(arguments.sound.rate);
        if arguments.json {
            let line = serde_json::json!({
                "song": song.name(), "file": song.target.display().to_string(), "seconds": seconds,
            });
            writeln!(out, "{line}")?;
        } else {
            let line = format!("{} -> {}", song.name(), song.target.display());
            writeln!(out, "{} ({seconds:.1} s)", printable(&line))?;
        }
    }
    for song in &plan.skipped {
        if arguments.json {
            writeln!(out, "{}", skipped_line(song))?;
        } else {
            let file = song.target.display();
            let line = format!("{file} is there: {} is left out", song.name);
            writeln!(out, "{}", printable(&line))?;
        }
    }
    Ok(())
}

fn skipped_line(song: &Skipped) -> serde_json::Value {
    serde_json::json!({
        "song": song.name, "file": song.target.display().to_string(), "skipped": true,
    })
}

/// The songs that are left out, as lines of JSON.
fn print_skipped(plan: &Plan) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for song in &plan.skipped {
        writeln!(out, "{}", skipped_line(song))?;
    }
    Ok(())
}

fn print_failed(problems: &[String], plan: &Plan) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for problem in problems {
        writeln!(out, "{}", serde_json::json!({ "error": problem }))?;
    }
    for Unplanned { name, failure, .. } in &plan.failed {
        writeln!(out, "{}", failure_line(name, failure))?;
    }
    Ok(())
}

/// Whether a failure is that of the song, and not that the user has had enough.
pub fn is_wrong(failure: &Failure) -> bool {
    !matches!(failure, Failure::Cancelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decibels_become_factors() {
        assert_eq!(decibels("0"), Ok(1.0));
        assert_eq!(decibels("-20"), Ok(0.1));
        assert!(decibels("loud").is_err());
        assert!(decibels("inf").is_err());
    }
}
