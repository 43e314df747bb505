//! Where blocked threads are not replaced: at the limit, where the system refuses, in pools that
//! make no threads of their own, in a forked child.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use common::{Event as Happened, FOREVER, pool, wait_until_parked, without_guests};
use drumline::{Event, Pool, PoolBuilder, blocking, join};

/// The pool with these events and warnings.
fn heard(builder: PoolBuilder) -> (Pool, mpsc::Receiver<Event>) {
    let (tell, told) = mpsc::channel();
    let pool = builder.event_handler(move |event| tell.send(event.clone()).unwrap());
    (pool.build().unwrap(), told)
}

/// The next event that `choose` wants.
#[track_caller]
fn next<T>(told: &mpsc::Receiver<Event>, choose: impl Fn(&Event) -> Option<T>) -> T {
    loop {
        let event = told.recv_timeout(FOREVER).expect("waited in vain");
        if let Some(chosen) = choose(&event) {
            return chosen;
        }
    }
}

/// With the monitor as its last thread, the pool warns of that, and of no thread that blocks later.
fn limit_reached(event: &Event) -> Option<(usize, Vec<String>)> {
    match event {
        Event::LimitReached { limit, workers, .. } | Event::NoMonitor { limit, workers, .. } => {
            Some((*limit, workers.clone()))
        }
        _ => None,
    }
}

/// A job that is blocked until the sender is dropped, once it is.
fn blocked(pool: &Pool, announced: bool) -> mpsc::Sender<()> {
    let (release, begun) = will_block(pool, announced);
    begun.wait();
    release
}

/// The same, and what happens when it begins.
fn will_block(pool: &Pool, announced: bool) -> (mpsc::Sender<()>, Arc<Happened>) {
    let (release, wait) = mpsc::channel::<()>();
    let begun = Arc::new(Happened::new());
    let begins = Arc::clone(&begun);
    drop(pool.spawn(move || {
        let wait = || {
            begins.set();
            wait.recv().unwrap_err();
        };
        if announced { blocking(wait) } else { wait() }
    }));
    (release, begun)
}

#[test]
fn at_the_limit_it_warns_and_goes_on_when_one_comes_back() {
    at_the_limit(1);
}

#[test]
fn at_the_limit_it_warns_again() {
    at_the_limit(3);
}

fn at_the_limit(episodes: usize) {
    for jobs in [1, 2, 4] {
        for more in [0, 2] {
            for announced in [true, false] {
                // The monitor, which notices threads that block unannounced, is one of the
                // `max_threads`.
                if !announced && (more == 0 || !cfg!(target_os = "linux")) {
                    continue;
                }
                let builder = Pool::builder().jobs(jobs).max_threads(jobs + more);
                let (pool, told) = heard(builder.thread_name(|index| format!("at-{index}")));
                for _ in 0..episodes {
                    let mut release: Vec<_> = (0..jobs + more)
                        .map(|_| blocked(&pool, announced))
                        .collect();
                    let further = [(); 2].map(|()| will_block(&pool, announced));
                    let begun = || further.iter().filter(|(_, begun)| begun.is_set()).count();
                    let (limit, mut workers) = next(&told, limit_reached);
                    assert_eq!(limit, jobs + more);
                    assert!(workers.iter().all(|name| name.starts_with("at-")));
                    let named = workers.len();
                    workers.sort();
                    workers.dedup();
                    assert_eq!(workers.len(), named, "{workers:?}");
                    assert!(begun() < 2, "all others are blocked");
                    drop(release.pop());
                    common::eventually("one comes back and goes on", || begun() > 0);
                    drop((release, further));
                    // The end of the episode: nothing is left to do, and all threads sleep.
                    common::eventually("the pool is at rest", || {
                        let stats = pool.stats();
                        stats.blocked == 0 && stats.parks - stats.wakes == stats.threads as u64
                    });
                    common::eventually("everybody sleeps", || {
                        let stats = pool.stats();
                        stats.parks - stats.wakes == stats.threads as u64
                    });
                }
            }
        }
    }
}

/// All that block without a word are replaced. The last one to take a place was the monitor, so the
/// pool warns that it would not notice another one, and of nothing else.
#[test]
#[cfg(target_os = "linux")]
fn the_monitor_is_the_last_thread_of_the_limit() {
    for jobs in [1, 2] {
        let builder = Pool::builder().jobs(jobs).max_threads(4 + jobs);
        let (pool, told) = heard(builder.thread_name(|index| format!("at-{index}")));
        let release: Vec<_> = (0..4).map(|_| blocked(&pool, false)).collect();
        let is_over = Arc::new(AtomicBool::new(false));
        let busy: Vec<_> = (0..jobs)
            .map(|_| {
                let is_over = Arc::clone(&is_over);
                pool.spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                })
            })
            .collect();
        let (limit, mut workers) = next(&told, |event| match event {
            Event::NoMonitor { limit, workers, .. } => Some((*limit, workers.clone())),
            Event::LimitReached { .. } => panic!("{event}"),
            _ => None,
        });
        workers.sort();
        workers.dedup();
        assert_eq!((limit, workers.len()), (4 + jobs, 4), "{workers:?}");
        is_over.store(true, Ordering::Relaxed);
        drop(release);
        for task in busy {
            task.join().unwrap();
        }
        pool.shutdown().unwrap();
        let is_limit = |event: &Event| matches!(event, Event::LimitReached { .. });
        assert!(!told.iter().any(|event| is_limit(&event)));
    }
}

