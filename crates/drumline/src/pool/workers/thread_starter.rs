//! Starting the threads of a pool.
//!
//! One thread at a time serves the requests (`thread_requests`) for them.
//!
//! A thread that was asked for is counted before it is started. Its [`ThreadBuilder`] is the
//! record of that: [run](ThreadBuilder::run), it becomes the thread; dropped, the count is taken
//! back. So the pool never counts on a thread that will not come, whatever a spawner says.

use std::io;

use super::thread_builder::ThreadBuilder;
use crate::platform::thread_quota;
use crate::pool::observe::warning::Warning;
use crate::pool::shared::hooks;
use crate::pool::shared::local;
use crate::pool::shared::registry::Registry;
use crate::pool::shared::shared_registry::SharedRegistry;
use crate::pool::shared::spawn_retry;
use crate::pool::shared::thread_requests::{Request, ThreadKind};
use crate::sync::{self, Instant};
use crate::unwind;

/// One more spare is started ahead for this many threads that block.
const BLOCKED_PER_SPARE_AHEAD: usize = 8;
/// No more spares are started ahead at a time.
const MAX_SPARES_AHEAD: usize = 15;

/// Starts workers until there are `wanted`, or the system refuses.
pub(crate) fn start_workers(
    registry: &Registry,
    wanted: usize,
    spawner: &mut dyn FnMut(ThreadBuilder) -> io::Result<()>,
) {
    if registry.thread_requests().ask_for_workers(registry, wanted) {
        serve(registry, spawner);
    }
}

/// Starts a worker to take the place of one that blocks, and [others](spares_ahead) that will soon
/// be needed. If the system refuses, that is tried again when a thread ends.
#[cold]
pub(crate) fn start_spares(registry: &Registry) {
    registry.spares().reap();
    let count = 1 + spares_ahead(registry);
    if registry.thread_requests().ask_for_spares(count) {
        serve(registry, &mut spawn_thread);
    }
}

/// How many spares to start beside one that is needed.
///
/// Where many threads block and as many jobs wait, more spares will be needed. Beside threads that
/// compute, a new thread waits for its first time slice; that wait would pass once for each spare.
fn spares_ahead(registry: &Registry) -> usize {
    let ahead = (registry.idle_set().away() / BLOCKED_PER_SPARE_AHEAD).min(MAX_SPARES_AHEAD);
    if ahead == 0 {
        return 0;
    }
    let further = registry.queued(ahead + 1).saturating_sub(1);
    registry.idle_set().expect_spares(ahead.min(further))
}

/// Starts threads until none is asked for.
fn serve(registry: &Registry, spawner: &mut dyn FnMut(ThreadBuilder) -> io::Result<()>) {
    while let Some(request) = registry.thread_requests().next(registry) {
        let Request::Start(post, index) = request else {
            registry.wake(
                registry
                    .idle_set()
                    .worker_not_started(&|| registry.has_work()),
            );
            spawn_retry::add(registry);
            continue;
        };
        let begun = Instant::now();
        let outcome = match post {
            ThreadKind::Worker => start(registry, index, post, spawner),
            ThreadKind::Spare => start(registry, index, post, &mut spawn_thread),
        };
        match (post, outcome) {
            (ThreadKind::Worker, Ok(())) => {}
            (ThreadKind::Worker, Err(error)) => {
                // The other workers would be refused as well.
                let others = registry.thread_requests().drop_workers();
                let have = registry.workers();
                registry.hooks().warn(Warning::ThreadNotCreated {
                    have,
                    wanted: have + 1 + others,
                    error,
                });
            }
            (ThreadKind::Spare, Ok(())) => {
                registry.thread_requests().forgive();
                registry.limit().forget_warnings();
            }
            (ThreadKind::Spare, Err(error)) => {
                spawn_retry::add(registry);
                let spell = registry.idle_set().spells();
                match registry
                    .thread_requests()
                    .note_refusal(begun.elapsed(), spell)
                {
                    Some(refusals) => registry.hooks().warn(Warning::SpareNotCreated {
                        have: registry.threads(),
                        refusals,
                        error,
                    }),
                    None => unwind::discard(error),
                }
            }
        }
    }
}

/// Starts a thread that has been counted.
fn start(
    registry: &Registry,
    index: usize,
    post: ThreadKind,
    spawner: &mut dyn FnMut(ThreadBuilder) -> io::Result<()>,
) -> io::Result<()> {
    let name = registry.thread_requests().name(registry, index);
    let builder = ThreadBuilder::new(registry, index, post, name);
    // The library of the language ends the process when a new thread gets no stack for its signals.
    if thread_quota::mapped().is_some_and(|most| index >= most) {
        drop(builder);
        return Err(io::Error::new(
            io::ErrorKind::OutOfMemory,
            "the memory mappings of this process (vm.max_map_count) do not suffice for more threads",
        ));
    }
    hooks::spawn_thread(registry.hooks(), spawner, builder)
}

/// Changes the number of jobs of a live pool.
pub(crate) fn resize(registry: &SharedRegistry, jobs: usize) {
    let workers = jobs.saturating_sub(registry.members().len());
    start_workers(registry, workers, &mut spawn_thread);
    registry.wake(
        registry
            .idle_set()
            .set_places(jobs, &|| registry.has_work()),
    );
    registry.call_waiting();
}

/// The ordinary way to start a thread.
pub(crate) fn spawn_thread(mut builder: ThreadBuilder) -> io::Result<()> {
    builder.is_heard_of();
    let mut thread = sync::thread::Builder::new().stack_size(builder.stack_size());
    thread = thread.name(match builder.name() {
        Some(name) => name.to_owned(),
        None => format!("drumline-{}", builder.index()),
    });
    let registry = SharedRegistry::clone(&builder.registry);
    let post = builder.post;
    let handle = thread.spawn(move || {
        local::set_home(builder.registry.id());
        builder.run();
    })?;
    match post {
        ThreadKind::Worker => registry.lifetime().keep_handle(handle),
        ThreadKind::Spare => registry.spares().keep_handle(handle),
    }
    Ok(())
}

/// Seats the current thread in the pool for good, in a seat that was added for it.
pub(crate) fn become_member(registry: &SharedRegistry, index: usize) {
    // Leaked: the thread's cells point into it from now on.
    let registry: &'static Registry = Box::leak(Box::new(SharedRegistry::clone(registry)));
    let seat = registry.seat_member(index);
    seat.block_state().move_in(sync::thread::current().name());
    std::mem::forget(local::switch(seat, seat.first_deque()));
}
