//! A table of figures: which rows and columns it has, and how figures are written.

use anyhow::{Context, Result, bail, ensure};

use super::record::{Records, Row};

/// How much less a peer must take than ours to stand in bold, as a share of ours.
const MARGIN: f64 = 0.01;

/// What a table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Times per item, and as multiples of plain recursion.
    ForkJoin,
    /// Times per operation, and as multiples of a plain loop.
    Loops,
    /// Times of tasks that block.
    Tasks,
    /// What handing items over costs: a row for each quantity.
    Handing,
    /// How long items wait.
    Latency,
    /// Multiples of a loop, in one row for each workload.
    Maps,
}

/// The kinds by their names in markers.
const KINDS: [(&str, Kind); 6] = [
    ("fork-join", Kind::ForkJoin),
    ("loops", Kind::Loops),
    ("tasks", Kind::Tasks),
    ("handing", Kind::Handing),
    ("latency", Kind::Latency),
    ("maps", Kind::Maps),
];

impl Kind {
    /// The columns after ours.
    fn peers(self) -> &'static [&'static str] {
        match self {
            Self::ForkJoin => &["rayon", "chili", "forte"],
            Self::Loops => &["rayon", "orx-parallel", "paralight"],
            Self::Tasks => &[
                "drumline-announced",
                "rayon",
                "tokio",
                "tokio-block-in-place",
                "tokio-spawn-blocking",
                "blocking",
                "thread-per-job",
            ],
            Self::Handing => &["drumline-pull", "crossbeam", "rayon", "pariter"],
            Self::Latency => &["blocked-thread", "crossbeam", "rayon"],
            Self::Maps => &["rayon", "pariter"],
        }
    }

    /// What the caption says of intervals, and of what stands in bold.
    fn caption(self) -> (&'static str, &'static str) {
        match self {
            Self::ForkJoin | Self::Loops | Self::Tasks => (
                ", and half of the interval that holds the true one with 95 %",
                "What takes less than Drumline, beyond that interval, stands in bold.",
            ),
            Self::Handing | Self::Latency => (
                "",
                "What is less than Drumline's by more than 1 % stands in bold.",
            ),
            Self::Maps => (
                "",
                "What takes less than Drumline, beyond the interval that holds the true median with \
                 95 %, stands in bold.",
            ),
        }
    }
}

/// A table, as a marker asks for it.
#[derive(Debug)]
pub struct Table {
    kind: Kind,
    workloads: Vec<String>,
}

