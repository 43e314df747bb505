//! The end of pools: shut down, dropped, ten thousand one after another.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use common::{Event, eventually, fib, pool, without_guests};
use drumline::Pool;
use drumline::PoolBuilder;
use drumline::stream;

#[test]
fn shutdown_from_inside_gives_the_pool_back() {
    // The pool is sent to one of its own threads.
    let (to_worker, at_worker) = mpsc::channel::<Pool>();
    let (to_test, at_test) = mpsc::channel();
    let at_worker = Mutex::new(at_worker);
    let pool = Pool::builder()
        .jobs(2)
        .start_handler(move |index| {
            if index == 0 {
                let pool = at_worker.lock().unwrap().recv().unwrap();
                to_test.send(pool.shutdown()).unwrap();
            }
        })
        .build()
        .unwrap();
    to_worker.send(pool).unwrap();
    let error = at_test.recv().unwrap().unwrap_err();
    assert!(
        error.to_string().contains("cannot wait for its own end"),
        "{error}"
    );
    let pool = error.into_pool();
    assert_eq!(pool.install(|| fib(12)), 144);
    pool.shutdown().unwrap();
}

#[test]
fn a_pool_dropped_on_its_own_thread_ends() {
    let (to_worker, at_worker) = mpsc::channel::<Pool>();
    let at_worker = Mutex::new(at_worker);
    let ended = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ended);
    let pool = Pool::builder()
        .jobs(2)
        .start_handler(move |index| {
            if index == 0 {
                drop(at_worker.lock().unwrap().recv().unwrap());
            }
        })
        .exit_handler(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        })
        .build()
        .unwrap();
    to_worker.send(pool).unwrap();
    eventually("both threads end", || ended.load(Ordering::Relaxed) == 2);
}

#[test]
fn a_pool_is_shut_down_from_inside_another() {
    let (pool, other) = (pool(2), without_guests(1));
    other.install(|| pool.shutdown()).unwrap();
}

#[test]
fn many_pools_one_after_another() {
    let start = usage();
    let mut early = None;
    for number in 0..10_000 {
        let pool = pool(1 + number % 3);
        if number % 3 == 0 {
            assert_eq!(pool.install(|| fib(5)), 5);
        }
        if number % 7 == 0 {
            pool.shutdown().unwrap();
        } else {
            drop(pool);
        }
        if number == 1_000 {
            early = Some(usage());
        }
    }
    if let (Some(start), Some(early)) = (start, early.flatten()) {
        let others = 64; // threads of tests that run beside this one
        eventually("the threads of dropped pools end", || {
            usage().is_some_and(|now| now.threads <= start.threads + others)
        });
        let end = usage().unwrap();
        // 9,000 further pools; half a page each would be more than this.
        let grown = end.resident_kib.saturating_sub(early.resident_kib);
        eprintln!("resident memory grew by {grown} KiB");
        assert!(grown < 256 * 1024, "{grown} KiB after 1,000 pools");
    }
}

struct Usage {
    threads: usize,
    resident_kib: usize,
}

/// What the system says about this process, where it says it in the way of Linux.
fn usage() -> Option<Usage> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let number = |key: &str| {
        let line = status.lines().find(|line| line.starts_with(key))?;
        line[key.len()..].split_whitespace().next()?.parse().ok()
    };
    Some(Usage {
        threads: number("Threads:")?,
        resident_kib: number("VmRSS:")?,
    })
}

/// A member for good does not keep its pool from ending. Whatever it begins while the pool ends is
/// done all the same: by a worker, or by the member.
fn begun_while_the_pool_ends(begin: fn()) {
    for round in 0..400 {
        let member = thread::spawn(move || {
            let pool = Pool::builder().jobs(2 + round % 2).use_current_thread();
            let pool = pool.build().unwrap();
            // In half of the rounds the workers have been busy, in the others they are just coming.
            if round % 4 < 2 {
                assert_eq!(pool.spawn(|| 1).join().unwrap(), 1);
            }
            drop(pool);
            begin();
        });
        member.join().unwrap();
    }
}

#[test]
fn a_member_spawns_while_its_pool_ends() {
    begun_while_the_pool_ends(|| {
        let (send, receive) = mpsc::channel();
        drop(drumline::spawn(move || send.send(5).unwrap()));
        assert_eq!(receive.recv(), Ok(5));
    });
}

