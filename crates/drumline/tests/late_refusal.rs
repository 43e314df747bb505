//! A system that refuses the asymmetric barrier after pools have begun to rely on it: a sandbox
//! that is entered late.
//!
//! Each test is a program in a process of its own, which installs a filter for system calls.
#![cfg(target_os = "linux")]

mod common;

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use common::child::in_a_child;
use common::ping_pong::PingPong;
use common::{
    Event, Random, each, eventually, fib, meet, meet_spinning, pool, threads, wait_until_parked,
    without_guests, without_spares,
};
use drumline::prelude::*;
use drumline::{Pool, blocking, join, stream};

// Relaxed throughout: these are counts, and publish nothing else. They are read after the call that
// changed them.

/// Long enough for any timer that a runtime might leave ticking, and for the longest nap many
/// times; nothing is asserted about how long it takes until such a window comes.
const WINDOW: Duration = Duration::from_millis(200);

/// What a program prints where the system does not let it install a filter.
const SKIPPED: &str = "skipped: this system refuses filters for system calls";

/// Runs one of the programs below.
#[track_caller]
fn succeeds(program: &str) {
    let text = common::program(program);
    if text.contains(SKIPPED) {
        // Written past the test harness, which hides what a test prints that passes.
        let text = format!("{program}: {SKIPPED}\n");
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// From now on `membarrier` answers "not permitted" to every thread of this process. Where the
/// system does not let it install a filter, the program ends.
fn refuse() {
    if !membarrier_works() {
        // It never has, so all pools fence from the start: nothing to refuse, but as much to check.
        return;
    }
    // SAFETY: takes integers; only makes it impossible to gain rights by `exec`.
    let answer = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    assert_eq!(answer, 0);
    let step = |code: u32, yes: u8, no: u8, k: u32| libc::sock_filter {
        code: u16::try_from(code).unwrap(),
        jt: yes,
        jf: no,
        k,
    };
    let number = u32::try_from(libc::SYS_membarrier).unwrap();
    let mut filter = [
        // The number of the call is the first word of what a filter looks at.
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, number),
        step(
            libc::BPF_RET | libc::BPF_K,
            0,
            0,
            libc::SECCOMP_RET_ERRNO | u32::try_from(libc::EPERM).unwrap(),
        ),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).unwrap(),
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: `program` and the filter that it points to are alive; the kernel copies them.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_TSYNC,
            &raw const program,
        )
    };
    if answer != 0 {
        println!("{SKIPPED}: {}", std::io::Error::last_os_error());
        println!("test result: 1 passed");
        std::process::exit(0);
    }
    assert!(!membarrier_works());
}

/// Whether the system answers at all.
fn membarrier_works() -> bool {
    const QUERY: libc::c_int = 0;
    // SAFETY: takes integers, and touches no memory.
    let answer = unsafe { libc::syscall(libc::SYS_membarrier, QUERY, 0, 0) };
    answer >= 0
}

/// From now on all pools of this process know of the refusal: one that is made asks the system.
///
/// Others find out when they need the barrier, which may be later than a test thinks: a pool with
/// nothing in use sleeps without it, and on a busy machine it takes seconds until the process is
/// registered for it. What an owner that computes has pushed before that stays hidden.
fn notice() {
    drop(pool(1));
}

