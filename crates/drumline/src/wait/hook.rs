//! What happens elsewhere while a thread blocks.
//!
//! A thread that blocks may be one that a scheduler counts on. `wait` knows nothing of schedulers:
//! a scheduler installs a hook here. Every wait for something outside goes through the hook,
//! whether it is a wait of this crate or one that the program [announces](blocking).

use std::sync::OnceLock;

/// What a scheduler does about threads that block.
#[derive(Debug)]
pub(crate) struct Hook {
    /// The calling thread is about to block. `true`: this matters, and
    /// `unblock` has to be called on the same thread afterwards.
    pub(crate) block: fn() -> bool,
    /// It goes on.
    pub(crate) unblock: fn(),
    /// The numbers of the pools that the calling thread is in, the one that it entered last first.
    pub(crate) pools: fn() -> Vec<usize>,
    /// The first of them; 0 if there is none.
    pub(crate) inmost_pool: fn() -> usize,
}

static HOOK: OnceLock<&'static Hook> = OnceLock::new();

/// Has `hook` called from now on; the first one stays.
pub(crate) fn install(hook: &'static Hook) {
    let _ = HOOK.set(hook);
}

/// The numbers of the pools that the calling thread is in.
pub(super) fn pools() -> Vec<usize> {
    HOOK.get().map_or_else(Vec::new, |hook| (hook.pools)())
}

/// The number of the pool that it entered last; 0 if it is in none.
pub(super) fn inmost_pool() -> usize {
    HOOK.get().map_or(0, |hook| (hook.inmost_pool)())
}

/// The calling thread blocks, until this is dropped.
#[must_use]
#[derive(Debug)]
pub(super) struct Blocked(Option<&'static Hook>);

impl Blocked {
    #[inline]
    pub(super) fn announce() -> Self {
        Blocked(HOOK.get().copied().filter(|hook| (hook.block)()))
    }
}

impl Drop for Blocked {
    #[inline]
    fn drop(&mut self) {
        if let Some(hook) = self.0 {
            (hook.unblock)();
        }
    }
}

/// Runs a closure that may block, and has the calling thread replaced
/// meanwhile where that matters.
///
/// On a thread that runs work of a pool, that pool goes on with as many
/// runnable threads as it has jobs: if other work is waiting, or comes, a spare
/// thread takes the place. Where the thread's last blocking took less than some
/// 20 µs, it only leaves a note, which costs a few nanoseconds; the pool finds
/// it within milliseconds should the closure take longer this time. On any other
/// thread this is a plain call.
///
/// Announce what waits for something outside: a lock that is held for long, a channel, a file, a
/// socket, a child process. Blocking that was not announced is noticed as well (on Linux), after
/// milliseconds.
///
/// ```
/// use std::sync::mpsc;
///
/// let pool = drumline::Pool::builder().jobs(1).build()?;
/// let (send, receive) = mpsc::channel();
/// let waiting = pool.spawn(move || drumline::blocking(|| receive.recv()));
/// let sending = pool.spawn(move || send.send("from a second thread, in a pool of one job"));
/// assert!(waiting.join().unwrap().is_ok());
/// sending.join().unwrap()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
///
/// Where `f` does.
///
/// # Blocking
///
/// As long as `f`. What it does in the pool meanwhile is run by a thread more
/// than there are places, so do not compute in it.
#[inline]
pub fn blocking<R>(f: impl FnOnce() -> R) -> R {
    let _blocked = Blocked::announce();
    f()
}
