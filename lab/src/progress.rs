//! How far a run is: a bar on a terminal, and elsewhere a line for each tenth, for logs.

use std::cell::Cell;
use std::io::{IsTerminal as _, stderr};

use indicatif::{ProgressBar, ProgressStyle};

use crate::console;

/// How many lines there are at most, unless the length grows; shorter runs have none.
const LINES: u64 = 10;

/// What shows how far a run is, on standard error. It is drawn between two processes only.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// What is counted, and how many lines were written; `None` if there are none.
    lines: Option<(&'static str, Cell<u64>)>,
}

impl Progress {
    /// Of a run of this length, which counts `unit`, in the plural.
    pub fn new(length: u64, unit: &'static str) -> Self {
        let bar = ProgressBar::new(length);
        let style = ProgressStyle::with_template("{bar:32} {pos}/{len}  {eta} left  {msg}")
            .expect("the template is right");
        bar.set_style(style.progress_chars("━╸─"));
        let is_plain = !stderr().is_terminal();
        let lines = is_plain.then(|| (unit, Cell::new(0)));
        Self { bar, lines }
    }

    /// Shows nothing.
    pub fn hidden() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            lines: None,
        }
    }

    /// There is so much more to do.
    pub fn inc_length(&self, more: u64) {
        self.bar.inc_length(more);
        self.skip();
    }

    /// Begins a part of the run: so much was done, of so much in all.
    pub fn restart(&self, done: u64, length: u64) {
        self.bar.set_length(length);
        self.bar.set_position(done);
        self.skip();
    }

    /// What is done now.
    pub fn set_message(&self, text: String) {
        self.bar.set_message(text);
    }

    /// One more is done.
    pub fn inc(&self) {
        self.bar.inc(1);
        self.tell();
    }

    /// So much is done.
    pub fn set_position(&self, done: u64) {
        self.bar.set_position(done);
        self.tell();
    }

    /// Does something that writes to standard error, too.
    pub fn suspend<T>(&self, what: impl FnOnce() -> T) -> T {
        self.bar.suspend(what)
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// The tenths that are done.
    fn tenth(&self) -> u64 {
        let length = self.bar.length().unwrap_or(0).max(1);
        self.bar.position().saturating_mul(LINES) / length
    }

    /// Writes no lines for what is done already.
    fn skip(&self) {
        if let Some((_, told)) = &self.lines {
            told.set(self.tenth());
        }
    }

    fn tell(&self) {
        if let Some(line) = self.line() {
            console::note(&line);
        }
    }

    /// The line for a tenth that was completed just now. The last one is what the run shows.
    fn line(&self) -> Option<String> {
        let (unit, told) = self.lines.as_ref()?;
        let (tenth, length) = (self.tenth(), self.bar.length()?);
        let done = self.bar.position();
        if length < LINES || tenth <= told.get() || done >= length {
            return None;
        }
        told.set(tenth);
        let message = self.bar.message();
        Some(format!(
            "{done} of {length} {unit} done; the last: {message}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(length: u64) -> Progress {
        Progress {
            bar: ProgressBar::hidden(),
            lines: Some(("runs", Cell::new(0))),
        }
        .of(length)
    }

    impl Progress {
        fn of(self, length: u64) -> Self {
            self.bar.set_length(length);
            self
        }

        /// The lines while so many are done one after the other.
        fn lines_of(&self, count: u64) -> Vec<String> {
            let done = (0..count).filter_map(|_| {
                self.bar.inc(1);
                self.line()
            });
            done.collect()
        }
    }

    #[test]
    fn there_is_a_line_for_each_tenth() {
        let progress = plain(200);
        progress.set_message("fib".to_owned());
        let lines = progress.lines_of(200);
        assert_eq!(lines.len(), 9, "{lines:?}");
        assert_eq!(lines[0], "20 of 200 runs done; the last: fib");
    }

    #[test]
    fn a_short_run_has_no_lines() {
        for length in [0, 1, 9] {
            assert!(plain(length).lines_of(length + 1).is_empty());
        }
        assert_eq!(plain(10).lines_of(10).len(), 9);
    }

    #[test]
    fn what_was_done_before_is_not_told_again() {
        let progress = plain(10);
        assert_eq!(progress.lines_of(5).len(), 5);
        progress.restart(50, 100);
        let lines = progress.lines_of(10);
        assert_eq!(lines.len(), 1, "{lines:?}");
        progress.inc_length(100);
        assert_eq!(
            progress.lines_of(19),
            ["60 of 200 runs done; the last: "; 0]
        );
        assert_eq!(progress.lines_of(1).len(), 1);
    }

    #[test]
    fn what_is_hidden_says_nothing() {
        let progress = Progress::hidden().of(10);
        assert!(progress.lines_of(10).is_empty());
    }
}
