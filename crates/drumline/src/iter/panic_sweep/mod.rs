//! A sweep: every function that a program gives to a loop panics, at its n-th call, for every n.
//!
//! Closures, identities, comparisons, `Clone`, `Drop`, `Iterator::next` and the traits of the
//! plumbing count as functions. Each test is one operation. It runs with every decision of the
//! scheduler drawn from a seed, and in pools of one, two and four jobs, with guests and without.
//! Whatever panics:
//!
//! * the caller gets the planted payload;
//! * every item, state and result is dropped exactly once;
//! * the operation ends, and the pool goes on.
//!
//! A destructor panics only on a thread that does not unwind: a second panic would abort, in any
//! program. Where one panics, other values may leak, because the language leaks what a function is
//! about to return while it drops its variables. No value is dropped twice then, either.

#![expect(
    clippy::mutable_key_type,
    reason = "the items of sets and maps refer to counters, and hash their numbers"
)]

mod adapters;
mod collections;
mod ends;
mod ledger;
mod own;
mod sorts;
mod sources;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use self::ledger::{Item, Ledger};
use crate::Pool;
use crate::join::forced;
use crate::prelude::*;

/// An operation, which calls the functions of its trial.
type Operation = for<'t> fn(&'t Trial);

/// How many items an operation has, as a rule.
const LEN: usize = 60;

/// What a planted panic carries: the function, and which call of it has panicked.
#[derive(Debug, PartialEq, Eq)]
struct Planted(&'static str, usize);

/// One run of an operation, in which the `at`-th call of `function` panics.
struct Trial {
    function: &'static str,
    at: usize,
    calls: AtomicUsize,
    /// All other functions that were called.
    found: Mutex<BTreeSet<&'static str>>,
    /// Where the name of the latest of them is.
    newest: AtomicUsize,
    ledger: Ledger,
    /// A function of this name makes the standard library leak if it panics.
    excused: Mutex<Option<&'static str>>,
}

// The functions that every operation calls are not inlined: hundreds of loops are compiled with
// them.
impl Trial {
    fn new(function: &'static str, at: usize) -> Self {
        Trial {
            function,
            at,
            calls: AtomicUsize::new(0),
            found: Mutex::default(),
            newest: AtomicUsize::new(0),
            ledger: Ledger::default(),
            excused: Mutex::default(),
        }
    }

    /// Stands at the beginning of every function of the operation.
    #[inline(never)]
    fn call(&self, function: &'static str) {
        if function != self.function {
            let name = function.as_ptr().addr();
            // Relaxed: if it is old, the set is asked once more.
            if self.newest.swap(name, Ordering::Relaxed) != name {
                let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
                found.insert(function);
            }
            return;
        }
        // Relaxed: a count; the join at the end of the operation publishes it.
        let count = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if count == self.at {
            std::panic::resume_unwind(Box::new(Planted(function, count)));
        }
        if count.is_multiple_of(5) {
            thread::yield_now();
        }
    }

    /// An item that is dropped under this name.
    #[inline(never)]
    fn item(&self, kind: &'static str, number: u64) -> Item<'_> {
        Item::new(self, kind, number)
    }

    /// This many items, in no order.
    #[inline(never)]
    fn some(&self, len: usize) -> Vec<Item<'_>> {
        let number = |n: usize| (n * 7919 % 101) as u64;
        (0..len)
            .map(|n| self.item("drop of an item", number(n)))
            .collect()
    }

    fn items(&self) -> Vec<Item<'_>> {
        self.some(LEN)
    }

    /// Calls a function that makes another item of `item`.
    #[inline(never)]
    fn make<'t>(&'t self, function: &'static str, item: Item<'_>) -> Item<'t> {
        self.call(function);
        let number = item.number();
        // First, as what a function is about to return leaks where a later drop panics.
        drop(item);
        self.item("drop of a result", number)
    }

    /// A state, made by a function.
    #[inline(never)]
    fn state(&self, function: &'static str) -> Item<'_> {
        self.call(function);
        self.item("drop of a state", 0)
    }

    /// What a closure holds.
    #[inline(never)]
    fn held(&self) -> Item<'_> {
        self.item("drop of a closure", 0)
    }

    /// Calls a predicate.
    #[inline(never)]
    fn odd(&self, function: &'static str, item: &Item<'_>) -> bool {
        self.call(function);
        item.number() % 2 == 1
    }

    /// Calls a function that makes one item of two.
    #[inline(never)]
    fn sum<'t>(&'t self, function: &'static str, a: Item<'t>, b: Item<'t>) -> Item<'t> {
        self.call(function);
        let sum = a.number() + b.number();
        drop((a, b));
        self.item("drop of a result", sum)
    }

    /// The standard library leaks where a function of this name panics, without threads, too.
    fn excuse(&self, function: &'static str) {
        *self.excused.lock().unwrap() = Some(function);
    }

    fn may_leak(&self) -> bool {
        self.function.starts_with("drop of") || *self.excused.lock().unwrap() == Some(self.function)
    }

    fn has_blown(&self) -> bool {
        // Relaxed: asked after the end of the operation, which publishes the count.
        self.calls.load(Ordering::Relaxed) >= self.at
    }
}

