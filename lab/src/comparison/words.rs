//! A comparison as text for the terminal, and as lines of JSON.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Serialize;

use super::cells::{Change, Comparison, MARGIN, Verdict};
use super::differences;
use crate::figure::figure;
use crate::record::Record;
use crate::statistics::Interval;
use crate::workload::Shows;

/// The whole comparison, regressions first. `names` say what A and B are.
pub fn text(comparison: &Comparison<'_>, names: &[String; 2]) -> String {
    let mut text = String::new();
    let mut say = |line: &str| writeln!(text, "{line}").expect("a string takes everything");
    say(&format!("A: {}", names[0]));
    say(&format!("B: {}", names[1]));
    let different = differences::between(&comparison.changes);
    if !different.is_empty() {
        say("what differs, A / B:");
    }
    for difference in &different {
        say(&format!(
            "  {}: {} / {}",
            difference.field, difference.a, difference.b
        ));
    }
    if different.iter().any(|d| d.field == "machine.cpu_model") {
        say("  the machines differ: the ratios tell as much of them as of the code");
    }
    let records = || comparison.changes.iter().flat_map(|c| [c.a, c.b]);
    if records().any(|record| record.build.debug_assertions) {
        say("  compiled without optimisation: these figures mean nothing");
    }

    for (side, replaced) in ["A", "B"].into_iter().zip(comparison.replaced) {
        if replaced > 0 {
            say(&format!(
                "warning: {side} has {replaced} configurations more than once; the last record of \
                 each one counts"
            ));
        }
    }
    for line in interruptions(comparison) {
        say(&line);
    }

    if let Some([a, b]) = differences::busy(&comparison.changes).map(|b| b.map(|s| s * 100.0)) {
        say(&format!(
            "warning: other programs had {a:.0} % of the machine while A was measured, and {b:.0} % \
             with B"
        ));
    }

    let cells = comparison.changes.len();
    let confidence = comparison.confidence * 100.0;
    say(&format!(
        "B ÷ A of {cells} cells; each interval holds with {confidence:.2} %, all together with 95 %:"
    ));
    let mut last = None;
    for change in &comparison.changes {
        if last.replace(change.verdict) != Some(change.verdict) {
            say(&format!(
                "{}:",
                heading(change.verdict, comparison.processes_min)
            ));
        }
        say(&format!("  {}", line(change)));
    }
    for (side, alone) in [("A", &comparison.only_a), ("B", &comparison.only_b)] {
        if !alone.is_empty() {
            say(&format!("only in {side}:"));
        }
        for record in alone {
            say(&format!("  {}", name(record)));
        }
    }
    say(&summary(comparison));
    text
}

/// Which side is of a run that was interrupted, and what differed when it was resumed.
fn interruptions(comparison: &Comparison<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for side in ["A", "B"] {
        let records = || {
            let changes = comparison.changes.iter();
            changes.map(|change| if side == "A" { change.a } else { change.b })
        };
        if records().any(|record| record.partial) {
            lines.push(format!(
                "warning: {side} is of a run that was interrupted, so it lacks cells, or rounds"
            ));
        }
        let despite: BTreeSet<&String> = records().flat_map(|r| &r.resumed_despite).collect();
        for difference in despite {
            lines.push(format!("warning: {side} was resumed although {difference}"));
        }
    }
    lines
}

