//! What the process has used so far, or its children, as the kernel counts it.

use serde::{Deserialize, Serialize};

/// Running totals of a process, all threads together. `None` where the system does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Processor time. More precise than the sum of the next two.
    pub cpu_ns: Option<u64>,
    /// Processor time in the program.
    pub user_ns: Option<u64>,
    /// Processor time in the kernel.
    pub system_ns: Option<u64>,
    /// Context switches because a thread waited.
    pub ctx_voluntary: Option<u64>,
    /// Context switches because a thread had to make room.
    pub ctx_involuntary: Option<u64>,
    /// Page faults without input or output.
    pub faults_minor: Option<u64>,
    /// Page faults with input or output.
    pub faults_major: Option<u64>,
}

impl Usage {
    /// The totals of this process now.
    #[cfg(unix)]
    pub fn now() -> Self {
        use nix::sys::resource::{UsageWho, getrusage};
        use nix::sys::time::TimeValLike;
        use nix::time::{ClockId, clock_gettime};

        let cpu_ns = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
            .ok()
            .map(|time| time.num_nanoseconds().unsigned_abs());
        let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else {
            return Self {
                cpu_ns,
                ..Self::default()
            };
        };
        Self {
            cpu_ns,
            ..Self::from(&usage)
        }
    }

    /// The totals of this process now: unknown on this system.
    #[cfg(not(unix))]
    pub fn now() -> Self {
        Self::default()
    }

    /// What was used since `earlier`.
    pub fn since(&self, earlier: &Self) -> Self {
        self.combine(earlier, u64::saturating_sub)
    }

    /// Two stretches together; unknown plus known is unknown.
    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a + b)
    }

    fn combine(&self, other: &Self, operate: impl Fn(u64, u64) -> u64) -> Self {
        let both = |a: Option<u64>, b: Option<u64>| Some(operate(a?, b?));
        Self {
            cpu_ns: both(self.cpu_ns, other.cpu_ns),
            user_ns: both(self.user_ns, other.user_ns),
            system_ns: both(self.system_ns, other.system_ns),
            ctx_voluntary: both(self.ctx_voluntary, other.ctx_voluntary),
            ctx_involuntary: both(self.ctx_involuntary, other.ctx_involuntary),
            faults_minor: both(self.faults_minor, other.faults_minor),
            faults_major: both(self.faults_major, other.faults_major),
        }
    }
}

/// All but the sum of the two times, which the kernel has in microseconds here.
#[cfg(unix)]
impl From<&nix::sys::resource::Usage> for Usage {
    fn from(usage: &nix::sys::resource::Usage) -> Self {
        use nix::sys::time::TimeValLike;

        let count = |number: std::ffi::c_long| u64::try_from(number).ok();
        Self {
            cpu_ns: None,
            user_ns: Some(usage.user_time().num_microseconds().unsigned_abs() * 1000),
            system_ns: Some(usage.system_time().num_microseconds().unsigned_abs() * 1000),
            ctx_voluntary: count(usage.voluntary_context_switches()),
            ctx_involuntary: count(usage.involuntary_context_switches()),
            faults_minor: count(usage.minor_page_faults()),
            faults_major: count(usage.major_page_faults()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_stays_unknown() {
        let known = Usage {
            cpu_ns: Some(5),
            ..Usage::default()
        };
        assert_eq!(known.plus(&known).cpu_ns, Some(10));
        assert_eq!(known.plus(&Usage::default()).cpu_ns, None);
        assert_eq!(known.since(&known).cpu_ns, Some(0));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn sleeping_is_a_voluntary_switch() {
        let before = Usage::now();
        std::thread::sleep(std::time::Duration::from_millis(2));
        let used = Usage::now().since(&before);
        assert!(used.ctx_voluntary.unwrap() >= 1);
    }
}