/// Two jobs that need each other, in every kind of work: it ends only if two threads run them.
fn everything_is_shared() {
    meet();
    // Part of a loop.
    let met = Event::new();
    [0, 1].par_iter().for_each(|&item| match item {
        0 => met.wait(),
        _ => met.set(),
    });
    // Jobs of a scope.
    let met = [Event::new(), Event::new()];
    drumline::scope(|scope| {
        for (mine, other) in [(0, 1), (1, 0)] {
            let met = &met;
            scope.spawn(move |_| {
                met[mine].set();
                met[other].wait();
            });
        }
    });
    // Tasks.
    let met = std::sync::Arc::new([Event::new(), Event::new()]);
    let tasks = [(0, 1), (1, 0)].map(|(mine, other)| {
        let met = met.clone();
        drumline::spawn(move || {
            met[mine].set();
            met[other].wait();
        })
    });
    let _ = tasks.map(|task| task.join().unwrap());
    // Items of a stream.
    let met = [Event::new(), Event::new()];
    let all = stream::iter(0..2).batch(1).map(|item: usize| {
        met[item].set();
        met[1 - item].wait();
        item
    });
    assert_eq!(
        all.fold_init(|| 0, |sum, item| *sum += item, |a, b| *a += b),
        1
    );
    // Announced blocking.
    let met = Event::new();
    join(|| blocking(|| met.wait()), || met.set());
    // Forks inside of what waits, and answers.
    join(
        || assert_eq!(fib(12), 144),
        || {
            meet();
            assert_eq!(fib(12), 144);
        },
    );
    let sum: u64 = (0..10_000_u64).into_par_iter().sum();
    assert_eq!(sum, 49_995_000);
}

#[test]
fn the_idle_pool_sleeps() {
    succeeds("program_that_rests");
}

#[test]
#[ignore = "a program of `the_idle_pool_sleeps`"]
fn program_that_rests() {
    let mut pools = Vec::new();
    for jobs in [1, 2, 8] {
        for guests in [true, false] {
            let name = format!("late-{jobs}-{}-", u8::from(guests));
            let builder = Pool::builder().jobs(jobs).guests(guests);
            let prefix = name.clone();
            let builder = builder.thread_name(move |index| format!("{prefix}{index}"));
            pools.push((name, jobs, builder.build().unwrap()));
        }
    }
    let member = Pool::builder()
        .jobs(2)
        .use_current_thread()
        .thread_name(|index| format!("late-member-{index}"))
        .build()
        .unwrap();
    for (_, _, pool) in &pools {
        assert_eq!(pool.install(|| fib(15)), 610);
    }
    refuse();
    for (name, jobs, pool) in &pools {
        assert_eq!(pool.install(|| fib(15)), 610);
        if *jobs > 1 {
            pool.install(meet);
        }
        wait_until_parked(pool);
        eventually("spares end", || pool.stats().threads == *jobs);
        threads::wait_until_asleep(name, *jobs, WINDOW);
        // And is woken.
        if *jobs > 1 {
            pool.install(meet_spinning);
            wait_until_parked(pool);
        }
    }
    // Its member, this thread, has acknowledged nothing; but it sleeps.
    wait_until_parked_beside(&member, 1);
    threads::wait_until_asleep("late-member-", 1, WINDOW);
    meet();
    wait_until_parked_beside(&member, 1);
}

/// As [`wait_until_parked`], where `members` of the threads are not the pool's own.
#[track_caller]
fn wait_until_parked_beside(pool: &Pool, members: u64) {
    eventually("all threads of the pool park", || {
        let stats = pool.stats();
        stats.parks - stats.wakes == stats.threads as u64 - members
    });
}

#[test]
fn whatever_comes_is_shared() {
    succeeds("program_that_shares");
}

#[test]
#[ignore = "a program of `whatever_comes_is_shared`"]
fn program_that_shares() {
    let pools = [
        pool(2),
        without_guests(2),
        pool(3),
        without_guests(8),
        without_spares(3, true),
    ];
    for pool in &pools {
        pool.install(everything_is_shared);
    }
    refuse();
    for pool in &pools {
        // At first the pool may be awake, and does not know yet.
        for _ in 0..20 {
            pool.install(everything_is_shared);
        }
        wait_until_parked(pool);
        notice();
        // Now what never blocks is shared as well.
        for _ in 0..20 {
            pool.install(|| {
                meet_spinning();
                everything_is_shared();
                join(meet_spinning, || assert_eq!(fib(10), 55));
                meet_spinning();
            });
        }
    }
    for pool in pools {
        pool.shutdown().unwrap();
    }
}

