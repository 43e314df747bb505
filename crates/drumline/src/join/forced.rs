//! A scheduler for tests of loops: on one thread, and with every decision drawn from a seed.
//!
//! Which offers are taken, and when, depends on other threads. Here a sequence of random numbers decides it, so
//! that a loop is split, resumed and reduced in all the ways there are, and a way that fails can be had again.

use std::cell::Cell;

use super::{Fate, Settled, Watch};

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

/// An [`offer`](super::offer()), with the decision drawn, and whether it is a rare one.
pub(crate) fn offer<T, O, A, P, B, W, RA, R>(
    item: T,
    own: O,
    a: A,
    calm: impl FnOnce(O) -> (P, B),
    work: W,
    close: impl FnOnce(RA) -> RA,
) -> Settled<RA, T, R>
where
    A: FnOnce(O, Watch<'_>) -> RA,
    B: FnOnce(P, Watch<'_>) -> RA,
    W: FnOnce(T) -> R,
{
    if below(4) == 0 {
        let (own, calmly) = calm(own);
        let (ra, fate) = offer_calmly(item, own, calmly, work, close);
        Settled::Rarely(ra, fate)
    } else {
        let (ra, fate) = offer_calmly(item, own, a, work, close);
        Settled::Plainly(ra, fate)
    }
}

/// An [`offer_calmly`](super::offer_calmly()), with the decision drawn.
pub(crate) fn offer_calmly<T, O, A, W, RA, R>(
    item: T,
    own: O,
    a: A,
    work: W,
    close: impl FnOnce(RA) -> RA,
) -> (RA, Fate<T, R>)
where
    A: FnOnce(O, Watch<'_>) -> RA,
    W: FnOnce(T) -> R,
{
    let decision = below(4);
    TAKEN.set(TAKEN.get() + usize::from(decision > 1));
    match decision {
        // Nobody takes it.
        0 | 1 => (a(own, Watch::Forced(false)), Fate::Back(item)),
        // It is taken at once, and done before anything else.
        2 => {
            let done = work(item);
            (close(a(own, Watch::Forced(true))), Fate::Done(done))
        }
        // It is taken while `a` runs, which may or may not notice.
        _ => {
            let ra = close(a(own, Watch::Forced(below(2) == 0)));
            (ra, Fate::Done(work(item)))
        }
    }
}
