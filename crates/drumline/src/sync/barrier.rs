//! The asymmetric barrier: a store-load fence that only one side pays for.
//!
//! Two threads each store to one location and then load the other's. Without
//! fences both loads may miss both stores. With [`light`] between the store
//! and the load of the frequent side, and [`heavy`] between those of the rare
//! side, at least one of the two sees the other's store:
//!
//! ```text
//!   frequent (owner)        rare (thief, searcher)
//!   store A                 store B
//!   light()                 heavy()
//!   load  B                 load  A        never: both loads miss
//! ```
//!
//! Where the operating system has a process-wide barrier
//! (`membarrier(PRIVATE_EXPEDITED)` on Linux, `FlushProcessWriteBuffers` on
//! Windows) `light` is a compiler fence, which costs no instruction, and
//! `heavy` asks the system to run a full fence on every processor that runs a
//! thread of this process. Where it has none, and under Miri or loom, both
//! are sequentially consistent fences.
//!
//! # A system that takes its time
//!
//! The system has to be asked for the barrier in advance. In a process with several threads that
//! takes some ten milliseconds. Pools do not wait for it ([`registration`](super::registration)):
//! meanwhile [`heavy`] returns `false`, as for a barrier that is lost (see the table below). But no
//! owner changes over.
//!
//! # A system that refuses
//!
//! A system may refuse the barrier from the start: an old kernel, a sandbox. [`choose`] asks for
//! each pool that is made. The owners of such a pool run [`fence`] themselves (`pool::deque`,
//! "Fenced deques"), and [`heavy`] is a fence as well.
//!
//! A system may also refuse it later, when a sandbox is entered while pools are in use. The first
//! [`heavy`] that fails makes the barrier *lost*, for this process and for ever. It may be refused
//! to one thread and granted to another, so no thread asks the system again. Owners that push
//! without a fence then change over, each at its next cold step: `pool::deque::handshake` is the
//! protocol. Until an owner has acknowledged, [`heavy`] says nothing about it, and returns
//! `false`. This is what its callers do then:
//!
//! | caller | what it does without the barrier |
//! |---|---|
//! | `Deque::confirm`, a forced steal | takes nothing that the owner has not exposed |
//! | `mark_and_scan`, searcher or monitor | naps and scans until all owners have acknowledged |
//! | `mark_and_scan`, a busy thread | calls the next idle worker, as if it had found work |
//! | `waiting::settle`, which follows runners | naps until the runners have acknowledged |
//! | `wake_flag::settle`, a side of a channel that sleeps | waits for longer than a store needs |
//!
//! The frequent side is `Deque::push` and `pop`, and `Seat::published` after a job was queued; of
//! channels, `WakeFlag::tell` and `RoomFlag::look`, which turn to read-modify-writes; of streams,
//! the thread that pulls from a [held](crate::stream) source.
//!
//! Nothing else relies on it: latches, parkers and gates use read-modify-writes on both sides, the
//! monitor and the idle set decide under a lock.
//!
//! A forked child inherits the registration, and this module's memory: what was lost stays lost.

use super::atomic::{self, Ordering};
#[cfg(not(any(drumline_loom, drumline_shuttle)))]
use super::{Apart, Instant, barrier_sequence::BarrierSequence, thread};
#[cfg(not(drumline_loom))]
use std::time::Duration;

pub(crate) use super::barrier_loss::{is_lost, lose};

/// Whether this build has an asymmetric barrier to ask for at all.
#[cfg(all(
    any(target_os = "linux", windows),
    not(drumline_loom),
    not(drumline_shuttle),
    not(miri),
    not(drumline_fence)
))]
macro_rules! asymmetric {
    ($yes:expr, $no:expr) => {
        $yes
    };
}
#[cfg(not(all(
    any(target_os = "linux", windows),
    not(drumline_loom),
    not(drumline_shuttle),
    not(miri),
    not(drumline_fence)
)))]
macro_rules! asymmetric {
    ($yes:expr, $no:expr) => {
        $no
    };
}

