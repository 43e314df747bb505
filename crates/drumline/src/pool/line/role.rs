//! What the line tells those who ask it.

/// What the caller has to do, after the lock is released.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// Nothing.
    Nobody,
    /// Wake the worker with this seat number: the new lookout, or the monitor.
    One(usize),
    /// Wake every worker: the pool is over.
    All,
    /// Start a further worker, a spare; if that fails, say so
    /// ([`unhire`](super::Line::unhire)).
    Recruit,
    /// Mark, barrier, scan; [`summon`](super::Line::summon) if the scan finds
    /// something. There is nobody in line who could do it.
    Mark,
    /// Tell that a further worker is needed, and that there may be none.
    Limit,
}

/// Why a thread that is inside is not active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    /// It blocks, on something that is not the pool's business.
    Blocks,
    /// It waits for work of this pool, which others do.
    Waits,
    /// The same, and it would run any job that it is woken for.
    Steals,
}

/// What an idle worker does next.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is the lookout.
    Watch,
    /// It is the monitor.
    Monitor,
    /// It sleeps until it is woken.
    Sleep,
    /// Its thread ends.
    Exit,
}

/// How a lookout's wish to take work ended.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Take {
    /// It is active now. With `mark`, it must mark, run the barrier, scan, and
    /// summon if the scan finds something, before it begins.
    Active { wake: Wake, mark: bool },
    /// All places are taken.
    NoPlace,
    /// The places that are free belong to so many threads that only wait: a
    /// spare should think it over.
    Reserved { waiting: usize },
    /// Somebody before it in line watches now.
    Deposed,
}

/// How a lookout's wish to sleep ended.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doze {
    /// Mark, barrier, scan; then `rise` if something was found, or sleep.
    Mark,
    /// Sleep: no place is free, or another lookout watches.
    Sleep,
    /// Not yet: the line needs a lookout, and it is this worker.
    Watch,
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
