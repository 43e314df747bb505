//! The size of a process: threads, resident memory, moves between cores. Linux only; elsewhere
//! every answer is `None`.

use serde::{Deserialize, Serialize};

/// Threads and resident memory at one moment.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Size {
    /// Threads that exist.
    pub threads: u64,
    /// Resident memory.
    pub rss_bytes: u64,
}

/// The size of this process.
pub fn size() -> Option<Size> {
    Watched::this().and_then(|watched| watched.size())
}

/// The highest resident memory that the kernel saw in this process.
#[cfg(target_os = "linux")]
pub fn rss_peak_bytes() -> Option<u64> {
    let status = procfs::process::Process::myself().ok()?.status().ok()?;
    Some(status.vmhwm? * 1024)
}

/// The highest resident memory that the kernel saw in one child of those that have ended and that
/// were waited for, or in one of such children of theirs. A child has that of this process until
/// its program begins, so the answer is at least that.
#[cfg(unix)]
pub fn children_rss_peak_bytes() -> Option<u64> {
    use nix::sys::resource::{UsageWho, getrusage};
    // Apple's systems count bytes, and others KiB.
    let unit = if cfg!(target_vendor = "apple") {
        1
    } else {
        1024
    };
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    Some(u64::try_from(usage.max_rss()).ok()? * unit)
}

/// The highest resident memory that the kernel saw in this process.
#[cfg(not(target_os = "linux"))]
pub fn rss_peak_bytes() -> Option<u64> {
    None
}

/// How often the threads that live now have moved from core to core; only where the kernel was
/// built to tell.
#[cfg(target_os = "linux")]
pub fn migrations() -> Option<u64> {
    let mut total = 0;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let Ok(text) = std::fs::read_to_string(task.ok()?.path().join("sched")) else {
            return None;
        };
        total += migrations_in(&text)?;
    }
    Some(total)
}

/// How often the threads that live now have moved from core to core: unknown on this system.
#[cfg(not(target_os = "linux"))]
pub fn migrations() -> Option<u64> {
    None
}

#[cfg(any(target_os = "linux", test))]
fn migrations_in(sched: &str) -> Option<u64> {
    let line = sched
        .lines()
        .find(|line| line.starts_with("se.nr_migrations"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

/// A process that is looked at again and again, from outside.
#[derive(Debug)]
pub struct Watched {
    #[cfg(target_os = "linux")]
    process: procfs::process::Process,
}

impl Watched {
    /// This process.
    pub fn this() -> Option<Self> {
        Self::new(std::process::id())
    }

    /// The process with this number.
    #[cfg(target_os = "linux")]
    pub fn new(id: u32) -> Option<Self> {
        let process = procfs::process::Process::new(i32::try_from(id).ok()?).ok()?;
        Some(Self { process })
    }

    /// The process with this number: cannot be looked at on this system.
    #[cfg(not(target_os = "linux"))]
    pub fn new(_id: u32) -> Option<Self> {
        None
    }

    /// Its size now.
    #[cfg(target_os = "linux")]
    pub fn size(&self) -> Option<Size> {
        let stat = self.process.stat().ok()?;
        Some(Size {
            threads: u64::try_from(stat.num_threads).ok()?,
            rss_bytes: stat.rss * page_bytes()?,
        })
    }

    /// Its size now: unknown on this system.
    #[cfg(not(target_os = "linux"))]
    pub fn size(&self) -> Option<Size> {
        None
    }

    /// Its processor time so far, all threads, in ticks of the kernel.
    #[cfg(target_os = "linux")]
    pub fn ticks(&self) -> Option<u64> {
        let stat = self.process.stat().ok()?;
        Some(stat.utime + stat.stime)
    }

    /// Whether it has ended, and was not waited for.
    #[cfg(target_os = "linux")]
    pub fn has_ended(&self) -> Option<bool> {
        Some(self.process.stat().ok()?.state == 'Z')
    }

    /// Whether it has ended: unknown on this system.
    #[cfg(not(target_os = "linux"))]
    pub fn has_ended(&self) -> Option<bool> {
        None
    }

    /// Whether one of its threads runs, or waits for a processor.
    #[cfg(target_os = "linux")]
    pub fn is_runnable(&self) -> Option<bool> {
        let tasks = self.process.tasks().ok()?;
        // A thread that has ended meanwhile does not run.
        let mut states = tasks.filter_map(|task| Some(task.ok()?.stat().ok()?.state));
        Some(states.any(|state| state == 'R'))
    }

    /// Whether one of its threads runs: unknown on this system.
    #[cfg(not(target_os = "linux"))]
    pub fn is_runnable(&self) -> Option<bool> {
        None
    }

    /// Its processor time so far: unknown on this system.
    #[cfg(not(target_os = "linux"))]
    pub fn ticks(&self) -> Option<u64> {
        None
    }
}

/// Asked from the C library: the way of `procfs` does not work under valgrind, where the lab must
/// run too.
#[cfg(target_os = "linux")]
fn page_bytes() -> Option<u64> {
    use nix::unistd::{SysconfVar, sysconf};
    u64::try_from(sysconf(SysconfVar::PAGE_SIZE).ok()??).ok()
}

/// Total and available memory of the machine.
#[cfg(target_os = "linux")]
pub fn memory() -> Option<(u64, Option<u64>)> {
    use procfs::Current;
    let info = procfs::Meminfo::current().ok()?;
    Some((info.mem_total, info.mem_available))
}

/// Total and available memory of the machine: unknown on this system.
#[cfg(not(target_os = "linux"))]
pub fn memory() -> Option<(u64, Option<u64>)> {
    None
}

/// The load of the machine: tasks that ran or waited to run, in the mean over about a minute.
#[cfg(target_os = "linux")]
pub fn load() -> Option<f64> {
    use procfs::Current;
    Some(f64::from(procfs::LoadAverage::current().ok()?.one))
}

/// The load of the machine: unknown on this system.
#[cfg(not(target_os = "linux"))]
pub fn load() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_are_read_from_the_kernel_text() {
        let text = "cat (1, #threads: 1)\nse.nr_migrations   :    17\nnr_switches : 3\n";
        assert_eq!(migrations_in(text), Some(17));
        assert_eq!(migrations_in("nr_switches : 3\n"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_a_size() {
        let size = size().unwrap();
        assert!(size.threads >= 1);
        assert!(size.rss_bytes > 0);
        assert!(rss_peak_bytes().unwrap() > 0);
    }
}
