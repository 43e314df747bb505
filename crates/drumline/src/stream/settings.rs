//! What a stream was told.

use std::fmt;
use std::num::NonZero;

use super::batch_size::BatchSize;
use super::load::Load;
use super::report::{Lost, OnPanic};
use super::stats::StreamStats;
use crate::control::{CancellationToken, Progress};
use crate::sync::{Arc, Mutex, lock};

/// What items weigh.
type Weigh<T> = Arc<dyn Fn(&T) -> usize + Send + Sync>;

/// The knobs of a stage, except for its choice of consumers.
pub(super) struct Settings<T> {
    pub(super) fixed_batch: Option<NonZero<usize>>,
    pub(super) batch_limit: NonZero<usize>,
    pub(super) in_flight: Option<NonZero<usize>>,
    pub(super) weigh: Option<(usize, Weigh<T>)>,
    pub(super) cancel: Option<CancellationToken>,
    pub(super) progress: Option<Progress>,
    pub(super) stats: Option<StreamStats>,
    pub(super) on_panic: OnPanic,
    /// Whether this stage, or any other of the stream, may be stopped by a token or an error.
    pub(super) may_stop: Arc<Mutex<bool>>,
    /// The number of the stage.
    pub(super) stage: usize,
    /// The panics that did not stop this stage, or one before it.
    pub(super) lost: Lost,
}

/// The largest batch, unless something else is asked for.
const BATCH_LIMIT: NonZero<usize> = NonZero::new(1024).unwrap();

/// Batches in flight, for each consumer.
const BATCHES: usize = 8;

impl<T> Default for Settings<T> {
    fn default() -> Self {
        Settings {
            fixed_batch: None,
            batch_limit: BATCH_LIMIT,
            in_flight: None,
            weigh: None,
            cancel: None,
            progress: None,
            stats: None,
            on_panic: OnPanic::default(),
            may_stop: Arc::default(),
            stage: 0,
            lost: Lost::default(),
        }
    }
}

impl<T> Settings<T> {
    pub(super) fn batch_size(&self, consumers: usize) -> BatchSize {
        if let Some(size) = self.fixed_batch {
            return BatchSize::fixed(size);
        }
        // What one consumer has taken must leave something for the others.
        let share = self
            .in_flight
            .map_or(usize::MAX, |most| most.get() / consumers.saturating_mul(2));
        let share = NonZero::new(share).unwrap_or(NonZero::<usize>::MIN);
        BatchSize::adaptive(self.batch_limit.min(share))
    }

    /// How much may be in flight, with this many consumers.
    pub(super) fn limit(&self, consumers: usize) -> Load {
        Load {
            items: self.in_flight.map_or(usize::MAX, NonZero::get),
            batches: match self.in_flight {
                Some(_) => usize::MAX,
                None => consumers.saturating_mul(BATCHES),
            },
            weight: self.weigh.as_ref().map_or(usize::MAX, |(limit, _)| *limit),
        }
    }

    /// A token or an error may stop the stream. So a consumer that waits in a source that cannot be
    /// woken looks up now and then.
    pub(super) fn set_may_stop(&self) {
        *lock(&self.may_stop) = true;
    }

    pub(super) fn may_stop(&self) -> bool {
        *lock(&self.may_stop)
    }

    pub(super) fn is_weighed(&self) -> bool {
        self.weigh.is_some()
    }

    pub(super) fn weight(&self, item: &T) -> usize {
        self.weigh.as_ref().map_or(0, |(_, weigh)| weigh(item))
    }

    pub(super) fn is_cancelled(&self) -> bool {
        let cancel = self.cancel.as_ref();
        cancel.is_some_and(CancellationToken::is_cancelled)
    }

    /// This many items are done.
    pub(super) fn finished(&self, items: usize) {
        if let Some(progress) = &self.progress {
            progress.add(crate::pool::worker_index().unwrap_or(0), items);
        }
    }
}

impl<T> fmt::Debug for Settings<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("fixed_batch", &self.fixed_batch)
            .field("batch_limit", &self.batch_limit)
            .field("in_flight", &self.in_flight)
            .field("weight_limit", &self.weigh.as_ref().map(|(limit, _)| limit))
            .field("on_panic", &self.on_panic)
            .finish_non_exhaustive()
    }
}
