//! `task-memory`: tasks that only wait, and the memory that they hold.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use crate::families::async_tasks::countdown::Countdown;
use crate::families::async_tasks::flag::Flag;
use crate::families::async_tasks::{AsyncRuntime, AsyncWorkload, TaskKind};
use crate::heap;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// How long the threads of a runtime have to become idle, before the heap is looked at.
const SETTLE: Duration = Duration::from_millis(20);

/// Tasks that wait.
#[derive(Debug)]
pub struct TaskMemory;

/// The future of a task. It waits for a flag that is set only after the heap was looked at. Its
/// waker is in the flag, so the runtime has to keep the task.
struct Waiting {
    number: u64,
    is_new: bool,
    flag: &'static Flag,
    begun: &'static Countdown,
    ended: &'static Countdown,
}

impl Future for Waiting {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let poll = Pin::new(&mut self.flag.wait()).poll(context);
        if self.is_new {
            self.is_new = false;
            self.begun.end(self.number);
        }
        if poll.is_ready() {
            self.ended.end(self.number);
        }
        poll
    }
}

impl AsyncWorkload for TaskMemory {
    const CARD: WorkloadCard = WorkloadCard {
        name: "task-memory",
        about: "100,000 tasks that wait for ever: the heap that each of them holds",
        analysis: "Bytes per task are the heap in use while all tasks wait, less what was in use \
                   before the first one was spawned, from outside, less the size of the future \
                   itself (40 bytes), in the first run of the process. The C library counts them, \
                   with what it adds to each block. Queues that grew while tasks were spawned are \
                   part of it. The time is from the first spawn until each task has been polled \
                   once. Not a part of either: the end of the tasks.",
        item: "task",
        size_counts: "tasks",
        sizes: &[100_000],
        smoke_sizes: &[2_000],
        limits: (1, 10_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::Heap,
    };

    const KIND: TaskKind = TaskKind::Hold;

    fn tasks(size: u64) -> u64 {
        size
    }

    fn drive<R: AsyncRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        let begun = Countdown::leaked(size);
        let ended = Countdown::leaked(size);
        let flags = Flag::leaked(size);
        sleep(SETTLE);
        let Some(before) = heap::bytes_in_use() else {
            session.decline("this system does not say how much of the heap is in use");
            return Ok(());
        };
        let mut first = None;
        session.sample_prepared(
            size,
            &mut (),
            |()| {
                begun.reset();
                ended.reset();
            },
            |()| {
                for (number, flag) in (0..size).zip(flags) {
                    runtime.spawn(Waiting {
                        number,
                        is_new: true,
                        flag,
                        begun,
                        ended,
                    });
                }
                begun.wait();
            },
            |(), ()| {
                sleep(SETTLE);
                if first.is_none() {
                    first = heap::bytes_in_use();
                }
                flags.iter().for_each(Flag::set);
                ended.wait();
                begun.check()?;
                ended.check()
            },
        );
        if let Some(first) = first {
            let held = first.saturating_sub(before) as f64;
            session.item_heap_bytes(held / size as f64 - size_of::<Waiting>() as f64);
        }
        Ok(())
    }
}
