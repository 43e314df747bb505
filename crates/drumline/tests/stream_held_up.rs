//! A serial end that is held up by a result, or a consumer that is held up by an item: the stage
//! goes on meanwhile, however short its items were before.

mod common;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, mpsc};
use std::time::Duration;

use common::{ends, eventually, pool, without_guests};
use drumline::{Pool, stream};

#[test]
fn a_result_may_wait_for_later_items() {
    for jobs in [2, 4] {
        for home in [pool(jobs), without_guests(jobs)] {
            ends(move || {
                let handled = AtomicU64::new(0);
                let waits = |n: u64| {
                    if n % 4_000 == 1_234 {
                        eventually("the stage goes on", || {
                            handled.load(Ordering::Relaxed) > n + 1
                        });
                    }
                };
                let handle = |n: u64| {
                    handled.fetch_add(1, Ordering::Relaxed);
                    n
                };
                let mut sum = 0;
                let numbers = stream::iter(0..20_000).pool(&home).map_ordered(handle);
                numbers.for_each(|n| {
                    waits(n);
                    sum += n;
                });
                assert_eq!(sum, 199_990_000);
                handled.store(0, Ordering::Relaxed);
                let numbers = stream::iter(0..20_000).pool(&home).map_ordered(handle);
                numbers.with(|results| results.for_each(waits));
            });
        }
    }
}

/// How far the items of a stream have come.
#[derive(Default)]
struct Begun(Mutex<u64>, Condvar);

impl Begun {
    fn note(&self, n: u64) {
        let mut latest = self.0.lock().unwrap();
        *latest = n.max(*latest);
        self.1.notify_all();
    }

    /// Waits, and tells no pool of it.
    fn wait_for(&self, n: u64) {
        let latest = self.0.lock().unwrap();
        drop(self.1.wait_while(latest, |latest| *latest < n).unwrap());
    }
}

/// Items that come one by one are never in one batch: while one of them waits for the next, a free
/// thread pulls that.
fn an_item_waits_for_the_next(home: &Pool, end: usize, waits: u64, pause: Duration) {
    let begun = Begun::default();
    let items = (0..2 * waits + 10).inspect(|n| {
        if n % 16 == 0 {
            std::thread::sleep(pause);
        }
    });
    let handle = |n: u64| {
        begun.note(n);
        if n == waits {
            begun.wait_for(n + 1);
        }
        n
    };
    let stream = stream::iter(items).pool(home).batch(1);
    match end {
        0 => drop(stream.map_ordered(handle).for_each(|_| ())),
        1 => drop(stream.map(handle).unordered().for_each(|_| ())),
        2 => drop(stream.for_each(|n| _ = handle(n))),
        _ => _ = stream.map_ordered(handle).with(|results| results.count()),
    }
}

#[test]
fn an_item_may_wait_for_the_next_unannounced() {
    for home in [pool(2), without_guests(2)] {
        ends(move || {
            for end in 0..4 {
                for (waits, rounds) in [(0, 50), (1, 200), (5, 100), (50, 100), (2_000, 2)] {
                    for _ in 0..rounds {
                        an_item_waits_for_the_next(&home, end, waits, Duration::ZERO);
                    }
                }
                for waits in [1, 50, 500] {
                    an_item_waits_for_the_next(&home, end, waits, Duration::from_micros(200));
                }
            }
        });
    }
}

/// The source is silent for longer than a consumer watches, and then gives an item that waits for
/// the next one.
#[test]
fn an_item_after_a_silence_may_wait_for_the_next() {
    for home in [pool(2), without_guests(2)] {
        ends(move || {
            for end in 0..4 {
                let pause = Duration::from_millis(120);
                an_item_waits_for_the_next(&home, end, 16, pause);
            }
        });
    }
}

/// The source gives many items at once and is silent then, and a result waits for the last of them.
#[test]
fn a_result_may_wait_for_the_last_item_before_a_silence() {
    for home in [pool(2), pool(4), without_guests(2)] {
        ends(move || {
            for _ in 0..20 {
                let (sender, receiver) = mpsc::channel();
                (0..=1_000).for_each(|n| sender.send(n).unwrap());
                let mut sender = Some(sender);
                let handled = AtomicU64::new(0);
                let results = stream::iter(receiver).pool(&home).map_ordered(|n: u64| {
                    // Relaxed: a number that publishes nothing.
                    handled.fetch_max(n, Ordering::Relaxed);
                    n
                });
                let report = results.for_each(|n| {
                    if n == 999 {
                        // Relaxed: a number, which publishes nothing else.
                        eventually("the last item is handled", || {
                            handled.load(Ordering::Relaxed) == 1_000
                        });
                        sender = None;
                    }
                });
                assert_eq!(report.items, 1_001);
            }
        });
    }
}
