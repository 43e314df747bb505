//! Chili. Its scope goes to every closure; the thread that makes the scope works too and counts
//! as one of the pool's threads, so a pool of `jobs` threads starts `jobs - 1` workers (and one
//! thread for the heartbeat).

use std::num::NonZeroUsize;

use ::chili::{Config, Scope, ThreadPool};
use anyhow::{Context as _, Result};

use crate::families::fork_join::pool::Pool;
use crate::runtime::{Role, RuntimeCard};

/// A thread pool of chili.
#[derive(Debug)]
pub struct Chili {
    pool: ThreadPool,
}

/// A scope that forgets its own lifetime, so that one lifetime is enough to name it.
///
/// The scope is reachable only through [`Chili::join`], which never moves it. So no code can make
/// use of the longer lifetime.
#[derive(Debug)]
pub struct Borrowed<'c>(&'c mut Scope<'static>);

impl<'c> Borrowed<'c> {
    #[inline(always)]
    fn new(scope: &'c mut Scope<'_>) -> Self {
        let scope: *mut Scope<'_> = scope;
        // SAFETY: The types differ in a lifetime only, so their layout is the same. The pointer
        // comes from a reference that is borrowed for all of `'c`. The one thing that a forgotten
        // lifetime could permit, to swap this scope for one that lives longer or to move it out,
        // needs access to the field, which is private; `join` and `lend` do neither.
        Self(unsafe { &mut *scope.cast::<Scope<'static>>() })
    }
}

impl Pool for Chili {
    const CARD: RuntimeCard = RuntimeCard {
        name: "chili",
        about: "`ThreadPool::scope`, `Scope::join`",
        package: Some("chili"),
        role: Role::Peer,
        rank: 21,
        scheduler: "heartbeat, one shared job per worker",
        parallel: true,
        colour: (63, 143, 84),
    };

    type Context<'c> = Borrowed<'c>;

    fn start(jobs: usize) -> Result<Self> {
        let jobs = NonZeroUsize::new(jobs).context("a pool needs at least one thread")?;
        let pool = ThreadPool::with_config(Config {
            thread_count: Some(jobs),
            ..Config::default()
        });
        Ok(Self { pool })
    }

    fn enter<R: Send>(&self, call: impl for<'c> FnOnce(Self::Context<'c>) -> R + Send) -> R {
        call(Borrowed::new(&mut self.pool.scope()))
    }

    #[inline(always)]
    fn join<A, B, RA, RB>(context: Borrowed<'_>, a: A, b: B) -> (RA, RB)
    where
        A: for<'c> FnOnce(Self::Context<'c>) -> RA + Send,
        B: for<'c> FnOnce(Self::Context<'c>) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        context.0.join(
            |scope| a(Borrowed::new(scope)),
            |scope| b(Borrowed::new(scope)),
        )
    }

    #[inline(always)]
    fn lend<'c>(context: &'c mut Self::Context<'_>) -> Self::Context<'c> {
        Borrowed(&mut *context.0)
    }
}
