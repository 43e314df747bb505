//! Panics: which one wins, what is dropped, and that the pool goes on.

mod common;

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};

use common::{Event, Random, fib, pool, pools_with_helpers, quiet_panic};
use drumline::{Pool, join};

/// Runs `f`, which panics, and returns the payload.
#[track_caller]
fn payload_of<R>(f: impl FnOnce() -> R) -> Box<dyn Any + Send> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(_) => panic!("this should have panicked"),
        Err(payload) => payload,
    }
}

#[track_caller]
fn number_of<R>(f: impl FnOnce() -> R) -> u32 {
    *payload_of(f).downcast::<u32>().expect("a number")
}

#[track_caller]
fn still_works(pool: &Pool) {
    assert_eq!(pool.install(|| fib(12)), 144);
}

/// A value that panics in its drop, after it has been counted.
struct Bomb<'a>(&'a AtomicUsize);

impl Drop for Bomb<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        quiet_panic("bomb");
    }
}

#[test]
fn in_the_first_half() {
    for jobs in [1, 2, 8] {
        let pool = pool(jobs);
        for _ in 0..100 {
            let ran = AtomicUsize::new(0);
            let number = number_of(|| {
                pool.join(
                    || quiet_panic(1_u32),
                    || ran.fetch_add(1, Ordering::Relaxed),
                )
            });
            assert_eq!(number, 1);
            assert!(ran.into_inner() <= 1);
        }
        still_works(&pool);
    }
}

#[test]
fn in_the_second_half_inline() {
    let pool = pool(1);
    let dropped = AtomicUsize::new(0);
    struct Counted<'a>(&'a AtomicUsize);
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let number = number_of(|| pool.join(|| Counted(&dropped), || quiet_panic(2_u32)));
    assert_eq!(number, 2);
    assert_eq!(dropped.into_inner(), 1, "the first result is dropped");
    still_works(&pool);
}

#[test]
fn in_the_second_half_elsewhere() {
    for (name, pool) in pools_with_helpers() {
        let ended = AtomicUsize::new(0);
        let number = number_of(|| {
            let taken = Event::new();
            pool.join(
                || taken.wait(),
                || {
                    taken.set();
                    ended.fetch_add(1, Ordering::Relaxed);
                    quiet_panic(3_u32)
                },
            )
        });
        assert_eq!(number, 3, "{name}");
        assert_eq!(ended.into_inner(), 1, "{name}");
        still_works(&pool);
    }
}

#[test]
fn in_both_the_first_wins() {
    for (name, pool) in pools_with_helpers() {
        for _ in 0..20 {
            let number = number_of(|| {
                let taken = Event::new();
                pool.join(
                    || {
                        taken.wait();
                        quiet_panic(1_u32)
                    },
                    || {
                        taken.set();
                        quiet_panic(2_u32)
                    },
                )
            });
            assert_eq!(number, 1, "{name}");
        }
        still_works(&pool);
    }
}

#[test]
fn the_second_half_ends_before_the_panic_goes_on() {
    for (name, pool) in pools_with_helpers() {
        for _ in 0..20 {
            let ended = AtomicBool::new(false);
            let number = number_of(|| {
                let (taken, panicking) = (Event::new(), Event::new());
                // Set while the first half unwinds, and only then.
                struct OnUnwind<'a>(&'a Event);
                impl Drop for OnUnwind<'_> {
                    fn drop(&mut self) {
                        self.0.set();
                    }
                }
                pool.join(
                    || {
                        taken.wait();
                        let _signal = OnUnwind(&panicking);
                        quiet_panic(1_u32)
                    },
                    || {
                        taken.set();
                        panicking.wait();
                        // Give a join that does not wait every chance to be noticed.
                        for _ in 0..100 {
                            std::thread::yield_now();
                        }
                        ended.store(true, Ordering::Relaxed);
                    },
                )
            });
            assert_eq!(number, 1);
            assert!(ended.into_inner(), "{name}: the panic went on too early");
        }
    }
}

