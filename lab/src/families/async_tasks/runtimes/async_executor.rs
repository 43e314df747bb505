//! The executor of smol, with a thread per job that runs it.

use std::future::{Future, pending};
use std::thread;

use ::async_executor::Executor;
use anyhow::Result;
use futures_lite::future;

use crate::families::async_tasks::AsyncRuntime;
use crate::runtime::{Role, RuntimeCard};

/// An executor.
#[derive(Debug)]
pub struct AsyncExecutor {
    executor: &'static Executor<'static>,
}

impl AsyncRuntime for AsyncExecutor {
    const CARD: RuntimeCard = RuntimeCard {
        name: "async-executor",
        about: "`Executor::spawn`; a thread per job in `block_on(executor.run(..))`",
        package: Some("async-executor"),
        role: Role::Peer,
        rank: 30,
        scheduler: "one queue, a short one per thread, stealing",
        parallel: true,
        colour: (63, 143, 84),
    };

    fn start(jobs: usize) -> Result<Self> {
        let executor: &Executor<'_> = Box::leak(Box::new(Executor::new()));
        for _ in 0..jobs {
            let run = || future::block_on(executor.run(pending::<()>()));
            thread::Builder::new().spawn(run)?;
        }
        Ok(Self { executor })
    }

    fn spawn(&'static self, future: impl Future<Output = ()> + Send + 'static) {
        self.executor.spawn(future).detach();
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        future::yield_now()
    }
}
