//! Making the pool that was described.

use std::io;
use std::thread;

use super::PoolBuilder;
use crate::jobs::Jobs;
use crate::platform::fork;
use crate::pool::api::build_error::{BuildError, BuildErrorKind};
use crate::pool::api::global;
use crate::pool::api::handle::{Pool, ScopedPool};
use crate::pool::blocking::compensate;
use crate::pool::shared::local;
use crate::pool::shared::registry::Registry;
use crate::pool::shared::shared_registry::SharedRegistry;
#[cfg(drumline_shuttle)]
use crate::pool::shared::spawn_retry;
use crate::pool::shared::thread_limit::ThreadLimit;
use crate::pool::shared::thread_requests::ThreadRequests;
use crate::pool::workers::thread_builder::ThreadBuilder;
use crate::pool::workers::thread_starter::{
    become_member, spawn_thread, start_spares, start_workers,
};
use crate::sync::barrier;

impl PoolBuilder {
    /// Makes the pool.
    ///
    /// A thread that cannot be created is a [`Warning`](crate::Warning), not an error: the
    /// pool goes on with fewer, and with none it runs everything on the
    /// threads that call it.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// assert_eq!(pool.join(|| 1, || 2), (1, 2));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the number of jobs makes no sense, also one that comes from the environment, or is more
    /// than [`max_threads`](Self::max_threads); or if
    /// [`use_current_thread`](Self::use_current_thread) is asked for on a thread that is in a pool
    /// already.
    ///
    pub fn build(self) -> Result<Pool, BuildError> {
        let (pool, member) = self.build_without_member()?;
        if let Some(index) = member {
            become_member(pool.registry(), index);
        }
        Ok(pool)
    }

    /// Makes the pool, and a seat in which the current thread is to become a member.
    pub(in crate::pool::api) fn build_without_member(
        mut self,
    ) -> Result<(Pool, Option<usize>), BuildError> {
        let registry = self.make_registry(self.spawner.is_none())?;
        let pool = Pool::from_registry(SharedRegistry::clone(&registry));
        let member = self.add_member(&registry);
        match self.spawner.take() {
            Some(mut spawner) => self.start(&registry, &mut *spawner),
            None => self.start(&registry, &mut spawn_thread),
        }
        Ok((pool, member))
    }

    /// Makes this the global pool, which the free functions use.
    ///
    /// For programs, at their start; a library that does it takes the choice
    /// away from the program.
    ///
    /// ```
    /// drumline::PoolBuilder::new().jobs(2).build_global()?;
    /// assert_eq!(drumline::current_jobs(), 2);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build); and if the global pool exists already,
    /// because the program made it or used it.
    pub fn build_global(self) -> Result<(), BuildError> {
        global::build(self)
    }

    /// Says how the global pool is to be made, when it is first used.
    ///
    /// Unlike [`build_global`](Self::build_global) this starts no thread. It
    /// also holds in forked children, where the global pool is made anew. The
    /// last call before the first use counts.
    ///
    /// For programs; a library that does it takes the choice away from the
    /// program. `describe` must not use the global pool.
    ///
    /// ```
    /// use drumline::{Pool, PoolBuilder};
    ///
    /// PoolBuilder::describe_global(|| Pool::builder().jobs(2).guests(false).spares(false))?;
    /// assert_eq!(drumline::current_jobs(), 2); // asking does not make it
    /// let (index, _) = drumline::join(drumline::worker_index, || ());
    /// assert!(index.unwrap() < 2);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the global pool exists already, because it was made or used.
    ///
    /// # Panics
    ///
    /// The first use panics if the pool cannot be built as described.
    pub fn describe_global(describe: fn() -> PoolBuilder) -> Result<(), BuildError> {
        global::describe(describe)
    }

    /// The number of jobs that the pool will have, if it can be built.
    pub(in crate::pool) fn described_jobs(&self) -> usize {
        let jobs = self.wanted_jobs().unwrap_or_default();
        jobs.resolve().get()
    }

    /// What the program has set, or else the environment.
    fn wanted_jobs(&self) -> Result<Jobs, BuildErrorKind> {
        match self.jobs {
            Some(jobs) => Ok(jobs),
            #[cfg(feature = "env")]
            None => super::environment::jobs().map_err(BuildErrorKind::Environment),
            #[cfg(not(feature = "env"))]
            None => Ok(Jobs::Auto),
        }
    }

