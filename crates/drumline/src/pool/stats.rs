//! What a pool has done so far, in numbers.

use std::fmt;

use super::handle::Pool;
use super::registry::Registry;

/// What a pool is and has done: a snapshot, made by [`Pool::stats`].
///
/// The counts only grow, from the making of the pool on (on 32-bit systems they
/// wrap around at 2³²). They are kept per thread, by the thread itself, and
/// summed when somebody asks; so counts of what goes on meanwhile may be a
/// little behind, and counts of what has happened before a call that the asking
/// thread waited for are exact.
///
/// ```
/// let pool = drumline::Pool::builder().jobs(1).build()?;
/// let before = pool.stats();
/// pool.join(|| 1, || 2);
/// let after = pool.stats();
/// assert_eq!(after.steals - before.steals, 0, "there was nobody to help");
/// println!("{after}");
/// # Ok::<(), drumline::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// How many threads may run user code at once, now.
    pub jobs: usize,
    /// How many threads the pool has now, asleep or not. Guests are not
    /// counted.
    pub threads: usize,
    /// How many threads, guests included, are blocked now: in
    /// [`blocking`](crate::blocking), or waiting for something outside of this
    /// pool.
    pub blocked: usize,
    /// How many jobs are visible now to whoever looks for work: pending halves
    /// of joins, and tasks that nobody has begun. A task that its joiner took
    /// back may be counted until somebody passes by its place in the queue.
    pub queue_depth: usize,
    /// How often a thread ran what another one had pending.
    pub steals: u64,
    /// How often a thread went to sleep until somebody would wake it. The short
    /// naps before that are not counted.
    pub parks: u64,
    /// How often a thread was woken from such a sleep.
    pub wakes: u64,
    /// How often a thread that found work saw more than it could take, and
    /// called the next one in line.
    pub beats: u64,
    /// How often a thread blocked: entered [`blocking`](crate::blocking), or
    /// waited for something outside of this pool.
    pub blocks: u64,
    /// How often a spare thread took the place of one that blocked.
    pub spares: u64,
    /// How often the system refused a thread for the place of one that blocked.
    pub refusals: u64,
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stats {
            jobs,
            threads,
            blocked,
            queue_depth,
            steals,
            parks,
            wakes,
            beats,
            blocks,
            spares,
            refusals,
        } = self;
        write!(
            f,
            "now: jobs {jobs}, threads {threads}, blocked {blocked}, queued {queue_depth}; so far: \
             steals {steals}, parks {parks}, wakes {wakes}, beats {beats}, blocks {blocks}, \
             spares {spares}, refusals {refusals}"
        )
    }
}

impl Registry {
    pub(crate) fn stats(&self) -> Stats {
        let mut stats = Stats {
            jobs: self.jobs(),
            threads: self.threads(),
            blocked: 0,
            queue_depth: self.injector().len(),
            steals: 0,
            parks: 0,
            wakes: 0,
            beats: 0,
            blocks: 0,
            spares: 0,
            refusals: self.recruiter().refused(),
        };
        for seat in self.seats() {
            stats.blocked += usize::from(seat.is_blocked());
            stats.queue_depth += seat.visible() + seat.inbox().len();
            let counters = seat.counters();
            stats.steals += counters.steals();
            stats.parks += counters.parks();
            stats.wakes += counters.wakes();
            stats.beats += counters.beats();
            stats.blocks += counters.blocks();
            stats.spares += counters.spares();
        }
        stats
    }
}

impl Pool {
    /// What this pool is and has done so far.
    ///
    /// Takes a look at every thread of the pool, so it costs some time: for a
    /// page of figures, not for decisions in a loop. The counting itself costs
    /// nothing where work is forked and joined.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(1).guests(false).build()?;
    /// pool.spawn(|| ()).join().unwrap();
    /// let stats = pool.stats();
    /// assert_eq!((stats.jobs, stats.threads), (1, 1));
    /// assert_eq!((stats.steals, stats.queue_depth), (0, 0));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn stats(&self) -> Stats {
        self.registry().forbid_fork();
        self.registry().stats()
    }
}