/// A tree of joins: of any shape, and deeper at its left side than a deque is long.
fn tree(random: &mut Random, leaves: &[AtomicUsize], leaf: &(impl Fn() + Sync)) {
    match leaves {
        [] => {}
        [one] => {
            one.fetch_add(1, Ordering::Relaxed);
            leaf();
        }
        _ => {
            let len = leaves.len();
            let at = match random.below(4) {
                0 => len - 1,
                1 => 1,
                _ => 1 + random.below(len as u64 - 1) as usize,
            };
            let (left, right) = leaves.split_at(at);
            let (mut a, mut b) = (Random::new(random.number()), Random::new(random.number()));
            join(|| tree(&mut a, left, leaf), || tree(&mut b, right, leaf));
        }
    }
}

#[test]
fn deep_in_a_recursion() {
    for _ in 0..3 {
        succeeds("program_that_is_inside");
    }
}

#[test]
#[ignore = "a program of `deep_in_a_recursion`"]
fn program_that_is_inside() {
    const LEAVES: usize = 20_000;
    let mut random = Random::new(u64::from(std::process::id()));
    let jobs = 2 + random.below(3) as usize;
    let pool = if random.below(2) == 0 {
        pool(jobs)
    } else {
        without_guests(jobs)
    };
    let leaves: Vec<AtomicUsize> = (0..LEAVES).map(|_| AtomicUsize::new(0)).collect();
    let once = |leaves: &[AtomicUsize]| {
        for leaf in leaves {
            assert_eq!(leaf.swap(0, Ordering::Relaxed), 1, "a leaf runs once");
        }
    };
    let (at, passed) = (random.below(LEAVES as u64) as usize, AtomicUsize::new(0));
    for round in 0..40 {
        let leaf = || {
            if round == 20 && passed.fetch_add(1, Ordering::Relaxed) == at {
                refuse();
                // Below are frames that have pushed without fences.
                meet();
                assert_eq!(fib(10), 55);
            }
        };
        pool.install(|| tree(&mut random, &leaves, &leaf));
        once(&leaves);
    }
    wait_until_parked(&pool);
    notice();
    // A frame that stays: what it pushes comes after, and between, what is deeper.
    pool.install(|| {
        for _ in 0..20 {
            tree(&mut random, &leaves, &|| ());
            once(&leaves);
            meet_spinning();
        }
    });
    wait_until_parked(&pool);
}

#[test]
fn an_owner_that_has_not_answered() {
    succeeds("program_with_a_long_job");
}

#[test]
#[ignore = "a program of `an_owner_that_has_not_answered`"]
fn program_with_a_long_job() {
    // A call that pushes nothing for long, and does not block, keeps idle threads from being
    // certain. They do not sleep for good, and what comes then is shared.
    let pool = pool(2);
    pool.install(fib_15);
    wait_until_parked(&pool);
    pool.install(|| {
        // This thread is seen to push without a fence, and both others are awake.
        meet();
        refuse();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                notice();
                pool.install(meet);
                done.store(true, Ordering::Release);
            });
            common::spin_until(&done);
        });
        // From the refusal on, a thief takes only what this thread has exposed, and it answers when
        // it exposes something. Before that, what it pushes may be hidden from all others, and it
        // would spin for ever below.
        let (start, looked) = (Instant::now(), pool.stats());
        while pool.stats().steals == looked.steals {
            assert!(start.elapsed() < common::FOREVER, "nothing was exposed");
            each(0..100, &|_| ());
        }
        meet_spinning();
        everything_is_shared();
    });
    wait_until_parked(&pool);
}

fn fib_15() {
    assert_eq!(fib(15), 610);
}

#[test]
fn a_thread_that_waits_sleeps() {
    succeeds("program_that_waits");
}

