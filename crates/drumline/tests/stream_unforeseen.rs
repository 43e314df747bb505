//! Items that take long although those before them were short: they wait for a later item, and tell
//! no pool of it. All but one of the consumers may be held up so, over any source.

mod common;
mod streams;

use std::collections::VecDeque;
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use common::{Event, FOREVER, ends, pool, without_guests};
use drumline::stream::{self, Polled, Source, Stream, biased, stream};
use streams::Setup;

/// Which items have been begun, and how many are finished.
#[derive(Default)]
struct Gates {
    state: Mutex<(u64, u64)>,
    changed: Condvar,
}

impl Gates {
    fn begin(&self, n: u64) {
        let mut state = self.state.lock().unwrap();
        state.0 = state.0.max(n + 1);
        self.changed.notify_all();
    }

    fn finish(&self) {
        self.state.lock().unwrap().1 += 1;
        self.changed.notify_all();
    }

    /// Waits in the kernel. The time only ends a test that would hang.
    fn wait(&self, what: &str, is_there: impl Fn(u64, u64) -> bool) {
        let state = self.state.lock().unwrap();
        let (state, _) = self
            .changed
            .wait_timeout_while(state, FOREVER / 2, |state| !is_there(state.0, state.1))
            .unwrap();
        let (begun, finished) = *state;
        drop(state);
        assert!(
            is_there(begun, finished),
            "{what}: {begun} items have begun, {finished} are finished"
        );
    }
}

/// Short items, and then some that all wait for the one after them.
#[derive(Clone)]
struct Program {
    name: String,
    short: u64,
    waiting: u64,
    /// Between the short items and the others.
    pause: Duration,
    gates: Arc<Gates>,
}

impl Program {
    fn items(&self) -> u64 {
        self.short + self.waiting + 1
    }

    fn handle(&self, n: u64) -> u64 {
        self.gates.begin(n);
        if n >= self.short {
            let last = self.items() - 1;
            self.gates.wait(&self.name, |begun, _| begun > last);
        }
        self.gates.finish();
        n
    }

    /// Sends the items: each of those that wait when the one before it has begun.
    fn send(self, send: impl Fn(u64) + Send + 'static) {
        thread::spawn(move || {
            (0..self.short).for_each(&send);
            self.gates
                .wait(&self.name, |_, finished| finished >= self.short);
            thread::sleep(self.pause);
            for n in self.short..self.items() {
                send(n);
                self.gates.wait(&self.name, |begun, _| begun > n);
            }
        });
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Queue,
    Mpsc,
    #[cfg(feature = "crossbeam-channel")]
    Crossbeam,
    Iterator,
    IteratorOfResults,
}

#[derive(Clone, Copy, Debug)]
enum End {
    ForEach,
    Unordered,
    Ordered,
    IntoIter,
}

const ENDS: [End; 4] = [End::ForEach, End::Unordered, End::Ordered, End::IntoIter];

fn run<S: Source<Item = u64> + 'static>(program: &Program, end: End, items: Stream<S>) {
    let handler = program.clone();
    let handle = move |n| handler.handle(n);
    let mut sum = 0;
    match end {
        End::ForEach => {
            sum = items
                .map(handle)
                .fold_init(|| 0, |sum, n| *sum += n, |a, b| *a += b)
        }
        End::Unordered => drop(items.map(handle).unordered().for_each(|n| sum += n)),
        End::Ordered => drop(items.map_ordered(handle).for_each(|n| sum += n)),
        End::IntoIter => items.map_ordered(handle).into_iter().for_each(|n| sum += n),
    }
    assert_eq!(sum, (0..program.items()).sum(), "{}", program.name);
}

fn run_over(kind: Kind, program: &Program, setup: &Setup, batch: Option<usize>, end: End) {
    fn told<S: Source>(setup: &Setup, batch: Option<usize>, items: Stream<S>) -> Stream<S> {
        let items = setup.apply(items);
        match batch {
            Some(batch) => items.batch(batch),
            None => items,
        }
    }
    match kind {
        Kind::Queue => {
            let (sender, receiver) = stream::queue(64);
            program.clone().send(move |n| _ = sender.send(n));
            run(program, end, told(setup, batch, stream(receiver)));
        }
        Kind::Mpsc => {
            let (sender, receiver) = mpsc::channel();
            program.clone().send(move |n| _ = sender.send(n));
            run(program, end, told(setup, batch, stream(receiver)));
        }
        #[cfg(feature = "crossbeam-channel")]
        Kind::Crossbeam => {
            let (sender, receiver) = crossbeam_channel::unbounded();
            program.clone().send(move |n| _ = sender.send(n));
            run(program, end, told(setup, batch, stream(receiver)));
        }
        Kind::Iterator => {
            let (sender, receiver) = mpsc::channel();
            program.clone().send(move |n| _ = sender.send(n));
            run(program, end, told(setup, batch, stream::iter(receiver)));
        }
        Kind::IteratorOfResults => {
            let (sender, receiver) = mpsc::channel();
            program.clone().send(move |n| _ = sender.send(n));
            let first = setup.apply(stream::iter(receiver)).map_ordered(|n| n);
            run(program, end, told(setup, batch, stream(first.into_iter())));
        }
    }
}