#[test]
fn a_second_half_that_was_not_begun_is_dropped_and_not_run() {
    struct Counted<'a>(&'a AtomicUsize);
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    // With one job and a guest no other thread can take it.
    let pool = pool(1);
    let (dropped, ran) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let captured = Counted(&dropped);
    let number = number_of(|| {
        pool.join(
            || quiet_panic(1_u32),
            || {
                let _captured = captured;
                ran.fetch_add(1, Ordering::Relaxed);
            },
        )
    });
    assert_eq!(number, 1);
    assert_eq!((dropped.into_inner(), ran.into_inner()), (1, 0));
}

#[test]
fn a_payload_whose_drop_panics() {
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    for (name, pool) in pools_with_helpers() {
        DROPPED.store(0, Ordering::Relaxed);
        let number = number_of(|| {
            let taken = Event::new();
            pool.join(
                || {
                    taken.wait();
                    quiet_panic(1_u32)
                },
                || {
                    taken.set();
                    quiet_panic(Bomb(&DROPPED))
                },
            )
        });
        assert_eq!(number, 1, "{name}");
        assert_eq!(DROPPED.load(Ordering::Relaxed), 1, "{name}");
        still_works(&pool);
    }
}

#[test]
fn a_result_whose_drop_panics() {
    let dropped = AtomicUsize::new(0);
    for (name, pool) in pools_with_helpers() {
        // The first half panics while the second returns a bomb.
        let number = number_of(|| {
            let taken = Event::new();
            pool.join(
                || {
                    taken.wait();
                    quiet_panic(1_u32)
                },
                || {
                    taken.set();
                    Bomb(&dropped)
                },
            )
        });
        assert_eq!(number, 1, "{name}");
        assert_eq!(dropped.swap(0, Ordering::Relaxed), 1, "{name}");
        // The second half, elsewhere, panics after the first has returned a bomb.
        let number = number_of(|| {
            let taken = Event::new();
            pool.join(
                || {
                    taken.wait();
                    Bomb(&dropped)
                },
                || {
                    taken.set();
                    quiet_panic(2_u32)
                },
            )
        });
        assert_eq!(number, 2, "{name}");
        assert_eq!(dropped.swap(0, Ordering::Relaxed), 1, "{name}");
        still_works(&pool);
    }
    // The same inline.
    let pool = pool(1);
    let number = number_of(|| pool.join(|| Bomb(&dropped), || quiet_panic(2_u32)));
    assert_eq!(number, 2);
    assert_eq!(dropped.into_inner(), 1);
    still_works(&pool);
}

#[test]
fn a_closure_whose_drop_panics() {
    // With one job and a guest the second half is never begun.
    let pool = pool(1);
    let dropped = AtomicUsize::new(0);
    let bomb = Bomb(&dropped);
    let number = number_of(|| {
        pool.join(
            || quiet_panic(1_u32),
            move || {
                let _bomb = bomb;
            },
        )
    });
    assert_eq!(number, 1);
    assert_eq!(dropped.into_inner(), 1);
    still_works(&pool);
}

#[test]
fn through_install_from_inside_and_outside() {
    for guests in [true, false] {
        let pool = Pool::builder().jobs(2).guests(guests).build().unwrap();
        let number = number_of(|| pool.install(|| quiet_panic(4_u32)));
        assert_eq!(number, 4);
        let number = number_of(|| pool.install(|| pool.install(|| quiet_panic(5_u32))));
        assert_eq!(number, 5);
        // The thread is out of the pool again.
        assert_eq!(pool.worker_index(), None);
        assert_eq!(drumline::worker_index(), None);
        still_works(&pool);
    }
}

