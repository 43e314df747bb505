//! The answers of the idle set: which thread to wake, what role to take.

/// What the caller has to do, after the lock is released.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// Nothing.
    None,
    /// Wake the worker with this seat number: the new searcher, the monitor, or one that helps.
    One(usize),
    /// Wake every worker: the pool is over.
    All,
    /// Start a further worker, a spare. If that fails, call
    /// [`worker_not_started`](super::IdleSet::worker_not_started).
    StartWorker,
    /// Mark, run the barrier, scan, and [`summon`](super::IdleSet::summon) if the scan finds
    /// something. The idle set is empty, so no worker could do it.
    Mark,
    /// Warn that a further worker is needed and that the limit permits none.
    ThreadLimit,
    /// Warn that all threads that the limit permits have places or block, so that none is the
    /// monitor. Those that are known to block have been replaced.
    NoMonitor,
}

/// Why a thread that is inside is not active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    /// It blocks, on something that is not the pool's business.
    Blocks,
    /// It waits for work of this pool, which other threads do.
    Waits,
    /// The same, and it would run any job that it is woken for.
    Steals,
}

/// What an idle worker does next.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is the searcher.
    Search,
    /// It is the monitor.
    Monitor,
    /// It sleeps until it is woken.
    Sleep,
    /// It was called to help, and has a place: it says that it has [woken](super::IdleSet::woken).
    Called,
    /// It has a place, and looks for work without the role of the searcher.
    Work,
    /// Its thread ends.
    Exit,
}

/// How a searcher's wish to take work ended.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TakeOutcome {
    /// It is active now. With `mark`, it must mark, run the barrier, scan, and
    /// summon if the scan finds something, before it begins.
    Active { wake: Wake, mark: bool },
    /// All places are taken.
    NoPlace,
    /// The places that are free belong to this many threads that only wait: a spare should leave
    /// them alone for a while.
    Reserved { waiting: usize },
    /// A worker with a lower number is the searcher now.
    Deposed,
}

/// How a searcher's wish to sleep ended.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParkStep {
    /// Mark, barrier, scan; then `unpark` if something was found, or sleep.
    Mark,
    /// Sleep: no place is free, or another worker searches.
    Sleep,
    /// Not yet: the idle set needs a searcher, and it is this worker.
    Search,
    /// No place is free, and it is the monitor now.
    Monitor,
    /// The thread ends; wake the others.
    Exit(Wake),
}

/// What the monitor does next.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duty {
    /// It looks after the active threads, and naps.
    Stay,
    /// It is the monitor no longer, and sleeps. With `mark`, it marks, runs the
    /// barrier, scans, and summons if the scan finds something, before.
    Leave { mark: bool },
    /// It has another role.
    Other(Role),
}
