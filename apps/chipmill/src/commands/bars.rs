//! How far the songs are, on the terminal.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use chipmill::album::{Failure, Plan, Planned, Rendered, Watch};
use indicatif::{HumanBytes, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::render::is_wrong;
use super::text::printable;

/// A bar for each song in flight and one for all; plain lines where there is no terminal.
pub struct Bars {
    rate: u32,
    json: bool,
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
}

impl Bars {
    /// Bars for a plan, whose files have this rate.
    pub fn new(plan: &Plan, rate: u32, json: bool) -> Self {
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
            lines: !terminal && !json,
            bars,
            total,
            state: Mutex::default(),
        }
    }

    /// Takes the bars away, prints what has come of it all, and returns how many songs have failed.
    pub fn finish(&self, took: Duration, jobs: usize) -> usize {
        self.total.finish_and_clear();
        let state = self.state();
        let seconds = took.as_secs_f64();
        let per_second = state.frames as f64 / seconds.max(1e-9);
        let sound = state.frames as f64 / f64::from(self.rate);
        let text = if self.json {
            serde_json::json!({
                "songs": state.done, "failed": state.wrong, "jobs": jobs, "seconds": seconds,
                "frames": state.frames, "bytes": state.bytes, "frames_per_second": per_second,
            })
            .to_string()
        } else {
            format!(
                "{} songs, {:.0} s of sound, {} in {seconds:.1} s with {jobs} jobs: {:.0} frames \
                 per second, {:.0} times as fast as they play",
                state.done,
                sound,
                HumanBytes(state.bytes),
                per_second,
                sound / seconds.max(1e-9),
            )
        };
        self.print(&text);
        state.wrong
    }

    /// A line of the result, on standard output.
    fn print(&self, text: &str) {
        self.bars.suspend(|| {
            // A reader that has gone has had enough.
            let _ = writeln!(io::stdout(), "{}", printable(text));
        });
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

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
