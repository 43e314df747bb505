//! Tokio: its runtime of one thread.

use std::future::{Future, pending};
use std::thread;

use ::tokio::runtime::{Builder, Handle};
use anyhow::{Result, ensure};

use crate::families::async_tasks::AsyncRuntime;
use crate::runtime::{Role, RuntimeCard};

/// A runtime of tokio that a thread of its own drives.
#[derive(Debug)]
pub struct TokioCurrent {
    handle: Handle,
}

impl AsyncRuntime for TokioCurrent {
    const CARD: RuntimeCard = RuntimeCard {
        name: "tokio-current",
        about: "the same of a current-thread runtime, in which one thread waits for ever",
        package: Some("tokio"),
        role: Role::Peer,
        rank: 21,
        scheduler: "async, one queue of one thread",
        parallel: false,
        colour: (188, 164, 220),
    };

    const BY_DEFAULT: bool = false;

    fn start(jobs: usize) -> Result<Self> {
        ensure!(jobs == 1, "one thread runs all tasks");
        let runtime = Builder::new_current_thread().build()?;
        let handle = runtime.handle().clone();
        thread::Builder::new().spawn(move || runtime.block_on(pending::<()>()))?;
        Ok(Self { handle })
    }

    fn spawn(&'static self, future: impl Future<Output = ()> + Send + 'static) {
        drop(self.handle.spawn(future));
    }

    fn spawn_inside(&'static self, future: impl Future<Output = ()> + Send + 'static) {
        drop(::tokio::spawn(future));
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        ::tokio::task::yield_now()
    }
}
