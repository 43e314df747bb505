//! What disturbed a run, in a few lines that stand beside its figures.
//!
//! * What others used of the machine while processes measured, and what its host took; see
//!   [`weather`](crate::weather).
//! * How far two measurements of the same thing lie apart: each `seq` is held against itself, one
//!   round against the next (*A/A*). A difference between two runtimes that is no larger says
//!   nothing.
//! * Rows on one job with a process that had no processor for much of the time. Their wall time is
//!   that of the machine's other work.

use std::fmt::Write as _;

use crate::record::Record;
use crate::registry;
use crate::statistics::median;
use crate::weather::Weather;
use crate::workload::Shows;

/// More of the machine than this for others is a warning.
const OTHERS: f64 = 0.05;

/// More than this taken by the host is a warning.
const STOLEN: f64 = 0.02;

/// A row on one job that had a processor for less of its time is named.
const BUSY: f64 = 0.8;

/// What disturbed a run.
#[derive(Clone, Debug, Default)]
pub struct Noise {
    /// Used by other programs: the mean share of all processes.
    pub others: Option<f64>,
    /// Taken by the host, likewise.
    pub stolen: Option<f64>,
    /// How far two rounds of the same `seq` lie apart, in the middle, relative.
    pub same: Option<f64>,
    /// Rows on one job that lacked a processor, with the share of the time in which they had one.
    pub short_of_time: Vec<(String, f64)>,
}

impl Noise {
    /// Of a run.
    pub fn of(records: &[Record]) -> Self {
        let weathers: Vec<Weather> = records
            .iter()
            .flat_map(|record| &record.by_round)
            .map(|round| round.weather)
            .collect();
        let mean = |share: fn(&Weather) -> Option<f64>| {
            let shares: Vec<f64> = weathers.iter().filter_map(share).collect();
            (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
        };
        Self {
            others: mean(|weather| weather.others),
            stolen: mean(|weather| weather.stolen),
            same: same(records),
            short_of_time: records.iter().filter_map(short_of_time).collect(),
        }
    }

    /// As lines of text: what was found, and what is worth a warning.
    pub fn lines(&self) -> Vec<String> {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let mut lines = Vec::new();
        if let Some(same) = self.same {
            lines.push(format!(
                "A/A: two rounds of the same plain code differ by {} in the middle",
                percent(same)
            ));
        }
        if let Some(others) = self.others.filter(|others| *others > OTHERS) {
            lines.push(format!(
                "warning: other programs used {} of the machine meanwhile; end them, and measure again",
                percent(others)
            ));
        }
        if let Some(stolen) = self.stolen.filter(|stolen| *stolen > STOLEN) {
            lines.push(format!(
                "warning: the machine's host took {} of its processors away meanwhile",
                percent(stolen)
            ));
        }
        if let Some((worst, share)) = self.short_of_time.iter().min_by(|a, b| a.1.total_cmp(&b.1)) {
            let mut line = format!(
                "warning: {} rows on one job had no processor for a part of their time; the worst, \
                 {worst}, had one for {}",
                self.short_of_time.len(),
                percent(*share)
            );
            if self.short_of_time.len() == 1 {
                line = format!(
                    "warning: {worst} on one job had a processor for {} of its time",
                    percent(*share)
                );
            }
            lines.push(line);
        }
        lines
    }

    /// The same in one text, a line each.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for line in self.lines() {
            writeln!(text, "{line}").expect("a string takes everything");
        }
        text
    }
}

/// How far a round of `seq` lies from the next one, in the middle of all.
fn same(records: &[Record]) -> Option<f64> {
    let mut differences = Vec::new();
    for record in records.iter().filter(|record| record.runtime == "seq") {
        for rounds in record.by_round.windows(2) {
            let ratio = rounds[0].wall_ns_median / rounds[1].wall_ns_median;
            differences.push(ratio.ln().abs());
        }
    }
    median(&differences)
}

/// A row on one job that lacked a processor. What sleeps by itself is left out.
fn short_of_time(record: &Record) -> Option<(String, f64)> {
    let entry = registry::workload(&record.workload).ok()?;
    let computes = entry.family.computes && matches!(entry.card.shows, Shows::Time | Shows::Curve);
    if record.jobs != 1 || !computes {
        return None;
    }
    let share = record.cpu_ns_mean? / record.wall_ns_mean?;
    let Record {
        workload,
        size_label,
        runtime,
        ..
    } = record;
    (share < BUSY).then(|| (format!("{workload} {size_label}, {runtime}"), share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_run_has_no_warning() {
        let noise = Noise {
            others: Some(0.01),
            stolen: Some(0.0),
            same: Some(0.004),
            short_of_time: Vec::new(),
        };
        let text = noise.to_text();
        assert_eq!(
            text,
            "A/A: two rounds of the same plain code differ by 0.4 % in the middle\n"
        );
        assert_eq!(Noise::default().to_text(), "");
    }

    #[test]
    fn a_disturbed_run_says_by_what() {
        let noise = Noise {
            others: Some(0.5),
            stolen: Some(0.1),
            same: None,
            short_of_time: vec![
                ("fib 35, rayon".to_owned(), 0.6),
                ("fib 35, seq".to_owned(), 0.4),
            ],
        };
        let text = noise.to_text();
        assert!(text.contains("other programs used 50.0 %"), "{text}");
        assert!(text.contains("host took 10.0 %"), "{text}");
        assert!(text.contains("2 rows on one job"), "{text}");
        assert!(text.contains("fib 35, seq, had one for 40.0 %"), "{text}");
    }
}
