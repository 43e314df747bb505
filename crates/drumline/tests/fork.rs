//! Pools in a child process made by `fork`.
#![cfg(target_os = "linux")]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use common::actors::{Call, caller};
use common::child::in_a_child;
use common::{fib, meet, message, pool, without_guests};
use drumline::actor::{ActorGroup, ActorSystem};
use drumline::{Pool, join};

/// Whether `f` panics with the message that the documentation promises, without printing it.
fn refuses(f: impl FnOnce()) -> bool {
    std::panic::set_hook(Box::new(|_| ()));
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(()) => false,
        Err(payload) => message(&*payload).contains("in a child process after fork"),
    }
}

#[test]
fn a_pool_of_the_parent_refuses() {
    for pool in [pool(2), without_guests(2), pool(1)] {
        pool.install(|| fib(15));
        in_a_child(|| {
            refuses(|| {
                pool.install(|| ());
            }) && refuses(|| {
                pool.join(|| (), || ());
            }) && refuses(|| {
                let _ = pool.set_jobs(3);
            })
        });
        assert_eq!(pool.install(|| fib(15)), 610, "the parent's is unharmed");
    }
}

#[test]
fn dropping_a_pool_of_the_parent_does_nothing() {
    let mut pool = Some(pool(2));
    in_a_child(|| {
        drop(pool.take());
        true
    });
    pool.unwrap().shutdown().unwrap();
}

#[test]
fn global_functions_start_anew() {
    assert_eq!(fib(15), 610);
    for _ in 0..20 {
        in_a_child(|| fib(15) == 610 && drumline::current_jobs() >= 1);
    }
    assert_eq!(fib(15), 610);
}

#[test]
fn a_child_makes_pools_of_its_own() {
    let before = pool(2);
    in_a_child(|| {
        let own = pool(2);
        own.install(meet);
        let sum = own.install(|| fib(15));
        own.shutdown().is_ok() && sum == 610
    });
    before.install(meet);
}

#[test]
fn a_call_that_is_inside_goes_on_alone() {
    let pool = pool(2);
    for _ in 0..20 {
        pool.install(|| {
            in_a_child(|| {
                // Still inside, and on this thread only.
                let (a, b) = join(|| fib(10), || fib(9));
                a + b == 55 + 34
            });
        });
    }
    assert_eq!(pool.install(|| fib(15)), 610);
}

#[test]
fn a_call_that_is_inside_comes_out_alone() {
    // The whole visit of a guest ends in the child.
    let pool = Pool::builder().jobs(2).build().unwrap();
    for _ in 0..20 {
        let mut sum = 0;
        // SAFETY: as in `in_a_child`; the child leaves through `_exit` below.
        let id = pool.install(|| {
            // SAFETY: as above.
            let id = unsafe { libc::fork() };
            if id == 0 {
                sum = fib(10);
            }
            id
        });
        assert!(id >= 0, "fork failed");
        if id == 0 {
            let free = pool.worker_index().is_none() && drumline::worker_index().is_none();
            let right = free && sum == 55 && fib(10) == 55;
            // SAFETY: ends the child without unwinding into the test harness.
            unsafe { libc::_exit(i32::from(!right)) };
        }
        let mut status = 0;
        // SAFETY: a child of this process that nothing else waits for.
        let ended = unsafe { libc::waitpid(id, &raw mut status, 0) };
        assert_eq!(ended, id);
        assert!(
            libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0,
            "{status:#x}"
        );
    }
    assert_eq!(pool.install(|| fib(15)), 610);
}

/// The worker ends in the child, and the child with it. What is queued is run once, by the parent.
#[test]
fn a_worker_that_forks_runs_nothing_of_the_parent() {
    let pool = without_guests(1);
    let mut ends = [0; 2];
    // SAFETY: room for two numbers.
    assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
    let [read, write] = ends;
    let id = pool.install(|| {
        for _ in 0..10 {
            drop(drumline::spawn(move || {
                // SAFETY: the pipe is open, and one byte is there to be read.
                let written = unsafe { libc::write(write, [1_u8].as_ptr().cast(), 1) };
                assert_eq!(written, 1);
            }));
        }
        // SAFETY: as in `in_a_child`; this job returns in the child at once.
        unsafe { libc::fork() }
    });
    assert!(id > 0, "only the worker comes here in the child");
    let mut status = 0;
    // SAFETY: a child of this process that nothing else waits for.
    assert_eq!(unsafe { libc::waitpid(id, &raw mut status, 0) }, id);
    let has_ended = libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0;
    assert!(has_ended, "{status:#x}");
    pool.shutdown().unwrap();
    let mut bytes = [0_u8; 32];
    // SAFETY: the pipe is open, and this is the length of the array.
    let count = unsafe { libc::read(read, bytes.as_mut_ptr().cast(), bytes.len()) };
    assert_eq!(count, 10, "each job is run once");
    // SAFETY: open, and used no more.
    unsafe {
        libc::close(read);
        libc::close(write);
    }
}

#[test]
fn a_child_has_actors_of_its_own_while_timers_of_the_parent_fire() {
    const SOON: Duration = Duration::from_micros(1);
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let busy: Vec<_> = (0..8).map(|_| caller::<u32>(&system)).collect();
    for (actor, _) in &busy {
        let call: Call<u32> = Box::new(|context| {
            for _ in 0..10 {
                context.send_every(SOON, || 1);
            }
        });
        actor.tell(call).unwrap();
    }
    for (_, heard) in &busy {
        heard.recv().unwrap();
    }
    for _ in 0..40 {
        in_a_child(|| {
            let pool = common::pool(2);
            let system = ActorSystem::new(&pool);
            let group = ActorGroup::<u32>::new();
            // At enough addresses to use all parts of the tables.
            let actors: Vec<_> = (0..32).map(|_| caller::<u32>(&system)).collect();
            for (actor, _) in &actors {
                group.join(actor);
                let call: Call<u32> = Box::new(|context| {
                    context.send_after(SOON, 1);
                });
                actor.tell(call).unwrap();
            }
            actors.into_iter().all(|(actor, heard)| {
                let ended = actor.ended();
                let is_heard = heard.recv() == Ok(1);
                actor.stop();
                ended.recv();
                is_heard
            })
        });
    }
}