/// How owners of deques order a store before a later load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Barrier {
    /// Owners compile to no fence at all; [`heavy`] is the system's barrier.
    Asymmetric,
    /// Owners must call [`fence`] themselves: the system refused the barrier.
    Refused,
}

/// Asks the system, for each pool that is made, whether [`heavy`] works here.
///
/// The answer may have changed since the last pool. Threads of a pool that begins with a barrier
/// which the system refuses could not take the hidden entries of an owner that computes.
///
/// Builds without an asymmetric barrier answer `Asymmetric` too: there
/// [`light`] is a real fence already, and owners need nothing more.
#[cfg(not(drumline_loom))]
pub(crate) fn choose() -> Barrier {
    asymmetric!(
        if !is_lost() && crate::platform::membarrier::is_known() {
            want()
        } else {
            lose();
            Barrier::Refused
        },
        Barrier::Asymmetric
    )
}

/// As [`choose`], from what this process knows: without a system call, but for the first time.
#[cfg(not(drumline_loom))]
pub(crate) fn want() -> Barrier {
    asymmetric!(
        if !is_lost() && super::registration::begin() {
            Barrier::Asymmetric
        } else {
            lose();
            Barrier::Refused
        },
        Barrier::Asymmetric
    )
}

/// Whether [`heavy`] works here now. `None`: not yet.
#[cfg(not(drumline_loom))]
pub(crate) fn is_there() -> Option<bool> {
    match want() {
        Barrier::Refused => Some(false),
        Barrier::Asymmetric => asymmetric!(super::registration::is_ready(), true).then_some(true),
    }
}

/// Whether [`heavy`] does not work yet: the system has not answered.
#[inline]
pub(crate) fn is_awaited() -> bool {
    #[cfg(all(test, drumline_loom))]
    if super::plant::delays() {
        return !super::planted!(EarlyBarrierCounts);
    }
    asymmetric!(!super::registration::is_over(), false)
}

/// What the owners of new deques have to do in a pool that began with `first`.
pub(crate) fn now(first: Barrier) -> Barrier {
    if is_lost() { Barrier::Refused } else { first }
}

/// Whether [`heavy`] is more than a fence in a pool that began with `first`. (Not in models: a
/// sleep that ends by itself would hide a wake-up that is lost.)
pub(crate) fn is_dear(first: Barrier) -> bool {
    let is_system_call = asymmetric!(cfg!(not(any(drumline_loom, drumline_shuttle))), false);
    is_system_call && first == Barrier::Asymmetric && !is_lost()
}

/// The frequent side: orders earlier stores before later loads, provided that
/// the other side runs [`heavy`] between its own.
#[inline(always)]
pub(crate) fn light() {
    #[cfg(all(test, drumline_loom))]
    if super::plant::refuses() || super::plant::delays() {
        // As on hardware: the owner relies on a barrier that does not come.
        return;
    }
    asymmetric!(
        std::sync::atomic::compiler_fence(Ordering::SeqCst),
        atomic::fence(Ordering::SeqCst)
    );
}

/// A full fence on this thread, for owners of fenced deques.
#[inline]
pub(crate) fn fence() {
    atomic::fence(Ordering::SeqCst);
}

/// The rare side: a full fence on this thread and, where owners run none, on
/// every running thread of the process (about two microseconds). Threads that need it at the same
/// time share one ([`barrier_sequence`](super::barrier_sequence)).
///
/// Returns `false` if the system failed to run it, or has failed before, or has
/// [not registered](super::registration) this process yet; the caller must then
/// behave as if the other side's store might still be in flight, unless the
/// barrier is lost and the other side has acknowledged that. It is a full fence
/// on this thread in every case.
#[must_use]
#[cold]
pub(crate) fn heavy(barrier: Barrier) -> bool {
    // The planted bug of the models and of the hardware stress: the barrier
    // call is deleted.
    if super::planted!(NoHeavyBarrier) || cfg!(drumline_plant) {
        return true;
    }
    #[cfg(all(test, drumline_loom))]
    if super::plant::delays() {
        fence();
        return super::planted!(EarlyBarrierCounts);
    }
    let is_early = barrier == Barrier::Asymmetric
        && !is_lost()
        && asymmetric!(!super::registration::is_ready(), false);
    if is_early {
        // Not there yet, and not lost.
        fence();
        return false;
    }
    let done = barrier == Barrier::Refused || !is_lost() && ask_the_system();
    if !done {
        lose();
    }
    // After a barrier of the system this is one too many, and costs nothing beside it.
    fence();
    done
}

