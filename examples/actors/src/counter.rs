//! A counter that many threads share without a lock.

use std::thread;
use std::time::Instant;

use anyhow::{Result, ensure};
use drumline::Pool;
use drumline::actor::{Actor, ActorSystem, Context, Handler};

use crate::END;

/// Counts.
#[derive(Debug, Default)]
struct Counter {
    count: u64,
}

impl Actor for Counter {}

/// Adds to the count. There is no reply.
struct Add(u64);

impl Handler<Add> for Counter {
    type Reply = ();

    fn handle(&mut self, Add(amount): Add, _: &mut Context<Self>) {
        self.count += amount;
    }
}

/// Asks for the count.
struct Get;

impl Handler<Get> for Counter {
    type Reply = u64;

    fn handle(&mut self, Get: Get, _: &mut Context<Self>) -> u64 {
        self.count
    }
}

/// Has this many threads add 1 this often each, and returns the count.
///
/// # Errors
///
/// If the pool cannot be made, or the counter ends before its time.
pub fn count(pool: &Pool, threads: u64, times: u64) -> Result<u64> {
    let system = ActorSystem::new(pool);
    let counter = system.spawn(Counter::default());
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| (0..times).try_for_each(|_| counter.tell(Add(1))));
        }
    });
    // What each thread has told comes before what is asked after all of them.
    let count = counter.ask(Get).recv()?;
    let report = system.shutdown(Instant::now() + END);
    ensure!(
        report.is_complete(),
        "still at work: {:?}",
        report.abandoned()
    );
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        for jobs in 1..=2 {
            let pool = Pool::builder().jobs(jobs).build().unwrap();
            assert_eq!(count(&pool, 4, 1_000).unwrap(), 4_000);
        }
    }
}
