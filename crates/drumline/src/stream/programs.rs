//! Streams with several stages under shuttle, in pools with threads that run something while they
//! wait or yield. No schedule may end in a deadlock.

use shuttle::rand::{Rng, thread_rng};
use shuttle::sync::{Condvar, Mutex};

use crate::sync::exploration::{in_random_schedules, iterations, with_few_preemptions};
use crate::sync::plant::{Plant, must_catch};
use crate::{Pool, WaitPolicy, stream, yield_now};

const ITEMS: u32 = 4;

/// A stream of two stages with functions that yield and join.
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
    in_random_schedules(stages, iterations(1_000));
}

#[test]
fn shuttle_stages_with_few_preemptions() {
    with_few_preemptions(stages, iterations(500));
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
    in_random_schedules(items_that_wait, iterations(2_000));
}

/// All consumers but one wait for an item that comes when all of these have begun, over a queue or
/// an iterator. Nothing foretells it: some short items come first.
fn all_but_one_wait(is_blind: bool) {
    let mut rng = thread_rng();
    let jobs = rng.gen_range(2..4);
    let pool = Pool::builder()
        .jobs(jobs)
        .guests(rng.r#gen())
        .build()
        .expect("nothing can fail here");
    let (short, last) = (rng.gen_range(0..ITEMS), ITEMS + jobs as u32 - 1);
    let (is_there, changed) = (Mutex::new(false), Condvar::new());
    let handle = |n: u32| {
        let mut is_there = is_there.lock().expect("nothing panics");
        *is_there |= n == last;
        changed.notify_all();
        while n >= ITEMS && !*is_there {
            is_there = changed.wait(is_there).expect("nothing panics");
        }
        n
    };
    let mut all = Vec::new();
    let numbers = ITEMS - short..=last;
    if is_blind {
        let items = stream::iter(numbers.clone()).pool(&pool).batch(1);
        items.map_ordered(handle).for_each(|n| all.push(n));
    } else {
        let (sender, receiver) = stream::queue(1);
        let sent = numbers.clone();
        let producer = shuttle::thread::spawn(move || {
            sent.for_each(|n| sender.send(n).expect("the stream takes all"));
        });
        let items = stream::stream(receiver).pool(&pool).batch(1);
        items.map_ordered(handle).for_each(|n| all.push(n));
        producer.join().expect("it does not panic");
    }
    assert!(all.into_iter().eq(numbers));
    assert!(pool.shutdown().is_ok(), "this thread is outside");
}

#[test]
fn shuttle_all_but_one_wait_over_a_queue() {
    in_random_schedules(|| all_but_one_wait(false), iterations(2_000));
}

#[test]
fn shuttle_all_but_one_wait_over_an_iterator() {
    in_random_schedules(|| all_but_one_wait(true), iterations(2_000));
}

#[test]
fn shuttle_plant_unwatched_queue() {
    must_catch(Plant::Unwatched, || {
        in_random_schedules(|| all_but_one_wait(false), 10_000);
    });
}

#[test]
fn shuttle_plant_unwatched() {
    must_catch(Plant::Unwatched, || {
        in_random_schedules(items_that_wait, 10_000);
    });
}

#[test]
fn shuttle_plant_long_lived_jobs_anywhere() {
    must_catch(Plant::LongLivedAnywhere, || {
        in_random_schedules(stages, 5_000);
    });
}