/// All but one of 2, 3 or 4 consumers wait, of a pool or with threads of their own, after short
/// items and at once.
fn all_but_one_wait(kind: Kind) {
    ends(move || {
        for consumers in [2, 3, 4] {
            let setups = [
                Setup::in_pool(&format!("{consumers} jobs"), pool(consumers)),
                Setup::in_pool(
                    &format!("{consumers} jobs, no guests"),
                    without_guests(consumers),
                ),
                Setup::threads(consumers),
            ];
            for setup in setups {
                for end in ENDS {
                    for (short, batch) in [(0, Some(1)), (300, Some(1)), (300, None)] {
                        if matches!(kind, Kind::Iterator) && batch.is_none() {
                            // What was pulled ahead is a batch.
                            continue;
                        }
                        let program = Program {
                            name: format!(
                                "{kind:?}, {}, {end:?}, {short} short items, batch {batch:?}",
                                setup.name
                            ),
                            short,
                            waiting: consumers as u64 - 1,
                            pause: Duration::ZERO,
                            gates: Arc::default(),
                        };
                        run_over(kind, &program, &setup, batch, end);
                    }
                }
            }
        }
    });
}

#[test]
fn all_but_one_wait_over_a_queue() {
    all_but_one_wait(Kind::Queue);
}

#[test]
fn all_but_one_wait_over_a_channel() {
    all_but_one_wait(Kind::Mpsc);
}

#[cfg(feature = "crossbeam-channel")]
#[test]
fn all_but_one_wait_over_crossbeam() {
    all_but_one_wait(Kind::Crossbeam);
}

#[test]
fn all_but_one_wait_over_an_iterator() {
    all_but_one_wait(Kind::Iterator);
}

#[test]
fn all_but_one_wait_over_results() {
    all_but_one_wait(Kind::IteratorOfResults);
}

/// The source is silent for longer than a consumer stays aside.
#[test]
fn all_but_one_wait_after_a_silence() {
    ends(|| {
        for kind in [Kind::Queue, Kind::Mpsc, Kind::Iterator] {
            for setup in [Setup::in_pool("3 jobs", pool(3)), Setup::threads(3)] {
                for end in [End::ForEach, End::Ordered] {
                    let program = Program {
                        name: format!("{kind:?}, {}, {end:?}, after a silence", setup.name),
                        short: 100,
                        waiting: 2,
                        pause: Duration::from_millis(250),
                        gates: Arc::default(),
                    };
                    run_over(kind, &program, &setup, Some(1), end);
                }
            }
        }
    });
}

/// Is empty at the first look, and then gives three items at once.
struct Burst {
    items: VecDeque<u64>,
    is_silent: bool,
}

impl Source for Burst {
    type Item = u64;

    fn recv(&mut self) -> Option<u64> {
        self.items.pop_front()
    }

    fn try_recv(&mut self) -> Polled<u64> {
        if std::mem::take(&mut self.is_silent) {
            return Polled::Empty;
        }
        self.recv().map_or(Polled::Ended, Polled::Item)
    }

    fn len_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// Biased receivers with a batch of one: the first item after a silence does not hide those that
/// are there with it.
#[test]
fn a_biased_receiver_that_slept_hides_nothing() {
    ends(|| {
        let source = Burst {
            items: (0..3).collect(),
            is_silent: true,
        };
        let all = [Event::new(), Event::new(), Event::new()];
        thread::scope(|scope| {
            for mut receiver in biased::consumers(source, 3, 1) {
                let all = &all;
                scope.spawn(move || {
                    while let Some(n) = receiver.recv() {
                        all[usize::try_from(n).unwrap()].set();
                        all.iter().for_each(Event::wait);
                    }
                });
            }
        });
    });
}
