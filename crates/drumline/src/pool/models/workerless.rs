//! Pools without workers: nothing that was queued is left behind.

use std::sync::Arc;

use loom::thread;

use super::super::idle::{IdleSet, WorkerPolicy};
use super::{Task, explore};
use crate::job::JobRef;
use crate::pool::queues::job_queue::JobQueue;
use crate::pool::shared::workers::Workers;
use crate::sync::plant::{Plant, must_catch};

/// A queue that threads of a pool without workers look at, as `pool::calls::stand_in` does.
struct Queue {
    queue: JobQueue,
    tasks: [Task; 2],
}

impl Queue {
    fn new() -> Self {
        Queue {
            queue: JobQueue::new(),
            tasks: [Task::new(), Task::new()],
        }
    }

    fn push(&self, task: usize) {
        self.queue.push(JobRef {
            data: self.tasks[task].job().cast(),
            run: Task::run_at,
        });
    }

    /// The hint first: a thread that finds nothing starts no stand-in.
    fn run_all(&self) {
        while self.queue.len() > 0
            && let Some(job) = self.queue.take()
        {
            // SAFETY: the model keeps the tasks alive, and the queue hands each out once.
            unsafe { job.run() };
        }
    }
}

/// A call relies on the last worker while that turns out not to come.
fn last_worker_goes() {
    let pool = Arc::new((Queue::new(), Workers::new()));
    pool.1.add(0);
    pool.1.add(1);
    let spawner = thread::spawn({
        let pool = Arc::clone(&pool);
        move || {
            let (queue, workers) = &*pool;
            for worker in [0, 1] {
                if workers.remove(worker) {
                    queue.run_all();
                }
            }
        }
    });
    let (queue, workers) = &*pool;
    // As `submit`: without workers the caller would run the job itself.
    let relies = workers.len() > 0;
    queue.push(0);
    if !relies || workers.are_gone() {
        queue.run_all();
    }
    spawner.join().unwrap();
    queue.tasks[0].assert_once();
}

#[test]
fn loom_last_worker_goes() {
    explore(3, last_worker_goes);
}

#[test]
fn loom_plants_last_worker_goes() {
    for plant in [Plant::RemovalUnfenced, Plant::WorkersUnasked] {
        must_catch(plant, || explore(3, last_worker_goes));
    }
}

/// A pool without workers is closed, with a job left behind, while its member for good spawns
/// another: the thread that closes the pool sees the job, or the member sees that the pool is
/// closed.
fn closed_without_workers() {
    let pool = Arc::new((Queue::new(), IdleSet::new(2, WorkerPolicy::FIXED)));
    pool.1.add_member(0, |_| {});
    pool.0.push(0);
    let closer = thread::spawn({
        let pool = Arc::clone(&pool);
        move || {
            let (queue, idle_set) = &*pool;
            let work = || queue.queue.len() > 0;
            let _no_worker = idle_set.close(&work);
            // As the stand-in, a guest.
            let _no_worker = idle_set.enter(1, |_| {});
            queue.run_all();
            let _no_worker = idle_set.leave(1, false, &work);
        }
    });
    let (queue, idle_set) = &*pool;
    queue.push(1);
    if idle_set.has_ended() || idle_set.is_closed() {
        queue.run_all();
    }
    closer.join().unwrap();
    queue.tasks[0].assert_once();
    queue.tasks[1].assert_once();
}

#[test]
fn loom_closed_without_workers() {
    explore(3, closed_without_workers);
}

#[test]
fn loom_plants_closed_without_workers() {
    must_catch(Plant::ClosedUnasked, || explore(3, closed_without_workers));
}
