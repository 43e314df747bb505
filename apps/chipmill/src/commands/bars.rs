//! How far the songs are, on the terminal.
//!
//! A terminal can go while songs are rendered: what is drawn or written then is lost, and the songs
//! go on. (`MultiProgress::suspend` would panic.)

use std::collections::HashMap;
use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use chipmill::album::{Failure, Plan, Planned, Rendered, Settings, Watch};
use indicatif::{HumanBytes, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::allocator::give_free_pages_back;
use super::frames::Frames;
use super::lines::Lines;
use super::render::is_wrong;
use super::text::{printable, written};

/// How often the bars are drawn, in hertz.
const PICTURES: u8 = 20;

/// A bar for each song in flight and one for all, where standard error is a terminal; a plain line
/// for each song where standard output or standard error is none.
pub struct Bars {
    rate: u32,
    json: bool,
    /// Songs and inputs that have failed before anything was rendered, and songs that are left out.
    failed: usize,
    skipped: usize,
    /// Where bars are drawn, if they are.
    drawn: Option<Frames>,
    lines: bool,
    /// How many times each song is rendered: twice where its peak is measured first.
    passes: u64,
    bars: MultiProgress,
    total: ProgressBar,
    out: Lines,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The bars of the songs in flight, by the songs' files.
    songs: HashMap<std::path::PathBuf, ProgressBar>,
    done: usize,
    wrong: usize,
    frames: u64,
    bytes: u64,
    /// What has found no place above the bars.
    untold: Vec<String>,
}

impl Bars {
    /// Bars for a plan of files. This number of songs has failed before.
    ///
    /// # Errors
    ///
    /// The system has no thread for what is written.
    pub fn new(plan: &Plan, settings: &Settings, json: bool, failed: usize) -> Result<Self> {
        let out = Lines::new().context("no thread for what is written can be started")?;
        // On a terminal without cursor movements (`TERM=dumb`) nothing is drawn.
        let is_drawn = !(json || ProgressDrawTarget::stderr().is_hidden());
        let drawn = is_drawn.then(|| out.frames());
        let target = match &drawn {
            Some(frames) => {
                ProgressDrawTarget::term_like_with_hz(Box::new(frames.clone()), PICTURES)
            }
            None => ProgressDrawTarget::hidden(),
        };
        let bars = MultiProgress::with_draw_target(target);
        let passes = match settings.normalize {
            Some(_) => 2,
            None => 1,
        };
        // The first one: with more bars than the terminal has lines, those at the end are not seen.
        let total = bars.add(ProgressBar::new(plan.frames().saturating_mul(passes)));
        total.set_style(style("{msg:30!} {wide_bar} {percent:>3}% {eta:>4}"));
        total.set_message(format!("{} songs", plan.songs.len()));
        Ok(Bars {
            rate: settings.render.rate,
            json,
            failed,
            skipped: plan.skipped.len(),
            drawn,
            // Bars and lines in one terminal would be in each other's way.
            lines: !(json || is_drawn && io::stdout().is_terminal()),
            passes,
            bars,
            total,
            out,
            state: Mutex::default(),
        })
    }

    /// Takes the bars away, prints what has come of it all, and returns how many of the songs have
    /// failed that were to be rendered.
    ///
    /// # Errors
    ///
    /// Standard output has not taken a line. After a signal that is none: the terminal may have
    /// gone.
    pub fn finish(&self, took: Duration, jobs: usize, cancelled: &AtomicBool) -> Result<usize> {
        if let Some(frames) = &self.drawn {
            frames.last();
        }
        self.total.finish_and_clear();
        let untold = std::mem::take(&mut self.state().untold);
        untold.into_iter().for_each(|text| self.out.err(text));
        let text = self.summary(took.as_secs_f64(), jobs);
        self.print(&text);
        let result = self.out.finish(cancelled);
        // Relaxed: the flag carries no data with it.
        if !cancelled.load(Ordering::Relaxed) {
            written(result)?;
        }
        Ok(self.state().wrong)
    }

    fn summary(&self, seconds: f64, jobs: usize) -> String {
        let state = self.state();
        let per_second = state.frames as f64 / seconds.max(1e-9);
        let sound = state.frames as f64 / f64::from(self.rate);
        if self.json {
            return serde_json::json!({
                "songs": state.done, "failed": self.failed + state.wrong, "skipped": self.skipped,
                "jobs": jobs, "seconds": seconds, "frames": state.frames, "bytes": state.bytes,
                "frames_per_second": per_second,
            })
            .to_string();
        }
        let skipped = match self.skipped {
            0 => String::new(),
            skipped => format!(" ({skipped} more are there)"),
        };
        format!(
            "{} songs{skipped}, {sound:.0} s of sound, {} in {seconds:.1} s with {jobs} jobs: \
             {per_second:.0} frames per second, {:.0} times as fast as they play",
            state.done,
            HumanBytes(state.bytes),
            sound / seconds.max(1e-9),
        )
    }

    /// A line of the result, on standard output, which has no bars then. A line of JSON is
    /// for programs, which want names as they are. (JSON is Unicode: what is not in a name is
    /// U+FFFD there.)
    fn print(&self, text: &str) {
        self.out.out(match self.json {
            true => text.to_owned(),
            false => printable(text),
        });
    }

    fn warn(&self, text: &str) {
        let text = printable(text);
        if self.drawn.is_none() {
            self.out.err(text);
        } else if self.bars.println(&text).is_err() {
            // Not above the bars, on a terminal that takes no output: below them, at the end.
            self.state().untold.push(text);
        }
    }

    /// More of a song is done, in one of its passes.
    fn advance(&self, song: &Planned, frames: u64) {
        if self.drawn.is_none() {
            return;
        }
        self.total.inc(frames);
        if let Some(bar) = self.state().songs.get(&song.target) {
            bar.inc(frames);
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        // The state is whole after each line that changes it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Bars {
    fn begins(&self, song: &Planned) {
        if self.drawn.is_none() {
            return;
        }
        let length = song.frames.saturating_mul(self.passes);
        let bar = self.bars.add(ProgressBar::new(length));
        bar.set_style(style("{msg:30!} {wide_bar} {percent:>3}%"));
        bar.set_message(printable(&song.name()));
        self.state().songs.insert(song.target.clone(), bar);
    }

    fn measures(&self, song: &Planned, frames: u64) {
        self.advance(song, frames);
    }

    fn goes_on(&self, song: &Planned, frames: u64) {
        self.advance(song, frames);
    }

    fn ends(&self, song: &Planned, result: &Result<Rendered, Failure>) {
        give_free_pages_back();
        let bar = {
            let mut state = self.state();
            match result {
                Ok(rendered) => {
                    state.done += 1;
                    state.frames += rendered.frames;
                    state.bytes += rendered.bytes;
                }
                Err(failure) => state.wrong += usize::from(is_wrong(failure)),
            }
            state.songs.remove(&song.target)
        };
        if let Some(bar) = bar {
            if result.as_ref().is_err_and(is_wrong) {
                // What is left of it is not to come.
                let length = bar.length().unwrap_or_default();
                self.total.inc(length.saturating_sub(bar.position()));
            }
            bar.finish_and_clear();
            self.bars.remove(&bar);
        }
        match result {
            Ok(rendered) if self.json => {
                let line = serde_json::json!({
                    "song": song.name(), "file": song.target.display().to_string(),
                    "frames": rendered.frames, "bytes": rendered.bytes,
                    "clipped": rendered.clipped,
                });
                self.print(&line.to_string());
            }
            Ok(rendered) => {
                if self.lines {
                    self.print(&format!("{} -> {}", song.name(), song.target.display()));
                }
                if rendered.clipped > 0 {
                    self.warn(&format!(
                        "{}: {} samples were too loud and are cut off; `--gain` or `--normalize` \
                         make it softer",
                        song.name(),
                        rendered.clipped
                    ));
                }
            }
            Err(failure) if is_wrong(failure) => {
                if self.json {
                    self.print(&failure_line(&song.name(), failure));
                }
                self.warn(&format!("error: {}: {failure}", song.name()));
            }
            Err(_) => {}
        }
    }
}

/// What a program is told of a song that has failed.
pub fn failure_line(song: &str, failure: &Failure) -> String {
    serde_json::json!({ "song": song, "error": failure.to_string() }).to_string()
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
