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

fn figures(shows: Shows, record: &Record, bounds: &Bounds<'_>) -> Vec<Figure> {
    let by = |unit: f64| move |value: f64| figure(value / unit);
    let whole = |count: f64| format!("{count:.0}");
    // A figure of all processes, with what each of them found.
    let of = |text: String, each: fn(&RoundFigures) -> Option<f64>| Figure {
        text,
        measures: record.by_round.iter().filter_map(each).collect(),
    };
    let main = |text: String| Figure {
        text,
        measures: record.measures(shows),
    };
    let wall = record
        .wall_ns_median
        .map_or_else(String::new, |wall| figure(wall / 1e6));
    let item = record.item_ns_median.map_or_else(String::new, figure);
    let cpu = || {
        of(or_unknown(record.cpu_ns_mean.map(by(1e6))), |r| {
            r.cpu_ns_mean
        })
    };
    // Where nothing is handed over, nothing waits.
    let latency = |ns: Option<f64>, unit: f64| ns.map(by(unit)).unwrap_or_default();
    let p50 = |unit: f64| of(latency(record.latency_ns_p50, unit), |r| r.latency_ns_p50);
    let p99 = || of(latency(record.latency_ns_p99, 1e3), |r| r.latency_ns_p99);
    let switched = || {
        of(
            or_unknown(switches(record).map(whole)),
            RoundFigures::switches,
        )
    };
    let memory = || {
        let bytes = record.rss_peak_bytes.map(|bytes| bytes as f64);
        of(or_unknown(bytes.map(by(1_048_576.0))), |r| r.rss_peak_bytes)
    };
    match shows {
        Shows::Time | Shows::Curve => vec![main(item), times_seq(record, bounds, 1.0).into()],
        Shows::Rest => vec![
            main(or_unknown(
                record.cpu_ns_mean.map(|cpu| format!("{:.2}", cpu / 1e6)),
            )),
            of(
                or_unknown(record.ctx_voluntary_per_operation.map(whole)),
                |r| r.ctx_voluntary,
            ),
            of(
                or_unknown(record.ctx_involuntary_per_operation.map(whole)),
                |r| r.ctx_involuntary,
            ),
        ],
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
            of(or_unknown(migrations(record).map(whole)), |r| r.migrations),
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
        Shows::Latency => vec![
            main(latency(record.latency_median(), 1e3)),
            p99(),
            cpu(),
            switched(),
        ],
        Shows::Memory => vec![
            main(item),
            times_seq(record, bounds, 1.0).into(),
            cpu(),
            memory(),
        ],
        Shows::Heap => vec![
            main(or_unknown(record.item_heap_bytes.map(figure))),
            of(item, |r| Some(r.wall_ns_median)),
            memory(),
        ],
        Shows::HeapReturned => vec![
            main(or_unknown(record.item_heap_bytes.map(figure))),
            of(or_unknown(record.item_heap_left_bytes.map(figure)), |r| {
                r.item_heap_left_bytes
            }),
            of(item, |r| Some(r.wall_ns_median)),
            memory(),
        ],
        Shows::Tail => vec![
            main(latency(median(&record.measures(shows)), 1e3)),
            p50(1e3),
            of(latency(record.latency_ns_p999, 1e3), |r| r.latency_ns_p999),
            rate(record).into(),
            cpu(),
        ],
        Shows::WholeAndMemory => vec![main(wall), rate(record).into(), cpu(), memory()],
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

/// Context switches of an operation, of both kinds.
pub fn switches(record: &Record) -> Option<f64> {
    Some(record.ctx_voluntary_per_operation? + record.ctx_involuntary_per_operation?)
}

/// How many of them are not also there when nothing is handed over.
pub fn above(record: &Record, bounds: &Bounds<'_>) -> Option<f64> {
    Some(switches(record)? - switches(bounds.floor?)?)
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
fn or_unknown(cell: Option<String>) -> String {
    cell.unwrap_or_else(|| "?".to_owned())
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
