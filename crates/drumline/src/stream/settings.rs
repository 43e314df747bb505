//! What a stream was told.

use std::fmt;
use std::num::NonZero;

use super::batch_size::BatchSize;
use super::load::Load;
use super::report::{Notes, OnPanic};
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
    /// Tokens, any of which stops the stage.
    pub(super) cancel: Vec<CancellationToken>,
    /// Where the fold that this stage, or one before it, begins with finds the tokens of stages
    /// after it. It runs before these begin.
    pub(super) of_fold: Option<Arc<Mutex<Vec<CancellationToken>>>>,
    pub(super) progress: Option<Progress>,
    pub(super) stats: Option<StreamStats>,
    pub(super) on_panic: OnPanic,
    /// Whether this stage, or any other of the stream, may be stopped by a token or an error.
    pub(super) may_stop: Arc<Mutex<bool>>,
    /// The number of the stage.
    pub(super) stage: usize,
    /// What this stage, and those before it, have for the report.
    pub(super) notes: Notes,
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
            cancel: Vec::new(),
            of_fold: None,
            progress: None,
            stats: None,
            on_panic: OnPanic::default(),
            may_stop: Arc::default(),
            stage: 0,
            notes: Notes::default(),
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

    /// One more token may stop the stage, and the fold that is run for it.
    pub(super) fn cancel_on(&mut self, token: &CancellationToken) {
        self.cancel.push(token.clone());
        if let Some(tokens) = &self.of_fold {
            lock(tokens).push(token.clone());
        }
        self.set_may_stop();
    }

    /// What a next stage goes on with.
    pub(super) fn for_next_stage<U>(&self) -> Settings<U> {
        Settings {
            may_stop: Arc::clone(&self.may_stop),
            stage: self.stage + 1,
            notes: self.notes.clone(),
            of_fold: self.of_fold.clone(),
            ..Settings::default()
        }
    }

    /// The same for a stream of groups of the items.
    #[track_caller]
    pub(super) fn for_chunks(self) -> Settings<Vec<T>> {
        assert!(
            self.weigh.is_none(),
            "`weigh` before `chunks` weighs items, but groups are what is in flight; call it after \
             `chunks`, with a function that weighs a group"
        );
        Settings {
            fixed_batch: self.fixed_batch,
            batch_limit: self.batch_limit,
            in_flight: self.in_flight,
            weigh: None,
            cancel: self.cancel,
            of_fold: self.of_fold,
            progress: self.progress,
            stats: self.stats,
            on_panic: self.on_panic,
            may_stop: self.may_stop,
            stage: self.stage,
            notes: self.notes,
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

    /// Asked before each item of a run: without a token it is one load.
    #[inline]
    pub(super) fn is_cancelled(&self) -> bool {
        !self.cancel.is_empty() && self.has_cancelled_token()
    }

    #[inline(never)]
    fn has_cancelled_token(&self) -> bool {
        self.cancel.iter().any(CancellationToken::is_cancelled)
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