#[test]
#[ignore = "a program of `a_thread_that_waits_sleeps`"]
fn program_that_waits() {
    let name = "late-waits-";
    let pool = Pool::builder()
        .jobs(2)
        .thread_name(move |index| format!("{name}{index}"))
        .guests(false)
        .build()
        .unwrap();
    pool.install(meet);
    refuse();
    notice();
    pool.install(|| {
        for _ in 0..3 {
            let taken = Event::new();
            join(
                || taken.wait(),
                || {
                    taken.set();
                    // The other thread waits for this one, and sleeps for good.
                    eventually("the other sleeps", || {
                        let others = || {
                            let mut all = threads::named(name);
                            all.retain(|thread| thread.id != this_thread());
                            all
                        };
                        let before = others();
                        thread::sleep(WINDOW);
                        !before.is_empty() && others() == before
                    });
                    // What is forked here wakes it.
                    let helped = AtomicBool::new(false);
                    join(
                        || common::spin_until(&helped),
                        || helped.store(true, Ordering::Release),
                    );
                },
            );
        }
    });
}

/// The number of this thread, as the system knows it.
fn this_thread() -> String {
    let path = std::fs::read_link("/proc/thread-self").unwrap();
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn pools_that_are_made_afterwards() {
    succeeds("program_that_makes_pools");
}

#[test]
#[ignore = "a program of `pools_that_are_made_afterwards`"]
fn program_that_makes_pools() {
    let before = pool(2);
    before.install(fib_15);
    refuse();
    // Also before any thread has noticed.
    for pool in [pool(2), without_guests(3), pool(8)] {
        pool.install(meet_spinning);
        pool.install(everything_is_shared);
        pool.install(meet_spinning);
        wait_until_parked(&pool);
        pool.shutdown().unwrap();
    }
    before.install(meet);
    wait_until_parked(&before);
    // Those have asked the system.
    before.install(meet_spinning);
    // A pool that has lost the barrier gets new threads, and deques that are full.
    before.set_jobs(4).unwrap();
    before.install(|| {
        meet_spinning();
        everything_is_shared();
    });
    common::with_stack(1 << 30, || {
        before.install(|| {
            fn left(depth: usize) -> usize {
                if depth == 0 {
                    meet_spinning();
                    return 1;
                }
                let (a, b) = join(|| left(depth - 1), || 1);
                a + b
            }
            assert_eq!(left(40_000), 40_001);
        });
    });
    wait_until_parked(&before);
}

#[test]
fn a_pool_that_is_never_idle() {
    succeeds("program_that_is_never_idle");
}

/// The only worker has two tasks that wake each other. A guest forks, and blocks until another
/// thread has run the other half.
#[test]
#[ignore = "a program of `a_pool_that_is_never_idle`"]
fn program_that_is_never_idle() {
    let pool = without_spares(1, true);
    pool.install(fib_15);
    refuse();
    let is_over = Arc::new(AtomicBool::new(false));
    let tasks = PingPong::start(&pool, &is_over);
    for _ in 0..3 {
        pool.install(|| {
            let (tell, hear) = mpsc::channel();
            let waits = move || blocking(move || hear.recv()).unwrap();
            join(waits, move || tell.send(()).unwrap());
        });
    }
    is_over.store(true, Ordering::Relaxed);
    tasks.join();
}

#[test]
fn in_forked_children() {
    succeeds("program_that_forks");
}

#[test]
#[ignore = "a program of `in_forked_children`"]
fn program_that_forks() {
    let works = || {
        // The global pool is made anew.
        fib_15();
        let own = pool(2);
        own.install(meet);
        wait_until_parked(&own);
        own.install(meet_spinning);
        own.install(everything_is_shared);
        wait_until_parked(&own);
        own.shutdown().unwrap();
        true
    };
    let parent = pool(2);
    fib_15();
    parent.install(meet);
    in_a_child(works);
    // Refused in a child, granted to its parent.
    in_a_child(|| {
        let own = pool(2);
        own.install(fib_15);
        refuse();
        own.install(meet);
        works()
    });
    parent.install(meet_spinning);
    // Refused to both.
    refuse();
    in_a_child(works);
    parent.install(meet);
    wait_until_parked(&parent);
    in_a_child(works);
    notice();
    parent.install(meet_spinning);
}
