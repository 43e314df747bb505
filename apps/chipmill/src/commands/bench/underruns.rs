//! Whether the sound has gaps while other threads compute.
//!
//! The player and a plain thread play the same song at the same time, each into a sink of its own
//! with a buffer of a tenth of a second, beside threads that never rest. What the player has more
//! than the thread, its channel of keys and its atomics cost.

use std::fmt;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use chipmill::compose::{Machine, compose};
use chipmill::player::{BLOCK, Engine, Now, NullSink, Request, Sink};
use chipmill::playlist;
use chipmill::render::{Options, Renderer};
use chipmill::song::{MissingChips, Song};
use drumline::channel::mpsc;
use serde::Serialize;

/// What rounds of playing have come to.
#[derive(Debug, Clone, Serialize)]
pub struct Underruns {
    /// How long both have played in a round.
    pub seconds: u32,
    /// The threads that computed beside them.
    pub busy: usize,
    /// The gaps of each round.
    pub rounds: Vec<Gaps>,
    /// The gaps of all rounds.
    #[serde(flatten)]
    pub sum: Gaps,
    /// Whether the player has had no more of them than the plain thread.
    pub met: bool,
}

/// How many times each sink has waited for frames.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Gaps {
    /// The player's.
    pub player: u64,
    /// The plain thread's.
    pub thread: u64,
}

impl Underruns {
    fn new(seconds: u32, busy: usize, rounds: Vec<Gaps>) -> Self {
        let sum = Gaps {
            player: rounds.iter().map(|gaps| gaps.player).sum(),
            thread: rounds.iter().map(|gaps| gaps.thread).sum(),
        };
        Underruns {
            seconds,
            busy,
            rounds,
            sum,
            met: sum.player <= sum.thread,
        }
    }
}

impl fmt::Display for Underruns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Underruns { seconds, busy, .. } = self;
        writeln!(
            f,
            "{seconds} s a round beside {busy} threads that compute; gaps:"
        )?;
        writeln!(f, "{:>5} {:>8} {:>14}", "round", "player", "plain thread")?;
        for (round, gaps) in (1..).zip(&self.rounds) {
            writeln!(f, "{round:>5} {:>8} {:>14}", gaps.player, gaps.thread)?;
        }
        writeln!(
            f,
            "{:>5} {:>8} {:>14}",
            "all", self.sum.player, self.sum.thread
        )?;
        let verdict = match self.met {
            true => "met: the player has no more gaps than the plain thread",
            false => "not met: the player has more gaps than the plain thread",
        };
        write!(f, "{verdict}")
    }
}

/// Plays for this number of seconds beside `busy` threads, again and again.
pub fn measure(seconds: u32, rounds: u32, busy: usize, seed: u64) -> Result<Underruns> {
    let directory = tempfile::tempdir().context("no directory for the song can be made")?;
    let path = directory.path().join("song.vgm");
    // A song that is longer, and repeats: the player has one song to play.
    let song = compose(seed, Machine::MegaDrive, seconds.clamp(60, 3600));
    std::fs::write(&path, song.bytes)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    let rounds = (0..rounds).map(|_| {
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..busy {
                scope.spawn(|| compute(&stop));
            }
            let both = play_both(&path, seconds, &stop);
            // Relaxed: it carries no data, and threads that see it later stop later.
            stop.store(true, Ordering::Relaxed);
            both
        })
    });
    let rounds = rounds.collect::<Result<_>>()?;
    Ok(Underruns::new(seconds, busy, rounds))
}

fn play_both(path: &Path, seconds: u32, stop: &AtomicBool) -> Result<Gaps> {
    let song = Song::open(path, MissingChips::Refuse).context("a composed song is broken")?;
    let options = Options::default();
    let now = Arc::new(Now::default());
    let (keys, requests) = mpsc::unbounded();
    let engine = Engine {
        songs: playlist::expand(&[path]).entries,
        missing: MissingChips::Refuse,
        options: options.clone(),
        requests,
        now: Arc::clone(&now),
        sink: Box::new(NullSink::new(options.rate)),
    };
    keys.send(Request::Loop).context("the player has gone")?;
    thread::scope(|scope| {
        let player = scope.spawn(|| engine.run());
        let plain = scope.spawn(|| play_plainly(Arc::new(song), &options, stop));
        thread::sleep(Duration::from_secs(seconds.into()));
        // Counted before the last frames, which no others follow. A player that has failed is
        // noticed below.
        let underruns = now.underruns();
        let _ = keys.send(Request::Quit);
        // Relaxed: see `measure`.
        stop.store(true, Ordering::Relaxed);
        let panicked = |_| anyhow!("a thread that played has panicked");
        player.join().map_err(panicked)??;
        Ok(Gaps {
            player: underruns,
            thread: plain.join().map_err(panicked)??,
        })
    })
}

/// Plays a song again and again.
fn play_plainly(song: Arc<Song>, options: &Options, stop: &AtomicBool) -> Result<u64> {
    let mut sink = NullSink::new(options.rate);
    let mut renderer = Renderer::new(Arc::clone(&song), options);
    let mut block = [[0.0; 2]; BLOCK];
    // Relaxed: see `measure`.
    while !stop.load(Ordering::Relaxed) {
        let filled = renderer.fill(&mut block);
        sink.write(&block[..filled])?;
        if filled < BLOCK {
            renderer = Renderer::new(Arc::clone(&song), options);
        }
    }
    Ok(sink.underruns())
}

/// Computes until it may stop.
fn compute(stop: &AtomicBool) {
    let mut number = 1_u64;
    // Relaxed: see `measure`.
    while !stop.load(Ordering::Relaxed) {
        for _ in 0..1000 {
            number = black_box(
                number
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_is_that_of_all_rounds() {
        let gaps = |player, thread| Gaps { player, thread };
        let met = Underruns::new(30, 2, vec![gaps(2, 1), gaps(0, 1)]);
        assert_eq!(met.sum, gaps(2, 2));
        assert!(
            met.met
                && met.to_string().ends_with(
                    "\n  all        2              2\n\
            met: the player has no more gaps than the plain thread"
                ),
            "{met}"
        );
        let more = Underruns::new(30, 2, vec![gaps(2, 1), gaps(0, 0)]);
        assert!(
            !more.met && more.to_string().contains("\nnot met: "),
            "{more}"
        );
    }
}
