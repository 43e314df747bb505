//! The channels of may, between coroutines with stacks of their own.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};

use ::may::coroutine;
use ::may::sync::spsc::{self, channel};
use anyhow::Result;

use crate::families::messages::channel::{AsyncReceiver, AsyncSender};
use crate::families::messages::executor::Executor;
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// `may::sync`.
#[derive(Debug)]
pub struct May;

impl MessageRuntime for May {
    const CARD: RuntimeCard = RuntimeCard {
        name: "may",
        about: "`may::sync::spsc::channel` between coroutines, which are not futures",
        package: Some("may"),
        role: Role::Peer,
        rank: 27,
        scheduler: "coroutines, work stealing, pinned workers",
        parallel: true,
        colour: (176, 141, 58),
    };

    const KINDS: &'static [ChannelKind] = &[ChannelKind::SpscAsync];

    fn spsc_async<T: Send + Unpin + 'static>() -> (impl AsyncSender<T>, impl AsyncReceiver<T>) {
        channel()
    }

    fn executor(jobs: usize) -> Result<impl Executor> {
        ::may::config().set_workers(jobs);
        Ok(Coroutines)
    }
}

/// The scheduler of may, of which a process has one.
#[derive(Debug)]
struct Coroutines;

impl Executor for Coroutines {
    /// Both ends of a channel block the coroutine in the place of the future. So a future that
    /// awaits nothing else is ready when it is polled once.
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let run = move || {
            let poll = pin!(task).poll(&mut Context::from_waker(Waker::noop()));
            assert!(poll.is_ready(), "only channels of may are awaited");
        };
        // SAFETY: the task uses little of its stack, and no variable of its thread across a wait.
        drop(unsafe { coroutine::spawn(run) });
    }
}

impl<T: Send + 'static> AsyncSender<T> for spsc::Sender<T> {
    async fn send_async(&mut self, message: T) -> bool {
        self.send(message).is_ok()
    }
}

impl<T: Send + 'static> AsyncReceiver<T> for spsc::Receiver<T> {
    async fn recv_async(&mut self) -> Option<T> {
        self.recv().ok()
    }
}
