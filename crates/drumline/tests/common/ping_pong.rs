//! Tasks that are never done, and keep a pool from being idle.
//!
//! Relaxed: the flag publishes nothing. The tasks are joined after it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use drumline::channel::spsc;
use drumline::{JoinHandle, Pool};

/// Two tasks that wake each other until it is over.
#[derive(Debug)]
pub struct PingPong([JoinHandle<()>; 2]);

impl PingPong {
    pub fn start(pool: &Pool, is_over: &Arc<AtomicBool>) -> Self {
        let is_over = Arc::clone(is_over);
        let (mut to_pong, mut from_ping) = spsc::unbounded();
        let (mut to_ping, mut from_pong) = spsc::unbounded();
        let ping = pool.spawn_future(async move {
            while !is_over.load(Ordering::Relaxed) {
                to_pong.send(()).unwrap();
                from_pong.recv_async().await.unwrap();
            }
        });
        let pong = pool.spawn_future(async move {
            while from_ping.recv_async().await.is_ok() {
                let _ = to_ping.send(());
            }
        });
        PingPong([ping, pong])
    }

    pub fn join(self) {
        for task in self.0 {
            task.join().unwrap();
        }
    }
}
