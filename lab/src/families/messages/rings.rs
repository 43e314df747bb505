//! Rings of tasks: each receives from its left neighbour and sends to its right one.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;

use crate::families::async_tasks::countdown::Countdown;
use crate::families::messages::MessageRuntime;
use crate::families::messages::channel::{AsyncReceiver, AsyncSender};
use crate::families::messages::executor::Executor;
use crate::session::Session;

/// The tasks of a ring, unless the workload has its own number.
pub const TASKS: u64 = 100;

/// In the place of a task's number, while no task has had the last hop.
const NO_TASK: u64 = u64::MAX;

/// The message after the last hop, at which a task ends. It goes round once, because not every
/// library wakes a receiver reliably when its sender is gone.
const END: u64 = 0;

/// Measures a token that makes this many hops in a ring of this many tasks. Hop `n` ends at task
/// `n` modulo `tasks`, and so does the last one: each hop and the last task are checked.
pub fn pass_token<R: MessageRuntime>(
    tasks: u64,
    hops: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    let last: &'static AtomicU64 = Box::leak(Box::new(AtomicU64::new(NO_TASK)));
    sample(
        (tasks, hops),
        R::executor(jobs)?,
        session,
        R::spsc_async,
        move |task, left, right| hand_on(task, (tasks, hops), last, left, right),
        || {
            // Relaxed: the countdown orders the end of a task before this.
            match last.swap(NO_TASK, Ordering::Relaxed) {
                task if task == hops % tasks => Ok(()),
                task => Err(format!("the last hop ended at task {task}")),
            }
        },
    );
    Ok(())
}

/// Measures a ring in which each task sends `each` messages and receives as many, in turn.
pub fn stream<R: MessageRuntime>(each: u64, jobs: usize, session: &mut Session) -> Result<()> {
    sample(
        (TASKS, TASKS * each),
        R::executor(jobs)?,
        session,
        R::spsc_async,
        move |task, left, right| exchange(task, each, left, right),
        || Ok(()),
    );
    Ok(())
}

/// Measures tasks that have the two ends of a ring, from the first spawn until all have ended.
fn sample<S, R, F>(
    (tasks, messages): (u64, u64),
    executor: impl Executor,
    session: &mut Session,
    open: impl Fn() -> (S, R),
    run: impl Fn(u64, R, S) -> F,
    check: impl Fn() -> Result<(), String>,
) where
    S: AsyncSender<u64>,
    R: AsyncReceiver<u64>,
    F: Future<Output = bool> + Send + 'static,
{
    // It lasts as long as the process, so that nothing waits for its end.
    let executor = Box::leak(Box::new(executor));
    let countdown = Countdown::leaked(tasks);
    session.tasks(tasks, Some(messages));
    session.sample_prepared(
        messages,
        &mut Vec::new(),
        |ends| {
            countdown.reset();
            let (senders, mut receivers): (Vec<_>, Vec<_>) = (0..tasks).map(|_| open()).unzip();
            // What task `n` sends, task `n + 1` receives.
            receivers.rotate_right(1);
            *ends = receivers.into_iter().zip(senders).collect();
        },
        |ends| {
            for (task, (left, right)) in (0..tasks).zip(ends.drain(..)) {
                let run = run(task, left, right);
                executor.spawn(async move {
                    // A task that found something wrong is missed.
                    countdown.end(if run.await { task } else { tasks });
                });
            }
            countdown.wait();
        },
        |_, ()| {
            countdown.check()?;
            check()
        },
    );
}

/// Receives the token again and again, and hands it on, until the end comes instead. Returns
/// whether each hop came in its turn.
async fn hand_on(
    task: u64,
    (tasks, hops): (u64, u64),
    last: &AtomicU64,
    mut left: impl AsyncReceiver<u64>,
    mut right: impl AsyncSender<u64>,
) -> bool {
    let mut next = if task == 0 { tasks } else { task };
    let mut is_right = true;
    if task == 0 {
        is_right &= right.send_async(1).await;
    }
    while let Some(hop) = left.recv_async().await {
        if hop == END {
            // The task of the last hop is gone, and hears nothing.
            right.send_async(END).await;
            return is_right;
        }
        is_right &= hop == next;
        next += tasks;
        if hop == hops {
            // Relaxed: as in `pass_token`.
            last.store(task, Ordering::Relaxed);
            return is_right & right.send_async(END).await;
        }
        is_right &= right.send_async(hop + 1).await;
    }
    // The left neighbour is gone without a word.
    false
}

/// Sends one message and receives one, until there were enough. Returns whether each was right.
async fn exchange(
    task: u64,
    each: u64,
    mut left: impl AsyncReceiver<u64>,
    mut right: impl AsyncSender<u64>,
) -> bool {
    let neighbour = if task == 0 { TASKS } else { task } - 1;
    for number in 0..each {
        let is_sent = right.send_async(task * each + number).await;
        if !is_sent || left.recv_async().await != Some(neighbour * each + number) {
            return false;
        }
    }
    true
}
