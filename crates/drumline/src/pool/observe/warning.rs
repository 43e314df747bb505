//! What a pool tells when something did not go as asked.

use std::fmt;
use std::io;

/// Something that makes a pool smaller than asked, or slower than it could be,
/// but not unusable.
///
/// Passed to the hook set with
/// [`PoolBuilder::warning_handler`](crate::PoolBuilder::warning_handler);
/// and, as an [`Event`](crate::Event), to that of
/// [`PoolBuilder::event_handler`](crate::PoolBuilder::event_handler). With
/// neither it is printed to standard error, unless it is a panic, which the
/// panic hook prints.
///
/// ```
/// use drumline::Warning;
///
/// let builder = drumline::Pool::builder().warning_handler(|warning| match warning {
///     Warning::ThreadNotCreated { have, wanted, .. } => {
///         eprintln!("{have} threads will have to do the work of {wanted}");
///     }
///     other => eprintln!("{other}"),
/// });
/// # drop(builder);
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Warning {
    /// The system, or the program's own [spawner](crate::PoolBuilder::spawn_handler), refused to
    /// create a thread for one of the jobs.
    #[non_exhaustive]
    ThreadNotCreated {
        /// How many worker threads the pool has instead.
        have: usize,
        /// How many it was asked to have.
        wanted: usize,
        /// Why the system refused.
        error: io::Error,
    },
    /// The system refused a thread for the place of one that blocks. Told once for each time that
    /// the pool has work; [`Stats::refusals`](crate::Stats::refusals) counts them all.
    #[non_exhaustive]
    SpareNotCreated {
        /// How many threads the pool has.
        have: usize,
        /// How many threads the system has refused since the last such warning.
        refusals: u64,
        /// Why the system refused.
        error: io::Error,
    },
    /// A [name](crate::PoolBuilder::thread_name) has a NUL byte, which no system allows. The thread
    /// has the default name.
    #[non_exhaustive]
    NameNotUsed {
        /// The thread.
        index: usize,
        /// The name.
        name: String,
    },
    /// Threads are blocked that cannot be replaced: the pool has as many as
    /// [`max_threads`](crate::PoolBuilder::max_threads) allows.
    #[non_exhaustive]
    LimitReached {
        /// How many threads the pool may have.
        limit: usize,
        /// How many threads are blocked, guests included.
        blocked: usize,
        /// The names of those. A guest has no name here, and goes by its number.
        workers: Vec<String>,
    },
    /// The threads that are blocked have been replaced, but the pool has now as many as
    /// [`max_threads`](crate::PoolBuilder::max_threads) allows, and all others are at work. No
    /// thread is left to notice a further one that blocks without [a word](crate::blocking): its
    /// place would stay empty, and there would be no other warning.
    #[non_exhaustive]
    NoMonitor {
        /// How many threads the pool may have.
        limit: usize,
        /// How many threads are blocked, guests included.
        blocked: usize,
        /// The names of those. A guest has no name here, and goes by its number.
        workers: Vec<String>,
    },
    /// A detached task, or a handler, panicked, and there is no
    /// [panic handler](crate::PoolBuilder::panic_handler) (or that panicked itself).
    ///
    /// Never printed to standard error by Drumline: that is what the panic hook
    /// does. A panic hook may be silent, though, and none runs for
    /// [`resume_unwind`](std::panic::resume_unwind); whether one has spoken
    /// cannot be known.
    #[non_exhaustive]
    PanicLost {
        /// What the panic said, if its payload is a text.
        message: Option<String>,
        /// How many panics were lost so far, with this one.
        lost: usize,
    },
}

impl Warning {
    /// Whether standard error gets it where no handler does.
    pub(crate) fn is_printed(&self) -> bool {
        // The panic hook has printed it.
        !matches!(self, Warning::PanicLost { .. })
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::ThreadNotCreated {
                have,
                wanted,
                error,
            } => say_not_created(f, *have, *wanted, error),
            Warning::SpareNotCreated {
                have,
                refusals,
                error,
            } => say_no_spare(f, *have, *refusals, error),
            Warning::NameNotUsed { index, name } => say_name(f, *index, name),
            Warning::LimitReached {
                limit,
                blocked,
                workers,
            } => say_limit(f, *limit, *blocked, workers),
            Warning::NoMonitor {
                limit,
                blocked,
                workers,
            } => say_no_monitor(f, *limit, *blocked, workers),
            Warning::PanicLost { message, lost } => say_lost(f, message.as_deref(), *lost),
        }
    }
}

