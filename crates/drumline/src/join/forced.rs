//! A scheduler for tests of loops: on one thread, and with every decision drawn from a seed.
//!
//! Which offers are taken, and when, depends on other threads. Here a sequence of random numbers
//! decides it, so that a loop is split, resumed and reduced in all the ways there are. A way that
//! fails can be had again.

use std::cell::Cell;

use super::published_split::{OwnPart, SplitWatch};
use crate::job::{Header, JobRef};
use crate::pool;
use crate::unwind::{self, Payload};

thread_local! {
    /// The state of the sequence; 0 if nothing is forced.
    static STATE: Cell<u64> = const { Cell::new(0) };
    /// How many offers have been taken, since the seed was set.
    static TAKEN: Cell<usize> = const { Cell::new(0) };
}

/// Runs `op` with all loops on this thread forced, as `seed` says.
pub(crate) fn with_seed<R>(seed: u64, op: impl FnOnce() -> R) -> R {
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            STATE.set(0);
        }
    }
    let _reset = Reset;
    // An odd factor: no seed gives 0, which would stand for "nothing is forced".
    STATE.set((seed.wrapping_mul(2) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    TAKEN.set(0);
    op()
}

/// How many offers have been taken so far, inside of [`with_seed`].
pub(crate) fn taken() -> usize {
    TAKEN.get()
}

/// Another part was taken.
pub(crate) fn count_taken() {
    TAKEN.set(TAKEN.get() + 1);
}

/// Whether loops are forced on this thread.
pub(crate) fn is_active() -> bool {
    STATE.get() != 0
}

/// The next number below `end`; xorshift64 (Marsaglia 2003).
pub(crate) fn below(end: u64) -> u64 {
    let mut state = STATE.get();
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    STATE.set(state);
    (state >> 33) % end
}

/// Takes the place of a push and its pop: draws whether and when the job is taken. Returns what
/// came of `own`, and whether the job is back; if not, it has been run, and `own` is closed.
///
/// # Safety
///
/// The job stays where it is. Neither it nor `own` has been run.
pub(super) unsafe fn run_and_pop(
    own: &mut dyn OwnPart,
    job: *const Header,
) -> (Result<(), Payload>, bool) {
    let decision = below(4);
    let mut next = None;
    TAKEN.set(TAKEN.get() + usize::from(decision > 1));
    let notices = match decision {
        // It comes back.
        0 | 1 => false,
        // It is taken at once, and done before anything else.
        2 => {
            // SAFETY: the job is alive, and run only here.
            unsafe { Header::run(job) };
            next = pool::take_next();
            if below(2) == 0 {
                run(next.take());
            }
            true
        }
        // It is taken while `own` runs, which may or may not notice.
        _ => below(2) == 0,
    };
    let watch = SplitWatch::Forced(notices, (decision == 2).then_some(job));
    let mut caught = unwind::catch(|| own.run(watch));
    if decision < 2 {
        return (caught, true);
    }
    if caught.is_ok() {
        caught = unwind::catch(|| own.close());
    }
    if decision > 2 {
        // SAFETY: the job is alive, and run only here.
        unsafe { Header::run(job) };
        next = pool::take_next();
    }
    run(next);
    (caught, false)
}

/// Runs what a job has left.
fn run(next: Option<JobRef>) {
    if let Some(job) = next {
        // SAFETY: taken from where the job has put it, and run only here.
        unsafe { job.run() };
    }
}
