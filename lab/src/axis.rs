//! What a chart shows of a record: one quantity or several, each with an axis of its own.
//!
//! The first axis of a workload is its point: what it is there to show. That is not always the time
//! by which runtimes are compared. Pipelines, for example, are there for the context switches that
//! handing items over costs.

use crate::columns::switches;
use crate::figure::figure;
use crate::record::{Record, spread};
use crate::round::RoundFigures;
use crate::statistics::{Interval, median};
use crate::table::measure;
use crate::workload::{Shows, WorkloadCard, group};

/// What an axis shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    /// What the workload is compared by.
    Compared,
    Switches,
    Waits,
    Time,
    LatencyMedian,
    LatencyHigh,
    PeakMemory,
    HeapLeft,
    Threads,
}

/// An axis of a chart.
#[derive(Clone, Debug)]
pub(crate) struct Axis<'a> {
    card: &'a WorkloadCard,
    quantity: Quantity,
    /// What is shown, with its unit.
    pub(crate) label: String,
}

/// A figure on an axis, in its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) value: f64,
    /// Where the true one may lie: the interval of 95 %, or all processes where these are few.
    pub(crate) interval: Option<Interval>,
}

impl<'a> Axis<'a> {
    /// The axes of a workload; the first one is its point.
    pub(crate) fn all(card: &'a WorkloadCard) -> Vec<Self> {
        let quantities: &[Quantity] = match card.shows {
            Shows::Handing => &[Quantity::Switches, Quantity::LatencyHigh, Quantity::Time],
            Shows::Rest => &[Quantity::Compared, Quantity::Waits],
            Shows::Waiting | Shows::RateAndThreads => &[Quantity::Compared, Quantity::Threads],
            Shows::Latency => &[Quantity::Compared, Quantity::LatencyHigh],
            Shows::Tail => &[Quantity::Compared, Quantity::LatencyMedian],
            Shows::Memory | Shows::WholeAndMemory => &[Quantity::Compared, Quantity::PeakMemory],
            Shows::HeapReturned => &[Quantity::Compared, Quantity::HeapLeft],
            Shows::Time
            | Shows::Curve
            | Shows::Path
            | Shows::Cores
            | Shows::Ramp
            | Shows::Rate
            | Shows::Heap => &[Quantity::Compared],
        };
        let axes = quantities.iter().map(|&quantity| Self {
            card,
            quantity,
            label: label(card, quantity),
        });
        axes.collect()
    }

    /// The figure of a record, if it has one.
    pub(crate) fn point(&self, record: &Record) -> Option<Point> {
        let together = match self.quantity {
            Quantity::Compared => measure(self.card, record),
            Quantity::Switches => switches(record),
            Quantity::Waits => record.ctx_voluntary_per_operation,
            Quantity::Time => record.wall_ns_median,
            Quantity::LatencyMedian => record.latency_ns_p50,
            Quantity::LatencyHigh => record.latency_ns_p99,
            Quantity::PeakMemory => record.rss_peak_bytes.map(|bytes| bytes as f64),
            Quantity::HeapLeft => record.item_heap_left_bytes,
            Quantity::Threads => record.threads_peak.map(|threads| threads as f64),
        };
        // The interval is of the median of the processes, and so is the figure. An older lab did
        // not write down what each of them found.
        let value = median(&self.rounds(record)).or(together);
        // A record without a time failed, or did not take part.
        let value = value.filter(|_| record.wall_ns_median.is_some())? / self.unit();
        let interval = match self.quantity {
            Quantity::Compared => record.spread(self.card.shows),
            _ => spread(&self.rounds(record)),
        };
        let interval = interval.map(|ends| Interval {
            low: ends.low * value,
            high: ends.high * value,
        });
        Some(Point { value, interval })
    }

    /// What each process found.
    fn rounds(&self, record: &Record) -> Vec<f64> {
        let of: fn(&RoundFigures) -> Option<f64> = match self.quantity {
            Quantity::Compared | Quantity::Threads => |_| None,
            Quantity::Switches => RoundFigures::switches,
            Quantity::Waits => |round| round.ctx_voluntary,
            Quantity::Time => |round| Some(round.wall_ns_median),
            Quantity::LatencyMedian => |round| round.latency_ns_p50,
            Quantity::LatencyHigh => |round| round.latency_ns_p99,
            Quantity::PeakMemory => |round| round.rss_peak_bytes,
            Quantity::HeapLeft => |round| round.item_heap_left_bytes,
        };
        record.by_round.iter().filter_map(of).collect()
    }

