//! How many songs can be in flight with the files that a program can have open.

#[cfg(unix)]
use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};

#[cfg(unix)]
use super::songs::warn;

/// The files that are open besides those of songs in flight and of jobs, which each read a song:
/// the standard ones, and those of the runtime.
#[cfg(unix)]
const OTHERS: usize = 24;

/// As many files as a program may have open that has few otherwise.
#[cfg(unix)]
const ENOUGH: rlim_t = 1 << 16;

/// Raises the program's own limit of open files, 1,024 mostly, as far as the system lets it, and as
/// is of use: also for files that the program has from the one that started it.
pub fn raise_limit() {
    #[cfg(unix)]
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let raised = hard.min(ENOUGH);
        if raised > soft {
            // Some systems take less than they say. The limit is what it was then.
            let _ = setrlimit(Resource::RLIMIT_NOFILE, raised, hard);
        }
    }
}

/// How many of the `wanted` songs can be in flight. Each has a file open, and more files than the
/// system lets a program have would be failures of their songs.
pub fn in_flight(wanted: usize, jobs: usize) -> usize {
    #[cfg(unix)]
    {
        let Ok((limit, _)) = getrlimit(Resource::RLIMIT_NOFILE) else {
            return wanted;
        };
        let possible = most(limit, jobs);
        if possible < wanted {
            warn(&format!(
                "{possible} songs are in flight, and not {wanted}: the system lets a program have \
                 {limit} files open (`ulimit -n` changes that)"
            ));
            return possible;
        }
    }
    let _ = jobs;
    wanted
}

/// The most songs in flight with this number of open files, whose type is not the same on all
/// systems: one at least.
#[cfg(unix)]
fn most(limit: rlim_t, jobs: usize) -> usize {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    limit.saturating_sub(jobs.saturating_add(OTHERS)).max(1)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn files_are_left_for_the_rest_of_the_program() {
        assert_eq!(most(1_024, 4), 996);
        assert_eq!(most(20, 4), 1);
    }
}