impl Table {
    /// The table that a marker names: its kind, and its workloads.
    pub fn of(names: &str) -> Result<Self> {
        let mut words = names.split_whitespace();
        let name = words.next().context("the marker names no kind of table")?;
        let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = KINDS.iter().map(|(known, _)| *known).collect();
            bail!(
                "there is no kind of table `{name}`; there are {}",
                known.join(", ")
            );
        };
        let workloads: Vec<String> = words.map(str::to_owned).collect();
        if workloads.is_empty() {
            bail!("the marker names no workload");
        }
        Ok(Self {
            kind: *kind,
            workloads,
        })
    }

    /// Its workloads, for a message.
    pub fn describe(&self) -> String {
        format!("all of {}", self.workloads.join(", "))
    }

    /// Whether a record has figures of ours for each of its workloads.
    pub fn is_held_by(&self, records: &Records) -> bool {
        self.workloads.iter().all(|workload| {
            let sizes = records.sizes(workload);
            let jobs = records.jobs(workload, "drumline");
            let rows = sizes.iter().flat_map(|(size, _)| {
                let rows = jobs.iter();
                rows.filter_map(|jobs| records.find(workload, *size, "drumline", *jobs))
            });
            rows.filter_map(|row| row.wall()).next().is_some()
        })
    }

    /// Where the figures are from, for the page of this name.
    pub fn source(&self, records: &Records, page: &str) -> String {
        let up = "../".repeat(page.matches('/').count());
        let file = &records.file;
        let name = file.rsplit('/').next().unwrap_or(file);
        let mut parts = Vec::new();
        let known = |part: &str, name: &str| {
            let value = records.of_all(part, name)?;
            let text = value.as_str().map(str::to_owned);
            Some(text.unwrap_or_else(|| value.to_string()))
        };
        parts.extend(known("machine", "cpu_model"));
        parts.extend(known("machine", "cores_available").map(|n| format!("{n} processors")));
        parts.extend(known("machine", "kernel").map(|kernel| format!("kernel {kernel}")));
        parts.extend(known("build", "rustc").map(|rustc| {
            let version = rustc.split(" (").next().unwrap_or(&rustc);
            version.to_owned()
        }));
        let day = records.date().get(..10).unwrap_or_default();
        let processes = match records.processes(&self.workloads) {
            Some((low, high)) if low == high => format!("{low} processes"),
            Some((low, high)) => format!("{low} to {high} processes"),
            None => "processes".to_owned(),
        };
        let (intervals, bold) = self.kind.caption();
        format!(
            "From [{name}]({up}{file}), {day}: medians of {processes}{intervals}; {}. {bold}",
            parts.join(", ")
        )
    }

    /// The table in Markdown.
    pub fn text(&self, records: &Records) -> Result<String> {
        let rows = match self.kind {
            Kind::ForkJoin | Kind::Loops | Kind::Tasks => self.times(records),
            Kind::Handing | Kind::Latency => self.quantities(records)?,
            Kind::Maps => self.multiples(records),
        };
        if rows.len() < 2 {
            bail!("{} holds no row of {}", records.file, self.describe());
        }
        let mut text = String::new();
        for (index, row) in rows.iter().enumerate() {
            text += &format!("| {} |\n", row.join(" | "));
            if index == 0 {
                text += &format!("|{}\n", "---|".repeat(row.len()));
            }
        }
        Ok(text)
    }

    /// A row for each workload, size and number of jobs.
    fn times(&self, records: &Records) -> Vec<Vec<String>> {
        let has_seq = self.kind != Kind::Tasks;
        let peers = self.kind.peers();
        let mut header = vec![
            "workload".to_owned(),
            "jobs".to_owned(),
            "drumline".to_owned(),
        ];
        header.extend(has_seq.then(|| "× `seq`".to_owned()));
        header.extend(peers.iter().map(|peer| (*peer).to_owned()));
        let mut rows = vec![header];
        for workload in &self.workloads {
            for (size, label) in records.sizes(workload) {
                let seq = records.find(workload, size, "seq", 1);
                let mut name = format!("`{workload}` {label}");
                for jobs in records.jobs(workload, "drumline") {
                    let Some(ours) = records.find(workload, size, "drumline", jobs) else {
                        continue;
                    };
                    let mut row = vec![std::mem::take(&mut name), jobs.to_string()];
                    row.push(self.time(&ours));
                    row.extend(has_seq.then(|| multiple(Some(ours), seq)));
                    row.extend(peers.iter().map(|peer| {
                        let theirs = find_peer(records, workload, size, peer, jobs);
                        let text = match theirs {
                            Some(theirs) if !has_seq => self.time(&theirs),
                            theirs => multiple(theirs, seq),
                        };
                        bold_if(is_ahead(theirs, ours), text)
                    }));
                    rows.push(row);
                }
            }
        }
        rows
    }

    /// The time of ours, with how far it may be from the true one.
    fn time(&self, row: &Row<'_>) -> String {
        let per_item = self.kind == Kind::ForkJoin;
        let shown = if per_item {
            row.number("item_ns_median")
        } else {
            row.wall()
        };
        let Some(shown) = shown else {
            return row.instead().to_owned();
        };
        let mut text = time(shown);
        if let Some(share) = row.uncertainty() {
            text += &format!(" ±{}", percent(share));
        }
        text
    }

    /// For each workload and size a row for each quantity, a column for each runtime.
    ///
    /// # Errors
    /// The record has a runtime, but not with the jobs of the row. Its cell would be empty, as if
    /// the runtime could not do this.
    fn quantities(&self, records: &Records) -> Result<Vec<Vec<String>>> {
        // A run may leave peers out.
        let has_figures = |runtime: &&str| {
            let workloads = self.workloads.iter();
            let mut jobs = workloads.map(|workload| records.jobs(workload, runtime));
            jobs.any(|jobs| !jobs.is_empty())
        };
        let runtimes: Vec<&str> = std::iter::once("drumline")
            .chain(self.kind.peers().iter().copied())
            .filter(has_figures)
            .collect();
        let mut header = vec!["workload".to_owned(), String::new()];
        header.extend(runtimes.iter().map(|runtime| (*runtime).to_owned()));
        let mut rows = vec![header];
        for workload in &self.workloads {
            for (size, label) in records.sizes(workload) {
                let Some(&jobs) = records.jobs(workload, "drumline").last() else {
                    continue;
                };
                let mut name = format!("`{workload}` {label}");
                let find = |runtime: &str| find_peer(records, workload, size, runtime, jobs);
                let floor = find("static");
                for runtime in &runtimes {
                    let other = records.jobs_of_size(workload, size, runtime);
                    ensure!(
                        find(runtime).is_some() || other.is_empty(),
                        "{} has `{workload}` {label} of {runtime} with {other:?} jobs, but not with \
                         {jobs}",
                        records.file
                    );
                }
                for quantity in self.quantities_shown() {
                    let mut row = vec![std::mem::take(&mut name), quantity.name().to_owned()];
                    let ours = find("drumline").and_then(|ours| quantity.of(&ours, floor));
                    row.extend(runtimes.iter().map(|runtime| {
                        let Some(record) = find(runtime) else {
                            return String::new();
                        };
                        match quantity.of(&record, floor) {
                            Some(theirs) => {
                                let is_ahead = ours.is_some_and(|ours| is_less(theirs, ours));
                                bold_if(is_ahead, quantity.text(theirs))
                            }
                            None if record.wall().is_none() => record.instead().to_owned(),
                            None => String::new(),
                        }
                    }));
                    rows.push(row);
                }
            }
        }
        Ok(rows)
    }

    fn quantities_shown(&self) -> &'static [Quantity] {
        match self.kind {
            Kind::Latency => &[Quantity::Median, Quantity::Late, Quantity::Switches],
            _ => &[
                Quantity::AboveStatic,
                Quantity::Migrations,
                Quantity::Wall,
                Quantity::Median,
            ],
        }
    }

    /// A row for each workload: every runtime as a multiple of a loop.
    fn multiples(&self, records: &Records) -> Vec<Vec<String>> {
        let runtimes = || std::iter::once(&"drumline").chain(self.kind.peers());
        let mut header = vec!["× a loop".to_owned()];
        header.extend(runtimes().map(|runtime| (*runtime).to_owned()));
        let mut rows = vec![header];
        for workload in &self.workloads {
            for (size, label) in records.sizes(workload) {
                let Some(&jobs) = records.jobs(workload, "drumline").last() else {
                    continue;
                };
                let find = |runtime: &str| find_peer(records, workload, size, runtime, jobs);
                let (seq, ours) = (find("seq"), find("drumline"));
                let mut row = vec![format!("`{workload}` {label}")];
                row.extend(runtimes().map(|runtime| {
                    let theirs = find(runtime);
                    let is_ahead = ours.is_some_and(|ours| is_ahead(theirs, ours));
                    bold_if(is_ahead, multiple(theirs, seq))
                }));
                rows.push(row);
            }
        }
        rows
    }
}

