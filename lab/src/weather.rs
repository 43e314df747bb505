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

/// The machine's clocks at one moment, all processors together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    busy: u64,
    idle: u64,
    stolen: u64,
    /// What the children of this process used that have been waited for.
    children: u64,
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
            children: u64::try_from(children).ok()?,
        })
    }

    /// Unknown on this system.
    #[cfg(not(target_os = "linux"))]
    pub fn now() -> Option<Self> {
        None
    }
}

impl Weather {
    /// Between two moments. Before the second one, the process between them has been waited for.
    pub fn between(before: Option<Clocks>, after: Option<Clocks>) -> Self {
        let (Some(before), Some(after)) = (before, after) else {
            return Self::default();
        };
        let busy = after.busy.saturating_sub(before.busy);
        let stolen = after.stolen.saturating_sub(before.stolen);
        let all = busy + stolen + after.idle.saturating_sub(before.idle);
        // The clocks tick a hundred times a second: of fewer than some ticks they say nothing.
        if all < TICKS_MIN {
            return Self::default();
        }
        let own = after.children.saturating_sub(before.children);
        let part = |ticks: u64| Some(ticks as f64 / all as f64);
        Self {
            stolen: part(stolen),
            others: part(busy.saturating_sub(own)),
        }
    }
}

/// The fewest ticks of which a share is computed.
const TICKS_MIN: u64 = 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks(busy: u64, idle: u64, stolen: u64, children: u64) -> Option<Clocks> {
        Some(Clocks {
            busy,
            idle,
            stolen,
            children,
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
    #[cfg(target_os = "linux")]
    fn this_machine_has_clocks() {
        let before = Clocks::now().unwrap();
        let after = Clocks::now().unwrap();
        assert!(after.idle >= before.idle && after.busy >= before.busy);
    }
}
