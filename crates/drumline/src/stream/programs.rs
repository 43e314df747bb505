//! Streams with several stages under shuttle, in pools whose threads run something while they wait
//! or yield. No schedule may end in a deadlock.

use shuttle::rand::{Rng, thread_rng};

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

#[test]
fn shuttle_plant_long_lived_jobs_anywhere() {
    must_catch(Plant::LongLivedAnywhere, || {
        shuttle::check_random(stages, 5_000);
    });
}