fn ask_the_system() -> bool {
    #[cfg(all(test, drumline_loom))]
    if super::plant::refuses() {
        return false;
    }
    asymmetric!(shared(), true)
}

/// One barrier of the system for all threads that need one now.
#[allow(dead_code, reason = "not every build has an asymmetric barrier")]
#[cfg(not(any(drumline_loom, drumline_shuttle)))]
fn shared() -> bool {
    // All threads that need a barrier write to it, and spin on it.
    static SEQUENCE: Apart<BarrierSequence> = Apart(BarrierSequence::new());
    let start = Instant::now();
    // Two barriers, and as much again for a machine that others use.
    let patience = cost() * 4 + Duration::from_micros(20);
    let process = crate::platform::fork::generation() as usize;
    SEQUENCE.run(
        process.wrapping_add(1).max(1),
        || {
            let waited = start.elapsed();
            if waited > patience / 4 {
                // The thread that is at it may need this processor.
                thread::yield_now();
            }
            waited > patience
        },
        || {
            let start = Instant::now();
            if !system_barrier() {
                lose();
            }
            learn(start.elapsed());
        },
    );
    // The barrier may have been another thread's, and may have failed.
    !is_lost()
}

#[allow(dead_code, reason = "not every build has an asymmetric barrier")]
#[cfg(not(any(drumline_loom, drumline_shuttle)))]
fn system_barrier() -> bool {
    // What the barrier is on a machine with many processors: one lock for all, and slow. For
    // measurements; a forked child may find the lock taken for ever.
    #[cfg(drumline_slow_barrier)]
    {
        static SYSTEM: super::Mutex<()> = super::Mutex::new(());
        let _system = super::lock(&SYSTEM);
        let start = Instant::now();
        while start.elapsed() < Duration::from_micros(15) {
            super::relax();
        }
        return crate::platform::membarrier::heavy();
    }
    #[cfg(not(drumline_slow_barrier))]
    crate::platform::membarrier::heavy()
}

/// What a heavy barrier costs, in nanoseconds: a moving average, because it
/// differs by an order of magnitude between machines (an interrupt to another
/// processor of a virtual machine is slow).
#[cfg(not(drumline_loom))]
static COST: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(2_000);

/// One outlier (the thread lost its processor) must not count for more.
#[allow(dead_code, reason = "not every build has an asymmetric barrier")]
#[cfg(not(drumline_loom))]
const MAX_COST: u32 = 40_000;

/// About how long a heavy barrier takes now.
#[cfg(not(drumline_loom))]
pub(crate) fn cost() -> Duration {
    // Relaxed: an estimate, which publishes nothing.
    Duration::from_nanos(COST.load(Ordering::Relaxed).into())
}

/// Learns how long the system took for a barrier. The wait for a barrier of another thread does not
/// count: it is long where threads compete for processors, and thieves would wait for answers for
/// as long.
#[allow(dead_code, reason = "not every build has an asymmetric barrier")]
#[cfg(not(any(drumline_loom, drumline_shuttle)))]
fn learn(took: Duration) {
    let took = u32::try_from(took.as_nanos()).unwrap_or(MAX_COST);
    // Relaxed, and not atomic as a whole: an estimate.
    let average = COST.load(Ordering::Relaxed);
    let average = average - average / 8 + took.min(MAX_COST) / 8;
    COST.store(average, Ordering::Relaxed);
}
