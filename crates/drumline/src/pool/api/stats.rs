//! What a pool has done so far, in numbers.

use std::fmt;
use std::time::Duration;

use super::handle::Pool;
use crate::pool::deque::Deque;
use crate::pool::observe::counters::Counters;
use crate::pool::shared::registry::Registry;

/// What a pool is and has done: a snapshot, made by [`Pool::stats`].
///
/// The counts only grow, from the making of the pool on (on 32-bit systems they wrap around at
/// 2³²). Each thread keeps its own counts, and [`Pool::stats`] sums them. So a count of what goes
/// on meanwhile may be a little behind. A count of what happened before a call that the asking
/// thread waited for is exact.
///
/// ```
/// let pool = drumline::Pool::builder().jobs(1).build()?;
/// let before = pool.stats();
/// pool.join(|| 1, || 2);
/// let after = pool.stats();
/// assert_eq!(after.steals - before.steals, 0, "there was no thread to help");
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
    /// How many jobs are visible now to a thread that looks for work: pending halves of joins, and
    /// tasks that no thread has begun. A task that its joiner took back may be counted until a
    /// thread passes by its place in the queue.
    pub queue_depth: usize,
    /// How often a thread ran what another one had pending.
    pub steals: u64,
    /// How often a thread went to sleep until another thread would wake it. The short naps before
    /// that are not counted.
    pub parks: u64,
    /// How often a thread was woken from such a sleep.
    pub wakes: u64,
    /// How often a thread that found work saw more than it could take, and
    /// called the next idle worker.
    pub beats: u64,
    /// How often a thread blocked: entered [`blocking`](crate::blocking), or
    /// waited for something outside of this pool.
    pub blocks: u64,
    /// How often a spare thread took the place of one that blocked.
    pub spares: u64,
    /// How often the system refused a thread for the place of one that blocked.
    pub refusals: u64,
    /// How often an idle worker was called to look for work, mostly out of its sleep.
    ///
    /// `wakes` also has the threads that waited for a result. A call costs the caller a system
    /// call and the worker a context switch. Many calls per piece of work say that the work
    /// comes in pieces too small, or too far apart, for the workers to stay awake.
    pub calls: u64,
    /// The longest chain of calls: a worker called by a worker that had itself been called, and
    /// that since the pool was last at rest.
    ///
    /// Each link costs the time of a wake-up, so the last worker begins no earlier than this
    /// number of wake-ups after the first. A number near that of the jobs says that they were
    /// called one by one.
    pub call_depth: usize,
    /// How often a thread marked every other one, so that the next piece of work there calls a
    /// worker, and looked everywhere once more.
    ///
    /// A mark goes to each seat of the pool, and runs a barrier. A high number says that threads
    /// often fall asleep, or that work comes in single pieces.
    pub marks: u64,
    /// How often the heavy barrier was run for this pool: for marks, for claims by force, and
    /// before a thread that waits goes to sleep.
    ///
    /// On Linux and Windows each is a system call that interrupts every running thread of the
    /// process. A high number per second costs all of them. Where the system refuses the barrier
    /// it is a fence on the calling thread, and cheap.
    pub barriers: u64,
    /// How often a thread took a pending half of a join, or of a loop, that lay ready to be
    /// taken: the cheapest way.
    pub claims_ready: u64,
    /// How often a thread asked another one for a half, and that one handed it out at its next
    /// look, within about a microsecond.
    pub claims_asked: u64,
    /// How often a thread took a half with a barrier, because its owner had not answered: it was
    /// in a long piece of work.
    pub claims_forced: u64,
    /// How often a thread saw a half, and there was nothing to take when it had got hold of the
    /// place: the owner, or another thread, was faster.
    ///
    /// Most of these have cost a barrier. A high number says that the halves are too short to be
    /// taken.
    pub claims_missed: u64,
    /// How often a thread found another one at work where it wanted to take a half, and went on.
    ///
    /// A high number says that many threads have few places to take from.
    pub claims_busy: u64,
    /// How often a half that had been taken went back to its owner, which was done with its own
    /// half before the other thread had begun.
    pub claims_returned: u64,
    /// How often the lock of the idle set was taken. The idle set says which threads work, which
    /// ones search and which ones sleep.
    ///
    /// The pool has one of these. It is taken a few times for each call, each sleep and each call
    /// from outside.
    pub idle_set_locks: u64,
    /// How often a thread took the lock of another thread's pending halves.
    pub thief_locks: u64,
    /// How often a thread took the lock of its own pending halves: to hand one out, or because
    /// another thread had got hold of one.
    pub owner_locks: u64,
    /// How often the lock of a queue of spawned jobs was taken. Each job that a thread of the pool
    /// spawns takes one at least twice, and a job from outside at least once.
    pub queue_locks: u64,
    /// How often the lock of a scope was taken, by the last job, a job that panicked, or the thread
    /// that waits.
    pub scope_locks: u64,
    /// How often a thread that looked for work slept for a short time: what it saw belongs to a
    /// thread that it leaves alone for a while, because that thread's jobs are short, or waits for
    /// a place that is not for it.
    pub naps: u64,
    /// How many of the naps lasted to their end and left something undone: when the thread was
    /// back, some other job of the pool was waiting for a thread.
    ///
    /// Such a job has waited for up to a nap, which is no longer than a millisecond.
    pub late_naps: u64,
    /// How often a future was polled.
    pub polls: u64,
    /// How often a job woke a task of its pool that its own worker was to run next.
    ///
    /// An idle thread may have taken the task from that worker all the same.
    pub hand_offs: u64,
    /// The longest time from a claim by force to the next look of the thread that was robbed: at
    /// its next fork, at the next look of its loop, or when it came back for what was taken. 0 if
    /// there was no such claim.
    ///
    /// During that time, other threads could take nothing from that thread without a barrier. The
    /// measurement costs nothing while no thread asks in vain.
    pub longest_silence: Duration,
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
            calls,
            call_depth,
            marks,
            barriers,
            claims_ready,
            claims_asked,
            claims_forced,
            claims_missed,
            claims_busy,
            claims_returned,
            idle_set_locks,
            thief_locks,
            owner_locks,
            queue_locks,
            scope_locks,
            naps,
            late_naps,
            polls,
            hand_offs,
            longest_silence,
        } = self;
        write!(
            f,
            "now: jobs {jobs}, threads {threads}, blocked {blocked}, queued {queue_depth}; so far: \
             steals {steals}, parks {parks}, wakes {wakes}, beats {beats}, blocks {blocks}, \
             spares {spares}, refusals {refusals}; \
             calls {calls} ({call_depth} deep), marks {marks}, barriers {barriers}; \
             claims: ready {claims_ready}, asked {claims_asked}, forced {claims_forced}, \
             missed {claims_missed}, busy {claims_busy}, returned {claims_returned}; \
             locks: idle set {idle_set_locks}, thieves {thief_locks}, owners {owner_locks}, \
             queues {queue_locks}, scopes {scope_locks}; naps {naps} ({late_naps} late); \
             polls {polls}, hand-offs {hand_offs}; \
             longest silence {longest_silence:?}"
        )
    }
}

