//! A serial end that is held up by a result: the stage goes on meanwhile, however short its items
//! were before.

mod common;

use std::sync::atomic::{AtomicU64, Ordering};

use common::{ends, eventually, pool, without_guests};
use drumline::stream;

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
