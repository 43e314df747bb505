//! May: coroutines with stacks of their own in the place of futures.
//!
//! It has no futures. A task that awaits is a coroutine that polls its future and *parks* until the
//! waker of the future unparks it. This is the least that a program on May could do to wait for the
//! same flag.

use std::future::{Future, ready};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use ::may::coroutine::{self, Coroutine};
use anyhow::Result;

use crate::families::async_tasks::{AsyncRuntime, TaskKind};
use crate::runtime::{Role, RuntimeCard};

/// The most coroutines at once. Each has a stack, which is two mappings to the kernel. A process
/// has at most 65,530 mappings by default.
const MOST: u64 = 30_000;

/// The scheduler of may, of which a process has one.
#[derive(Debug)]
pub struct May;

/// Unparks a coroutine.
struct Unpark(Coroutine);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future, in a coroutine.
fn wait_for(future: impl Future<Output = ()>) {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(coroutine::current())));
    let mut context = Context::from_waker(&waker);
    while future.as_mut().poll(&mut context) == Poll::Pending {
        coroutine::park();
    }
}

impl May {
    fn spawn_coroutine(call: impl FnOnce() + Send + 'static) {
        // SAFETY: the call uses little of its stack, and no variable of its thread across a yield.
        drop(unsafe { coroutine::spawn(call) });
    }
}

impl AsyncRuntime for May {
    const CARD: RuntimeCard = RuntimeCard {
        name: "may",
        about: "`coroutine::spawn`, `yield_now`, and `park` in the place of `await`: stacks, not futures",
        package: Some("may"),
        role: Role::Peer,
        rank: 40,
        scheduler: "coroutines, work stealing, pinned workers",
        parallel: true,
        colour: (176, 141, 58),
    };

    const KINDS: &'static [TaskKind] = &[TaskKind::Call, TaskKind::Yield, TaskKind::Await];

    const BY_DEFAULT: bool = false;

    fn start(jobs: usize) -> Result<Self> {
        ::may::config().set_workers(jobs);
        Ok(Self)
    }

    fn refuses(tasks: u64) -> Option<&'static str> {
        (tasks > MOST).then_some("a process has no room for the stacks of more than 30,000 tasks")
    }

    fn spawn(&'static self, future: impl Future<Output = ()> + Send + 'static) {
        Self::spawn_coroutine(move || wait_for(future));
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        // Never called: see `call_after_yields`.
        ready(())
    }

    fn call(&'static self, call: impl FnOnce() + Send + 'static) {
        Self::spawn_coroutine(call);
    }

    fn call_inside(&'static self, call: impl FnOnce() + Send + 'static) {
        Self::spawn_coroutine(call);
    }

    fn call_after_yields(&'static self, yields: u64, call: impl FnOnce() + Send + 'static) {
        Self::spawn_coroutine(move || {
            for _ in 0..yields {
                coroutine::yield_now();
            }
            call();
        });
    }
}
