//! What a pool tells about its threads.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::warning::{self, Warning};

/// Something that happened in a pool.
///
/// Passed to the hook set with
/// [`PoolBuilder::event_handler`](crate::PoolBuilder::event_handler), on the
/// thread that it happened to. The events of one thread come in their order;
/// those of several come at the same time. Threads go by their numbers, as
/// [`worker_index`](crate::worker_index) has them.
///
/// Forks are no events, and neither are jobs that a thread takes from its own stack. While its
/// threads only compute, and none helps another, a pool tells nothing.
///
/// ```
/// use drumline::Event;
/// use std::sync::mpsc;
///
/// let (tell, told) = mpsc::channel();
/// let pool = drumline::Pool::builder()
///     .jobs(2)
///     .event_handler(move |event| match event {
///         Event::Stole { thief, victim, .. } => tell.send((*thief, *victim)).unwrap(),
///         _ => {}
///     })
///     .build()?;
/// let (send, receive) = mpsc::channel();
/// pool.join(
///     move || receive.recv().unwrap(), // waits for the other half,
///     move || send.send(()).unwrap(),  // so another thread has to take that
/// );
/// let (thief, victim) = told.recv().unwrap();
/// assert_ne!(thief, victim);
/// # Ok::<(), drumline::BuildError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A thread of the pool started. Its first event.
    #[non_exhaustive]
    ThreadStarted {
        /// The thread.
        index: usize,
    },
    /// A thread of the pool is about to end. Its last event.
    #[non_exhaustive]
    ThreadStopped {
        /// The thread.
        index: usize,
    },
    /// A thread found nothing to do, or nothing that belongs to what it waits
    /// for, and sleeps until it is woken. (The short naps before that are not
    /// told.)
    #[non_exhaustive]
    Slept {
        /// The thread.
        index: usize,
    },
    /// A thread was woken from its sleep.
    #[non_exhaustive]
    Woke {
        /// The thread.
        index: usize,
    },
    /// A thread took a job from another one, and is about to run it.
    #[non_exhaustive]
    Stole {
        /// The thread that runs it.
        thief: usize,
        /// The thread that had it pending.
        victim: usize,
    },
    /// A thread is about to wait for something outside of the pool, and gives
    /// up its place.
    #[non_exhaustive]
    Blocked {
        /// The thread.
        index: usize,
    },
    /// A thread that was blocked goes on.
    #[non_exhaustive]
    Unblocked {
        /// The thread.
        index: usize,
    },
    /// A poll of a future took 10 ms or longer.
    ///
    /// This is no fault in itself: other threads of the pool take what waits meanwhile, and a poll
    /// that blocks is replaced. But what is woken by such a poll, or by its outcome, comes that
    /// much later. Polls are timed only while a thread listens to events.
    #[non_exhaustive]
    LongPoll {
        /// The thread that polled.
        index: usize,
        /// How long the poll took.
        lasted: Duration,
    },
    /// A spare thread takes the place of one that is blocked.
    #[non_exhaustive]
    Compensated {
        /// How many threads the pool has now, guests apart.
        threads: usize,
        /// How many threads are away from their places, guests included: they block, or wait for
        /// work of this pool.
        blocked: usize,
    },
    /// Threads are blocked that cannot be replaced: the pool has as many as it
    /// may. Also a [`Warning`](crate::Warning).
    #[non_exhaustive]
    LimitReached {
        /// How many threads the pool may have.
        limit: usize,
        /// How many threads are blocked, guests included.
        blocked: usize,
        /// The names of those. A guest has no name here, and goes by its number.
        workers: Vec<String>,
    },
    /// The threads that are blocked have been replaced, and no thread is left to notice a further
    /// one that blocks without a word. Also a [`Warning`](crate::Warning::NoMonitor).
    #[non_exhaustive]
    NoMonitor {
        /// How many threads the pool may have.
        limit: usize,
        /// How many threads are blocked, guests included.
        blocked: usize,
        /// The names of those. A guest has no name here, and goes by its number.
        workers: Vec<String>,
    },
    /// The system refused to create a thread. Also a
    /// [`Warning`](crate::Warning).
    #[non_exhaustive]
    ThreadNotCreated {
        /// How many threads the pool has instead.
        have: usize,
        /// How many it was to have.
        wanted: usize,
        /// Why the system refused.
        error: Arc<io::Error>,
    },
    /// A detached task, or a handler, panicked, and no panic handler was told.
    /// Also a [`Warning`](crate::Warning).
    #[non_exhaustive]
    PanicLost {
        /// What the panic said, if its payload is a text.
        message: Option<String>,
        /// How many panics were lost so far, with this one.
        lost: usize,
    },
    /// The system refused a thread for the place of one that blocks. Also a
    /// [`Warning`](crate::Warning).
    #[non_exhaustive]
    SpareNotCreated {
        /// How many threads the pool has.
        have: usize,
        /// How many threads the system has refused since the last such event.
        refusals: u64,
        /// Why the system refused.
        error: Arc<io::Error>,
    },
    /// The name that a hook gave a thread cannot be used. Also a [`Warning`](crate::Warning).
    #[non_exhaustive]
    NameNotUsed {
        /// The thread.
        index: usize,
        /// The name.
        name: String,
    },
}