#[test]
fn while_unwinding_a_join_in_a_destructor_works() {
    struct JoinsOnDrop<'a>(&'a Cell<u64>);
    impl Drop for JoinsOnDrop<'_> {
        fn drop(&mut self) {
            self.0.set(fib(10));
        }
    }
    let sum = Cell::new(0);
    let number = number_of(|| {
        let _on_drop = JoinsOnDrop(&sum);
        quiet_panic(6_u32)
    });
    assert_eq!((number, sum.get()), (6, 55));
}

static ALIVE: AtomicIsize = AtomicIsize::new(0);

/// Counted while it exists; boxed, so that a leak or a double drop is also one of memory.
struct Token(Box<u32>);

impl Token {
    fn new(number: u32) -> Self {
        ALIVE.fetch_add(1, Ordering::Relaxed);
        Token(Box::new(number))
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A plan of what to fork and where to panic, the same for the model and the runs.
struct Plan {
    number: u32,
    panics: bool,
    children: Option<Box<(Plan, Plan)>>,
}

impl Plan {
    fn random(random: &mut Random, size: u64, next: &mut u32) -> Self {
        let number = *next;
        *next += 1;
        let panics = random.below(24) == 0;
        let children = (size > 1).then(|| {
            let left = 1 + random.below(size - 1);
            let left_plan = Plan::random(random, left, next);
            Box::new((left_plan, Plan::random(random, size - left, next)))
        });
        Plan {
            number,
            panics,
            children,
        }
    }

    /// The sum of the numbers, or the panic that plain recursion ends with.
    fn outcome(&self) -> Result<u64, u32> {
        let mut sum = u64::from(self.number);
        if let Some(children) = &self.children {
            sum += children.0.outcome()? + children.1.outcome()?;
        }
        if self.panics {
            Err(self.number)
        } else {
            Ok(sum)
        }
    }

    fn run(&self, token: Token, runs: &[AtomicUsize]) -> (u64, Token) {
        runs[self.number as usize].fetch_add(1, Ordering::Relaxed);
        let mut sum = u64::from(self.number);
        if let Some(children) = &self.children {
            let (left, right) = (Token::new(*token.0), Token::new(*token.0));
            let (left, right) = join(
                || children.0.run(left, runs),
                || children.1.run(right, runs),
            );
            assert_eq!((*left.1.0, *right.1.0), (*token.0, *token.0));
            sum += left.0 + right.0;
        }
        if self.panics {
            quiet_panic(Token::new(self.number));
        }
        (sum, token)
    }
}

#[test]
fn random_trees_lose_nothing_and_run_nothing_twice() {
    // One test for all numbers of jobs: the tokens are counted for the whole process.
    for jobs in [1, 2, 8] {
        let pool = pool(jobs);
        let cases = if cfg!(miri) { 10 } else { 3_000 };
        for case in 0..cases {
            let mut random = Random::new(case * 31 + jobs as u64);
            let size = 1 + random.below(60);
            let mut nodes = 0;
            let plan = Plan::random(&mut random, size, &mut nodes);
            let runs: Vec<AtomicUsize> = (0..nodes).map(|_| AtomicUsize::new(0)).collect();
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                pool.install(|| plan.run(Token::new(7), &runs))
            }));
            let outcome = match outcome {
                Ok((sum, token)) => {
                    assert_eq!(*token.0, 7);
                    Ok(sum)
                }
                Err(payload) => Err(*payload.downcast::<Token>().expect("a token").0),
            };
            assert_eq!(outcome, plan.outcome(), "jobs {jobs}, case {case}");
            for (number, runs) in runs.iter().enumerate() {
                let runs = runs.load(Ordering::Relaxed);
                let all = outcome.is_ok();
                assert!(
                    runs == 1 || (!all && runs == 0),
                    "node {number} ran {runs} times"
                );
            }
            let alive = ALIVE.load(Ordering::Relaxed);
            assert_eq!(alive, 0, "jobs {jobs}, case {case}: tokens left");
        }
        still_works(&pool);
    }
}
