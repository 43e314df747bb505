//! Long-lived jobs against every way in which a thread runs something on top of a frame.
//!
//! A consumer of a stream waits, in between, for what others hand over. If a thread ran one on top
//! of a frame of an earlier stage, the consumer could wait for the batch in that very frame. So
//! consumers begin at the bottom of a stack only, whatever the closures of the stages do.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use common::{Event, each, ends, pool, without_guests, without_spares};
use drumline::stream::{self, biased, stream};
use drumline::{Pool, WaitPolicy};

/// A closure with the number of its item.
type Way = fn(u64);

/// What closures do that makes a thread run something on top of them.
const WAYS: [(&str, Way); 8] = [
    ("yields", |_| {
        drumline::yield_now();
    }),
    ("yields what is its own", |_| {
        drumline::yield_local();
    }),
    ("joins", |n| {
        let both = drumline::join(|| each(0..8, &|_| spin(n)), || each(0..8, &|_| spin(n)));
        assert_eq!(both, ((), ()));
    }),
    ("waits for a scope", |n| {
        drumline::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(move |_| spin(n));
            }
        });
    }),
    ("waits for tasks", |n| {
        let tasks: Vec<_> = (0..3).map(|_| drumline::spawn(move || spin(n))).collect();
        tasks.into_iter().for_each(|task| task.join().unwrap());
    }),
    ("blocks, and yields in it", |_| {
        drumline::blocking(drumline::yield_now);
    }),
    ("yields in a task that it takes back", |_| {
        drumline::spawn(drumline::yield_now).join().unwrap();
    }),
    ("yields in a half that may be stolen", |n| {
        drumline::join(|| spin(n), drumline::yield_now);
    }),
];

/// A moment's work.
fn spin(n: u64) {
    for _ in 0..(n % 7) * 50 {
        std::hint::spin_loop();
    }
}

fn pools() -> Vec<(String, Pool)> {
    let mut pools = Vec::new();
    for jobs in [1, 2, 4] {
        for guests in [true, false] {
            for policy in [WaitPolicy::Related, WaitPolicy::Steal] {
                let pool = Pool::builder().jobs(jobs).guests(guests);
                let pool = pool.wait_policy(policy).build().unwrap();
                let name = format!("{jobs} jobs, guests {guests}, {policy:?}");
                pools.push((name, pool));
            }
        }
    }
    pools
}

/// Runs `check` with every pool and way, some rounds each.
fn sweep(rounds: usize, check: impl Fn(&Pool, Way) + Send + Sync + 'static) {
    ends(move || {
        for (name, pool) in pools() {
            for (way, what) in WAYS {
                for round in 0..rounds {
                    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        check(&pool, what);
                    }));
                    assert!(outcome.is_ok(), "{name}, {way}, round {round}");
                }
            }
        }
    });
}

const ITEMS: u64 = 48;

#[test]
fn stages_after_each_other_in_order() {
    sweep(6, |pool, way| {
        let mut next = 0;
        stream::iter(0..ITEMS)
            .pool(pool)
            .batch(1)
            .map(|n| {
                way(n);
                n
            })
            .ordered()
            .stream()
            .batch(2)
            .map(|n| {
                way(n);
                n
            })
            .ordered()
            .for_each(|n| {
                assert_eq!(n, next);
                next += 1;
            });
        assert_eq!(next, ITEMS);
    });
}

#[test]
fn three_stages_to_a_parallel_end() {
    sweep(6, |pool, way| {
        let sum = stream::iter(0..ITEMS)
            .pool(pool)
            .map(|n| {
                way(n);
                n
            })
            .unordered()
            .stream()
            .map(|n| {
                way(n);
                n
            })
            .ordered()
            .stream()
            .fold_init(
                || 0,
                |sum, n| {
                    way(n);
                    *sum += n;
                },
                |sum, more| *sum += more,
            );
        assert_eq!(sum, ITEMS * (ITEMS - 1) / 2);
    });
}

