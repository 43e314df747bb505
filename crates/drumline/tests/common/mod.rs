//! What the behaviour tests share: events to wait for, threads to look at, random numbers.
#![allow(dead_code, reason = "each test file uses its own part of this")]

pub mod actors;
#[cfg(target_os = "linux")]
pub mod child;
pub mod fuse;
pub mod messages;
pub mod ping_pong;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use drumline::Pool;

/// What should have happened long ago on the slowest machine. No test passes or fails by how
/// long something takes; this only ends tests that would hang.
pub const FOREVER: Duration = Duration::from_secs(600);

/// Runs a test of this file that is ignored, in a process of its own. Returns what it has printed.
#[track_caller]
pub fn program(name: &str) -> String {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--ignored", "--nocapture"]);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("1 passed"),
        "no such program, or it fails: {output:?}"
    );
    assert!(output.status.success(), "{output:?}");
    text
}

/// Something that happens once, and that threads sleep for.
#[derive(Debug, Default)]
pub struct Event {
    happened: Mutex<bool>,
    changed: Condvar,
}

impl Event {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn set(&self) {
        *self.happened.lock().unwrap() = true;
        self.changed.notify_all();
    }

    pub fn is_set(&self) -> bool {
        *self.happened.lock().unwrap()
    }

    /// Sleeps in the kernel, as a mutex, a socket or a file would, without telling the runtime.
    #[track_caller]
    pub fn wait(&self) {
        let happened = self.happened.lock().unwrap();
        let (happened, _) = self
            .changed
            .wait_timeout_while(happened, FOREVER, |happened| !*happened)
            .unwrap();
        assert!(*happened, "waited in vain for an event");
    }
}

/// Looks until `condition` holds.
#[track_caller]
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < FOREVER, "waited in vain: {what}");
        thread::sleep(Duration::from_micros(200));
    }
}

/// Waits until every thread of the pool sleeps until it is woken: it has said so.
#[track_caller]
pub fn wait_until_parked(pool: &Pool) {
    eventually("all threads of the pool park", || {
        let stats = pool.stats();
        // The two are read one after the other: there may be a wake-up more than sleeps.
        stats.parks == stats.wakes + stats.threads as u64
    });
}

/// 2 to the 20.
pub const MIB: usize = 1 << 20;

/// A pool with `jobs` jobs that takes guests.
pub fn pool(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).build().unwrap()
}

/// A pool that runs everything on its own threads.
pub fn without_guests(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).guests(false).build().unwrap()
}

/// The same, and no thread ever takes the place of one that blocks: for tests that keep a thread
/// busy by blocking it.
pub fn without_spares(jobs: usize, guests: bool) -> Pool {
    Pool::builder()
        .jobs(jobs)
        .guests(guests)
        .spawn_handler(|worker| {
            let thread = thread::Builder::new().stack_size(worker.stack_size());
            thread.spawn(|| worker.run()).map(drop)
        })
        .build()
        .unwrap()
}

/// Runs `f` on a thread with so large a stack, and passes on its result or panic.
pub fn with_stack<R: Send>(bytes: usize, f: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(bytes);
        match thread.spawn_scoped(scope, f).unwrap().join() {
            Ok(result) => result,
            Err(payload) => std::panic::resume_unwind(payload),
        }
    })
}

/// Panics without the hook's message, of which some tests would print thousands.
pub fn quiet_panic(payload: impl std::any::Any + Send) -> ! {
    std::panic::resume_unwind(Box::new(payload))
}

/// The text of a panic.
pub fn message(payload: &(dyn std::any::Any + Send)) -> &str {
    payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("not a text")
}

/// A join with a first half that sleeps until the second has run: on another thread, that is.
pub fn meet() {
    let met = Event::new();
    drumline::join(|| met.wait(), || met.set());
}

