//! The asymmetric barrier: a store-load fence that only one side pays for.
//!
//! Two threads each store to one location and then load the other's. Without
//! fences both loads may miss both stores. With [`light`] between the store
//! and the load of the frequent side, and [`heavy`] between those of the rare
//! side, at least one of the two sees the other's store:
//!
//! ```text
//!   frequent (owner)        rare (thief, lookout)
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
//! A system may *refuse* the barrier at run time (an old kernel, a sandbox).
//! [`choose`] asks once; pools then make their owners use [`fence`] themselves
//! (see `pool::deque`, "Fenced deques"), and [`heavy`] is a fence as well.

use super::atomic::{self, Ordering};

/// Whether this build has an asymmetric barrier to ask for at all.
#[cfg(all(
    any(target_os = "linux", windows),
    not(loom),
    not(shuttle),
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
    not(loom),
    not(shuttle),
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

/// Asks the system, once per process, whether [`heavy`] works here.
///
/// Builds without an asymmetric barrier answer `Asymmetric` too: there
/// [`light`] is a real fence already, and owners need nothing more.
#[cfg(not(loom))]
pub(crate) fn choose() -> Barrier {
    asymmetric!(
        if crate::platform::membarrier::register() {
            Barrier::Asymmetric
        } else {
            Barrier::Refused
        },
        Barrier::Asymmetric
    )
}

/// The frequent side: orders earlier stores before later loads, provided that
/// the other side runs [`heavy`] between its own.
#[inline(always)]
pub(crate) fn light() {
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
/// every running thread of the process (about two microseconds).
///
/// Returns `false` if the system failed to run it; the caller must then
/// behave as if the other side's store might still be in flight.
#[must_use]
#[cold]
pub(crate) fn heavy(barrier: Barrier) -> bool {
    // The planted bug of the models and of the hardware stress: the barrier
    // call is deleted.
    if super::planted!(NoHeavyBarrier) || cfg!(drumline_plant) {
        return true;
    }
    match barrier {
        Barrier::Asymmetric => asymmetric!(timed(crate::platform::membarrier::heavy), {
            fence();
            true
        }),
        Barrier::Refused => {
            fence();
            true
        }
    }
}

/// What a heavy barrier costs, in nanoseconds: a moving average, because it
/// differs by an order of magnitude between machines (an interrupt to another
/// processor of a virtual machine is slow).
#[cfg(not(loom))]
static COST: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(2_000);

/// One outlier (the thread lost its processor) must not count for more.
#[cfg(not(loom))]
const MAX_COST: u32 = 40_000;

/// About how long a heavy barrier takes now.
#[cfg(not(loom))]
pub(crate) fn cost() -> std::time::Duration {
    std::time::Duration::from_nanos(COST.load(Ordering::Relaxed).into())
}

#[allow(dead_code, reason = "not every build has an asymmetric barrier")]
#[cfg(not(loom))]
fn timed(barrier: impl FnOnce() -> bool) -> bool {
    let start = super::Instant::now();
    let done = barrier();
    let took = u32::try_from(start.elapsed().as_nanos()).unwrap_or(MAX_COST);
    let average = COST.load(Ordering::Relaxed);
    // Relaxed, and not atomic as a whole: an estimate.
    let average = average - average / 8 + took.min(MAX_COST) / 8;
    COST.store(average, Ordering::Relaxed);
    done
}