/// What a row of [`Table::quantities`] shows.
#[derive(Clone, Copy, Debug)]
enum Quantity {
    AboveStatic,
    Switches,
    Migrations,
    Wall,
    Median,
    Late,
}

impl Quantity {
    fn name(self) -> &'static str {
        match self {
            Self::AboveStatic => "context switches above a fixed division",
            Self::Switches => "context switches",
            Self::Migrations => "migrations",
            Self::Wall => "wall time",
            Self::Median => "median latency",
            Self::Late => "latency of 99 of 100",
        }
    }

    fn of(self, record: &Row<'_>, floor: Option<Row<'_>>) -> Option<f64> {
        match self {
            Self::AboveStatic => Some(record.switches()? - floor?.switches()?),
            Self::Switches => record.switches(),
            Self::Migrations => record.migrations(),
            Self::Wall => record.wall(),
            Self::Median => record.number("latency_ns_p50"),
            Self::Late => record.number("latency_ns_p99"),
        }
    }

    fn text(self, figure: f64) -> String {
        match self {
            Self::AboveStatic | Self::Switches | Self::Migrations => whole(figure),
            Self::Wall | Self::Median | Self::Late => time(figure),
        }
    }
}

/// Runtimes with one thread, whatever the jobs. A record may hold them with any number of jobs.
const SERIAL: [&str; 2] = ["seq", "blocked-thread"];

