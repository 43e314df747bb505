//! One measurement.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
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

use super::super::allocator::give_free_pages_back;
use super::row::{Row, Runtime};
use super::usage::Usage;

/// What a process says when it has planned its songs and waits for the word.
const READY: &str = "ready";
/// The word with which it begins.
const BEGIN: &str = "begin";

/// One measurement of a row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
    let output = command(songs, row)?
        .output()
        .context("a process for the measurement cannot be started")?;
    ensure!(output.status.success(), "{row}: {}", output.status);
    serde_json::from_slice(&output.stdout).with_context(|| format!("{row}: no measurement"))
}

fn command(songs: &Path, row: &Row) -> Result<Command> {
    let program = std::env::current_exe().context("this program is not found")?;
    let mut command = Command::new(program);
    command
        .args(["bench", "--row", &row.to_string(), "--sample"])
        .arg(songs)
        .stderr(Stdio::inherit());
    Ok(command)
}

/// Measures a row here. A process of several that measure one row together is `held`: it begins
/// when it gets the word.
pub fn take(songs: &Path, row: &Row, held: bool) -> Result<Sample> {
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
    let mut ready = Ready::new(row, pool, &plan)?;
    give_free_pages_back();
    if held {
        wait_for_the_word()?;
    }
    let (start, before) = (Instant::now(), Usage::now());
    match &mut ready {
        Ready::Drumline(pool) => {
            let watch: Arc<dyn Watch> = counted.clone();
            album::render(
                &plan,
                &settings,
                pool,
                row.in_flight,
                &watch,
                &Arc::default(),
            );
        }
        Ready::Rayon(pool) => by_rayon(&plan, &settings, pool, counted.as_ref()),
        Ready::Threads => by_threads(&plan, &settings, row.in_flight, counted.as_ref()),
        // What this process uses while it waits for others is none of the row.
        Ready::Processes(processes) => return together(&processes.run()?),
    }
    let seconds = start.elapsed().as_secs_f64();
    let usage = Usage::now().since(&before);
    // Relaxed: all that count have been waited for.
    let failed = counted.failed.load(Ordering::Relaxed);
    ensure!(failed == 0, "{failed} songs have failed");
    Ok(Sample {
        seconds,
        // Relaxed: as above.
        frames: counted.frames.load(Ordering::Relaxed),
        usage,
        peak_bytes: own_peak(),
    })
}

/// Tells the process that has started this one that it may begin, and waits until it does.
fn wait_for_the_word() -> Result<()> {
    writeln!(io::stdout(), "{READY}")?;
    let mut word = String::new();
    io::stdin().lock().read_line(&mut word)?;
    ensure!(word.trim_end() == BEGIN, "no word has come to begin");
    Ok(())
}

/// What processes that have begun at once have come to. The last one to end says how long it took.
fn together(samples: &[Sample]) -> Result<Sample> {
    let all = samples.iter().copied().reduce(|all, one| Sample {
        seconds: all.seconds.max(one.seconds),
        frames: all.frames + one.frames,
        usage: all.usage.plus(&one.usage),
        peak_bytes: all.peak_bytes.zip(one.peak_bytes).map(|(a, b)| a + b),
    });
    all.context("there is no process")
}

/// A row that may begin: what it made for that, and what it ended, is no part of its time.
enum Ready {
    Drumline(Pool),
    Rayon(rayon::ThreadPool),
    Threads,
    Processes(Processes),
}

impl Ready {
    /// Takes the pool that the album was planned with. The other rows have no pool of Drumline
    /// beside them.
    fn new(row: &Row, pool: Pool, plan: &Plan) -> Result<Self> {
        Ok(match row.runtime {
            Runtime::Drumline => Self::Drumline(pool),
            Runtime::Rayon => {
                drop(pool);
                let threads = rayon::ThreadPoolBuilder::new().num_threads(row.threads);
                let pool = threads.build()?;
                // All threads are there when each has done this, as those of Drumline are.
                pool.broadcast(|_| ());
                Self::Rayon(pool)
            }
            Runtime::Threads => {
                drop(pool);
                Self::Threads
            }
            Runtime::Processes => {
                drop(pool);
                Self::Processes(Processes::start(plan, row.threads)?)
            }
        })
    }
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
        give_free_pages_back();
        // Relaxed: the counts are read when all songs have ended.
        match result {
            Ok(rendered) => self.frames.fetch_add(rendered.frames, Ordering::Relaxed),
            Err(_) => self.failed.fetch_add(1, Ordering::Relaxed) as u64,
        };
    }
}

