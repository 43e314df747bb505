//! How many threads this process may have.

use super::known::KnownNumber;

/// The smallest of the limits on threads that hold for this process, or `None` where the system has
/// none or does not tell.
///
/// The limits are shared: with the user's other processes, with the control group, with the whole
/// system. Some of it is in use already.
pub(crate) fn threads() -> Option<usize> {
    static THREADS: KnownNumber = KnownNumber::new();
    THREADS.get_or_find(imp::threads)
}

/// How many threads this process may have by its memory mappings, or `None` where the system has no
/// limit or does not tell.
pub(crate) fn mapped() -> Option<usize> {
    static MAPPED: KnownNumber = KnownNumber::new();
    MAPPED.get_or_find(imp::mapped)
}

#[cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]
mod imp {
    use std::fs;
    use std::path::Path;

    /// A thread has two stacks, of which each is a mapping with a guard, and the slots of its
    /// deque. Two sevenths are left to the program.
    const MAPPINGS: usize = 7;

    pub(super) fn mapped() -> Option<usize> {
        Some(number(Path::new("/proc/sys/vm/max_map_count"))? / MAPPINGS)
    }

    pub(super) fn threads() -> Option<usize> {
        let system = ["threads-max", "pid_max"]
            .map(|file| number(&Path::new("/proc/sys/kernel").join(file)));
        let limits = system.into_iter().chain([of_user(), of_group()]);
        limits.flatten().min()
    }

    /// `RLIMIT_NPROC`: on Linux it counts threads, of the user and not of the process.
    fn of_user() -> Option<usize> {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: `limit` is exclusively borrowed and has the type asked for; nothing is set.
        let answer = unsafe { libc::getrlimit(libc::RLIMIT_NPROC, &raw mut limit) };
        if answer != 0 || limit.rlim_cur == libc::RLIM_INFINITY {
            return None;
        }
        usize::try_from(limit.rlim_cur).ok()
    }

    /// The limit of the control group (version 2) that this process is in, or of one around it.
    fn of_group() -> Option<usize> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
        let root = Path::new("/sys/fs/cgroup");
        let around = Path::new(own).ancestors();
        // The word "max", which is no number, is no limit.
        around
            .filter_map(|group| number(&root.join(group).join("pids.max")))
            .min()
    }

    fn number(file: &Path) -> Option<usize> {
        fs::read_to_string(file).ok()?.trim().parse().ok()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_system_has_a_limit() {
            let most = number(Path::new("/proc/sys/kernel/threads-max"));
            let room = threads();
            assert!(room >= Some(1), "{room:?}");
            assert!(most.is_none() || room <= most, "{room:?} of {most:?}");
        }

        #[test]
        fn mappings_are_a_limit() {
            if let Some(most) = mapped() {
                assert!(most >= 1, "{most}");
            }
        }

        #[test]
        fn a_limit_for_the_user_counts() {
            if let Some(user) = of_user() {
                assert!(threads() <= Some(user));
            }
        }
    }
}

#[cfg(any(miri, not(any(target_os = "linux", target_os = "android"))))]
mod imp {
    pub(super) fn threads() -> Option<usize> {
        None
    }

    pub(super) fn mapped() -> Option<usize> {
        None
    }
}
