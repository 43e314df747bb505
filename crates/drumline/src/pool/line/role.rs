//! What the line tells those who ask it.

/// Whom the caller has to wake, after the lock is released.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// Nobody.
    Nobody,
    /// The worker with this seat number, the new lookout.
    One(usize),
    /// Every worker: the pool is over.
    All,
}

/// What an idle worker does next.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is the lookout.
    Watch,
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
    /// The thread ends; wake the others.
    Exit(Wake),
}