#[test]
fn a_serial_end_that_yields() {
    sweep(6, |pool, way| {
        let mut count = 0;
        let all = stream::iter(0..ITEMS).pool(pool).map_ordered(|n| {
            way(n);
            n
        });
        pool.in_place_scope(|_| {
            all.for_each(|n| {
                way(n);
                count += 1;
            });
        });
        assert_eq!(count, ITEMS);
    });
}

#[test]
fn iterators_whose_stages_have_no_frame() {
    sweep(6, |pool, way| {
        let first = stream::iter(0..ITEMS).pool(pool).batch(1).map(move |n| {
            way(n);
            n
        });
        let second = stream::iter(first.ordered())
            .pool(pool)
            .batch(2)
            .map(move |n| {
                way(n);
                n
            });
        let sum: u64 = pool.install(|| second.ordered().into_iter().sum());
        assert_eq!(sum, ITEMS * (ITEMS - 1) / 2);
    });
}

#[test]
fn streams_inside_of_each_other() {
    sweep(2, |pool, way| {
        let sum = stream::iter(0..12_u64)
            .pool(pool)
            .map(|n| {
                let inner = stream::iter(0..6).pool(pool).map_ordered(|m| {
                    way(m);
                    m
                });
                inner.with(|results| results.sum::<u64>()) + n
            })
            .ordered()
            .stream()
            .map(|n| {
                way(n);
                n
            })
            .reduce_with(|a, b| a + b);
        assert_eq!(sum, Some(12 * 15 + 66));
    });
}

#[test]
fn stages_of_two_pools() {
    sweep(2, |pool, way| {
        let other = Pool::builder().jobs(2).wait_policy(WaitPolicy::Steal);
        let other = other.build().unwrap();
        let sum = stream::iter(0..ITEMS)
            .pool(pool)
            .map(|n| {
                other.install(|| way(n));
                n
            })
            .ordered()
            .stream()
            .pool(&other)
            .map(|n| {
                pool.install(|| way(n));
                n
            })
            .reduce_with(|a, b| a + b);
        assert_eq!(sum, Some(ITEMS * (ITEMS - 1) / 2));
    });
}

#[test]
fn streams_in_the_shares_of_a_broadcast() {
    sweep(2, |pool, way| {
        let sums = pool.broadcast(|_| {
            let all = stream::iter(0..12_u64).map(|n| {
                way(n);
                n
            });
            let next = all.ordered().stream().map(|n| {
                way(n);
                n
            });
            next.reduce_with(|a, b| a + b)
        });
        assert!(sums.iter().all(|&sum| sum == Some(66)), "{sums:?}");
    });
}

/// A consumer that only a thread without a frame may begin is begun there, also if all places are
/// taken by threads that yield until it has.
#[test]
fn who_yields_for_a_consumer_makes_room_for_it() {
    for jobs in [1, 2] {
        ends(move || {
            let pool = Pool::builder().jobs(jobs).build().unwrap();
            let done = Arc::new(AtomicUsize::new(0));
            let (sender, receiver) = stream::queue(4);
            let results = stream(receiver).pool(&pool).batch(1).map({
                let done = Arc::clone(&done);
                move |n: usize| {
                    done.fetch_add(1, Ordering::Relaxed);
                    n
                }
            });
            let mut results = results.jobs(1).ordered().into_iter();
            sender.send(1).unwrap();
            assert_eq!(results.next(), Some(1));
            pool.install(|| {
                sender.send(2).unwrap();
                assert_eq!(results.next(), Some(2));
                while done.load(Ordering::Relaxed) < 2 {
                    drumline::yield_now();
                }
            });
            drop(sender);
            assert_eq!(results.next(), None);
        });
    }
}

