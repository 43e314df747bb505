//! What the consumers of a stage are: jobs of a pool, or threads of their own.

use std::num::NonZero;

use super::executor::{ConsumerBody, Executor, Threads};
use crate::pool::{self, Registry, SharedRegistry, local};
use crate::scope;
use crate::sync::{Arc, thread};
use crate::unwind;

/// What the consumers of a stage are, and how many.
#[derive(Clone, Default)]
pub(super) struct Consumers {
    /// The pool that was asked for.
    pub(super) pool: Option<SharedRegistry>,
    pub(super) kind: ConsumerKind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ConsumerKind {
    /// As many as the pool has jobs.
    #[default]
    All,
    /// At most this many jobs of the pool.
    Jobs(NonZero<usize>),
    /// This many threads of their own.
    Threads(NonZero<usize>),
}

impl Consumers {
    /// The pool that was asked for, the one that the calling thread is in, or the global one.
    fn registry(&self) -> &Registry {
        match &self.pool {
            Some(registry) => registry,
            None => {
                let seat = local::seat();
                seat.map_or_else(pool::global_registry, |seat| seat.registry())
            }
        }
    }

    /// As [`registry`](Self::registry), for what outlives the frame.
    pub(super) fn share(&self) -> SharedRegistry {
        Registry::share(self.registry())
    }

    /// How many there may be at once.
    pub(super) fn most(&self) -> usize {
        match self.kind {
            ConsumerKind::Threads(threads) => threads.get(),
            // No other consumer would come.
            _ if self.registry().workers() == 0 => 1,
            ConsumerKind::Jobs(jobs) => jobs.get(),
            ConsumerKind::All => self.registry().jobs(),
        }
    }

    /// Has a stage worked through, with the calling thread as one of the consumers.
    pub(super) fn work<'s>(&self, consumer_body: Arc<dyn ConsumerBody<'s> + 's>) {
        match self.kind {
            ConsumerKind::Threads(threads) => thread::scope(|scope| {
                let executor = Threads::new(scope, threads.get(), true);
                let outcome = unwind::catch(|| consumer_body.consume(&executor));
                executor.wait();
                outcome.unwrap_or_else(|payload| unwind::resume(payload));
            }),
            ConsumerKind::All | ConsumerKind::Jobs(_) => {
                let registry = self.registry();
                pool::install(registry, || {
                    scope::open_long_lived(registry, |scope| consumer_body.consume(scope));
                });
            }
        }
    }

    /// Calls `serial` with consumers at its command, which have to be dismissed before it returns.
    /// Waits for them.
    pub(super) fn attend<'s, R>(&self, serial: impl FnOnce(&(dyn Executor<'s> + Sync)) -> R) -> R {
        match self.kind {
            ConsumerKind::Threads(threads) => thread::scope(|scope| {
                let executor = Threads::new(scope, threads.get(), false);
                let outcome = unwind::catch(|| serial(&executor));
                executor.wait();
                outcome.unwrap_or_else(|payload| unwind::resume(payload))
            }),
            ConsumerKind::All | ConsumerKind::Jobs(_) => {
                let registry = self.registry();
                // The handle of the pool may be dropped meanwhile, also by a function of the
                // stream.
                let _open = registry.keep_open();
                pool::visit(registry, || {
                    scope::open_long_lived(registry, |scope| serial(scope))
                })
            }
        }
    }
}