    /// Makes a pool with threads that may borrow from this frame. `wrapper` starts each thread, and
    /// runs it between its own set-up and clean-up. All threads have ended when this returns.
    ///
    /// Threads that [`Pool::set_jobs`] adds later are not started by `wrapper`.
    /// There are no spare threads: one that [blocks](crate::blocking) is replaced
    /// only by threads that the pool has anyway, and blocking that was not
    /// announced is not noticed.
    ///
    /// ```
    /// let greeting = String::from("hello");
    /// let length = drumline::Pool::builder().jobs(2).build_scoped(
    ///     |thread| {
    ///         assert_eq!(greeting.len(), 5); // borrowed by a thread of the pool
    ///         thread.run()
    ///     },
    ///     |pool| pool.install(|| greeting.len()),
    /// )?;
    /// assert_eq!(length, 5);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    ///
    /// # Panics
    ///
    /// Where `with_pool` or `wrapper` does, after the threads have ended.
    ///
    /// # Blocking
    ///
    /// Until all that was spawned in the pool has ended, and each [`ThreadBuilder`] has been run or
    /// dropped.
    pub fn build_scoped<W, F, R>(mut self, wrapper: W, with_pool: F) -> Result<R, BuildError>
    where
        W: Fn(ThreadBuilder) + Sync,
        F: FnOnce(&Pool) -> R,
    {
        let registry = self.make_registry(false)?;
        let wrapper = &wrapper;
        let result = thread::scope(|scope| {
            // Ends at the end of this closure, also by a panic: the scope waits for its threads.
            let pool = ScopedPool::new(SharedRegistry::clone(&registry));
            let member = self.add_member(&registry);
            self.start(&registry, &mut |builder: ThreadBuilder| {
                let mut thread = thread::Builder::new();
                if let Some(name) = builder.name() {
                    thread = thread.name(name.to_owned());
                }
                thread
                    .stack_size(builder.stack_size())
                    .spawn_scoped(scope, move || wrapper(builder))
                    .map(drop)
            });
            if let Some(index) = member {
                become_member(&registry, index);
            }
            with_pool(pool.get())
        });
        Ok(result)
    }

    fn make_registry(&mut self, spares: bool) -> Result<SharedRegistry, BuildError> {
        if let Some(error) = self.jobs_error.take() {
            return Err(BuildError {
                kind: BuildErrorKind::Jobs(error),
            });
        }
        if self.use_current_thread && local::seat().is_some() {
            return Err(BuildError {
                kind: BuildErrorKind::AlreadyMember,
            });
        }
        let jobs = self.wanted_jobs().map_err(|kind| BuildError { kind })?;
        let places = jobs.resolve().get();
        if let Some(max) = self.max_threads.filter(|&max| max < places) {
            return Err(BuildError {
                kind: BuildErrorKind::MaxThreads { max, jobs: places },
            });
        }
        let hooks = std::mem::take(&mut self.hooks);
        let special = self.threads.name.is_some()
            || self.threads.stack_size.is_some()
            || self.spawner.is_some()
            || hooks.are_for_threads();
        let members = usize::from(self.use_current_thread);
        let barrier = if self.refuse_barrier {
            barrier::Barrier::Refused
        } else {
            barrier::choose()
        };
        let guests = self.guests.unwrap_or(!special);
        let spares = spares && self.spares.unwrap_or(true);
        let threads = ThreadRequests::new(std::mem::take(&mut self.threads), start_spares);
        let limit = ThreadLimit::new(self.max_threads, members, spares);
        let policy = self.wait_policy;
        prepare();
        let registry = Registry::new_shared(places, guests, policy, hooks, threads, barrier, limit);
        for _ in 0..members {
            registry.members().add();
        }
        Ok(registry)
    }

    /// The seat of the current thread, if that is to be a member. It has the first number, and is
    /// taken when nothing can fail any more.
    fn add_member(&self, registry: &Registry) -> Option<usize> {
        let seat = self.use_current_thread.then(|| registry.add_seat())?;
        if self.broadcast_to_member {
            registry.members().broadcast_to(seat);
        }
        Some(seat)
    }

    fn start(
        &mut self,
        registry: &SharedRegistry,
        spawner: &mut dyn FnMut(ThreadBuilder) -> io::Result<()>,
    ) {
        let wanted = registry.jobs() - registry.members().len();
        start_workers(registry, wanted, spawner);
    }
}

/// What all pools of the process need.
fn prepare() {
    #[cfg(drumline_shuttle)]
    make_statics();
    fork::watch();
    compensate::start();
}

/// Makes the statics that are common to all pools. Shuttle makes one at its first use, and that
/// fails while the panic of another task is under way.
#[cfg(drumline_shuttle)]
fn make_statics() {
    barrier::is_lost();
    spawn_retry::retry();
    crate::wait::Oversubscription::here().is_oversubscribed(crate::sync::Instant::now());
}