pub(crate) fn say_not_created(
    f: &mut fmt::Formatter<'_>,
    have: usize,
    wanted: usize,
    error: &io::Error,
) -> fmt::Result {
    write!(
        f,
        "a worker thread could not be created ({error}); the pool goes on with {have} of the \
         {wanted} for its jobs (raise the limit on threads, or ask for fewer jobs)"
    )
}

pub(crate) fn say_no_spare(
    f: &mut fmt::Formatter<'_>,
    have: usize,
    refusals: u64,
    error: &io::Error,
) -> fmt::Result {
    write!(
        f,
        "a thread for the place of a blocked one could not be created ({error}; refused so far: \
         {refusals}); the pool goes on with its {have} threads (raise the limit on threads, or let \
         fewer tasks block at once)"
    )
}

pub(crate) fn say_name(f: &mut fmt::Formatter<'_>, index: usize, name: &str) -> fmt::Result {
    write!(
        f,
        "the name {name:?} for thread {index} has a NUL byte and is not used; leave that byte out"
    )
}

pub(crate) fn say_lost(
    f: &mut fmt::Formatter<'_>,
    message: Option<&str>,
    lost: usize,
) -> fmt::Result {
    let message = message.unwrap_or("its payload is no text");
    write!(
        f,
        "a detached task or a handler panicked, and the pool has no panic handler to tell: \
         {message} (number {lost} of its kind)"
    )
}

/// How many threads are named; the rest is only counted.
const NAMED: usize = 8;

pub(crate) fn say_limit(
    f: &mut fmt::Formatter<'_>,
    limit: usize,
    blocked: usize,
    workers: &[String],
) -> fmt::Result {
    write!(
        f,
        "the pool has {limit} threads, as many as it may, and cannot replace those that are \
         blocked: {blocked}"
    )?;
    say_names(f, workers)?;
    f.write_str("; raise max_threads, or look at what these threads wait for")
}

pub(crate) fn say_no_monitor(
    f: &mut fmt::Formatter<'_>,
    limit: usize,
    blocked: usize,
    workers: &[String],
) -> fmt::Result {
    write!(
        f,
        "the pool has replaced the threads that are blocked: {blocked}"
    )?;
    say_names(f, workers)?;
    write!(
        f,
        "; but with {limit} threads, as many as it may have, none is left to notice the next one \
         that blocks without a word (raise max_threads, or announce with drumline::blocking what \
         blocks)"
    )
}

/// The names of blocked threads, after their number.
fn say_names(f: &mut fmt::Formatter<'_>, workers: &[String]) -> fmt::Result {
    for (index, name) in workers.iter().take(NAMED).enumerate() {
        let before = if index == 0 { " (" } else { ", " };
        write!(f, "{before}{name}")?;
    }
    match workers.len() {
        0 => Ok(()),
        1..=NAMED => f.write_str(")"),
        many => write!(f, " and {} more)", many - NAMED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(blocked: usize) -> String {
        let workers = (0..blocked).map(|index| format!("w{index}")).collect();
        let warning = Warning::LimitReached {
            limit: 20,
            blocked,
            workers,
        };
        warning.to_string()
    }

    #[test]
    fn without_a_monitor_the_blocked_threads_are_replaced() {
        let warning = Warning::NoMonitor {
            limit: 20,
            blocked: 2,
            workers: vec!["w0".to_owned(), "w1".to_owned()],
        };
        let said = warning.to_string();
        assert!(
            said.contains("has replaced the threads that are blocked: 2 (w0, w1); but with 20")
        );
        assert!(!said.contains("cannot replace"), "{said}");
    }

    #[test]
    fn the_limit_names_some_threads_and_counts_the_rest() {
        assert!(said(0).contains("blocked: 0; raise"), "{}", said(0));
        assert!(said(2).contains("blocked: 2 (w0, w1); raise max_threads"));
        assert!(said(8).contains("w6, w7); raise"));
        assert!(said(11).contains("w6, w7 and 3 more); raise"));
    }
}
