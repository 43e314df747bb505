//! The columns of a table, by what its workload shows: their names, and the cells of a record.

use crate::figure::figure;
use crate::record::{Record, spread};
use crate::round::RoundFigures;
use crate::statistics::median;
use crate::workload::{Shows, WorkloadCard, group};

/// What the record of a runtime is held against.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'a> {
    /// The plain code on one thread.
    pub seq: Option<&'a Record>,
    /// The work divided in advance, with as many jobs.
    pub floor: Option<&'a Record>,
    /// The items dealt out in advance, with as many jobs.
    pub ideal: Option<&'a Record>,
}

/// The names of the columns for one number of jobs; the first one says which, if it is given.
pub fn names(card: &WorkloadCard, jobs: Option<&str>) -> Vec<String> {
    let rest: &[&str] = match card.shows {
        Shows::Time | Shows::Curve => &["× seq"],
        Shows::Rest => &["waits", "preempted"],
        Shows::Waiting => &["CPU ms", "threads"],
        Shows::Path => &["× path", "× seq"],
        Shows::Handing => &[
            "CPU ms",
            "switches",
            "above static",
            "migrations",
            "p50 µs",
            "p99 µs",
        ],
        Shows::Latency => &["p99 µs", "CPU ms", "switches"],
        Shows::Memory => &["× seq", "CPU ms", "peak MiB"],
        Shows::Cores => &["× ideal", "peak"],
        Shows::Ramp => &["median ms", "× ideal", "peak"],
        Shows::Rate => &["ns/item", "CPU ms"],
        Shows::RateAndThreads => &["ns/item", "CPU ms", "threads"],
        Shows::Heap => &["ns/item", "peak MiB"],
        Shows::HeapReturned => &["left", "ns/item", "peak MiB"],
        Shows::Tail => &["p50 µs", "p99.9 µs", "items/s", "CPU ms"],
        Shows::WholeAndMemory => &["items/s", "CPU ms", "peak MiB"],
    };
    let first = match card.shows {
        Shows::Time | Shows::Curve | Shows::Memory => format!("ns/{}", card.item),
        Shows::Rest => "CPU ms".to_owned(),
        Shows::Waiting | Shows::Path | Shows::Handing | Shows::Cores | Shows::WholeAndMemory => {
            "ms".to_owned()
        }
        Shows::Ramp => "last ms".to_owned(),
        Shows::Rate | Shows::RateAndThreads => format!("{}s/s", card.item),
        Shows::Latency => "p50 µs".to_owned(),
        Shows::Heap | Shows::HeapReturned => format!("bytes/{}", card.item),
        Shows::Tail => "p99 µs".to_owned(),
    };
    let first = match jobs {
        Some(jobs) => format!("{jobs}: {first}"),
        None => first,
    };
    let rest = rest.iter().map(|name| (*name).to_owned());
    std::iter::once(first).chain(rest).collect()
}

/// How many columns there are for one number of jobs.
pub fn count(shows: Shows) -> usize {
    match shows {
        Shows::Time | Shows::Curve => 2,
        Shows::Rest | Shows::Waiting | Shows::Path | Shows::Cores | Shows::Rate | Shows::Heap => 3,
        Shows::Latency
        | Shows::Memory
        | Shows::Ramp
        | Shows::RateAndThreads
        | Shows::HeapReturned
        | Shows::WholeAndMemory => 4,
        Shows::Tail => 5,
        Shows::Handing => 7,
    }
}

/// The cells of a record, if there is one.
pub fn cells(shows: Shows, record: Option<&Record>, bounds: &Bounds<'_>) -> Vec<String> {
    let Some(record) = record else {
        return vec![String::new(); count(shows)];
    };
    let mut cells = if record.wall_ns_median.is_some() {
        let figures = figures(shows, record, bounds).into_iter();
        figures.map(Figure::into_cell).collect()
    } else {
        let mut cells = vec![instead(record)];
        if shows == Shows::Waiting {
            cells.extend([String::new(), threads(record)]);
        }
        cells
    };
    cells.resize(count(shows), String::new());
    cells
}

/// What stands in a cell.
struct Figure {
    text: String,
    /// What each process found, if it is a figure of processes.
    measures: Vec<f64>,
}

