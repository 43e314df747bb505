//! What the columns of published tables tell, how it is found in a record, and how it is written.

use serde::Deserialize;

use crate::columns::switches_mean;
use crate::figure::figure;
use crate::record::Record;

/// What a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Nanoseconds per item, in the mean of all samples.
    ItemNs,
    /// Processor time of an operation, in milliseconds.
    CpuMs,
    /// Context switches of an operation, of both kinds.
    Switches,
    /// Moves from processor to processor in an operation.
    Migrations,
    /// Items per second.
    ItemsPerSecond,
    /// Millions of items per second.
    MillionsPerSecond,
    /// Wall time of an operation, in seconds.
    Seconds,
    /// The same, as the geometric mean of all rounds.
    GeometricSeconds,
    /// Peak of resident memory.
    PeakMemory,
    /// The share of the time that is saved against another runtime, in per cent.
    Saved,
}

impl Quantity {
    /// What a record says; `None` if it does not. `against` is the record of another runtime, which
    /// only [`Quantity::Saved`] looks at.
    pub fn of(self, record: &Record, against: Option<&Record>) -> Option<f64> {
        let rate = || Some(1e9 / record.item_ns_median?);
        match self {
            Self::ItemNs => Some(record.wall_ns_mean? / record.items? as f64),
            Self::CpuMs => Some(record.cpu_ns_mean? / 1e6),
            Self::Switches => switches_mean(record),
            Self::Migrations => Some(record.migrations? as f64 / record.operations? as f64),
            Self::ItemsPerSecond => rate(),
            Self::MillionsPerSecond => Some(rate()? / 1e6),
            Self::Seconds => Some(record.wall_ns_median? / 1e9),
            Self::GeometricSeconds => Some(record.wall_ns_geomean? / 1e9),
            Self::PeakMemory => Some(record.rss_peak_bytes? as f64),
            Self::Saved => {
                let ratio = record.wall_ns_median? / against?.wall_ns_median?;
                Some((1.0 - ratio) * 100.0)
            }
        }
    }

    /// A figure in the form of those that were published.
    pub fn text(self, number: f64) -> String {
        const MIB: f64 = 1_048_576.0;
        match self {
            Self::ItemNs
            | Self::CpuMs
            | Self::Seconds
            | Self::GeometricSeconds
            | Self::ItemsPerSecond => figure(number),
            Self::Switches | Self::Migrations => crate::workload::group(number.round() as u64),
            Self::MillionsPerSecond => format!("{} M", figure(number)),
            Self::PeakMemory if number >= 1024.0 * MIB => {
                format!("{} GiB", figure(number / (1024.0 * MIB)))
            }
            Self::PeakMemory => format!("{} MiB", figure(number / MIB)),
            Self::Saved => format!("{number:.1} %"),
        }
    }
}

/// The number of a published figure, whatever its unit; `None` if it is none.
pub fn value(text: &str) -> Option<f64> {
    let number = text.split(' ').next()?.replace(',', "");
    number
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::made_up;

    #[test]
    fn a_record_says_what_its_columns_need() {
        let mut record = made_up::record("triple-pool", "drumline", 2, &[2e9]);
        let nothing = Record::default();
        let all = [
            (Quantity::ItemNs, "300,000,000"),
            (Quantity::CpuMs, "3,000"),
            (Quantity::Switches, "1,235"),
            (Quantity::Migrations, "4"),
            (Quantity::ItemsPerSecond, "5.00"),
            (Quantity::MillionsPerSecond, "0.00 M"),
            (Quantity::Seconds, "2.00"),
            (Quantity::GeometricSeconds, "2.00"),
            (Quantity::PeakMemory, "113 MiB"),
            (Quantity::Saved, "-100.0 %"),
        ];
        record.wall_ns_mean = Some(3e9);
        record.wall_ns_geomean = Some(2e9);
        record.items = Some(10);
        record.item_ns_median = Some(2e8);
        record.cpu_ns_mean = Some(3e9);
        record.ctx_voluntary_per_operation = Some(1200.0);
        record.ctx_involuntary_per_operation = Some(34.6);
        (record.migrations, record.operations) = (Some(8), Some(2));
        record.rss_peak_bytes = Some(113 << 20);
        let other = made_up::record("triple-pool", "crossbeam", 2, &[1e9]);
        for (quantity, text) in all {
            let number = quantity.of(&record, Some(&other)).unwrap();
            assert_eq!(quantity.text(number), text, "{quantity:?}");
            assert_eq!(quantity.of(&nothing, Some(&other)), None, "{quantity:?}");
        }
        assert_eq!(Quantity::Saved.of(&record, None), None);
        let large = Quantity::PeakMemory.text(13.9 * 1024.0 * 1_048_576.0);
        assert_eq!(large, "13.9 GiB");
    }

    #[test]
    fn published_figures_have_a_number() {
        assert_eq!(value("4,393,010"), Some(4_393_010.0));
        assert_eq!(value("13.9 GiB"), Some(13.9));
        for nonsense in ["", "fast", "inf", "1.2.3"] {
            assert_eq!(value(nonsense), None, "{nonsense}");
        }
    }
}