/// Where an operation runs.
struct Place {
    name: String,
    pool: Option<Pool>,
    jobs: usize,
    /// The decisions of the scheduler are drawn.
    is_forced: bool,
}

impl Place {
    fn all() -> Vec<Place> {
        let pool = |jobs, guests| Pool::builder().jobs(jobs).guests(guests).build().unwrap();
        let mut places = vec![Place {
            name: "the global pool".to_owned(),
            pool: None,
            jobs: 1,
            is_forced: false,
        }];
        for jobs in [1, 2, 4] {
            for guests in [true, false] {
                places.push(Place {
                    name: format!("{jobs} jobs, guests: {guests}"),
                    pool: Some(pool(jobs, guests)),
                    jobs,
                    is_forced: false,
                });
            }
        }
        for name in ["forced", "forced again"] {
            places.push(Place {
                name: name.to_owned(),
                pool: Some(pool(2, true)),
                jobs: 2,
                is_forced: true,
            });
        }
        places
    }

    fn run<R: Send>(&self, op: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(op),
            None => op(),
        }
    }

    /// Runs the operation, and says whether the planted panic came.
    fn attempt(&self, op: Operation, trial: &Trial, seed: u64) -> bool {
        let outcome = self.run(|| {
            catch_unwind(AssertUnwindSafe(|| {
                if self.is_forced {
                    forced::with_seed(seed, || op(trial));
                } else {
                    op(trial);
                }
            }))
        });
        let what = || {
            let Trial { function, at, .. } = trial;
            format!("call {at} of {function}, {}, seed {seed}", self.name)
        };
        let has_blown = trial.has_blown();
        match outcome {
            Ok(()) => assert!(!has_blown, "a panic is lost: {}", what()),
            Err(payload) => match payload.downcast_ref::<Planted>() {
                Some(planted) => {
                    assert_eq!(*planted, Planted(trial.function, trial.at), "{}", what());
                }
                None => panic!("another panic: {}, {:?}", what(), text(&*payload)),
            },
        }
        let (made, leaked) = match trial.ledger.leaked() {
            Ok(counts) => counts,
            Err(fault) => panic!("{fault}: {}", what()),
        };
        if !trial.may_leak() {
            assert_eq!(leaked, 0, "leaked, of {made}: {}", what());
        }
        let sum: u64 = self.run(|| (0..100u64).into_par_iter().sum());
        assert_eq!(sum, 4950, "the loop after {}", what());
        has_blown
    }

    /// The pool still has all its threads, and ends.
    fn end(self) {
        if self.jobs > 1 && !self.is_forced {
            self.run(meet);
        }
        if let Some(pool) = self.pool {
            pool.shutdown().unwrap();
        }
    }
}

fn text(payload: &(dyn std::any::Any + Send)) -> &str {
    let string = payload.downcast_ref::<String>().map(String::as_str);
    string
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("not a text")
}