impl Figure {
    /// With half of the width of its interval, in per cent.
    fn into_cell(self) -> String {
        match spread(&self.measures) {
            Some(spread) if !self.text.is_empty() => {
                let percent = percent(spread.half_width(1.0));
                format!("{} ±{percent}%", self.text)
            }
            _ => self.text,
        }
    }
}

impl From<String> for Figure {
    fn from(text: String) -> Self {
        let measures = Vec::new();
        Self { text, measures }
    }
}

/// A figure of processes: their median, in this form. Of a record of an older lab that does not
/// know what each of them found, it is the figure of all together.
fn middle(
    record: &Record,
    each: fn(&RoundFigures) -> Option<f64>,
    together: Option<f64>,
    form: impl Fn(f64) -> String,
) -> Option<Figure> {
    let measures: Vec<f64> = record.by_round.iter().filter_map(each).collect();
    let text = form(median(&measures).or(together)?);
    Some(Figure { text, measures })
}

fn figures(shows: Shows, record: &Record, bounds: &Bounds<'_>) -> Vec<Figure> {
    let by = |unit: f64| move |value: f64| figure(value / unit);
    let whole = |count: f64| format!("{count:.0}");
    let main = |text: String| Figure {
        text,
        measures: record.measures(shows),
    };
    let wall = record
        .wall_ns_median
        .map_or_else(String::new, |wall| figure(wall / 1e6));
    let item = record.item_ns_median.map_or_else(String::new, figure);
    let cpu = || {
        or_unknown(middle(
            record,
            |r| r.cpu_ns_mean,
            record.cpu_ns_mean,
            by(1e6),
        ))
    };
    // Where nothing is handed over, nothing waits.
    let p50 = |unit: f64| {
        or_empty(middle(
            record,
            |r| r.latency_ns_p50,
            record.latency_ns_p50,
            by(unit),
        ))
    };
    let p99 = || {
        or_empty(middle(
            record,
            |r| r.latency_ns_p99,
            record.latency_ns_p99,
            by(1e3),
        ))
    };
    let switched = || {
        or_unknown(middle(
            record,
            RoundFigures::switches,
            switches_mean(record),
            whole,
        ))
    };
    let memory = || {
        let bytes = record.rss_peak_bytes.map(|bytes| bytes as f64);
        or_unknown(middle(record, |r| r.rss_peak_bytes, bytes, by(1_048_576.0)))
    };
    match shows {
        Shows::Time | Shows::Curve => vec![main(item), times_seq(record, bounds, 1.0).into()],
        Shows::Rest => {
            let cpu = |ns: f64| format!("{:.2}", ns / 1e6);
            let waits = record.ctx_voluntary_per_operation;
            let preempted = record.ctx_involuntary_per_operation;
            vec![
                or_unknown(middle(record, |r| r.cpu_ns_mean, record.cpu_ns_mean, cpu)),
                or_unknown(middle(record, |r| r.ctx_voluntary, waits, whole)),
                or_unknown(middle(record, |r| r.ctx_involuntary, preempted, whole)),
            ]
        }
        Shows::Waiting => vec![main(wall), cpu(), threads(record).into()],
        Shows::Path => vec![
            main(wall),
            times_seq(record, bounds, 0.5).into(),
            times_seq(record, bounds, 1.0).into(),
        ],
        Shows::Handing => vec![
            main(wall),
            cpu(),
            switched(),
            Figure {
                text: above(record, bounds).map_or_else(String::new, whole),
                measures: above_by_round(record, bounds),
            },
            or_unknown(middle(record, |r| r.migrations, migrations(record), whole)),
            p50(1e3),
            p99(),
        ],
        Shows::Cores => vec![
            main(wall),
            times_ideal(record, bounds).into(),
            peak(record).into(),
        ],
        Shows::Ramp => vec![
            main(wall),
            p50(1e6),
            times_ideal(record, bounds).into(),
            peak(record).into(),
        ],
        Shows::Rate => vec![main(rate(record)), main(item), cpu()],
        Shows::RateAndThreads => vec![
            main(rate(record)),
            main(item),
            cpu(),
            threads(record).into(),
        ],
        Shows::Latency => vec![p50(1e3), p99(), cpu(), switched()],
        Shows::Memory => vec![
            main(item),
            times_seq(record, bounds, 1.0).into(),
            cpu(),
            memory(),
        ],
        Shows::Heap => vec![heap(record), time_of(record, item), memory()],
        Shows::HeapReturned => {
            let left = record.item_heap_left_bytes;
            vec![
                heap(record),
                or_unknown(middle(record, |r| r.item_heap_left_bytes, left, figure)),
                time_of(record, item),
                memory(),
            ]
        }
        Shows::Tail => {
            let tail = record.latency_ns_p999;
            vec![
                p99(),
                p50(1e3),
                or_empty(middle(record, |r| r.latency_ns_p999, tail, by(1e3))),
                rate(record).into(),
                cpu(),
            ]
        }
        Shows::WholeAndMemory => vec![main(wall), rate(record).into(), cpu(), memory()],
    }
}

