//! What is told of a run: a table of metrics, each with a name, a unit and the way to find it.

use super::program_run::ProgramRun;
use crate::figure::significant;
use crate::workload::group;

/// How many digits a number has in tables, roughly.
const DIGITS: usize = 4;

/// Something that is measured of every run.
#[derive(Debug)]
pub struct Metric {
    /// Its name in files, as in the records of the lab.
    pub key: &'static str,
    /// Its name in tables.
    pub title: &'static str,
    /// What its numbers count.
    pub unit: Unit,
    /// What it is of a run; `None` where the machine does not say.
    pub of: fn(&ProgramRun) -> Option<f64>,
}

/// What numbers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Time,
    /// Bytes.
    Memory,
    /// Whole things.
    Count,
    /// Processors.
    Processors,
    /// Joules.
    Energy,
}

/// The wall time, by which commands are compared.
pub static WALL: &Metric = &METRICS[0];

/// Everything, in the order of the tables.
pub static METRICS: [Metric; 19] = [
    metric("wall_ns", "wall time", Unit::Time, |run| {
        Some(run.wall_ns as f64)
    }),
    metric("user_ns", "user time", Unit::Time, |run| {
        whole(run.usage.user_ns)
    }),
    metric("system_ns", "system time", Unit::Time, |run| {
        whole(run.usage.system_ns)
    }),
    metric("processors", "processors used", Unit::Processors, |run| {
        run.processors()
    }),
    metric(
        "rss_peak_bytes",
        "peak memory of one process",
        Unit::Memory,
        |run| whole(run.rss_peak_bytes),
    ),
    metric(
        "rss_sum_peak_bytes",
        "peak memory of all",
        Unit::Memory,
        |run| whole(run.rss_sum_peak_bytes()),
    ),
    metric("processes_peak", "most processes", Unit::Count, |run| {
        whole(run.seen.processes)
    }),
    metric("threads_peak", "most threads", Unit::Count, |run| {
        whole(run.seen.threads)
    }),
    metric("ctx_voluntary", "switches, voluntary", Unit::Count, |run| {
        whole(run.usage.ctx_voluntary)
    }),
    metric(
        "ctx_involuntary",
        "switches, involuntary",
        Unit::Count,
        |run| whole(run.usage.ctx_involuntary),
    ),
    metric("migrations", "migrations", Unit::Count, |run| {
        whole(run.counts.migrations)
    }),
    metric("faults_minor", "page faults, minor", Unit::Count, |run| {
        whole(run.usage.faults_minor)
    }),
    metric("faults_major", "page faults, major", Unit::Count, |run| {
        whole(run.usage.faults_major)
    }),
    metric("instructions", "instructions", Unit::Count, |run| {
        whole(run.counts.instructions)
    }),
    metric("cycles", "cycles", Unit::Count, |run| {
        whole(run.counts.cycles)
    }),
    metric("branches", "branches", Unit::Count, |run| {
        whole(run.counts.branches)
    }),
    metric("branch_misses", "branch misses", Unit::Count, |run| {
        whole(run.counts.branch_misses)
    }),
    metric("cache_misses", "cache misses", Unit::Count, |run| {
        whole(run.counts.cache_misses)
    }),
    metric("energy_joules", "energy", Unit::Energy, |run| {
        run.energy_joules
    }),
];

const fn metric(
    key: &'static str,
    title: &'static str,
    unit: Unit,
    of: fn(&ProgramRun) -> Option<f64>,
) -> Metric {
    Metric {
        key,
        title,
        unit,
        of,
    }
}

fn whole(number: Option<u64>) -> Option<f64> {
    number.map(|number| number as f64)
}

impl Metric {
    /// The metric with this key.
    ///
    /// # Panics
    /// There is none.
    pub fn named(key: &str) -> &'static Self {
        let mut all = METRICS.iter();
        all.find(|metric| metric.key == key)
            .expect("the key is in the table")
    }
}

impl Unit {
    /// A number with its unit, four digits of it.
    pub fn text(self, number: f64) -> String {
        const TIMES: [(f64, &str); 4] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];
        const KIB: f64 = 1024.0;
        const SIZES: [(f64, &str); 4] = [
            (KIB * KIB * KIB, "GiB"),
            (KIB * KIB, "MiB"),
            (KIB, "KiB"),
            (1.0, "B"),
        ];
        let scaled = |scales: &[(f64, &str)]| {
            let fitting = scales.iter().find(|(scale, _)| number >= *scale);
            match fitting.or(scales.last()) {
                Some((scale, unit)) if *scale > 1.0 => {
                    format!("{} {unit}", significant(number / scale, DIGITS))
                }
                // There are no parts of the smallest unit.
                smallest => {
                    let unit = smallest.map_or("", |(_, unit)| unit);
                    format!("{} {unit}", group(number.round() as u64))
                }
            }
        };
        match self {
            Self::Time => scaled(&TIMES),
            Self::Memory => scaled(&SIZES),
            // The median of an even number of runs may lie between two counts.
            Self::Count if number.fract() == 0.0 || number >= 1000.0 => {
                group(number.round() as u64)
            }
            Self::Count => format!("{number:.1}"),
            Self::Processors => format!("{number:.2}"),
            Self::Energy => format!("{} J", significant(number, DIGITS)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_a_name_of_its_own() {
        for metric in &METRICS {
            assert!(
                std::ptr::eq(Metric::named(metric.key), metric),
                "{metric:?}"
            );
        }
        assert_eq!(WALL.key, "wall_ns");
    }

    #[test]
    fn numbers_have_units() {
        let times = [0.0, 789.0, 45_600.0, 12_345_678.0, 1.0021e9, 4e12];
        let times = times.map(|ns| Unit::Time.text(ns));
        assert_eq!(
            times,
            [
                "0 ns",
                "789 ns",
                "45.60 µs",
                "12.35 ms",
                "1.002 s",
                "4,000 s"
            ]
        );
        let sizes = [512.0, 65536.0, 1.5 * 1_048_576.0, 5e9].map(|size| Unit::Memory.text(size));
        assert_eq!(sizes, ["512 B", "64.00 KiB", "1.500 MiB", "4.657 GiB"]);
        let counts = [0.0, 12.5, 12_345.5].map(|count| Unit::Count.text(count));
        assert_eq!(counts, ["0", "12.5", "12,346"]);
        assert_eq!(Unit::Processors.text(1.987), "1.99");
        assert_eq!(Unit::Energy.text(123.45), "123.5 J");
    }

    #[test]
    fn what_the_machine_does_not_say_is_unknown() {
        let nothing = ProgramRun::default();
        for metric in &METRICS[1..] {
            assert_eq!((metric.of)(&nothing), None, "{}", metric.key);
        }
    }
}
