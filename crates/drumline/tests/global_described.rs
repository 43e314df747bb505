//! The global pool, described before its first use: one test, as this process makes it once.

use std::thread;

use drumline::{Pool, PoolBuilder};

/// Whether the global pool is as described, and works.
fn is_as_described() -> bool {
    let here = thread::current().id();
    let halves = drumline::join(
        || (drumline::worker_index(), thread::current().id()),
        drumline::current_jobs,
    );
    matches!(halves, ((Some(index), there), 2) if index < 2 && there != here)
}

#[test]
fn made_on_first_use_as_described() {
    PoolBuilder::describe_global(|| Pool::builder().jobs(7)).unwrap();
    assert_eq!(drumline::current_jobs(), 7);
    // The last description counts, and asking has made nothing.
    let fixed = || Pool::builder().jobs(2).guests(false).spares(false);
    PoolBuilder::describe_global(fixed).unwrap();
    assert_eq!(drumline::current_jobs(), 2);
    assert!(is_as_described());
    let error = PoolBuilder::describe_global(|| Pool::builder().jobs(3)).unwrap_err();
    assert!(error.to_string().contains("exists already"), "{error}");
    assert!(is_as_described());
    in_a_forked_child();
}

/// There it is made anew, in the same way.
#[cfg(target_os = "linux")]
fn in_a_forked_child() {
    // SAFETY: this test has no other threads that hold locks which the child wants: the pool is
    // idle.
    let id = unsafe { libc::fork() };
    assert!(id >= 0);
    if id == 0 {
        let right = is_as_described();
        // SAFETY: ends the child, and runs nothing of the parent's.
        unsafe { libc::_exit(i32::from(!right)) };
    }
    let mut status = 0;
    // SAFETY: `id` is a child of this process, and only this call waits for it; `status` is a
    // local.
    let ended = unsafe { libc::waitpid(id, &raw mut status, 0) };
    assert_eq!((ended, status), (id, 0));
}

#[cfg(not(target_os = "linux"))]
fn in_a_forked_child() {}
