//! Stopping from outside.

use std::collections::BTreeMap;
use std::fmt;

use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex, lock};

/// Stops loops and streams: every clone of a token stands for the same request.
///
/// ```
/// use drumline::CancellationToken;
/// use drumline::prelude::*;
///
/// let token = CancellationToken::new();
/// let numbers: Vec<u32> = (0..1_000).collect();
/// let seen: u32 = numbers
///     .par_iter()
///     .cancel_on(&token)
///     .inspect(|&&number| if number == 500 { token.cancel() })
///     .map(|_| 1)
///     .sum();
/// assert!(token.is_cancelled() && seen <= 1_000);
/// ```
#[derive(Clone, Default)]
pub struct CancellationToken {
    request: Arc<Request>,
}

#[derive(Default)]
struct Request {
    cancelled: AtomicBool,
    listeners: Mutex<Listeners>,
}

/// Those who cannot look all the time, because they sleep.
#[derive(Default)]
struct Listeners {
    next: u64,
    notify: BTreeMap<u64, Arc<dyn Fn() + Send + Sync>>,
}

/// Is told of a cancellation, until it is dropped.
pub(crate) struct Listener {
    request: Arc<Request>,
    number: u64,
}

impl CancellationToken {
    /// A token that nobody has cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks everything with this token to stop. Cannot be taken back.
    pub fn cancel(&self) {
        let notify: Vec<_> = {
            let listeners = lock(&self.request.listeners);
            // Relaxed: it tells nothing but itself. Under the lock, so that a thread that registers
            // either sees it or is told.
            self.request.cancelled.store(true, Ordering::Relaxed);
            listeners.notify.values().cloned().collect()
        };
        for notify in notify {
            notify();
        }
    }

    /// Whether somebody has asked.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        // Relaxed: as above; whoever stops a little later does no harm.
        self.request.cancelled.load(Ordering::Relaxed)
    }

    /// Has `notify` called when cancellation is requested, or now if it has been. It may still
    /// run for a moment after the listener is gone.
    pub(crate) fn listen(&self, notify: impl Fn() + Send + Sync + 'static) -> Listener {
        let notify = Arc::new(notify);
        let mut listeners = lock(&self.request.listeners);
        let number = listeners.next;
        listeners.next += 1;
        listeners.notify.insert(number, notify.clone());
        let is_late = self.is_cancelled();
        drop(listeners);
        if is_late {
            notify();
        }
        Listener {
            request: Arc::clone(&self.request),
            number,
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let gone = lock(&self.request.listeners).notify.remove(&self.number);
        drop(gone);
    }
}

impl fmt::Debug for CancellationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancellationToken")
            .field("cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::CancellationToken;
    use crate::sync::Arc;
    use crate::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn listeners_are_told_once_and_only_while_they_listen() {
        let token = CancellationToken::new();
        let told = Arc::new(AtomicUsize::new(0));
        let notify = || {
            let told = Arc::clone(&told);
            move || {
                told.fetch_add(1, Ordering::Relaxed);
            }
        };
        let kept = token.listen(notify());
        drop(token.listen(notify()));
        assert_eq!(told.load(Ordering::Relaxed), 0);
        token.cancel();
        assert_eq!(told.load(Ordering::Relaxed), 1);
        let _late = token.listen(notify());
        assert_eq!(told.load(Ordering::Relaxed), 2);
        drop(kept);
    }
}
