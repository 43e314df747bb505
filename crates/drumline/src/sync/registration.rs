//! The registration of this process for the asymmetric barrier, without waiting for it.
//!
//! A process with more than one thread waits for some ten milliseconds until the kernel has
//! registered it, because each processor has to pass a quiet state first. Many programs do not
//! compute in parallel for longer than that. The end of a process waits for the registration, too.
//! So a pool begins without the barrier. [`heavy`](super::barrier::heavy) says meanwhile that it
//! was not run. That is no loss of the barrier: owners go on without fences, thieves take what
//! owners expose, and threads that would sleep nap. A thread that asks for the barrier after
//! [`DELAY`] begins the registration, on a thread of its own. So a program loses at most as much
//! time again as it has used the barrier's absence for (the ski-rental rule).
//!
//! ```text
//!   UNASKED ──begin()──► WANTED ──is_ready(), late──► WAITING ──► READY, for good
//!      ▲                                                │
//!      └───────────────────── refused ──────────────────┘
//! ```
//!
//! A process with one thread is registered in a microsecond: `begin` does it at once. A program
//! that enters a sandbox without threads or system calls to come should have made its pools before
//! it has further threads, or wait until they are registered.
//!
//! WANTED and WAITING belong to one process. In a forked child they count as UNASKED, because the
//! thread that waits is in the parent. READY stays: the child inherits the registration.
//!
//! **The race feared:** a thread runs the system's barrier before the registration has taken
//! effect, and takes the refusal for a loss. It asks the system only if it has seen READY. READY is
//! written with Release after the kernel's answer, and read with Acquire.

use std::time::Duration;

use super::Ticks;
use super::atomic::{AtomicUsize, Ordering};
use crate::platform::{fork, membarrier};

const UNASKED: usize = 0;
const READY: usize = 1;

/// The barrier is to be there in this process.
fn wanted() -> usize {
    2 * (fork::generation() as usize) + 2
}

/// A thread of this process waits for the registration.
fn waiting() -> usize {
    wanted() + 1
}

/// How long a program uses pools without the barrier: about as long as a registration takes.
const DELAY: Duration = Duration::from_millis(10);

/// The stack of the thread that waits. It makes one system call.
const STACK_SIZE: usize = 64 << 10;

/// After this many questions it is late, too: the counter of a processor may stand still.
const MOST_ASKS: usize = 256;

static STATE: AtomicUsize = AtomicUsize::new(UNASKED);

/// The moment at which the barrier was wanted first. Written before the state becomes WANTED; if
/// two threads do that at once, by both.
static SINCE: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// How often the barrier was asked for in vain.
static ASKS: AtomicUsize = AtomicUsize::new(0);

/// Whether the registration is over: the barrier can be run.
#[inline]
pub(super) fn is_over() -> bool {
    // Acquire pairs with the Release in `register`.
    STATE.load(Ordering::Acquire) == READY
}

/// Whether the barrier can be run now. Begins the registration if it is time.
pub(super) fn is_ready() -> bool {
    // Acquire pairs with the Release in `register` and in `begin`.
    let state = STATE.load(Ordering::Acquire);
    if state == READY {
        return true;
    }
    if state == wanted() && is_late() {
        start();
    }
    false
}

#[cold]
fn is_late() -> bool {
    // Relaxed: the state publishes both.
    let since = [&SINCE[0], &SINCE[1]].map(|word| word.load(Ordering::Relaxed));
    let waited = Ticks::now().nanos_since(Ticks::from_words(since));
    // Relaxed: an estimate.
    Duration::from_nanos(waited) >= DELAY || ASKS.fetch_add(1, Ordering::Relaxed) >= MOST_ASKS
}

/// Wants the barrier in this process. `false`: the system has none, or refuses it.
pub(super) fn begin() -> bool {
    // The state names the process.
    fork::watch();
    // Relaxed: a thread that needs the barrier looks at the state again.
    let mut now = STATE.load(Ordering::Relaxed);
    while now != READY && now != wanted() && now != waiting() {
        if !membarrier::is_known() {
            return false;
        }
        let is_quick = membarrier::is_registered_at_once();
        for (word, value) in SINCE.iter().zip(Ticks::now().into_words()) {
            // Relaxed: the state publishes it.
            word.store(value, Ordering::Relaxed);
        }
        let next = if is_quick { waiting() } else { wanted() };
        // Release publishes the moment. Relaxed on failure: it is only compared.
        match STATE.compare_exchange(now, next, Ordering::Release, Ordering::Relaxed) {
            Ok(_) if is_quick => return register(),
            Ok(_) => return true,
            Err(other) => now = other,
        }
    }
    true
}

/// Has a thread wait for the registration.
#[cold]
fn start() {
    // Relaxed, twice: one thread wins, and nothing is published with it.
    let outcome = STATE.compare_exchange(wanted(), waiting(), Ordering::Relaxed, Ordering::Relaxed);
    if outcome.is_err() {
        return;
    }
    let thread = std::thread::Builder::new()
        .name(String::from("drumline-barrier"))
        .stack_size(STACK_SIZE);
    if thread.spawn(register).is_err() {
        // There is no thread for it, so this one waits.
        register();
    }
}

/// Registers this process, and waits for that.
fn register() -> bool {
    let is_registered = membarrier::register();
    if !is_registered {
        // First: a thread that sees UNASKED knows of the loss.
        super::barrier_loss::lose();
    }
    let next = if is_registered { READY } else { UNASKED };
    // Release pairs with the Acquire in `is_ready`.
    STATE.store(next, Ordering::Release);
    is_registered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_that_is_wanted_comes() {
        if !begin() {
            eprintln!("skipped: this system has no asymmetric barrier, or refuses it");
            return;
        }
        while !is_ready() {
            std::thread::yield_now();
        }
        assert!(membarrier::heavy());
        assert!(begin() && is_ready(), "it stays");
    }
}
