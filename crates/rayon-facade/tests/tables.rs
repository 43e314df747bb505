//! Tables with one entry per thread, as programs keep them for rayon: as many entries as
//! `current_num_threads`, indexed by `current_thread_index`, without a lock.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

// Relaxed throughout: these are sums, and publish nothing else. They are read after the threads or
// loops that changed them.

/// Longer than anything here takes on the slowest machine.
const FOREVER: Duration = Duration::from_secs(120);

/// What a thread needs to match: a buffer that grows. Two threads must not have it at once.
#[derive(Default)]
struct Matcher {
    buffer: Vec<usize>,
    matched: usize,
}

impl Matcher {
    /// How often `needle` is in `text`, as if that were difficult.
    fn count(&mut self, text: &str, needle: char) -> usize {
        self.buffer.clear();
        let places = text.char_indices().filter(|&(_, c)| c == needle);
        self.buffer.extend(places.map(|(place, _)| place));
        self.matched += 1;
        self.buffer.len()
    }
}

/// A matcher for each thread of a pool.
#[derive(Clone)]
struct Matchers(Arc<[Entry]>);

#[derive(Default)]
struct Entry {
    matcher: UnsafeCell<Matcher>,
    /// Says that two threads have the same index, before that is a data race.
    taken: AtomicBool,
}

// SAFETY: `Matchers::with` lends the matcher to one thread at a time, and asserts that.
unsafe impl Sync for Entry {}

impl Matchers {
    fn new(threads: usize) -> Self {
        Matchers((0..threads).map(|_| Entry::default()).collect())
    }

    fn with<R>(&self, f: impl FnOnce(&mut Matcher) -> R) -> R {
        let index = rayon::current_thread_index().expect("matching runs in the pool");
        let entry = &self.0[index];
        assert!(!entry.taken.swap(true, Ordering::Acquire), "index {index}");
        // SAFETY: taken just now, so this thread has it alone.
        let result = f(unsafe { &mut *entry.matcher.get() });
        entry.taken.store(false, Ordering::Release);
        result
    }

    fn matched(mut self) -> usize {
        let entries = Arc::get_mut(&mut self.0).expect("all others are done");
        let matchers = entries.iter_mut().map(|entry| entry.matcher.get_mut());
        matchers.map(|matcher| matcher.matched).sum()
    }
}

const TEXTS: [&str; 4] = ["banana", "ananas", "", "aardvark"];
const ROUNDS: usize = 500;

/// A loop over all texts; how many `a`s there are.
fn search(matchers: &Matchers) -> usize {
    let texts = TEXTS.par_iter().cycle_n(ROUNDS);
    texts
        .map(|text| matchers.with(|matcher| matcher.count(text, 'a')))
        .sum()
}

trait CycleN: Sized {
    /// The items, many times over.
    fn cycle_n(self, times: usize) -> impl ParallelIterator<Item = &'static &'static str>;
}

impl<I> CycleN for I
where
    I: IndexedParallelIterator<Item = &'static &'static str>,
{
    fn cycle_n(self, times: usize) -> impl ParallelIterator<Item = &'static &'static str> {
        let texts: Vec<_> = self.collect();
        (0..texts.len() * times)
            .into_par_iter()
            .map(move |n| texts[n % texts.len()])
    }
}

const FOUND: usize = 9 * ROUNDS;
const MATCHED: usize = TEXTS.len() * ROUNDS;

#[derive(Clone, Copy)]
enum Where<'a> {
    Global,
    In(&'a ThreadPool),
}

impl Where<'_> {
    fn threads(self) -> usize {
        match self {
            Where::Global => rayon::current_num_threads(),
            Where::In(pool) => pool.current_num_threads(),
        }
    }

    fn spawn(self, task: impl FnOnce() + Send + 'static) {
        match self {
            Where::Global => rayon::spawn(task),
            Where::In(pool) => pool.spawn(task),
        }
    }

    fn run<R: Send>(self, op: impl FnOnce() -> R + Send) -> R {
        match self {
            Where::Global => rayon::join(op, || ()).0,
            Where::In(pool) => pool.install(op),
        }
    }
}

