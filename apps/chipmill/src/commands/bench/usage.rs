//! What the process has used so far.

use serde::{Deserialize, Serialize};

/// Running totals of all threads. `None` where the system does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Processor time in the program, in nanoseconds.
    pub user_ns: Option<u64>,
    /// Processor time in the kernel, in nanoseconds.
    pub system_ns: Option<u64>,
    /// Both.
    pub cpu_ns: Option<u64>,
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
    /// The totals now.
    #[cfg(unix)]
    pub fn now() -> Self {
        use nix::sys::resource::{UsageWho, getrusage};
        use nix::sys::time::TimeValLike;

        let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else {
            return Self::default();
        };
        let count = |number: std::ffi::c_long| u64::try_from(number).ok();
        let user = usage.user_time().num_microseconds().unsigned_abs() * 1000;
        let system = usage.system_time().num_microseconds().unsigned_abs() * 1000;
        Self {
            user_ns: Some(user),
            system_ns: Some(system),
            cpu_ns: Some(user + system),
            ctx_voluntary: count(usage.voluntary_context_switches()),
            ctx_involuntary: count(usage.involuntary_context_switches()),
            faults_minor: count(usage.minor_page_faults()),
            faults_major: count(usage.major_page_faults()),
        }
    }

    /// The totals now: unknown on this system.
    #[cfg(not(unix))]
    pub fn now() -> Self {
        Self::default()
    }

    /// What was used since `earlier`.
    pub fn since(&self, earlier: &Self) -> Self {
        self.combine(earlier, u64::saturating_sub)
    }

    /// What two used together; unknown and known is unknown.
    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, u64::saturating_add)
    }

    fn combine(&self, other: &Self, operate: impl Fn(u64, u64) -> u64) -> Self {
        let both = |a: Option<u64>, b: Option<u64>| Some(operate(a?, b?));
        Self {
            user_ns: both(self.user_ns, other.user_ns),
            system_ns: both(self.system_ns, other.system_ns),
            cpu_ns: both(self.cpu_ns, other.cpu_ns),
            ctx_voluntary: both(self.ctx_voluntary, other.ctx_voluntary),
            ctx_involuntary: both(self.ctx_involuntary, other.ctx_involuntary),
            faults_minor: both(self.faults_minor, other.faults_minor),
            faults_major: both(self.faults_major, other.faults_major),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn the_totals_grow() {
        let before = Usage::now();
        std::thread::yield_now();
        let after = Usage::now();
        assert!(after.user_ns >= before.user_ns && before.user_ns.is_some());
        assert_eq!(before.plus(&after.since(&before)), after);
    }

    #[test]
    fn unknown_and_known_is_unknown() {
        let known = Usage {
            cpu_ns: Some(2),
            ..Usage::default()
        };
        assert_eq!(known.plus(&known).cpu_ns, Some(4));
        assert_eq!(known.plus(&Usage::default()).cpu_ns, None);
    }
}
