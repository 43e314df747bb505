//! Tokio: its runtime of many threads.

use std::future::Future;

use ::tokio::runtime::{Builder, Runtime};
use anyhow::Result;

use crate::families::async_tasks::AsyncRuntime;
use crate::runtime::{Role, RuntimeCard};

/// A multi-threaded runtime of tokio.
#[derive(Debug)]
pub struct Tokio {
    runtime: Runtime,
}

impl AsyncRuntime for Tokio {
    const CARD: RuntimeCard = RuntimeCard {
        name: "tokio",
        about: "`Runtime::spawn` from outside, `tokio::spawn` inside; a worker per job",
        package: Some("tokio"),
        role: Role::Peer,
        rank: 20,
        scheduler: "async work stealing, fixed workers",
        parallel: true,
        colour: (132, 98, 176),
    };

    fn start(jobs: usize) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(jobs).build()?;
        Ok(Self { runtime })
    }

    fn spawn(&'static self, future: impl Future<Output = ()> + Send + 'static) {
        drop(self.runtime.spawn(future));
    }

    fn spawn_inside(&'static self, future: impl Future<Output = ()> + Send + 'static) {
        drop(::tokio::spawn(future));
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        ::tokio::task::yield_now()
    }
}
