//! The global pool is made by another call while it is built: one test, as this process makes it
//! once.

use std::sync::mpsc;

use drumline::Pool;

#[test]
fn the_thread_that_comes_too_late_is_no_member() {
    let builder = Pool::builder().jobs(2).use_current_thread();
    let builder = builder.thread_name(|index| {
        // Runs before the pool is the global one, and makes another.
        drumline::join(|| (), || ());
        format!("late-{index}")
    });
    let error = builder.build_global().unwrap_err();
    assert!(error.to_string().contains("exists already"), "{error}");
    assert_eq!(drumline::worker_index(), None);
    // A member of the pool that has ended would run the task before it goes on.
    let (send, receive) = mpsc::channel();
    let task = drumline::spawn(move || receive.recv());
    send.send(7).unwrap();
    assert_eq!(task.join().unwrap(), Ok(7));
}
