//! No parallelism: `join` is two plain calls, so a workload is the plain recursion.

use anyhow::Result;

use crate::families::fork_join::pool::Pool;
use crate::runtime::{Role, RuntimeCard};

/// The plain recursion.
#[derive(Debug)]
pub struct Seq;

impl Pool for Seq {
    const CARD: RuntimeCard = RuntimeCard {
        name: "seq",
        about: "plain calls, one thread: what parallel code is measured against",
        package: None,
        role: Role::Bound,
        rank: 0,
        scheduler: "none",
        parallel: false,
        colour: (122, 128, 138),
    };

    type Context<'c> = ();

    fn start(_jobs: usize) -> Result<Self> {
        Ok(Self)
    }

    fn enter<R: Send>(&self, call: impl for<'c> FnOnce(Self::Context<'c>) -> R + Send) -> R {
        call(())
    }

    #[inline(always)]
    fn join<A, B, RA, RB>((): (), a: A, b: B) -> (RA, RB)
    where
        A: for<'c> FnOnce(Self::Context<'c>) -> RA + Send,
        B: for<'c> FnOnce(Self::Context<'c>) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        (a(()), b(()))
    }

    #[inline(always)]
    fn lend<'c>(_context: &'c mut Self::Context<'_>) -> Self::Context<'c> {}
}