fn heap(record: &Record) -> Figure {
    let together = record.item_heap_bytes;
    or_unknown(middle(record, |r| r.item_heap_bytes, together, figure))
}

/// Time in the table of a workload that is compared by something else.
fn time_of(record: &Record, text: String) -> Figure {
    let measures = record.by_round.iter().map(|round| round.wall_ns_median);
    Figure {
        text,
        measures: measures.collect(),
    }
}

/// A multiple of so much of what the plain code takes.
fn times_seq(record: &Record, bounds: &Bounds<'_>, part: f64) -> String {
    let ratio = || Some(record.item_ns_median? / bounds.seq?.item_ns_median? / part);
    ratio().map_or_else(String::new, |ratio| format!("{ratio:.2}"))
}

/// A multiple of what it takes with shares fixed in advance.
fn times_ideal(record: &Record, bounds: &Bounds<'_>) -> String {
    let ratio = || Some(record.wall_ns_median? / bounds.ideal?.wall_ns_median?);
    ratio().map_or_else(String::new, |ratio| format!("{ratio:.2}"))
}

/// How many items ran at once.
fn peak(record: &Record) -> String {
    record.items_peak.map(group).unwrap_or_default()
}

/// Items per second.
fn rate(record: &Record) -> String {
    let rate = record.item_ns_median.map(|ns| 1e9 / ns);
    rate.map_or_else(String::new, figure)
}

/// Context switches of an operation, of both kinds, in the median of the processes.
pub fn switches(record: &Record) -> Option<f64> {
    let rounds = record.by_round.iter();
    let each: Vec<f64> = rounds.filter_map(RoundFigures::switches).collect();
    median(&each).or_else(|| switches_mean(record))
}

/// The same in the mean of all operations.
pub fn switches_mean(record: &Record) -> Option<f64> {
    Some(record.ctx_voluntary_per_operation? + record.ctx_involuntary_per_operation?)
}

/// How many of them are not also there when nothing is handed over: round by round, where rounds
/// are known.
pub fn above(record: &Record, bounds: &Bounds<'_>) -> Option<f64> {
    let each = above_by_round(record, bounds);
    median(&each).or_else(|| Some(switches(record)? - switches(bounds.floor?)?))
}

/// The same, round by round.
fn above_by_round(record: &Record, bounds: &Bounds<'_>) -> Vec<f64> {
    let floor = bounds.floor.map_or(&[][..], |floor| &floor.by_round);
    let rounds = record.by_round.iter();
    let above = rounds.filter_map(|round| {
        let floor = floor.iter().find(|floor| floor.round == round.round)?;
        Some(round.switches()? - floor.switches()?)
    });
    above.collect()
}

fn migrations(record: &Record) -> Option<f64> {
    Some(record.migrations? as f64 / record.operations? as f64)
}

fn threads(record: &Record) -> String {
    let count = record.threads_peak.map(group);
    count.unwrap_or_default()
}

/// A share in per cent; with a digit behind the point where there is none before it.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 1.0 {
        format!("{percent:.1}")
    } else {
        format!("{percent:.0}")
    }
}

/// What the machine did not tell.
fn or_unknown(figure: Option<Figure>) -> Figure {
    figure.unwrap_or_else(|| "?".to_owned().into())
}

fn or_empty(figure: Option<Figure>) -> Figure {
    figure.unwrap_or_else(|| String::new().into())
}