    /// A figure as text.
    pub(crate) fn text(&self, value: f64) -> String {
        match self.quantity {
            Quantity::Switches | Quantity::Waits | Quantity::Threads => group(value.round() as u64),
            _ => figure(value),
        }
    }

    /// What records are divided by.
    fn unit(&self) -> f64 {
        const MILLION: f64 = 1e6;
        match self.quantity {
            Quantity::Compared => match self.card.shows {
                Shows::Time
                | Shows::Curve
                | Shows::Memory
                | Shows::Rate
                | Shows::RateAndThreads
                | Shows::Heap
                | Shows::HeapReturned => 1.0,
                Shows::Latency | Shows::Tail => 1e3,
                Shows::Rest
                | Shows::Waiting
                | Shows::Path
                | Shows::Handing
                | Shows::Cores
                | Shows::Ramp
                | Shows::WholeAndMemory => MILLION,
            },
            Quantity::Time => MILLION,
            Quantity::LatencyMedian | Quantity::LatencyHigh => 1e3,
            Quantity::PeakMemory => 1_048_576.0,
            Quantity::Switches | Quantity::Waits | Quantity::HeapLeft | Quantity::Threads => 1.0,
        }
    }
}

fn label(card: &WorkloadCard, quantity: Quantity) -> String {
    let item = card.item;
    match quantity {
        Quantity::Compared => match card.shows {
            Shows::Time | Shows::Curve | Shows::Memory | Shows::Rate | Shows::RateAndThreads => {
                format!("ns per {item}")
            }
            Shows::Rest => "processor time, ms".to_owned(),
            Shows::Waiting
            | Shows::Handing
            | Shows::WholeAndMemory
            | Shows::Cores
            | Shows::Path => "time, ms".to_owned(),
            Shows::Ramp => "until the last item began, ms".to_owned(),
            Shows::Latency => "p50 latency, µs".to_owned(),
            Shows::Tail => "p99 latency, µs".to_owned(),
            Shows::Heap | Shows::HeapReturned => format!("bytes of heap per {item}"),
        },
        Quantity::Switches => "context switches".to_owned(),
        Quantity::Waits => "switches to wait".to_owned(),
        Quantity::Time => "time, ms".to_owned(),
        Quantity::LatencyMedian => "p50 latency, µs".to_owned(),
        Quantity::LatencyHigh => "p99 latency, µs".to_owned(),
        Quantity::PeakMemory => "peak of memory, MiB".to_owned(),
        Quantity::HeapLeft => format!("bytes left per {item}"),
        Quantity::Threads => "most threads".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::made_up;
    use crate::registry::{all_workloads, workload};

    #[test]
    fn pipelines_show_switches_with_latency_beside() {
        let card = &workload("triple-pool").unwrap().card;
        let mut record = made_up::record("triple-pool", "drumline", 2, &[4e6, 6e6]);
        record.ctx_voluntary_per_operation = Some(1000.0);
        record.ctx_involuntary_per_operation = Some(234.4);
        record.latency_ns_p99 = Some(7e3);
        for (round, switches) in record.by_round.iter_mut().zip([1000.0, 2000.0]) {
            round.ctx_voluntary = Some(switches);
            round.ctx_involuntary = Some(0.0);
        }
        let axes = Axis::all(card);
        let labels: Vec<_> = axes.iter().map(|axis| axis.label.as_str()).collect();
        let expected = ["context switches", "p99 latency, µs", "time, ms"];
        assert_eq!(labels, expected);
        let points: Vec<_> = axes.iter().map(|axis| axis.point(&record)).collect();
        let texts = axes.iter().zip(&points);
        let texts: Vec<_> = texts
            .map(|(axis, point)| axis.text(point.unwrap().value))
            .collect();
        assert_eq!(texts, ["1,500", "7.00", "5.00"]);
        let ends = points[0].unwrap().interval.unwrap();
        assert!((ends.high / ends.low - 2.0).abs() < 1e-9, "{ends:?}");
        assert_eq!(points[1].unwrap().interval, None);
    }

    #[test]
    fn a_record_without_a_time_has_no_point() {
        for entry in all_workloads() {
            for axis in Axis::all(&entry.card) {
                assert_eq!(axis.point(&Record::default()), None, "{axis:?}");
            }
        }
        let failed = Record {
            threads_peak: Some(4),
            ..Record::default()
        };
        let card = &workload("blocking-dep").unwrap().card;
        assert!(
            Axis::all(card)
                .iter()
                .all(|axis| axis.point(&failed).is_none())
        );
    }
}
