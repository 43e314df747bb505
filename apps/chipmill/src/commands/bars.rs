//! How far the songs are, on the terminal.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use anyhow::Result;
use chipmill::album::{Failure, Plan, Planned, Rendered, Watch};
use indicatif::{HumanBytes, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::render::is_wrong;
use super::text::{printable, written};

/// A bar for each song in flight and one for all; plain lines where there is no terminal.
pub struct Bars {
    rate: u32,
    json: bool,
    /// Songs and inputs that have failed before anything was rendered, and songs that are left out.
    failed: usize,
    skipped: usize,
    lines: bool,
    bars: MultiProgress,
    total: ProgressBar,
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
    /// Why standard output has not taken a line.
    unwritten: Option<io::Error>,
}

impl Bars {
    /// Bars for a plan of files with this rate. This number of them has failed before.
    pub fn new(plan: &Plan, rate: u32, json: bool, failed: usize) -> Self {
        let terminal = io::stderr().is_terminal() && !json;
        let target = match terminal {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bars = MultiProgress::with_draw_target(target);
        let frames = plan.songs.iter().map(|song| song.frames).sum();
        let total = bars.add(ProgressBar::new(frames));
        total.set_style(style("{msg:30!} {wide_bar} {percent:>3}% {eta:>4}"));
        total.set_message(format!("{} songs", plan.songs.len()));
        Bars {
            rate,
            json,
            failed,
            skipped: plan.skipped.len(),
            lines: !terminal && !json,
            bars,
            total,
            state: Mutex::default(),
        }
    }

    /// Takes the bars away, prints what has come of it all, and returns how many of the songs have
    /// failed that were to be rendered.
    ///
    /// # Errors
    ///
    /// Standard output has not taken a line.
    pub fn finish(&self, took: Duration, jobs: usize) -> Result<usize> {
        self.total.finish_and_clear();
        let text = self.summary(took.as_secs_f64(), jobs);
        self.print(&text);
        let mut state = self.state();
        written(state.unwritten.take().map_or(Ok(()), Err))?;
        Ok(state.wrong)
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

    /// A line of the result, on standard output. A line of JSON is for programs, which want names
    /// as they are.
    fn print(&self, text: &str) {
        let text = match self.json {
            true => text.to_owned(),
            false => printable(text),
        };
        let result = self.bars.suspend(|| writeln!(io::stdout(), "{text}"));
        if let Err(error) = result {
            self.state().unwritten.get_or_insert(error);
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        // The state is whole after each line that changes it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Bars {
    fn begins(&self, song: &Planned) {
        if self.lines || self.json {
            return;
        }
        let bar = self
            .bars
            .insert_before(&self.total, ProgressBar::new(song.frames));
        bar.set_style(style("{msg:30!} {wide_bar} {percent:>3}%"));
        bar.set_message(printable(&song.name));
        self.state().songs.insert(song.target.clone(), bar);
    }

    fn goes_on(&self, song: &Planned, frames: u64) {
        if self.lines || self.json {
            return;
        }
        self.total.inc(frames);
        if let Some(bar) = self.state().songs.get(&song.target) {
            bar.inc(frames);
        }
    }

    fn ends(&self, song: &Planned, result: &Result<Rendered, Failure>) {
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
            bar.finish_and_clear();
            self.bars.remove(&bar);
        }
        match result {
            Ok(rendered) if self.json => {
                let line = serde_json::json!({
                    "song": song.name, "file": song.target.display().to_string(),
                    "frames": rendered.frames, "bytes": rendered.bytes,
                    "clipped": rendered.clipped,
                });
                self.print(&line.to_string());
            }
            Ok(rendered) => {
                if self.lines {
                    self.print(&format!("{} -> {}", song.name, song.target.display()));
                }
                if rendered.clipped > 0 {
                    self.warn(&format!(
                        "{}: {} samples were too loud and are cut off; `--gain` or `--normalize` \
                         make it softer",
                        song.name, rendered.clipped
                    ));
                }
            }
            Err(failure) if is_wrong(failure) => {
                if self.json {
                    self.print(&failure_line(&song.name, failure));
                }
                self.warn(&format!("error: {}: {failure}", song.name));
            }
            Err(_) => {}
        }
    }
}

impl Bars {
    fn warn(&self, text: &str) {
        self.bars.suspend(|| {
            // Without a reader there is no other place for it.
            let _ = writeln!(io::stderr(), "{}", printable(text));
        });
    }
}

/// What a program is told of a song that has failed.
pub fn failure_line(song: &str, failure: &Failure) -> String {
    serde_json::json!({ "song": song, "error": failure.to_string() }).to_string()
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
