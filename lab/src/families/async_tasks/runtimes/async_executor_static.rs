//! The executor of smol that lasts as long as the process. It keeps no list of its tasks.

use std::future::{Future, pending};
use std::thread;

use ::async_executor::{Executor, StaticExecutor};
use anyhow::Result;
use futures_lite::future;

use crate::families::async_tasks::AsyncRuntime;
use crate::runtime::{Role, RuntimeCard};

/// An executor.
#[derive(Debug)]
pub struct AsyncExecutorStatic {
    executor: &'static StaticExecutor,
}

impl AsyncRuntime for AsyncExecutorStatic {
    const CARD: RuntimeCard = RuntimeCard {
        name: "async-executor-static",
        about: "the same of `Executor::leak`, which keeps no list of its tasks",
        package: Some("async-executor"),
        role: Role::Peer,
        rank: 31,
        scheduler: "one queue, a short one per thread, stealing",
        parallel: true,
        colour: (150, 200, 160),
    };

    const BY_DEFAULT: bool = false;

    fn start(jobs: usize) -> Result<Self> {
        let executor = Executor::new().leak();
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
