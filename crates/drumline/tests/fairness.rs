//! No task waits for ever because a pool always has something nearer to do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use drumline::channel::spsc;
use drumline::{Pool, blocking};

/// A thread queues a task and then blocks. The thread that has its place is never idle: two tasks
/// there wake each other. It comes to the task all the same.
#[test]
fn what_a_thread_has_queued_that_blocks_is_run() {
    let pool = Arc::new(Pool::builder().jobs(1).build().unwrap());
    for _ in 0..20 {
        let is_over = Arc::new(AtomicBool::new(false));
        let (mut to_pong, mut from_ping) = spsc::unbounded();
        let (mut to_ping, mut from_pong) = spsc::unbounded();
        let (run, has_run) = mpsc::channel();
        let blocks = {
            let (inner, is_over) = (Arc::clone(&pool), Arc::clone(&is_over));
            pool.spawn(move || {
                // The oldest is taken first, so these two before the last one.
                let ping = inner.spawn_future(async move {
                    while !is_over.load(Ordering::Relaxed) {
                        to_pong.send(()).unwrap();
                        from_pong.recv_async().await.unwrap();
                    }
                });
                let pong = inner.spawn_future(async move {
                    while from_ping.recv_async().await.is_ok() {
                        let _ = to_ping.send(());
                    }
                });
                drop(inner.spawn(move || run.send(()).unwrap()));
                blocking(|| has_run.recv()).unwrap();
                (ping, pong)
            })
        };
        let (ping, pong) = blocks.join().unwrap();
        is_over.store(true, Ordering::Relaxed);
        ping.join().unwrap();
        pong.join().unwrap();
    }
}