fn by_rayon(plan: &Plan, settings: &Settings, pool: &rayon::ThreadPool, watch: &Counted) {
    let never = AtomicBool::new(false);
    // FIFO: the longest song is spawned first, and begins first.
    pool.scope_fifo(|scope| {
        for song in plan.longest_first() {
            let (song, never) = (&plan.songs[song], &never);
            scope.spawn_fifo(move |_| album::render_one(song, settings, watch, never));
        }
    });
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

/// Processes of this program with one thread each, which have planned their shares of the songs.
struct Processes {
    running: Vec<Process>,
    /// The songs of each, which are there as long as it runs.
    _shares: tempfile::TempDir,
}

struct Process {
    child: Child,
    word: ChildStdin,
    said: BufReader<ChildStdout>,
}

impl Processes {
    /// Deals the songs, the longest first, each to the process that has the least to do, and waits
    /// until all processes may begin.
    fn start(plan: &Plan, processes: usize) -> Result<Self> {
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
            let path = song.entry.path().context("a song without a path")?;
            std::fs::hard_link(path, share.join(file).with_extension("vgm"))?;
        }
        let mut running = (0..processes)
            .filter(|&process| loads[process] > 0)
            .map(|process| Process::start(&shares.path().join(process.to_string())))
            .collect::<Result<Vec<_>>>()?;
        for process in &mut running {
            process.wait_until_ready()?;
        }
        Ok(Processes {
            running,
            _shares: shares,
        })
    }

    /// Has all begin, and waits for what they have come to.
    fn run(&mut self) -> Result<Vec<Sample>> {
        for process in &mut self.running {
            writeln!(process.word, "{BEGIN}")?;
        }
        self.running.drain(..).map(Process::finish).collect()
    }
}

impl Process {
    fn start(share: &Path) -> Result<Self> {
        let row = Row {
            runtime: Runtime::Threads,
            in_flight: 1,
            threads: 1,
        };
        let mut child = command(share, &row)?
            .arg("--held")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("a process for a share cannot be started")?;
        let (word, said) = (child.stdin.take(), child.stdout.take());
        Ok(Process {
            child,
            word: word.context("a process without standard input")?,
            said: BufReader::new(said.context("a process without standard output")?),
        })
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        let mut line = String::new();
        self.said.read_line(&mut line)?;
        ensure!(
            line.trim_end() == READY,
            "a process for a share has not begun"
        );
        Ok(())
    }

    fn finish(mut self) -> Result<Sample> {
        let mut line = String::new();
        self.said.read_to_string(&mut line)?;
        let status = self.child.wait()?;
        ensure!(status.success(), "a process for a share: {status}");
        serde_json::from_str(&line).context("no measurement of a share")
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Each process has taken its own time, without its start and its plan.
    #[test]
    fn the_last_process_says_how_long_it_took() {
        let sample = |seconds, frames, peak_bytes| Sample {
            seconds,
            frames,
            usage: Usage {
                cpu_ns: Some(frames),
                ..Usage::default()
            },
            peak_bytes,
        };
        let samples = [sample(1.5, 3, Some(10)), sample(2.5, 4, Some(20))];
        let all = together(&samples).unwrap();
        assert_eq!(all, sample(2.5, 7, Some(30)));
        let unknown = together(&[samples[0], sample(0.5, 1, None)]).unwrap();
        assert_eq!(unknown, sample(1.5, 4, None));
        assert!(together(&[]).is_err());
    }
}