/// What stands where a figure should be.
fn instead(record: &Record) -> String {
    let word = match record {
        Record { deadlock: true, .. } => "DEADLOCK",
        Record { error: Some(_), .. } => "FAILED",
        _ => "n/a",
    };
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::made_up::record;

    /// Two rounds of a pipeline: 100 and 120 switches, of which `static` has 50 each time.
    #[test]
    fn every_figure_of_processes_has_its_spread() {
        let mut ours = record("triple-pool", "drumline", 2, &[1e6, 1e6]);
        let mut floor = ours.clone();
        for (round, switches) in ours.by_round.iter_mut().zip([100.0, 120.0]) {
            round.ctx_voluntary = Some(switches);
            round.ctx_involuntary = Some(0.0);
            round.latency_ns_p99 = Some(1e3);
        }
        for round in &mut floor.by_round {
            round.ctx_voluntary = Some(25.0);
            round.ctx_involuntary = Some(25.0);
        }
        (ours.operations, ours.migrations) = (Some(2), Some(14));
        (ours.latency_ns_p50, ours.latency_ns_p99) = (None, Some(1e3));
        ours.ctx_voluntary_per_operation = Some(110.0);
        ours.ctx_involuntary_per_operation = Some(0.0);
        floor.ctx_voluntary_per_operation = Some(25.0);
        floor.ctx_involuntary_per_operation = Some(25.0);
        let bounds = Bounds {
            seq: None,
            floor: Some(&floor),
            ideal: None,
        };
        let cells = cells(Shows::Handing, Some(&ours), &bounds);
        let [wall, cpu, switches, above, migrations, p50, p99] = &cells[..] else {
            panic!("{cells:?}");
        };
        assert_eq!(wall, "1.00 ±0.0%");
        assert_eq!((cpu.as_str(), p50.as_str()), ("?", ""));
        assert_eq!((switches.as_str(), above.as_str()), ("110 ±9%", "60 ±17%"));
        // What an older lab did not write down has none.
        assert_eq!((migrations.as_str(), p99.as_str()), ("7", "1.00 ±0.0%"));
    }

    /// Nine processes wait a microsecond, and one waits a hundred. The figure is that of the
    /// processes whose interval stands behind it, and not that of all samples or the largest.
    #[test]
    fn a_figure_and_its_interval_are_of_the_same_thing() {
        let mut record = record("triple-pool", "drumline", 2, &[1e6; 10]);
        for (round, figures) in record.by_round.iter_mut().enumerate() {
            let high = if round == 9 { 100.0 } else { 1.0 };
            figures.latency_ns_p99 = Some(high * 1e3);
            figures.cpu_ns_mean = Some(high * 1e6);
            figures.rss_peak_bytes = Some(high * 1_048_576.0);
            figures.ctx_voluntary = Some(high);
            figures.ctx_involuntary = Some(0.0);
        }
        (record.latency_ns_p99, record.cpu_ns_mean) = (Some(90e3), Some(10.9e6));
        record.rss_peak_bytes = Some(100 << 20);
        record.ctx_voluntary_per_operation = Some(10.9);
        record.ctx_involuntary_per_operation = Some(0.0);
        let bounds = Bounds {
            seq: None,
            floor: None,
            ideal: None,
        };
        let handing = cells(Shows::Handing, Some(&record), &bounds);
        assert_eq!(handing[1], "1.00 ±0.0%");
        assert_eq!(handing[2], "1 ±0.0%");
        assert_eq!(handing[6], "1.00 ±0.0%");
        let memory = cells(Shows::Memory, Some(&record), &bounds);
        assert_eq!(memory[3], "1.00 ±0.0%");
        let rest = cells(Shows::Rest, Some(&record), &bounds);
        assert_eq!(rest[0], "1.00 ±0.0%");
        // An older lab did not write down what each process found.
        record.by_round.clear();
        let memory = cells(Shows::Memory, Some(&record), &bounds);
        assert_eq!(memory[2..], ["10.9", "100"]);
    }

    #[test]
    fn a_latency_is_the_one_that_it_is_compared_by() {
        let mut record = record("light-load", "drumline", 1, &[1e6, 1e6, 1e6]);
        for (round, ns) in record.by_round.iter_mut().zip([1e3, 2e3, 9e3]) {
            round.latency_ns_p50 = Some(ns);
        }
        // Of all samples together.
        record.latency_ns_p50 = Some(3e3);
        let bounds = Bounds {
            seq: None,
            floor: None,
            ideal: None,
        };
        let cells = cells(Shows::Latency, Some(&record), &bounds);
        assert!(cells[0].starts_with("2.00 ±"), "{cells:?}");
    }
}
