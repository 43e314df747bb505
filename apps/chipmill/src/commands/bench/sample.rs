//! One measurement.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use chipmill::album::{self, Failure, Plan, Planned, Rendered, Settings, Watch};
use chipmill::output::{Format, Template};
use chipmill::playlist;
use chipmill::render::Options;
use chipmill::song::MissingChips;
use drumline::{Jobs, Pool};
use serde::{Deserialize, Serialize};

use super::row::{Row, Runtime};
use super::usage::Usage;

/// One measurement of a row.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Sample {
    /// From the first song to the last.
    pub seconds: f64,
    /// The frames of all songs.
    pub frames: u64,
    /// What was used meanwhile.
    pub usage: Usage,
    /// The most memory that was in use, in bytes; of all processes together. `None` where the
    /// system does not say.
    pub peak_bytes: Option<u64>,
}

/// Measures a row in a process of its own.
pub fn of_a_process(songs: &Path, row: &Row) -> Result<Sample> {
    let program = std::env::current_exe().context("this program is not found")?;
    let output = Command::new(program)
        .args(["bench", "--row", &row.to_string(), "--sample"])
        .arg(songs)
        .stderr(Stdio::inherit())
        .output()
        .context("a process for the measurement cannot be started")?;
    ensure!(output.status.success(), "{row}: {}", output.status);
    serde_json::from_slice(&output.stdout).with_context(|| format!("{row}: no measurement"))
}

/// Measures a row here.
pub fn take(songs: &Path, row: &Row) -> Result<Sample> {
    let out = tempfile::tempdir().context("no directory for the files can be made")?;
    let settings = Arc::new(Settings {
        render: Options::default(),
        normalize: None,
        format: Format::Wav16,
        out: out.path().to_owned(),
        names: "{stem}".parse::<Template>()?,
        missing: MissingChips::Refuse,
        max_seconds: 3600,
        skip_existing: false,
    });
    let pool = Pool::builder().jobs(Jobs::try_from(row.threads)?).build()?;
    let entries = playlist::expand(&[songs]).entries;
    let plan = Arc::new(pool.install(|| album::plan(entries, &settings)));
    ensure!(
        plan.failed.is_empty(),
        "a composed song is broken: {:?}",
        plan.failed
    );
    let counted = Arc::new(Counted::default());
    let (start, before) = (Instant::now(), Usage::now());
    let mut elsewhere = Vec::new();
    match row.runtime {
        Runtime::Drumline => {
            let watch: Arc<dyn Watch> = counted.clone();
            album::render(
                &plan,
                &settings,
                &pool,
                row.in_flight,
                &watch,
                &Arc::default(),
            );
        }
        // The other rows have no pool of Drumline beside them.
        Runtime::Rayon => {
            drop(pool);
            by_rayon(&plan, &settings, row.threads, counted.as_ref())?;
        }
        Runtime::Threads => {
            drop(pool);
            by_threads(&plan, &settings, row.in_flight, counted.as_ref());
        }
        Runtime::Processes => {
            drop(pool);
            elsewhere = by_processes(&plan, row.threads)?;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let usage = Usage::now().since(&before);
    // Relaxed: all that count have been waited for.
    let failed = counted.failed.load(Ordering::Relaxed);
    ensure!(failed == 0, "{failed} songs have failed");
    let here = Sample {
        seconds,
        // Relaxed: as above.
        frames: counted.frames.load(Ordering::Relaxed),
        usage,
        // A process that only waits for others is none of the row.
        peak_bytes: if elsewhere.is_empty() {
            own_peak()
        } else {
            Some(0)
        },
    };
    Ok(elsewhere.iter().fold(here, |all, one| Sample {
        seconds,
        frames: all.frames + one.frames,
        usage: all.usage.plus(&one.usage),
        peak_bytes: all.peak_bytes.zip(one.peak_bytes).map(|(a, b)| a + b),
    }))
}

/// Counts what is rendered.
#[derive(Default)]
struct Counted {
    frames: AtomicU64,
    failed: AtomicUsize,
}

impl Watch for Counted {
    fn begins(&self, _: &Planned) {}

    fn goes_on(&self, _: &Planned, _: u64) {}

    fn ends(&self, _: &Planned, result: &Result<Rendered, Failure>) {
        // Relaxed: the counts are read when all songs have ended.
        match result {
            Ok(rendered) => self.frames.fetch_add(rendered.frames, Ordering::Relaxed),
            Err(_) => self.failed.fetch_add(1, Ordering::Relaxed) as u64,
        };
    }
}

fn by_rayon(plan: &Plan, settings: &Settings, threads: usize, watch: &Counted) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let never = AtomicBool::new(false);
    // FIFO: the longest song is spawned first, and begins first.
    pool.scope_fifo(|scope| {
        for song in plan.longest_first() {
            let (song, never) = (&plan.songs[song], &never);
            scope.spawn_fifo(move |_| album::render_one(song, settings, watch, never));
        }
    });
    Ok(())
}

fn by_threads(plan: &Plan, settings: &Settings, in_flight: usize, watch: &Counted) {
    let order = plan.longest_first();
    let next = AtomicUsize::new(0);
    let never = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..in_flight {
            scope.spawn(|| {
                // Relaxed: each thread gets a number of its own, and the songs do not change.
                while let Some(&song) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    album::render_one(&plan.songs[song], settings, watch, &never);
                }
            });
        }
    });
}

/// Deals the songs, the longest first, each to the process that has the least to do, and runs this
/// program with one thread on each share.
fn by_processes(plan: &Plan, processes: usize) -> Result<Vec<Sample>> {
    let shares = tempfile::tempdir().context("no directory for the shares can be made")?;
    let mut loads = vec![0; processes];
    for song in plan.longest_first() {
        let song = &plan.songs[song];
        let Some(least) = (0..processes).min_by_key(|&process| loads[process]) else {
            bail!("there is no process");
        };
        loads[least] += song.work;
        let share = shares.path().join(least.to_string());
        std::fs::create_dir_all(&share)?;
        let file = song.target.file_stem().context("a song without a name")?;
        std::fs::hard_link(&song.name, share.join(file).with_extension("vgm"))?;
    }
    let row = Row {
        runtime: Runtime::Threads,
        in_flight: 1,
        threads: 1,
    };
    thread::scope(|scope| {
        let running: Vec<_> = (0..processes)
            .filter(|&process| loads[process] > 0)
            .map(|process| shares.path().join(process.to_string()))
            .map(|share| scope.spawn(move || of_a_process(&share, &row)))
            .collect();
        running
            .into_iter()
            .map(|process| {
                process
                    .join()
                    .unwrap_or_else(|_| bail!("a process was lost"))
            })
            .collect()
    })
}

/// The most memory that this process has had, in bytes, if the system says it.
fn own_peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kib * 1024)
}
