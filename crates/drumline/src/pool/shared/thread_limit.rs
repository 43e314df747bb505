//! How many threads a pool may have, and saying so when that is too few.
//!
//! A pool makes a spare thread for one that blocks, up to a limit. At the limit it goes on with
//! fewer runnable threads than jobs, and warns, with the names of the threads that are blocked.
//! There is one warning for each time that the limit is met. The next comes only after a spare
//! could be had again, or after a worker found nothing left to do while no thread was blocked.

use crate::platform::{thread_quota, thread_state};
use crate::pool::idle::WorkerPolicy;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// No program wants more, whatever the system allows.
const MOST: usize = 10_000;

/// Not in any spell of work.
const NEVER: usize = usize::MAX;

/// The limit of one pool.
#[derive(Debug)]
pub(crate) struct ThreadLimit {
    threads: usize,
    /// How many of them are members for good without being workers.
    members: usize,
    /// Whether the pool makes spares at all.
    spares: bool,
    /// The warning that blocked threads are not replaced.
    told: Told,
    /// The warning that no thread is the monitor.
    told_of_monitor: Told,
}

/// Whether a warning has been given, and is true ever since.
#[derive(Debug)]
struct Told {
    /// In which spell of work it was given.
    spell: AtomicUsize,
}

impl Told {
    fn new() -> Self {
        Told {
            spell: AtomicUsize::new(NEVER),
        }
    }

    /// Whether it is to be given now, in this spell of work.
    fn is_due(&self, now: usize) -> bool {
        // Relaxed, here and below: nothing is published; the swap has one winner.
        self.spell.load(Ordering::Relaxed) != now && self.spell.swap(now, Ordering::Relaxed) != now
    }

    fn forget(&self) {
        self.spell.store(NEVER, Ordering::Relaxed);
    }
}

impl ThreadLimit {
    pub(crate) fn new(asked: Option<usize>, members: usize, spares: bool) -> Self {
        ThreadLimit {
            threads: asked.unwrap_or_else(allowed),
            members,
            spares,
            told: Told::new(),
            told_of_monitor: Told::new(),
        }
    }

    /// Whether the pool makes spares.
    pub(crate) fn has_spares(&self) -> bool {
        self.spares
    }

    /// Whether the pool notices a thread that blocks without announcing it.
    pub(crate) fn is_monitored(&self) -> bool {
        self.spares && thread_state::KNOWN
    }

    /// How many threads a pool with this number of places may have, spares included: at least as
    /// many, whatever was said.
    pub(super) fn max_threads(&self, places: usize) -> usize {
        self.threads.max(places)
    }

    /// Whether the pool has to warn, in this spell of work, that blocked threads are not replaced.
    pub(super) fn is_news(&self, spell: usize) -> bool {
        self.told.is_due(spell)
    }

    /// The same of the warning that no thread is the monitor.
    pub(super) fn is_news_of_monitor(&self, spell: usize) -> bool {
        self.told_of_monitor.is_due(spell)
    }

    /// A spare was to be had: when the limit is reached again, that is news.
    pub(crate) fn forget_warnings(&self) {
        self.told.forget();
        self.told_of_monitor.forget();
    }

    /// The limit for the idle set of a pool with this number of places.
    pub(crate) fn worker_policy(&self, places: usize) -> WorkerPolicy {
        if self.spares {
            WorkerPolicy {
                max_workers: self.threads.max(places).saturating_sub(self.members),
                monitored: self.is_monitored(),
            }
        } else {
            WorkerPolicy::FIXED
        }
    }
}

/// How many threads a pool may have unless the program says something else.
fn allowed() -> usize {
    // Half: others want threads, too, and some of them abort without.
    thread_quota::threads().map_or(MOST, |room| MOST.min(room / 2))
}

#[cfg(all(test, not(drumline_shuttle)))]
mod tests {
    use std::sync::mpsc;

    use crate::{Event, Pool, Warning, blocking};

    #[test]
    fn the_limit_is_at_least_the_jobs() {
        let pool = Pool::builder().jobs(2).max_threads(3).build().unwrap();
        assert_eq!(pool.registry().max_threads(), 3);
        pool.set_jobs(5).unwrap();
        assert_eq!(pool.registry().max_threads(), 5);
        let pool = Pool::builder().jobs(2).build().unwrap();
        assert!((2..=super::MOST).contains(&pool.registry().max_threads()));
    }

    #[test]
    fn at_the_limit_the_blocked_are_named_once() {
        let (tell, told) = mpsc::channel();
        let (warn, warned) = mpsc::channel();
        let pool = Pool::builder()
            .jobs(2)
            .max_threads(2)
            .thread_name(|index| format!("smith-{index}"))
            .event_handler(move |event| tell.send(event.clone()).unwrap())
            .warning_handler(move |warning| warn.send(warning.to_string()).unwrap())
            .build()
            .unwrap();
        let (go, wait) = mpsc::channel::<()>();
        let task = pool.spawn(move || blocking(|| wait.recv()));
        let blocked = told.iter().find_map(|event| match event {
            Event::Blocked { index } => Some(index),
            _ => None,
        });
        let name = format!("smith-{}", blocked.unwrap());
        let registry = pool.registry();
        assert_eq!(registry.blocked().join(" "), name);
        let at_the_limit = || {
            registry.limit_reached();
            registry.limit_reached();
            told.try_iter()
                .filter_map(|event| match event {
                    Event::LimitReached {
                        limit,
                        blocked,
                        workers,
                    } => Some((limit, blocked, workers)),
                    _ => None,
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(at_the_limit(), [(2, 1, vec![name.clone()])]);
        assert!(at_the_limit().is_empty(), "once is enough");
        registry.limit().forget_warnings();
        assert_eq!(at_the_limit().len(), 1, "and again when it was over");
        let warned: Vec<String> = warned.try_iter().collect();
        assert_eq!(warned.len(), 2);
        let warning = Warning::LimitReached {
            limit: 2,
            blocked: 1,
            workers: vec![name],
        };
        assert_eq!(warned[0], warning.to_string());
        drop(go);
        assert!(task.join().unwrap().is_err());
    }
}
