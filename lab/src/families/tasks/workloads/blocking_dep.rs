//! `blocking-dep`: tasks that wait for tasks which are queued behind them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use crate::families::tasks::roll::Roll;
use crate::families::tasks::{TaskRuntime, TaskWorkload};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// Long enough for every waiting task to have been begun that ever will be.
const PAUSE: Duration = Duration::from_millis(500);

/// This many waiting tasks, and as many that send.
#[derive(Debug)]
pub struct BlockingDep {
    waiting: usize,
}

/// What one sample needs.
struct Prepared {
    roll: Arc<Roll>,
    senders: Vec<Sender<usize>>,
    receivers: Vec<Receiver<usize>>,
}

impl Prepared {
    fn new(waiting: usize) -> Self {
        let (senders, receivers) = (0..waiting).map(|_| channel()).unzip();
        Self {
            roll: Roll::new(2 * waiting),
            senders,
            receivers,
        }
    }
}

impl TaskWorkload for BlockingDep {
    const CARD: WorkloadCard = WorkloadCard {
        name: "blocking-dep",
        about: "tasks that each wait on a channel, which as many tasks, queued 0.5 s later, fill",
        analysis: "0.5 s of every figure is that pause. Any one free thread would do to send all \
                   the messages, but in a pool of fixed size no thread is free, and in one with a \
                   cap none is beyond it (512 for tokio, 500 for `blocking`): a deadlock, which \
                   its row says. Such a process is ended after 20 s.",
        item: "message",
        size_counts: "waiting tasks",
        sizes: &[600, 5_000],
        smoke_sizes: &[8],
        limits: (1, 20_000),
        default_rank: None,
        outside: true,
        shows: Shows::Waiting,
    };

    const TASKS_WAIT_FOR_TASKS: bool = true;

    fn build(size: u64) -> Result<Self> {
        let waiting = usize::try_from(size)?;
        Ok(Self { waiting })
    }

    fn drive<R: TaskRuntime>(&self, runtime: &R, session: &mut Session) {
        let waiting = self.waiting;
        session.tasks(2 * waiting as u64, Some(waiting as u64));
        session.sample_prepared(
            waiting as u64,
            &mut Prepared::new(0),
            |prepared| *prepared = Prepared::new(waiting),
            |prepared| {
                for (index, receiver) in prepared.receivers.drain(..).enumerate() {
                    let roll = Arc::clone(&prepared.roll);
                    runtime.spawn(move || {
                        // Each channel has a message of its own, so that no two can be confused.
                        match R::block(|| receiver.recv()) {
                            Ok(message) if message == index => {}
                            other => roll.complain(format!("task {index} received {other:?}")),
                        }
                        roll.sign(index);
                    });
                }
                sleep(PAUSE);
                for (index, sender) in prepared.senders.drain(..).enumerate() {
                    let roll = Arc::clone(&prepared.roll);
                    runtime.spawn(move || {
                        if sender.send(index).is_err() {
                            roll.complain(format!("task {index} did not wait"));
                        }
                        roll.sign(waiting + index);
                    });
                }
                prepared.roll.wait();
            },
            |prepared, ()| prepared.roll.check(),
        );
    }
}
