//! Stopping a loop from outside.

use super::plumbing::Folder;
use super::stage::{Plan, Stage, stage_adapter};
use crate::sync::Arc;
use crate::sync::atomic::{AtomicBool, Ordering};

/// Stops loops: every clone of a token stands for the same request.
///
/// ```
/// use drumline::iter::CancellationToken;
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
#[derive(Clone, Debug, Default)]
pub struct CancellationToken {
    cancelled: Arc<AtomicBool>,
}

impl CancellationToken {
    /// A token that nobody has cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks all loops with this token to stop. Cannot be taken back.
    pub fn cancel(&self) {
        // Relaxed: it tells nothing but itself.
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has asked.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        // Relaxed: as above; whoever stops a little later does no harm.
        self.cancelled.load(Ordering::Relaxed)
    }
}

stage_adapter! {
    /// The items of another iterator until a token is cancelled; see
    /// [`cancel_on`](super::ParallelIterator::cancel_on).
    CancelOn<I> { token: CancellationToken }
    where [] { }
    yields I::Item;
    plan UntilCancelled(&token);
}

/// Hands items on until the token is cancelled; plan and stage in one.
#[derive(Clone, Debug)]
struct UntilCancelled<'t>(&'t CancellationToken);

impl Plan for UntilCancelled<'_> {
    type Stage = Self;

    fn begin(self) -> Self {
        self
    }
}

impl<T> Stage<T> for UntilCancelled<'_> {
    type Item = T;

    #[inline]
    fn feed<F: Folder<T>>(&mut self, folder: F, item: T) -> F {
        if self.0.is_cancelled() {
            folder
        } else {
            folder.consume(item)
        }
    }

    #[inline]
    fn feed_all<F, I>(&mut self, folder: F, items: I) -> F
    where
        F: Folder<T>,
        I: Iterator<Item = T>,
    {
        folder.consume_iter(items.take_while(|_| !self.0.is_cancelled()))
    }

    #[inline]
    fn full(&self) -> bool {
        self.0.is_cancelled()
    }
}
