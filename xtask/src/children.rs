//! What the processes have used that this one has started, and waited for.

use std::time::Duration;

/// What was used so far; nothing on a system that does not say it.
#[derive(Debug, Clone, Copy)]
pub struct Used {
    /// How often one of them waited for something.
    pub waits: u64,
    /// The processor time of all of them.
    pub processor_time: Duration,
}

/// What they have used so far.
#[cfg(unix)]
pub fn used() -> Option<Used> {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let micros = |time: nix::sys::time::TimeVal| {
        use nix::sys::time::TimeValLike;
        u64::try_from(time.num_microseconds()).ok()
    };
    let micros = micros(usage.user_time())? + micros(usage.system_time())?;
    Some(Used {
        waits: u64::try_from(usage.voluntary_context_switches()).ok()?,
        processor_time: Duration::from_micros(micros),
    })
}

/// Unknown on this system.
#[cfg(not(unix))]
pub fn used() -> Option<Used> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_process_uses_something() {
        let before = used().unwrap();
        let status = Command::new(std::env::current_exe().unwrap())
            .arg("--list")
            .stdout(std::process::Stdio::null())
            .status()
            .unwrap();
        assert!(status.success());
        let after = used().unwrap();
        assert!(after.processor_time > before.processor_time);
        assert!(after.waits >= before.waits);
    }
}