/// Searches in detached tasks, and from several threads outside at once.
fn search_everywhere(place: Where<'_>) {
    let matchers = Matchers::new(place.threads());
    let (send, receive) = mpsc::channel();
    for nested in 0..6 {
        let (send, matchers) = (send.clone(), matchers.clone());
        place.spawn(move || {
            let found = search(&matchers);
            if nested % 2 == 0 {
                send.send(found).unwrap();
                return;
            }
            // A task of a task, and a scope in it.
            let (again, send) = (matchers.clone(), send.clone());
            rayon::spawn(move || {
                rayon::scope(|scope| {
                    let (again, send) = (&again, &send);
                    scope.spawn(move |_| send.send(search(again)).unwrap());
                });
            });
        });
    }
    drop(send);
    let outside = AtomicUsize::new(0);
    thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                let (a, b) = place.run(|| rayon::join(|| search(&matchers), || search(&matchers)));
                outside.fetch_add(a + b, Ordering::Relaxed);
            });
        }
    });
    assert_eq!(outside.into_inner(), 8 * FOUND);
    for _ in 0..6 {
        assert_eq!(receive.recv_timeout(FOREVER), Ok(FOUND));
    }
    // The last task drops its matchers after it has sent.
    let end = receive.recv_timeout(FOREVER);
    assert_eq!(end, Err(mpsc::RecvTimeoutError::Disconnected));
    while Arc::strong_count(&matchers.0) > 1 {
        thread::yield_now();
    }
    assert_eq!(matchers.matched(), (8 + 6 + 3) * MATCHED);
}

/// No program has built it: the first use is that of a loop, in another test perhaps.
#[test]
fn in_the_global_pool() {
    let index = AtomicUsize::new(0);
    (0..10_000).into_par_iter().for_each(|_| {
        let here = rayon::current_thread_index().expect("loops run in the pool");
        index.fetch_max(here, Ordering::Relaxed);
    });
    assert!(index.into_inner() < rayon::current_num_threads());
    search_everywhere(Where::Global);
}

#[test]
fn in_pools_that_are_built() {
    for threads in [1, 2, 3, 8] {
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        search_everywhere(Where::In(&pool));
    }
}

#[test]
fn in_a_pool_with_threads_of_the_program() {
    let pool = ThreadPoolBuilder::new().num_threads(2);
    let pool = pool
        .spawn_handler(|worker| thread::Builder::new().spawn(|| worker.run()).map(drop))
        .build()
        .unwrap();
    search_everywhere(Where::In(&pool));
    ThreadPoolBuilder::new()
        .num_threads(2)
        .build_scoped(
            |worker| worker.run(),
            |pool| search_everywhere(Where::In(pool)),
        )
        .unwrap();
}

/// All threads are blocked for a while, and searches are queued behind them: no further thread
/// comes and does those with an index of its own.
#[test]
fn behind_threads_that_block() {
    for threads in [1, 2] {
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        let matchers = Matchers::new(threads);
        let (send, receive) = mpsc::channel();
        let release: Vec<_> = (0..threads)
            .map(|_| {
                let (release, wait) = mpsc::channel::<()>();
                let (begins, begun) = mpsc::channel();
                pool.spawn(move || {
                    begins.send(()).unwrap();
                    wait.recv().unwrap_err();
                });
                begun.recv_timeout(FOREVER).unwrap();
                release
            })
            .collect();
        for _ in 0..4 {
            let (send, matchers) = (send.clone(), matchers.clone());
            pool.spawn(move || send.send(search(&matchers)).unwrap());
        }
        // Nothing is to happen. A thread that would come has some time for it.
        let nothing = receive.recv_timeout(Duration::from_millis(100));
        assert_eq!(nothing, Err(mpsc::RecvTimeoutError::Timeout));
        drop(release);
        for _ in 0..4 {
            assert_eq!(receive.recv_timeout(FOREVER), Ok(FOUND));
        }
    }
}

/// Calls go from pool to pool and back, where every thread waits.
#[test]
fn between_pools() {
    let [a, b] = [(); 2].map(|()| ThreadPoolBuilder::new().num_threads(1).build().unwrap());
    let matchers = Matchers::new(1);
    for _ in 0..20 {
        let found = a.install(|| b.install(|| a.install(|| search(&matchers))));
        assert_eq!(found, FOUND);
    }
}
