//! What a fork/join runtime has to offer to be measured here.
//!
//! Some runtimes find their worker through a thread-local variable (`rayon`, `drumline`), others
//! hand it to every closure (`chili`, `forte`). Workloads are written once for both kinds: a
//! *context* goes by value into [`Pool::join`] and comes back as the argument of both closures.
//! For a runtime without a context it is `()`, so nothing is passed; for the others it is exactly
//! the reference that their users pass. Everything is generic and monomorphised: no call in a hot
//! path goes through a table.
//!
//! Rejected: a trait with `&mut self`, because a runtime with a shared reference as its context
//! would pay for a second level of indirection. Also rejected: one copy of each workload per
//! runtime, because they drift apart.

use anyhow::Result;

use crate::runtime::RuntimeCard;

/// A fork/join runtime.
pub trait Pool: Sized + Sync {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// What a closure of this runtime is handed.
    type Context<'c>;

    /// Makes a pool in which at most `jobs` threads run user code at once.
    fn start(jobs: usize) -> Result<Self>;

    /// Runs `call` inside the pool, in the best way that the runtime documents for a call from
    /// outside.
    fn enter<R: Send>(&self, call: impl for<'c> FnOnce(Self::Context<'c>) -> R + Send) -> R;

    /// The runtime's own `join`.
    fn join<A, B, RA, RB>(context: Self::Context<'_>, a: A, b: B) -> (RA, RB)
    where
        A: for<'c> FnOnce(Self::Context<'c>) -> RA + Send,
        B: for<'c> FnOnce(Self::Context<'c>) -> RB + Send,
        RA: Send,
        RB: Send;

    /// Lends the context for one of several joins in a row.
    fn lend<'c>(context: &'c mut Self::Context<'_>) -> Self::Context<'c>;

    /// Why this runtime cannot be measured from outside with this many jobs, if it cannot.
    fn outside_calls_fail(_jobs: usize) -> Option<&'static str> {
        None
    }
}
