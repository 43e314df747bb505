//! Where no program builds the global pool it is like rayon's, also if its first use is a loop,
//! whose method is Drumline's.

use std::collections::HashSet;
use std::sync::Mutex;
use std::thread;

use rayon::prelude::*;

#[test]
fn of_the_global_pool_is_a_loop() {
    let seen = Mutex::new(HashSet::new());
    (0..1_000).into_par_iter().for_each(|_| {
        let index = rayon::current_thread_index().expect("loops run in the pool");
        let here = (index, thread::current().id());
        seen.lock().unwrap().insert(here);
    });
    let seen = seen.into_inner().unwrap();
    let threads = rayon::current_num_threads();
    let me = thread::current().id();
    assert!(seen.iter().all(|&(index, _)| index < threads), "{seen:?}");
    assert!(seen.iter().all(|&(_, id)| id != me), "no guests");
}

/// A call from outside is handed over, so both halves run on another thread than their caller.
#[test]
fn both_halves_of_a_call_from_outside_migrate() {
    let halves = || rayon::join_context(|a| a.migrated(), |b| b.migrated());
    assert_eq!(halves(), (true, true));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    assert_eq!(pool.build().unwrap().install(halves), (false, false));
}