#[test]
fn receivers_in_jobs_of_a_pool() {
    sweep(2, |pool, way| {
        let receivers = biased::consumers((0..ITEMS).collect::<Items>(), 3, 4);
        let sum = AtomicUsize::new(0);
        pool.scope(|scope| {
            for receiver in receivers {
                let sum = &sum;
                scope.spawn(move |_| {
                    for n in receiver {
                        way(n);
                        sum.fetch_add(usize::try_from(n).unwrap(), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(sum.into_inner(), 48 * 47 / 2);
    });
}

/// Numbers as a source that knows when it has none.
struct Items(std::vec::IntoIter<u64>);

impl FromIterator<u64> for Items {
    fn from_iter<I: IntoIterator<Item = u64>>(items: I) -> Self {
        Items(items.into_iter().collect::<Vec<_>>().into_iter())
    }
}

impl stream::Source for Items {
    type Item = u64;

    fn recv(&mut self) -> Option<u64> {
        self.0.next()
    }

    fn try_recv(&mut self) -> stream::Polled<u64> {
        self.0
            .next()
            .map_or(stream::Polled::Ended, stream::Polled::Item)
    }
}

/// An item runs something on all threads of its pool, and the source says nothing meanwhile: a
/// consumer that is aside, or waits in the source, goes and takes part.
#[test]
fn an_item_broadcasts_while_the_source_is_silent() {
    ends(|| {
        for jobs in [2, 3] {
            for home in [
                pool(jobs),
                without_guests(jobs),
                without_spares(jobs, true),
                without_spares(jobs, false),
            ] {
                for (short, end) in [(0, 0), (0, 1), (300, 0), (300, 1)] {
                    let (sender, receiver) = mpsc::channel();
                    let (done, is_done) = mpsc::channel();
                    let producer = thread::spawn(move || {
                        for n in 0..=short {
                            sender.send(n).unwrap();
                            if n + 1 >= short {
                                // Before it, all short items are done, and after it, the last.
                                let wanted = if n == short { 1 } else { short };
                                (0..wanted).for_each(|_| is_done.recv().unwrap());
                            }
                        }
                    });
                    let handle = |n| {
                        if n == short {
                            drumline::broadcast(|_| ());
                        }
                        done.send(()).unwrap();
                    };
                    let items = stream(receiver).pool(&home).batch(1);
                    match end {
                        0 => drop(items.for_each(handle)),
                        _ => drop(items.map_ordered(handle).for_each(drop)),
                    }
                    producer.join().unwrap();
                }
            }
        }
    });
}

/// A stream with threads of its own, begun by a worker: the worker, which has nothing to do while
/// another thread waits for the source, takes part in a broadcast of its pool.
#[test]
fn an_item_broadcasts_in_the_pool_that_has_begun_a_stream_of_threads() {
    ends(|| {
        for home in [without_guests(1), without_spares(1, false)] {
            // Which thread gets the third item is up to the scheduler.
            let mut broadcasts = 0;
            let mut rounds = 0;
            while broadcasts < 5 {
                rounds += 1;
                assert!(
                    rounds < 10_000,
                    "the third item is never the other thread's"
                );
                let (sender, receiver) = mpsc::channel();
                let (done, is_done) = mpsc::channel();
                let producer = thread::spawn(move || {
                    for items in [0..2, 2..3] {
                        items.clone().for_each(|n| sender.send(n).unwrap());
                        items.for_each(|_| is_done.recv().unwrap());
                    }
                });
                let (home, second) = (&home, Event::new());
                broadcasts += home.install(|| {
                    let here = thread::current().id();
                    let broadcasts = AtomicUsize::new(0);
                    stream(receiver).threads(2).batch(1).for_each(|n| {
                        let is_here = thread::current().id() == here;
                        match n {
                            // The worker: so the other thread handles the second item, and waits
                            // for the third.
                            0 => second.wait(),
                            1 => second.set(),
                            _ if is_here => {}
                            _ => {
                                home.broadcast(|_| ());
                                // Relaxed: a count, read when the stream is over.
                                broadcasts.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                        done.send(()).unwrap();
                    });
                    broadcasts.into_inner()
                });
                producer.join().unwrap();
            }
        }
    });
}

/// The only consumer of a stream is on the worker of a pool, and waits for a source that cannot be
/// woken: it takes part in a broadcast, and goes on.
#[test]
fn the_only_consumer_takes_part_in_a_broadcast() {
    ends(|| {
        for own_threads in [false, true] {
            let home = without_guests(1);
            let (sender, receiver) = mpsc::channel();
            let handled = Event::new();
            let (home, handled) = (&home, &handled);
            let count = thread::scope(|threads| {
                threads.spawn(move || {
                    sender.send(1).unwrap();
                    handled.wait();
                    for n in 2..5 {
                        home.broadcast(|_| ());
                        sender.send(n).unwrap();
                    }
                });
                home.install(|| {
                    let token = drumline::CancellationToken::new();
                    let items = stream(receiver).cancel_on(&token).batch(1);
                    let handle = |_: u32| handled.set();
                    let items = if own_threads { items.threads(1) } else { items };
                    items.for_each(handle).items
                })
            });
            assert_eq!(count, 4);
        }
    });
}

/// The serial end sleeps on a thread of the pool meanwhile, and takes part.
#[test]
fn an_item_broadcasts_while_the_serial_end_sleeps() {
    /// Which source, and which end. Returns how many results there were.
    fn run(source: u32, end: u32) -> usize {
        let here = thread::current().id();
        let (begun, has_begun) = mpsc::channel();
        let (arrived, has_arrived) = mpsc::channel();
        let (has_begun, has_arrived) = (Mutex::new(has_begun), Mutex::new(has_arrived));
        let handle = move |n: u32| {
            let is_here = thread::current().id() == here;
            if n == 1 {
                begun.send(()).unwrap();
            }
            // The serial end has handled the first item, and another thread is at work on the
            // second.
            if n == 0 && is_here {
                has_begun.lock().unwrap().recv().unwrap();
            }
            if n == 1 && !is_here {
                has_arrived.lock().unwrap().recv().unwrap();
            }
            if n == 1 {
                assert_eq!(drumline::broadcast(|_| ()).len(), 2);
            }
        };
        let mut count = 0;
        let mut arrive = |()| {
            count += 1;
            arrived.send(()).unwrap();
        };
        macro_rules! run {
            ($items:expr) => {{
                let items = $items.batch(1).map(handle);
                match end {
                    0 => drop(items.ordered().for_each(arrive)),
                    1 => items.ordered().into_iter().for_each(arrive),
                    _ => drop(
                        items
                            .unordered()
                            .with(|results| results.for_each(&mut arrive)),
                    ),
                }
            }};
        }
        match source {
            0 => run!(stream::iter(0..2)),
            1 => {
                let (sender, receiver) = mpsc::channel();
                (0..2).for_each(|n| sender.send(n).unwrap());
                drop(sender);
                run!(stream(receiver))
            }
            _ => {
                let (sender, receiver) = stream::queue(4);
                (0..2).for_each(|n| sender.send(n).unwrap());
                drop(sender);
                run!(stream(receiver))
            }
        }
        count
    }
    ends(|| {
        let steals = || Pool::builder().jobs(2).wait_policy(WaitPolicy::Steal);
        for home in [
            pool(2),
            without_guests(2),
            without_spares(2, false),
            Pool::builder().jobs(2).spares(false).build().unwrap(),
            steals().build().unwrap(),
            steals().spares(false).build().unwrap(),
        ] {
            for source in 0..3 {
                for end in 0..3 {
                    for _ in 0..4 {
                        let (done, is_done) = mpsc::channel();
                        // A thread of the pool runs it: this one waits for a message, and not for
                        // the task, which it would run itself.
                        drop(home.spawn(move || done.send(run(source, end)).unwrap()));
                        assert_eq!(is_done.recv().unwrap(), 2, "source {source}, end {end}");
                    }
                }
            }
        }
    });
}
