//! What else the machine does while a process measures: how much of it others use.
//!
//! Looked at from outside, before and after each measuring process. A virtual machine's processors
//! are lent; what its host takes back is *stolen* time. What other programs of this machine use is
//! what all processors were busy with, less what the measured process used itself.

use serde::{Deserialize, Serialize};

/// Shares of the machine's processor time, 0 to 1; `null` where the system does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Weather {
    /// Taken by the host.
    pub stolen: Option<f64>,
    /// Used by other programs.
    pub others: Option<f64>,
}

/// The machine's clocks, all processors together: at one moment, or what passed between two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    busy: u64,
    idle: u64,
    stolen: u64,
    /// What the children of this process used that have been waited for, and what was added to
    /// that.
    own: u64,
}

impl Clocks {
    /// Now.
    #[cfg(target_os = "linux")]
    pub fn now() -> Option<Self> {
        use procfs::CurrentSI;
        let total = procfs::KernelStats::current().ok()?.total;
        let stat = procfs::process::Process::myself().ok()?.stat().ok()?;
        let children = stat.cutime.checked_add(stat.cstime)?;
        Some(Self {
            // What guests of this machine use is in `user` and `nice` already.
            busy: total.user
                + total.nice
                + total.system
                + total.irq.unwrap_or(0)
                + total.softirq.unwrap_or(0),
            idle: total.idle + total.iowait.unwrap_or(0),
            stolen: total.steal.unwrap_or(0),
            own: u64::try_from(children).ok()?,
        })
    }

    /// Unknown on this system.
    #[cfg(not(target_os = "linux"))]
    pub fn now() -> Option<Self> {
        None
    }

    /// The same moment, when processes that are not children used this number of ticks of
    /// what is measured.
    pub fn with_own(self, ticks: u64) -> Self {
        Self {
            own: self.own.saturating_add(ticks),
            ..self
        }
    }

    /// What passed since an earlier moment. Between the two, the measured process has been waited
    /// for.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            busy: self.busy.saturating_sub(earlier.busy),
            idle: self.idle.saturating_sub(earlier.idle),
            stolen: self.stolen.saturating_sub(earlier.stolen),
            own: self.own.saturating_sub(earlier.own),
        }
    }

    /// Two stretches of time together.
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            busy: self.busy.saturating_add(other.busy),
            idle: self.idle.saturating_add(other.idle),
            stolen: self.stolen.saturating_add(other.stolen),
            own: self.own.saturating_add(other.own),
        }
    }
}

impl Weather {
    /// Between two moments. Before the second one, the process between them has been waited for.
    pub fn between(before: Option<Clocks>, after: Option<Clocks>) -> Self {
        let passed = before.zip(after);
        passed.map_or_else(Self::default, |(before, after)| {
            Self::of(&after.since(&before))
        })
    }

    /// Of a stretch of time, or of several together.
    pub fn of(passed: &Clocks) -> Self {
        let all = passed.busy.saturating_add(passed.stolen);
        let all = all.saturating_add(passed.idle);
        // The clocks tick a hundred times a second: of fewer than some ticks they say nothing.
        if all < TICKS_MIN {
            return Self::default();
        }
        let part = |ticks: u64| Some(ticks as f64 / all as f64);
        Self {
            stolen: part(passed.stolen),
            others: part(passed.busy.saturating_sub(passed.own)),
        }
    }
}

/// The fewest ticks of which a share is computed.
const TICKS_MIN: u64 = 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks(busy: u64, idle: u64, stolen: u64, own: u64) -> Option<Clocks> {
        Some(Clocks {
            busy,
            idle,
            stolen,
            own,
        })
    }

    #[test]
    fn shares_are_of_what_passed() {
        let weather = Weather::between(clocks(100, 50, 0, 10), clocks(160, 80, 10, 40));
        assert_eq!(weather.stolen, Some(0.1));
        assert_eq!(weather.others, Some(0.3));
    }

    #[test]
    fn the_child_may_have_ticked_more_than_the_machine() {
        let weather = Weather::between(clocks(0, 0, 0, 0), clocks(10, 10, 0, 11));
        assert_eq!(weather.others, Some(0.0));
    }

    #[test]
    fn a_moment_has_no_weather() {
        assert_eq!(
            Weather::between(clocks(1, 1, 1, 1), clocks(2, 2, 2, 2)),
            Weather::default()
        );
        assert_eq!(
            Weather::between(None, clocks(9, 9, 9, 9)),
            Weather::default()
        );
    }

    #[test]
    fn moments_together_have_a_weather() {
        // A millisecond or two each: most see no tick of what others use.
        let moments = [(0, 1, 0), (1, 1, 1), (1, 2, 0), (1, 3, 0)];
        let mut all = Clocks::default();
        for (busy, idle, own) in moments {
            let passed = clocks(busy, idle, 0, own).unwrap();
            assert_eq!(Weather::of(&passed), Weather::default());
            all = all.plus(&passed);
        }
        let weather = Weather::of(&all);
        assert_eq!((weather.stolen, weather.others), (Some(0.0), Some(0.2)));
    }

    #[test]
    fn what_orphans_use_is_not_of_others() {
        let before = clocks(0, 0, 0, 0).unwrap();
        let after = clocks(10, 10, 0, 4).unwrap().with_own(5);
        let weather = Weather::of(&after.since(&before));
        assert_eq!(weather.others, Some(0.05));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_has_clocks() {
        let before = Clocks::now().unwrap();
        let after = Clocks::now().unwrap();
        assert!(after.idle >= before.idle && after.busy >= before.busy);
    }
}