impl Stats {
    /// Of a pool that has done nothing.
    fn zero() -> Self {
        Stats {
            jobs: 0,
            threads: 0,
            blocked: 0,
            queue_depth: 0,
            steals: 0,
            parks: 0,
            wakes: 0,
            beats: 0,
            blocks: 0,
            spares: 0,
            refusals: 0,
            calls: 0,
            call_depth: 0,
            marks: 0,
            barriers: 0,
            claims_ready: 0,
            claims_asked: 0,
            claims_forced: 0,
            claims_missed: 0,
            claims_busy: 0,
            claims_returned: 0,
            idle_set_locks: 0,
            thief_locks: 0,
            owner_locks: 0,
            queue_locks: 0,
            scope_locks: 0,
            naps: 0,
            late_naps: 0,
            polls: 0,
            hand_offs: 0,
            longest_silence: Duration::ZERO,
        }
    }

    /// Adds what the occupants of one seat have counted, or threads without a seat.
    fn add_counters(&mut self, counters: &Counters) {
        self.steals += counters.steals.get();
        self.parks += counters.parks.get();
        self.wakes += counters.wakes.get();
        self.beats += counters.beats.get();
        self.blocks += counters.blocks.get();
        self.spares += counters.spares.get();
        self.calls += counters.calls.get();
        self.call_depth = self.call_depth.max(counters.deepest.get());
        self.marks += counters.marks.get();
        self.barriers += counters.barriers.get();
        self.claims_busy += counters.busy.get();
        self.claims_returned += counters.returned.get();
        self.scope_locks += counters.scope_locks.get();
        self.naps += counters.naps.get();
        self.late_naps += counters.late_naps.get();
        self.polls += counters.polls.get();
        self.hand_offs += counters.hand_offs.get();
    }

    /// Adds what has been counted at a deque, by thieves and by its owner.
    fn add_deque(&mut self, deque: &Deque) {
        let counts = deque.counts();
        self.barriers += counts.barriers.get();
        self.claims_ready += counts.exposed.get();
        self.claims_asked += counts.asked.get();
        self.claims_forced += counts.forced.get();
        self.claims_missed += counts.missed.get();
        self.thief_locks += counts.thief_locks.get();
        self.owner_locks += counts.owner_locks.get();
        self.longest_silence = self.longest_silence.max(counts.unanswered.longest());
    }
}

impl Registry {
    pub(crate) fn stats(&self) -> Stats {
        let mut stats = Stats {
            jobs: self.jobs(),
            threads: self.threads(),
            queue_depth: self.injector().len(),
            refusals: self.thread_requests().refused(),
            idle_set_locks: self.idle_set().locks(),
            queue_locks: self.injector().locks() + self.long_lived().locks(),
            ..Stats::zero()
        };
        stats.add_counters(self.outsiders());
        for seat in self.seats() {
            stats.blocked += usize::from(seat.is_blocked());
            stats.queue_depth += seat.visible() + seat.inbox().len();
            stats.queue_depth += usize::from(seat.hand_off().is_full());
            stats.queue_locks += seat.queue().locks() + seat.inbox().locks();
            stats.add_counters(seat.counters());
            seat.deques().for_each(|deque| stats.add_deque(deque));
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
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.registry().forbid_fork();
        self.registry().stats()
    }
}
