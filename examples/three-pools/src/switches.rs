//! How often the system has switched the threads of this process.

use std::ffi::c_long;
use std::fmt;

/// Context switches, of all threads together.
#[derive(Clone, Copy, Debug)]
pub struct Switches {
    /// A thread went to sleep.
    voluntary: c_long,
    /// Another thread got its core.
    involuntary: c_long,
}

impl Switches {
    /// Since the process began; `None` where the system does not say.
    #[cfg(unix)]
    pub fn so_far() -> Option<Self> {
        use nix::sys::resource::{UsageWho, getrusage};

        let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
        Some(Switches {
            voluntary: usage.voluntary_context_switches(),
            involuntary: usage.involuntary_context_switches(),
        })
    }

    /// Since the process began; `None` where the system does not say.
    #[cfg(not(unix))]
    pub fn so_far() -> Option<Self> {
        None
    }

    /// What has come since then.
    pub fn since(self, before: Self) -> Self {
        Switches {
            voluntary: self.voluntary - before.voluntary,
            involuntary: self.involuntary - before.involuntary,
        }
    }
}

impl fmt::Display for Switches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Switches {
            voluntary,
            involuntary,
        } = self;
        write!(f, "{voluntary} voluntary, {involuntary} involuntary")
    }
}