/// A join with a first half that sleeps until another thread has run the second.
fn meet() {
    let (met, changed) = (Mutex::new(false), Condvar::new());
    crate::join(
        || {
            let met = met.lock().unwrap();
            drop(changed.wait_while(met, |met| !*met).unwrap());
        },
        || {
            *met.lock().unwrap() = true;
            changed.notify_all();
        },
    );
}

/// Tries an operation with every function and every call of it.
fn sweep(op: Operation) {
    // A generous bound, for tests that would hang.
    const FOREVER: Duration = Duration::from_secs(600);
    let (send, receive) = mpsc::channel();
    let thread = thread::spawn(move || {
        sweep_here(op);
        let _ = send.send(());
    });
    match receive.recv_timeout(FOREVER) {
        Ok(()) => {}
        Err(RecvTimeoutError::Timeout) => panic!("it does not end"),
        Err(RecvTimeoutError::Disconnected) => {
            let payload = thread.join().expect_err("it sends or panics");
            std::panic::resume_unwind(payload);
        }
    }
}

fn sweep_here(op: Operation) {
    let places = Place::all();
    // A run without a panic finds the functions. Which are called may depend on the scheduler.
    let mut found = BTreeSet::new();
    for (seed, place) in (0..).zip(&places) {
        let trial = Trial::new("none", 1);
        place.attempt(op, &trial, seed);
        found.extend(trial.found.into_inner().unwrap());
    }
    let mut tried = BTreeSet::new();
    while let Some(function) = found.difference(&tried).next().copied() {
        tried.insert(function);
        for (index, place) in places.iter().enumerate() {
            let run = |at| {
                let trial = Trial::new(function, at);
                let seed = (at % 1_000 * 16 + index) as u64;
                let has_blown = place.attempt(op, &trial, seed);
                (has_blown, trial)
            };
            let (_, whole) = run(usize::MAX);
            let calls = whole.calls.into_inner();
            let mut at = 1;
            loop {
                let (has_blown, trial) = run(at);
                found.extend(trial.found.into_inner().unwrap());
                if !has_blown {
                    break;
                }
                // All small numbers, then fewer and fewer; others in each place.
                at += match at {
                    0..20 => 1 + (at + index) / 3,
                    20..100 => 1 + (at + index) / 2,
                    _ => 1 + calls / (5 + index / 2),
                };
            }
        }
    }
    assert!(!tried.is_empty(), "the operation calls its functions");
    places.into_iter().for_each(Place::end);
}

/// A test for each operation.
macro_rules! sweeps {
    ($($name:ident: |$t:ident| $body:expr;)*) => {
        $(
            #[test]
            fn $name() {
                super::sweep(|$t| {
                    let _result = $body;
                });
            }
        )*
    };
}
use sweeps;

/// A trial that leaks, loses a panic or drops twice must fail.
mod it_notices {
    use super::{Operation, Place, Trial};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[track_caller]
    fn fails(op: Operation, function: &'static str) {
        let place = Place {
            name: "here".to_owned(),
            pool: None,
            jobs: 1,
            is_forced: false,
        };
        let trial = Trial::new(function, 1);
        let attempt = || place.attempt(op, &trial, 0);
        let outcome = catch_unwind(AssertUnwindSafe(attempt));
        assert!(outcome.is_err());
    }

    #[test]
    fn a_leak() {
        fails(|t| std::mem::forget(t.items()), "none");
    }

    #[test]
    fn a_lost_panic() {
        let op: Operation = |t| {
            let _ = catch_unwind(AssertUnwindSafe(|| t.call("op")));
        };
        fails(op, "op");
    }

    #[test]
    fn another_panic() {
        fails(|_| std::panic::resume_unwind(Box::new("other")), "none");
    }

    #[test]
    fn an_item_that_is_dropped_twice() {
        let op: Operation = |t| {
            let item = t.held();
            t.ledger.is_dropped(item.id());
        };
        fails(op, "none");
    }
}