/// The record of a runtime with this number of jobs.
fn find_peer<'a>(
    records: &'a Records,
    workload: &str,
    size: u64,
    runtime: &str,
    jobs: u64,
) -> Option<Row<'a>> {
    let known = || records.jobs_of_size(workload, size, runtime);
    let jobs = if SERIAL.contains(&runtime) {
        *known().first()?
    } else {
        jobs
    };
    records.find(workload, size, runtime, jobs)
}

/// A multiple of what the plain code takes.
fn multiple(row: Option<Row<'_>>, seq: Option<Row<'_>>) -> String {
    let Some(row) = row else {
        return String::new();
    };
    let Some(wall) = row.wall() else {
        return row.instead().to_owned();
    };
    let seq = seq.and_then(|seq| seq.wall());
    seq.map_or_else(|| time(wall), |seq| figure_of(wall / seq))
}

/// Whether a peer takes less than ours, beyond the intervals of both.
fn is_ahead(theirs: Option<Row<'_>>, ours: Row<'_>) -> bool {
    let Some(theirs) = theirs else { return false };
    let (Some(wall), Some(ours_wall)) = (theirs.wall(), ours.wall()) else {
        return false;
    };
    let is_apart = match (theirs.interval(), ours.interval()) {
        (Some((_, high)), Some((low, _))) => high < low,
        _ => true,
    };
    is_less(wall, ours_wall) && is_apart
}

/// Whether a figure is less than ours by more than the margin.
fn is_less(theirs: f64, ours: f64) -> bool {
    theirs < ours - MARGIN * ours.abs()
}

fn bold_if(condition: bool, text: String) -> String {
    if condition {
        format!("**{text}**")
    } else {
        text
    }
}

/// Nanoseconds in a unit that suits them.
fn time(ns: f64) -> String {
    let (number, unit) = match ns {
        _ if ns < 1e3 => (ns, "ns"),
        _ if ns < 1e6 => (ns / 1e3, "µs"),
        _ if ns < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    format!("{} {unit}", figure_of(number))
}

fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 1.0 {
        format!("{percent:.1} %")
    } else {
        format!("{percent:.0} %")
    }
}

/// A number with three digits, roughly; thousands are set apart.
pub(super) fn figure_of(number: f64) -> String {
    match number.abs() {
        size if size >= 100.0 => whole(number),
        size if size >= 10.0 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

/// A number without what is behind the point; thousands are set apart.
fn whole(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if number < 0.0 && digits != "0" {
        format!("−{text}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        for (number, text) in [
            (1.554, "1.55"),
            (15.54, "15.5"),
            (155.4, "155"),
            (1554.4, "1,554"),
            (1_234_567.0, "1,234,567"),
            (-1234.0, "−1,234"),
        ] {
            assert_eq!(figure_of(number), text);
        }
        assert_eq!(whole(-0.2), "0");
        assert_eq!(whole(12.4), "12");
        assert_eq!(time(72_300.0), "72.3 µs");
        assert_eq!(percent(0.004), "0.4 %");
        assert_eq!(percent(0.12), "12 %");
    }

    #[test]
    fn markers_name_a_kind_and_workloads() {
        let table = Table::of("fork-join fib uts").unwrap();
        assert_eq!(table.kind, Kind::ForkJoin);
        assert_eq!(table.workloads, ["fib", "uts"]);
        for nonsense in ["", "fork-join", "pies fib"] {
            assert!(Table::of(nonsense).is_err(), "{nonsense}");
        }
    }
}
