//! Streams with several stages under shuttle, in pools whose threads run something while they wait
//! or yield. No schedule may end in a deadlock.

use shuttle::rand::{Rng, thread_rng};
use shuttle::sync::{Condvar, Mutex};

use crate::sync::plant::{Plant, must_catch};
use crate::{Pool, WaitPolicy, stream, yield_now};

const ITEMS: u32 = 4;

/// A stream of two stages, whose functions yield and join.
fn stages() {
    let mut rng = thread_rng();
    let policy = if rng.r#gen() {
        WaitPolicy::Steal
    } else {
        WaitPolicy::Related
    };
    let pool = Pool::builder()
        .jobs(rng.gen_range(1..4))
        .guests(rng.r#gen())
        .wait_policy(policy)
        .build()
        .expect("nothing can fail here");
    let way = |n: u32| {
        if thread_rng().r#gen() {
            yield_now();
        } else {
            crate::join(shuttle::thread::yield_now, || ());
        }
        n
    };
    let mut all = Vec::new();
    stream::iter(0..ITEMS)
        .pool(&pool)
        .map_ordered(way)
        .stream()
        .map_ordered(way)
        .for_each(|n| all.push(n));
    assert!(all.into_iter().eq(0..ITEMS));
    assert!(pool.shutdown().is_ok(), "this thread is outside");
}

#[test]
fn shuttle_stages_in_random_schedules() {
    shuttle::check_random(stages, 1_000);
}

#[test]
fn shuttle_stages_with_few_preemptions() {
    shuttle::check_pct(stages, 500, 3);
}

/// A stream with an item that waits for the next, and tells no pool of it.
fn items_that_wait() {
    let mut rng = thread_rng();
    let pool = Pool::builder()
        .jobs(rng.gen_range(2..4))
        .guests(rng.r#gen())
        .build()
        .expect("nothing can fail here");
    let waits = rng.gen_range(0..2 * ITEMS - 1);
    let (latest, changed) = (Mutex::new(0), Condvar::new());
    let handle = |n: u32| {
        let mut latest = latest.lock().expect("nothing panics");
        *latest = n.max(*latest);
        changed.notify_all();
        while n == waits && *latest == n {
            latest = changed.wait(latest).expect("nothing panics");
        }
        n
    };
    let mut all = Vec::new();
    let items = stream::iter(0..2 * ITEMS).pool(&pool).batch(1);
    items.map_ordered(handle).for_each(|n| all.push(n));
    assert!(all.into_iter().eq(0..2 * ITEMS));
    assert!(pool.shutdown().is_ok(), "this thread is outside");
}

#[test]
fn shuttle_items_that_wait_for_the_next() {
    shuttle::check_random(items_that_wait, 2_000);
}

#[test]
fn shuttle_plant_unwatched() {
    must_catch(Plant::Unwatched, || {
        shuttle::check_random(items_that_wait, 10_000);
    });
}

#[test]
fn shuttle_plant_long_lived_jobs_anywhere() {
    must_catch(Plant::LongLivedAnywhere, || {
        shuttle::check_random(stages, 5_000);
    });
}
