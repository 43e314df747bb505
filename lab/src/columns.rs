//! The columns of a table, by what its workload shows: their names, and the cells of a record.

use crate::record::Record;
use crate::table::figure;
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
    };
    let first = match card.shows {
        Shows::Time | Shows::Curve | Shows::Memory => format!("ns/{}", card.item),
        Shows::Rest => "CPU ms".to_owned(),
        Shows::Waiting | Shows::Path | Shows::Handing | Shows::Cores => "ms".to_owned(),
        Shows::Ramp => "last ms".to_owned(),
        Shows::Rate => format!("{}s/s", card.item),
        Shows::Latency => "p50 µs".to_owned(),
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
        Shows::Rest | Shows::Waiting | Shows::Path | Shows::Cores | Shows::Rate => 3,
        Shows::Latency | Shows::Memory | Shows::Ramp => 4,
        Shows::Handing => 7,
    }
}

/// The cells of a record, or of nobody.
pub fn cells(shows: Shows, record: Option<&Record>, bounds: &Bounds<'_>) -> Vec<String> {
    let Some(record) = record else {
        return vec![String::new(); count(shows)];
    };
    let mut cells = if record.wall_ns_median.is_some() {
        let mut cells = figures(shows, record, bounds);
        if let Some(uncertainty) = record.uncertainty(shows) {
            cells[0] += &format!(" ±{}%", percent(uncertainty));
        }
        cells
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

fn figures(shows: Shows, record: &Record, bounds: &Bounds<'_>) -> Vec<String> {
    let by = |unit: f64| move |value: f64| figure(value / unit);
    let wall = record
        .wall_ns_median
        .map_or_else(String::new, |wall| figure(wall / 1e6));
    let item = record.item_ns_median.map_or_else(String::new, figure);
    let cpu = or_unknown(record.cpu_ns_mean.map(by(1e6)));
    // Where nothing is handed over, nothing waits.
    let p50 = record.latency_ns_p50.map(by(1e3)).unwrap_or_default();
    let p99 = record.latency_ns_p99.map(by(1e3)).unwrap_or_default();
    let whole = |count: f64| format!("{count:.0}");
    match shows {
        Shows::Time | Shows::Curve => vec![item, times_seq(record, bounds, 1.0)],
        Shows::Rest => vec![
            or_unknown(record.cpu_ns_mean.map(|cpu| format!("{:.2}", cpu / 1e6))),
            or_unknown(record.ctx_voluntary_per_operation.map(whole)),
            or_unknown(record.ctx_involuntary_per_operation.map(whole)),
        ],
        Shows::Waiting => vec![wall, cpu, threads(record)],
        Shows::Path => vec![
            wall,
            times_seq(record, bounds, 0.5),
            times_seq(record, bounds, 1.0),
        ],
        Shows::Handing => vec![
            wall,
            cpu,
            or_unknown(switches(record).map(whole)),
            above(record, bounds).map_or_else(String::new, whole),
            or_unknown(migrations(record).map(whole)),
            p50,
            p99,
        ],
        Shows::Cores => vec![wall, times_ideal(record, bounds), peak(record)],
        Shows::Ramp => vec![
            wall,
            record.latency_ns_p50.map(by(1e6)).unwrap_or_default(),
            times_ideal(record, bounds),
            peak(record),
        ],
        Shows::Rate => vec![rate(record), item, cpu],
        Shows::Latency => vec![p50, p99, cpu, or_unknown(switches(record).map(whole))],
        Shows::Memory => vec![
            item,
            times_seq(record, bounds, 1.0),
            cpu,
            or_unknown(
                record
                    .rss_peak_bytes
                    .map(|bytes| figure(bytes as f64 / 1_048_576.0)),
            ),
        ],
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