impl From<&Warning> for Event {
    fn from(warning: &Warning) -> Self {
        match warning {
            Warning::ThreadNotCreated {
                have,
                wanted,
                error,
            } => Event::ThreadNotCreated {
                have: *have,
                wanted: *wanted,
                error: Arc::new(same_error(error)),
            },
            Warning::SpareNotCreated {
                have,
                refusals,
                error,
            } => Event::SpareNotCreated {
                have: *have,
                refusals: *refusals,
                error: Arc::new(same_error(error)),
            },
            Warning::NameNotUsed { index, name } => Event::NameNotUsed {
                index: *index,
                name: name.clone(),
            },
            Warning::LimitReached {
                limit,
                blocked,
                workers,
            } => Event::LimitReached {
                limit: *limit,
                blocked: *blocked,
                workers: workers.clone(),
            },
            Warning::NoMonitor {
                limit,
                blocked,
                workers,
            } => Event::NoMonitor {
                limit: *limit,
                blocked: *blocked,
                workers: workers.clone(),
            },
            Warning::PanicLost { message, lost } => Event::PanicLost {
                message: message.clone(),
                lost: *lost,
            },
        }
    }
}

/// An error that says the same: errors of the system cannot be cloned.
fn same_error(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::ThreadStarted { index } => write!(f, "thread {index} started"),
            Event::ThreadStopped { index } => write!(f, "thread {index} ends"),
            Event::Slept { index } => write!(f, "thread {index} sleeps"),
            Event::Woke { index } => write!(f, "thread {index} woke up"),
            Event::Stole { thief, victim } => {
                write!(f, "thread {thief} took a job from thread {victim}")
            }
            Event::Blocked { index } => write!(f, "thread {index} blocks"),
            Event::Unblocked { index } => write!(f, "thread {index} goes on after blocking"),
            Event::LongPoll { index, lasted } => {
                write!(f, "a poll of a future took {lasted:?} in thread {index}")
            }
            Event::Compensated { threads, blocked } => write!(
                f,
                "a spare thread takes the place of a blocked one; the pool has {threads} threads, \
                 and {blocked} are away, guests included"
            ),
            Event::LimitReached {
                limit,
                blocked,
                workers,
            } => warning::say_limit(f, *limit, *blocked, workers),
            Event::NoMonitor {
                limit,
                blocked,
                workers,
            } => warning::say_no_monitor(f, *limit, *blocked, workers),
            Event::ThreadNotCreated {
                have,
                wanted,
                error,
            } => warning::say_not_created(f, *have, *wanted, error),
            Event::PanicLost { message, lost } => warning::say_lost(f, message.as_deref(), *lost),
            Event::SpareNotCreated {
                have,
                refusals,
                error,
            } => warning::say_no_spare(f, *have, *refusals, error),
            Event::NameNotUsed { index, name } => warning::say_name(f, *index, name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_speaks_plainly() {
        let said = |event: Event| event.to_string();
        assert_eq!(said(Event::ThreadStarted { index: 3 }), "thread 3 started");
        assert_eq!(
            said(Event::Stole {
                thief: 1,
                victim: 0
            }),
            "thread 1 took a job from thread 0"
        );
        assert_eq!(
            said(Event::Compensated {
                threads: 5,
                blocked: 2
            }),
            "a spare thread takes the place of a blocked one; the pool has 5 threads, and 2 are away, \
             guests included"
        );
    }

    #[test]
    fn a_warning_as_an_event_says_the_same() {
        let mut warnings = vec![Warning::LimitReached {
            limit: 9,
            blocked: 2,
            workers: vec!["a".to_owned(), "b".to_owned()],
        }];
        warnings.push(Warning::NoMonitor {
            limit: 9,
            blocked: 1,
            workers: vec!["a".to_owned()],
        });
        for error in [
            io::Error::from(io::ErrorKind::OutOfMemory),
            io::Error::from_raw_os_error(11),
            io::Error::other("no threads today"),
        ] {
            warnings.push(Warning::ThreadNotCreated {
                have: 1,
                wanted: 2,
                error: same_error(&error),
            });
            warnings.push(Warning::SpareNotCreated {
                have: 3,
                refusals: 4,
                error,
            });
        }
        warnings.push(Warning::PanicLost {
            message: Some("boom".to_owned()),
            lost: 3,
        });
        warnings.push(Warning::NameNotUsed {
            index: 5,
            name: "a\0b".to_owned(),
        });
        for warning in warnings {
            assert_eq!(Event::from(&warning).to_string(), warning.to_string());
        }
    }
}