/// The last line: how many cells have become worse, and of how many nothing can be told.
fn summary(comparison: &Comparison<'_>) -> String {
    let count = |verdict, words: &str| match comparison.count(verdict) {
        0 => None,
        count => Some(format!("{count} {words}")),
    };
    let regressions = match comparison.regressions() {
        0 => "no regression".to_owned(),
        1 => "1 regression".to_owned(),
        more => format!("{more} regressions"),
    };
    let parts = [
        Some(regressions),
        count(Verdict::Improvement, "faster"),
        count(Verdict::Mended, "mended"),
        count(Verdict::BrokenBoth, "failed on both sides"),
        count(Verdict::Level, "level"),
        count(Verdict::TooNoisy, "too noisy to tell"),
        count(Verdict::TooFew, "with too few processes"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

fn heading(verdict: Verdict, processes_min: usize) -> String {
    let percent = MARGIN * 100.0;
    match verdict {
        Verdict::Broken => "regressions: figures in A, none in B".to_owned(),
        Verdict::Regression => format!("regressions, by more than {percent} %"),
        Verdict::Improvement => format!("faster, by more than {percent} %"),
        Verdict::Mended => "mended: no figures in A".to_owned(),
        Verdict::BrokenBoth => "failed, with figures on neither side".to_owned(),
        Verdict::TooNoisy => "too noisy to tell".to_owned(),
        Verdict::TooFew => {
            format!("too few processes for an interval, of which each side needs {processes_min}")
        }
        Verdict::Level => "level".to_owned(),
    }
}

fn line(change: &Change<'_>) -> String {
    let mut line = format!("{:44}", name(change.b));
    if let Some(ratio) = change.ratio {
        let text = match ratio.interval {
            Some(Interval { low, high }) => format!("{:.3} ({low:.3}–{high:.3})", ratio.value),
            None => format!("{:.3}", ratio.value),
        };
        line += &format!("  {text:22}");
    }
    let [a, b] = change.figures().map(|found| match found {
        Some(found) => quantity_text(change.shows, found),
        None => "none".to_owned(),
    });
    line += &format!("  {a} → {b}");
    if let Some([a, b]) = change.too_few() {
        line += &format!(", {a} and {b} processes");
    }
    for record in [change.a, change.b] {
        if let Some(trouble) = record.trouble() {
            line += &format!(" ({trouble})");
        }
    }
    line
}

/// A configuration in words.
pub fn name(record: &Record) -> String {
    let Record {
        workload,
        size,
        size_label,
        jobs,
        runtime,
        ..
    } = record;
    let size = match size_label.as_str() {
        "" => size.to_string(),
        label => label.to_owned(),
    };
    let jobs = match jobs {
        1 => "1 job".to_owned(),
        jobs => format!("{jobs} jobs"),
    };
    match runtime.as_str() {
        "drumline" => format!("{workload} {size}, {jobs}"),
        runtime => format!("{workload} {size}, {jobs}, {runtime}"),
    }
}

/// What a workload that shows this is compared by, with its unit.
pub fn quantity_text(shows: Shows, quantity: f64) -> String {
    if shows.is_heap() {
        format!("{} bytes", figure(quantity))
    } else {
        time(quantity)
    }
}

/// Nanoseconds in a unit that suits them.
fn time(ns: f64) -> String {
    match ns {
        _ if ns < 1e3 => format!("{} ns", figure(ns)),
        _ if ns < 1e6 => format!("{} µs", figure(ns / 1e3)),
        _ if ns < 1e9 => format!("{} ms", figure(ns / 1e6)),
        _ => format!("{} s", figure(ns / 1e9)),
    }
}

/// A cell as programs read it.
#[derive(Debug, Serialize)]
struct Line<'a> {
    workload: &'a str,
    runtime: &'a str,
    jobs: usize,
    size: u64,
    verdict: Verdict,
    ratio: Option<f64>,
    interval: Option<Interval>,
    a_ns: Option<f64>,
    b_ns: Option<f64>,
    /// In the place of times, where heap is compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    a_bytes: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b_bytes: Option<f64>,
}

/// One JSON object per cell, in the same order.
pub fn json_lines(comparison: &Comparison<'_>) -> String {
    let lines = comparison.changes.iter().map(|change| {
        let figures = change.figures();
        let is_heap = change.shows.is_heap();
        let [a_ns, b_ns] = figures.map(|ns| ns.filter(|_| !is_heap));
        let [a_bytes, b_bytes] = figures.map(|bytes| bytes.filter(|_| is_heap));
        let line = Line {
            workload: &change.b.workload,
            runtime: &change.b.runtime,
            jobs: change.b.jobs,
            size: change.b.size,
            verdict: change.verdict,
            ratio: change.ratio.map(|ratio| ratio.value),
            interval: change.ratio.and_then(|ratio| ratio.interval),
            a_ns,
            b_ns,
            a_bytes,
            b_bytes,
        };
        serde_json::to_string(&line).expect("it is plain data") + "\n"
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::Design;
    use crate::comparison::made_up::record;

    #[test]
    fn regressions_come_first() {
        let a = vec![
            record("fib", "drumline", 1, &[1000.0; 10]),
            record("fib", "drumline", 2, &[1000.0; 10]),
            record("fib", "drumline", 3, &[1000.0; 10]),
            record("fib", "drumline", 4, &[1000.0; 3]),
        ];
        let b = vec![
            record("fib", "drumline", 1, &[900.0; 10]),
            record("fib", "drumline", 2, &[1100.0; 10]),
            record("fib", "drumline", 4, &[1000.0; 10]),
            record("fib", "drumline", 5, &[1000.0; 10]),
        ];
        let comparison = Comparison::of(&a, &b, false, Design::Apart);
        let text = text(&comparison, &["this".to_owned(), "that".to_owned()]);
        let position = |needle: &str| text.find(needle).unwrap_or_else(|| panic!("{text}"));
        let order = [
            "A: this",
            "B: that",
            "processes: 10, 3 / 10",
            "regressions, by more than 2 %:",
            "1.100 (1.100–1.100)",
            "1.00 µs → 1.10 µs",
            "faster, by more than 2 %:",
            "too few processes",
            "3 and 10 processes",
            "only in A:",
            "3 jobs",
            "only in B:",
            "5 jobs",
            "1 regression, 1 faster, 1 with too few processes",
        ];
        let places: Vec<usize> = order.into_iter().map(position).collect();
        assert!(places.is_sorted(), "{text}");

        let lines = json_lines(&comparison);
        let first = lines.lines().next().unwrap();
        assert!(first.contains("\"verdict\":\"regression\""), "{first}");
        assert_eq!(lines.lines().count(), 3);
    }

    #[test]
    fn what_is_wrong_with_a_side_is_said() {
        let a = vec![record("fib", "drumline", 1, &[1000.0; 10]); 2];
        let mut b = record("fib", "drumline", 1, &[1000.0; 10]);
        b.partial = true;
        b.resumed_despite = vec!["kernel was 1, is 2".to_owned()];
        let b = vec![b];
        let comparison = Comparison::of(&a, &b, false, Design::Apart);
        let text = text(&comparison, &["this".to_owned(), "that".to_owned()]);
        for line in [
            "warning: A has 1 configurations more than once",
            "warning: B is of a run that was interrupted",
            "warning: B was resumed although kernel was 1, is 2",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        assert!(!text.contains("B has") && !text.contains("A is of") && !text.contains("A was"));
    }

    #[test]
    fn heap_is_no_time() {
        let heap = |bytes| {
            let mut record = record("task-memory", "drumline", 1, &[1000.0; 10]);
            for round in &mut record.by_round {
                round.item_heap_bytes = Some(bytes);
            }
            vec![record]
        };
        let (a, b) = (heap(100.0), heap(90.0));
        let comparison = Comparison::of(&a, &b, false, Design::Apart);
        let text = text(&comparison, &["this".to_owned(), "that".to_owned()]);
        assert!(text.contains("100 bytes → 90.0 bytes"), "{text}");
        let lines = json_lines(&comparison);
        assert!(lines.contains("\"a_ns\":null") && lines.contains("\"b_bytes\":90.0"));
    }

    #[test]
    fn times_have_units() {
        assert_eq!(time(1.234), "1.23 ns");
        assert_eq!(time(12_345.0), "12.3 µs");
        assert_eq!(time(123_456_789.0), "123 ms");
        assert_eq!(time(2.5e9), "2.50 s");
    }
}
