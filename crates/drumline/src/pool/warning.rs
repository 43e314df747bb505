//! What a pool tells when something did not go as asked.

use std::fmt;
use std::io;

/// Something that makes a pool smaller than asked, but not unusable.
///
/// Passed to the hook set with
/// [`PoolBuilder::warning_handler`](crate::PoolBuilder::warning_handler);
/// without a hook it is printed to standard error.
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
    /// The system refused to create a thread.
    #[non_exhaustive]
    ThreadNotCreated {
        /// How many threads the pool has instead.
        have: usize,
        /// How many it was asked to have.
        wanted: usize,
        /// Why the system refused.
        error: io::Error,
    },
    /// Threads block, work is waiting, and there may be no further thread.
    #[non_exhaustive]
    LimitReached {
        /// How many threads there may be.
        limit: usize,
        /// How many of them block or wait.
        blocked: usize,
        /// The names of those that block.
        workers: Vec<String>,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::ThreadNotCreated {
                have,
                wanted,
                error,
            } => write!(
                f,
                "a worker thread could not be created ({error}); the pool goes on with {have} of \
                 {wanted} (raise the limit on threads, or ask for fewer jobs)"
            ),
            Warning::LimitReached {
                limit,
                blocked,
                workers,
            } => write!(
                f,
                "{blocked} threads of a pool block while work is waiting, and there may be no more \
                 than {limit} threads; look at what these wait for, or raise `max_threads`: {}",
                workers.join(", ")
            ),
        }
    }
}