/// Pools that do not make their threads themselves have no more than those; a guest that blocks is
/// replaced by one of them all the same.
#[test]
fn pools_with_threads_of_the_program_have_no_spares() {
    fn use_it(pool: &Pool) {
        let threads = pool.stats().threads;
        for _ in 0..20 {
            pool.install(|| {
                // Short, which must not teach the pool to expect it.
                blocking(|| ());
                let (send, receive) = mpsc::channel();
                let receive = move || blocking(|| receive.recv_timeout(FOREVER));
                assert_eq!(join(receive, || send.send(1)).0, Ok(1));
            });
        }
        pool.spawn(|| blocking(|| ())).join().unwrap();
        let stats = pool.stats();
        assert_eq!((stats.spares, stats.threads), (0, threads));
    }
    for jobs in [1, 2] {
        let builder = Pool::builder().jobs(jobs).guests(true);
        let own = builder
            .spawn_handler(|builder| thread::Builder::new().spawn(|| builder.run()).map(drop));
        use_it(&own.build().unwrap());
        let builder = Pool::builder().jobs(jobs).guests(true);
        builder.build_scoped(|thread| thread.run(), use_it).unwrap();
    }
}

/// Runs one of the programs below in a process of its own, where it may change limits.
#[cfg(target_os = "linux")]
#[track_caller]
fn succeeds(program: &str) {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", program, "--ignored", "--nocapture"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn where_the_system_refuses_it_warns_and_tries_again() {
    succeeds("program_without_memory_for_stacks");
}

/// How much address space this process may have from now on.
#[cfg(target_os = "linux")]
fn limit_address_space(bytes: libc::rlim_t) {
    let limit = libc::rlimit {
        rlim_cur: bytes,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: reads the structure, and changes a number of this process.
    let changed = unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
    assert_eq!(changed, 0);
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "a program of the test above"]
fn program_without_memory_for_stacks() {
    const STACK: usize = 4 << 30;
    let (pool, told) = heard(Pool::builder().jobs(2).stack_size(STACK));
    let other = without_guests(1);
    let refused = |event: &Event| match event {
        Event::SpareNotCreated { have, refusals, .. } => Some((*have, *refusals)),
        _ => None,
    };
    for raised in [false, true] {
        // The pool warns once between two moments of rest, and has no spares yet.
        wait_until_parked(&pool);
        let status = std::fs::read_to_string("/proc/self/statm").unwrap();
        let pages: u64 = status.split(' ').next().unwrap().parse().unwrap();
        limit_address_space(pages * 4096 + (STACK as u64) / 2);
        let mut release: Vec<_> = (0..2).map(|_| blocked(&pool, true)).collect();
        let task = pool.spawn(|| 7);
        let (have, refusals) = next(&told, refused);
        assert_eq!(have, 2);
        assert!(refusals > 0);
        assert!(pool.stats().refusals >= refusals);
        assert!(!task.is_finished());
        if raised {
            limit_address_space(libc::RLIM_INFINITY);
            // A thread ends somewhere, and that is when it is tried again.
            let (_release, spares) = (blocked(&other, true), other.spawn(|| 1));
            assert_eq!(spares.join().unwrap(), 1);
            assert_eq!(task.join().unwrap(), 7);
        } else {
            drop(release.pop());
            assert_eq!(task.join().unwrap(), 7);
        }
        drop(release);
        common::eventually("everybody comes back", || pool.stats().blocked == 0);
    }
    assert!(pool.stats().spares > 0);
    assert_eq!(pool.lost_panics(), 0);
}

/// In a forked child no thread can replace another one: `blocking` is a plain call.
#[test]
#[cfg(target_os = "linux")]
fn in_a_forked_child_nothing_happens() {
    for pool in [pool(2), without_guests(2)] {
        pool.install(|| {
            blocking(|| ());
            // SAFETY: the child allocates nothing that another thread may have locked, and ends by
            // `_exit`.
            let id = unsafe { libc::fork() };
            assert!(id >= 0);
            if id == 0 {
                let right = blocking(|| blocking(|| 6 * 7)) == 42;
                // SAFETY: ends the child, and runs nothing of the parent's.
                unsafe { libc::_exit(i32::from(!right)) };
            }
            let mut status = 0;
            // SAFETY: a child of this process that nothing else waits for.
            let ended = blocking(|| unsafe { libc::waitpid(id, &raw mut status, 0) });
            assert_eq!((ended, status), (id, 0));
        });
        // And inside of it: what ends in the child began in the parent.
        pool.install(|| {
            let (id, status) = blocking(|| {
                // SAFETY: as above.
                let id = unsafe { libc::fork() };
                assert!(id >= 0);
                let mut status = 0;
                if id > 0 {
                    // SAFETY: as above.
                    unsafe { libc::waitpid(id, &raw mut status, 0) };
                }
                (id, status)
            });
            if id == 0 {
                // SAFETY: as above.
                unsafe { libc::_exit(0) };
            }
            assert_eq!(status, 0);
        });
    }
}
