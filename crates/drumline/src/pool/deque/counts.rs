//! How often things have happened at one deque, counted by the thread that holds its lock.

use crate::sync::{Count, Stopwatch};

/// Beside the lock, on the lines that its holder has written anyway.
#[derive(Debug, Default)]
pub(crate) struct DequeCounts {
    /// A thief got the lock.
    pub(crate) thief_locks: Count,
    /// The owner got the lock.
    pub(crate) owner_locks: Count,
    /// A thief took an entry that was exposed already.
    pub(crate) exposed: Count,
    /// A thief took an entry that the owner had exposed for it.
    pub(crate) asked: Count,
    /// A thief took an entry by force.
    pub(crate) forced: Count,
    /// A thief had seen an entry, and there was none to take.
    pub(crate) missed: Count,
    /// A thief ran the heavy barrier.
    pub(crate) barriers: Count,
    /// From a taking by force to the owner's next look.
    pub(crate) unanswered: Stopwatch,
}
