//! Energy of the processor packages, from the counters of `intel-rapl` where they can be read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The counters of all packages at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Energy {
    packages: BTreeMap<PathBuf, Package>,
}

/// One counter and the value at which it starts again from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Package {
    microjoules: u64,
    range: u64,
}

impl Energy {
    /// Reads all counters; there may be none.
    pub fn read() -> Self {
        Self::read_from(Path::new("/sys/class/powercap"))
    }

    fn read_from(directory: &Path) -> Self {
        let mut packages = BTreeMap::new();
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(number) = name
                .to_str()
                .and_then(|name| name.strip_prefix("intel-rapl:"))
            else {
                continue;
            };
            // `intel-rapl:0:1` is a part of `intel-rapl:0`.
            if number.contains(':') {
                continue;
            }
            let path = entry.path();
            // A zone of the whole platform (`psys`) may stand beside those of its packages.
            let zone = fs::read_to_string(path.join("name")).unwrap_or_default();
            if !zone.starts_with("package") {
                continue;
            }
            let read = |file| -> Option<u64> {
                fs::read_to_string(path.join(file))
                    .ok()?
                    .trim()
                    .parse()
                    .ok()
            };
            if let (Some(microjoules), Some(range)) =
                (read("energy_uj"), read("max_energy_range_uj"))
            {
                packages.insert(path.clone(), Package { microjoules, range });
            }
        }
        Self { packages }
    }

    /// What was used until `later`; `None` if no counter could be read both times.
    pub fn joules_until(&self, later: &Self) -> Option<f64> {
        let mut total = None;
        for (path, before) in &self.packages {
            let after = later.packages.get(path)?;
            let used = if after.microjoules >= before.microjoules {
                after.microjoules - before.microjoules
            } else {
                (before.range - before.microjoules) + after.microjoules
            };
            *total.get_or_insert(0.0) += used as f64 / 1e6;
        }
        total
    }
}

/// Energy over a long time, in which a counter may start again from zero more than once: at a
/// kilowatt some do so each minute. So it is looked at in between.
#[derive(Clone, Debug)]
pub struct EnergyMeter {
    last: Energy,
    /// What was used up to the last look; `None` once a counter could not be read.
    joules: Option<f64>,
}

impl EnergyMeter {
    /// A meter that begins now.
    pub fn start() -> Self {
        Self::from(Energy::read())
    }

    fn from(first: Energy) -> Self {
        Self {
            last: first,
            joules: Some(0.0),
        }
    }

    /// Takes in what was used since the last look. Called at least as often as a counter starts
    /// again.
    pub fn look(&mut self) {
        self.advance(Energy::read());
    }

    fn advance(&mut self, now: Energy) {
        let used = self.last.joules_until(&now);
        self.joules = self.joules.zip(used).map(|(before, used)| before + used);
        self.last = now;
    }

    /// What was used from the start until now; `None` if the machine does not say.
    pub fn finish(mut self) -> Option<f64> {
        self.look();
        self.joules
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(microjoules: u64) -> Energy {
        let package = Package {
            microjoules,
            range: 10_000_000,
        };
        Energy {
            packages: [(PathBuf::from("p"), package)].into(),
        }
    }

    #[test]
    fn a_counter_that_wrapped_is_not_negative() {
        assert_eq!(at(1_000_000).joules_until(&at(3_000_000)), Some(2.0));
        assert_eq!(at(9_000_000).joules_until(&at(1_000_000)), Some(2.0));
    }

    #[test]
    fn a_meter_counts_on_when_a_counter_wraps_again_and_again() {
        let mut meter = EnergyMeter::from(at(9_000_000));
        for microjoules in [8_000_000, 7_000_000, 7_000_000, 6_000_000] {
            meter.advance(at(microjoules));
        }
        // Three times once around, less one joule.
        assert_eq!(meter.joules, Some(27.0));
        meter.advance(Energy::default());
        meter.advance(at(1));
        assert_eq!(meter.joules, None);
        let mut none = EnergyMeter::from(Energy::default());
        none.advance(Energy::default());
        assert_eq!(none.joules, None);
    }

    #[test]
    fn no_counter_is_not_zero() {
        let none = Energy::default();
        assert_eq!(none.joules_until(&none), None);
        assert_eq!(at(1).joules_until(&none), None);
    }

    #[test]
    fn parts_of_packages_are_not_counted_twice() {
        let directory = tempfile::tempdir().unwrap();
        for (name, zone, value) in [
            ("intel-rapl:0", "package-0\n", "5"),
            ("intel-rapl:0:0", "core\n", "7"),
            ("intel-rapl:1", "psys\n", "9"),
            ("dtpm", "package-0\n", "1"),
        ] {
            let path = directory.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("name"), zone).unwrap();
            fs::write(path.join("energy_uj"), value).unwrap();
            fs::write(path.join("max_energy_range_uj"), "100\n").unwrap();
        }
        let packages = Energy::read_from(directory.path()).packages;
        let counters: Vec<u64> = packages
            .values()
            .map(|package| package.microjoules)
            .collect();
        assert_eq!(counters, [5]);
    }
}
