//! `fib(20)` and a tree sum of 1,000, written for each runtime as its users would write them,
//! without the lab's traits. Run under an instruction counter, it shows what the lab adds:
//!
//! ```text
//! cargo build --release --package drumline-lab --example by_hand
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null \
//!     target/release/examples/by_hand fib rayon 1
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null \
//!     target/release/examples/by_hand fib rayon 21
//! ```
//! The difference of the two counts, divided by 20 and by 21,891 calls, is the price of a call;
//! `lab/BIAS.md` has the results next to those of the lab.

use std::hint::black_box;
use std::num::NonZero;

use chili::Scope;
use forte::Worker;

struct Node {
    value: i64,
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
}

fn build(low: i64, high: i64) -> Option<Box<Node>> {
    if low > high {
        return None;
    }
    let middle = low + (high - low) / 2;
    Some(Box::new(Node {
        value: middle,
        left: build(low, middle - 1),
        right: build(middle + 1, high),
    }))
}

/// Both recursions for one runtime: what is handed to closures, and how to join.
macro_rules! by_hand {
    ($fib:ident, $sum:ident, ($($context:ident: $type:ty)?), $join:path) => {
        fn $fib(n: u64 $(, $context: $type)?) -> u64 {
            if n < 2 {
                return n;
            }
            let (a, b) = $join(
                $($context,)?
                move |$($context: $type)?| $fib(n - 1 $(, $context)?),
                move |$($context: $type)?| $fib(n - 2 $(, $context)?),
            );
            a + b
        }

        fn $sum(node: &Node $(, $context: $type)?) -> i64 {
            match (&node.left, &node.right) {
                (Some(left), Some(right)) => {
                    let value = node.value;
                    let (a, b) = $join(
                        $($context,)?
                        |$($context: $type)?| $sum(left $(, $context)?),
                        |$($context: $type)?| $sum(right $(, $context)?),
                    );
                    value + a + b
                }
                (Some(only), None) | (None, Some(only)) => {
                    node.value + $sum(only $(, $context)?)
                }
                (None, None) => node.value,
            }
        }
    };
}

#[inline(always)]
fn plain<RA, RB>(a: impl FnOnce() -> RA, b: impl FnOnce() -> RB) -> (RA, RB) {
    (a(), b())
}

by_hand!(fib_seq, sum_seq, (), plain);
by_hand!(fib_drumline, sum_drumline, (), drumline::join);
by_hand!(fib_rayon, sum_rayon, (), rayon::join);
by_hand!(fib_chili, sum_chili, (scope: &mut Scope<'_>), Scope::join);
by_hand!(fib_forte, sum_forte, (worker: &Worker), Worker::join);

static FORTE: forte::ThreadPool = forte::ThreadPool::new();

fn repeat<A>(times: u32, mut operation: impl FnMut() -> A) {
    for _ in 0..times {
        black_box(operation());
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, workload, runtime, times] = &arguments[..] else {
        eprintln!("usage: by_hand fib|tree-sum seq|drumline|rayon|chili|forte TIMES");
        std::process::exit(2);
    };
    let times = times.parse().expect("TIMES is a number");
    let tree = build(1, 1_000).expect("the range is not empty");
    let (n, fib) = (20u64, workload == "fib");
    match runtime.as_str() {
        "seq" if fib => repeat(times, || fib_seq(black_box(n))),
        "seq" => repeat(times, || sum_seq(&tree)),
        "drumline" => {
            let pool = drumline::Pool::builder().jobs(1).build().expect("a pool");
            pool.install(|| match fib {
                true => repeat(times, || fib_drumline(black_box(n))),
                false => repeat(times, || sum_drumline(&tree)),
            });
        }
        "rayon" => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
            pool.build().expect("a pool").install(|| match fib {
                true => repeat(times, || fib_rayon(black_box(n))),
                false => repeat(times, || sum_rayon(&tree)),
            });
        }
        "chili" => {
            let pool = chili::ThreadPool::with_config(chili::Config {
                thread_count: NonZero::new(1),
                ..chili::Config::default()
            });
            let mut scope = pool.scope();
            match fib {
                true => repeat(times, || fib_chili(black_box(n), &mut scope)),
                false => repeat(times, || sum_chili(&tree, &mut scope)),
            }
        }
        "forte" => FORTE.with_worker(|worker| match fib {
            true => repeat(times, || fib_forte(black_box(n), worker)),
            false => repeat(times, || sum_forte(&tree, worker)),
        }),
        _ => panic!("there is no runtime {runtime} here"),
    }
}