/// The same with a first half that never gives up its processor by itself.
pub fn meet_spinning() {
    let met = AtomicBool::new(false);
    let start = Instant::now();
    drumline::join(
        || {
            while !met.load(Ordering::Acquire) {
                assert!(start.elapsed() < FOREVER, "the second half never ran");
                std::hint::spin_loop();
            }
        },
        || met.store(true, Ordering::Release),
    );
}

/// Runs `f` on a thread of its own, with the stack that `std` gives, and fails if it does not end.
#[track_caller]
pub fn ends<R: Send + 'static>(f: impl FnOnce() -> R + Send + 'static) -> R {
    let (send, receive) = mpsc::channel();
    let thread = thread::spawn(move || {
        let _ = send.send(f());
    });
    match receive.recv_timeout(FOREVER) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("it does not end"),
        Err(RecvTimeoutError::Disconnected) => match thread.join() {
            Ok(()) => unreachable!("it has sent its result, or panicked"),
            Err(payload) => std::panic::resume_unwind(payload),
        },
    }
}

/// Looks until the flag is set, without ever sleeping: to any observer, this thread works.
#[track_caller]
pub fn spin_until(flag: &AtomicBool) {
    let start = Instant::now();
    while !flag.load(Ordering::Acquire) {
        assert!(start.elapsed() < FOREVER, "looked in vain for a flag");
        thread::yield_now();
    }
}

/// A parallel loop: calls `f` with each number of the range, and forks down to the last.
pub fn each(range: Range<usize>, f: &(impl Fn(usize) + Sync)) {
    if range.len() > 1 {
        let middle = range.start + range.len() / 2;
        drumline::join(
            || each(range.start..middle, f),
            || each(middle..range.end, f),
        );
    } else {
        range.for_each(f);
    }
}

/// Pools in which a worker can help a guest.
pub fn pools_with_helpers() -> Vec<(&'static str, Pool)> {
    vec![
        ("2 jobs", pool(2)),
        ("2 jobs, no guests", without_guests(2)),
        ("3 jobs", pool(3)),
        ("64 jobs", pool(64)),
        ("64 jobs, no guests", without_guests(64)),
    ]
}

/// Fibonacci numbers, forking all the way.
pub fn fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = drumline::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// xorshift64* (Vigna 2016).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Random((z ^ (z >> 31)) | 1)
    }

    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        (self.number() >> 11) % bound
    }
}

/// Threads of this process, as Linux shows them.
#[cfg(target_os = "linux")]
pub mod threads {
    use std::fs;
    use std::time::Duration;

    /// A thread's state and how often it has given up the processor by itself.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Thread {
        pub id: String,
        pub state: char,
        pub switches: u64,
    }

    /// The threads with names that begin with `name`. Names are cut to 15 bytes.
    pub fn named(name: &str) -> Vec<Thread> {
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc/self/task").unwrap() {
            let id = entry.unwrap().file_name().into_string().unwrap();
            let path = format!("/proc/self/task/{id}/status");
            // A thread may end while we look.
            let Ok(status) = fs::read_to_string(path) else {
                continue;
            };
            let field = |key: &str| {
                let line = status.lines().find(|line| line.starts_with(key));
                line.map_or("", |line| line[key.len()..].trim())
            };
            if field("Name:").starts_with(name) {
                found.push(Thread {
                    id,
                    state: field("State:").chars().next().unwrap_or('?'),
                    switches: field("voluntary_ctxt_switches:").parse().unwrap_or(0),
                });
            }
        }
        found.sort_by(|a, b| a.id.cmp(&b.id));
        found
    }

    /// How many threads this process has.
    pub fn count() -> usize {
        fs::read_dir("/proc/self/task").unwrap().count()
    }

    /// Waits until `count` threads of this name exist, all of them are asleep, and none wakes
    /// up for `window`.
    #[track_caller]
    pub fn wait_until_asleep(name: &str, count: usize, window: Duration) {
        super::eventually("the pool falls asleep for good", || {
            let before = named(name);
            if before.len() != count || before.iter().any(|thread| thread.state != 'S') {
                return false;
            }
            std::thread::sleep(window);
            named(name) == before
        });
    }
}