#[test]
fn a_member_broadcasts_while_its_pool_ends() {
    begun_while_the_pool_ends(|| {
        let indices = drumline::broadcast(|context| context.index());
        assert_eq!(indices, Vec::from_iter(0..indices.len()));
        let (send, receive) = mpsc::channel();
        drumline::spawn_broadcast(move |context| send.send(context.threads()).unwrap());
        let shares: Vec<usize> = receive.iter().collect();
        assert_eq!(shares, vec![shares.len(); shares.len()]);
    });
}

#[test]
fn a_member_begins_a_stream_while_its_pool_ends() {
    begun_while_the_pool_ends(|| {
        let doubled = stream::iter(0..100).map(|number| 2 * number).ordered();
        assert_eq!(doubled.into_iter().sum::<i32>(), 9_900);
        let tasks = drumline::scope(|scope| {
            scope.spawn(|_| ());
            drumline::stream::iter(0..100)
                .map(|number| number + 1)
                .for_each(drop);
            1
        });
        assert_eq!(tasks, 1);
    });
}

/// The member takes back what a stream has queued for a worker, while another thread shuts the pool
/// down: nothing is left to be done then, and the pool ends.
#[test]
fn a_pool_ends_while_its_member_streams() {
    for _ in 0..3_000 {
        let member = thread::spawn(|| {
            let pool = Pool::builder().jobs(2).use_current_thread();
            let pool = pool.build().unwrap();
            let ender = thread::spawn(move || pool.shutdown().unwrap());
            for _ in 0..3 {
                stream::iter(0..40).for_each(drop);
            }
            ender.join().unwrap();
        });
        member.join().unwrap();
    }
}

/// Builds a pool, and has another thread drop its handle while the last thread of the pool is on
/// its way, and the others sleep. Calls `begin` after the pool was closed. The last thread goes on
/// after that.
///
/// `dropped` is set when the handle has been dropped.
fn dropped_on_the_way(
    builder: PoolBuilder,
    last: usize,
    dropped: &Arc<Event>,
    begin: impl FnOnce(),
) {
    let [closed, slept, goes_on] = [(); 3].map(|()| Arc::new(Event::new()));
    let told = [&closed, &slept, &goes_on].map(Arc::clone);
    let builder = builder.event_handler(move |event| {
        let [closed, slept, goes_on] = &told;
        match event {
            drumline::Event::ThreadStarted { index, .. } if *index == last => goes_on.wait(),
            drumline::Event::Slept { .. } => slept.set(),
            // The searcher is called to look for the last time.
            drumline::Event::Woke { .. } => closed.set(),
            _ => {}
        }
    });
    let pool = builder.build().unwrap();
    slept.wait();
    let dropped = Arc::clone(dropped);
    let dropper = thread::spawn(move || {
        drop(pool);
        dropped.set();
    });
    closed.wait();
    begin();
    goes_on.set();
    dropper.join().unwrap();
}

/// The handle is dropped while the pool is at rest, so the drop waits for the threads. A member for
/// good gives one of them a job before it has ended. The drop does not wait for the job.
#[test]
fn a_drop_does_not_wait_for_what_a_member_begins() {
    let member = thread::spawn(|| {
        let [dropped, done] = [(); 2].map(|()| Arc::new(Event::new()));
        let builder = Pool::builder().jobs(3).use_current_thread();
        dropped_on_the_way(builder, 2, &dropped, || {
            let (dropped, done) = (Arc::clone(&dropped), Arc::clone(&done));
            drop(drumline::spawn(move || {
                dropped.wait();
                done.set();
            }));
        });
        done.wait();
    });
    member.join().unwrap();
}

/// The same with a thread that comes late, and has a start handler to run.
#[test]
fn a_drop_does_not_wait_for_a_start_handler() {
    let [dropped, done] = [(); 2].map(|()| Arc::new(Event::new()));
    let (is_dropped, is_done) = (Arc::clone(&dropped), Arc::clone(&done));
    let builder = Pool::builder().jobs(2).start_handler(move |index| {
        if index == 1 {
            is_dropped.wait();
            is_done.set();
        }
    });
    dropped_on_the_way(builder, 1, &dropped, || ());
    done.wait();
}
