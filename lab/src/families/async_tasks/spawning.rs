//! How the workloads that only spawn use a runtime: tasks that end at once, spawned from three
//! places.

use std::ops::Range;

use crate::families::async_tasks::AsyncRuntime;
use crate::families::async_tasks::countdown::Countdown;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// What the cards of these workloads have in common.
pub const CARD: WorkloadCard = WorkloadCard {
    name: "",
    about: "",
    analysis: "",
    item: "task",
    size_counts: "tasks",
    sizes: &[1_000_000],
    smoke_sizes: &[2_000],
    limits: (1, Countdown::MOST),
    default_rank: None,
    outside: true,
    shows: Shows::Rate,
};

/// The sizes of the default run.
pub const BRIEF: &[u64] = &[50_000];

/// Runs `spawn`, which is called from outside of the runtime and spawns this many tasks, until all
/// have ended.
pub fn sample(tasks: u64, session: &mut Session, spawn: impl Fn(&'static Countdown)) {
    let countdown = Countdown::leaked(tasks);
    session.sample_prepared(
        tasks,
        &mut (),
        |()| countdown.reset(),
        |()| {
            spawn(countdown);
            countdown.wait();
        },
        |(), ()| countdown.check(),
    );
}

/// The task with the first number of a range: it spawns two others, one for each half of the rest.
pub fn node<R: AsyncRuntime>(
    runtime: &'static R,
    countdown: &'static Countdown,
    tasks: Range<u64>,
) {
    let Range { start: own, end } = tasks;
    let rest = own + 1;
    let middle = rest + (end - rest) / 2;
    for half in [rest..middle, middle..end] {
        if !half.is_empty() {
            runtime.call_inside(move || node(runtime, countdown, half));
        }
    }
    countdown.end(own);
}
