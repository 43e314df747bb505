//! Drumline runs closures in parallel: a fork that no other thread helps with costs about a
//! nanosecond, and a pool that has nothing to do costs nothing.
//!
//! This page lists all parts of the crate. The guide in the repository (`docs/src`) says which part
//! is for what, how to move from rayon, and what things cost.
//!
//! # Fork and join
//!
//! [`join()`] runs two closures and returns both results. The caller runs the first; the second is
//! visible to idle threads meanwhile, and if none takes it the caller runs it, too. So a recursion
//! can fork at every level, down to single elements; there is no grain size to find.
//!
//! ```
//! fn sum(numbers: &[u64]) -> u64 {
//!     match numbers {
//!         [] => 0,
//!         [one] => *one,
//!         _ => {
//!             let (left, right) = numbers.split_at(numbers.len() / 2);
//!             let (a, b) = drumline::join(|| sum(left), || sum(right));
//!             a + b
//!         }
//!     }
//! }
//! assert_eq!(sum(&[3, 1, 4, 1, 5]), 14);
//! ```
//!
//! # Loops
//!
//! With the [`prelude`] in scope, slices, vectors, ranges, strings and collections have parallel
//! iterators ([`iter`]). A loop is split only when a thread is idle, so a short one costs some 20
//! to 30 ns more than a plain loop:
//!
//! ```
//! use drumline::prelude::*;
//!
//! let total: u64 = (1..=1_000u64).into_par_iter().filter(|number| number % 3 == 0).sum();
//! assert_eq!(total, 166_833);
//! ```
//!
//! # Scopes
//!
//! A [`scope()`] is for any number of jobs that borrow from the frame around them, and it returns
//! when all have ended, the ones that they spawned included:
//!
//! ```
//! let names = ["ada", "grace", "barbara"];
//! let mut greetings = vec![String::new(); names.len()];
//! drumline::scope(|scope| {
//!     for (greeting, name) in greetings.iter_mut().zip(names) {
//!         scope.spawn(move |_| *greeting = format!("hello, {name}"));
//!     }
//! });
//! assert_eq!(greetings[2], "hello, barbara");
//! ```
//!
//! # Tasks
//!
//! A task made with [`spawn()`] owns what it needs and may outlive its maker. Its [`JoinHandle`]
//! gives the value, or the panic; without the handle it runs all the same.
//!
//! ```
//! let task = drumline::spawn(|| (1..=20).product::<u64>());
//! // ... something else meanwhile ...
//! assert_eq!(task.join().unwrap(), 2_432_902_008_176_640_000);
//! ```
//!
//! # Streams
//!
//! Where items come one after another, from a file, a [channel], another thread, a [`mod@stream`]
//! hands them to as few consumers as the work needs, and brings the results together in order:
//!
//! ```
//! let mut squares = Vec::new();
//! drumline::stream::iter(1..=4).map_ordered(|n| n * n).for_each(|square| squares.push(square));
//! assert_eq!(squares, [1, 4, 9, 16]);
//! ```
//!
//! # Futures
//!
//! Every [`JoinHandle`] is a future, on any executor: async code hands computing over with
//! `spawn(work).await`. [`spawn_future()`] runs a future on the pool itself. While it waits, it
//! holds no thread. [`block_on`] waits for one on any thread, and [`task`] has timers.
//!
//! ```
//! let sum = drumline::spawn_future(async {
//!     let computed = drumline::spawn(|| (1..=4).sum::<u32>());
//!     computed.await.unwrap() + 1
//! });
//! assert_eq!(drumline::block_on(sum).unwrap(), 11);
//! ```
//!
//! # Channels and protocols
//!
//! A [channel] carries messages between threads and tasks, in order. There is a kind for each
//! number of senders and receivers, with and without a bound. [`select!`] waits for the first of
//! several.
//!
//! ```
//! let (sender, mut receiver) = drumline::channel::mpsc::bounded(8);
//! drumline::spawn(move || (1..=3).try_for_each(|n| sender.send(n)));
//! let mut sum = 0;
//! while let Ok(n) = receiver.recv() {
//!     sum += n;
//! }
//! assert_eq!(sum, 6);
//! ```
//!
//! Where two sides talk in turns, a [`protocol!`] has the compiler check which side says what, and
//! when.
//!
//! # Actors
//!
//! An [`mod@actor`] is a value that handles one message at a time, and is reached by messages only.
//! It holds no thread while it has none. A supervisor starts those again that have panicked.
//!
//! ```
//! use drumline::actor::{Actor, ActorSystem, Context, Handler};
//!
//! struct Counter(u64);
//! impl Actor for Counter {}
//! impl Handler<u64> for Counter {
//!     type Reply = u64;
//!     fn handle(&mut self, more: u64, _: &mut Context<Self>) -> u64 {
//!         self.0 += more;
//!         self.0
//!     }
//! }
//!
//! let pool = drumline::Pool::builder().jobs(2).build()?;
//! let system = ActorSystem::new(&pool);
//! let counter = system.spawn(Counter(0));
//! counter.tell(3)?;
//! assert_eq!(counter.ask(4).recv()?, 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Pools, and how large they are
//!
//! The functions above use the pool that the calling thread is in, and else a global one, which is
//! made on first use and has as many jobs as this process may use processors. A program that wants
//! another number, thread names, handlers or an orderly end makes a [`Pool`]. [`Jobs`] is the
//! number as people say it, fit for a command line:
//!
//! ```
//! use drumline::{Jobs, Pool};
//!
//! let said: Jobs = "50%".parse()?; // or "auto", "8", "physical"
//! let pool = Pool::builder().jobs(said).build()?;
//! let largest = pool.install(|| {
//!     let (a, b) = drumline::join(|| 6 * 7, || 5 * 8); // in `pool`
//!     a.max(b)
//! });
//! assert_eq!(largest, 42);
//! pool.shutdown()?; // waits for its threads
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The number is that of *places*: how many threads of the pool run closures at once. The thread
//! that calls takes one of them if one is free, and runs its call in any case: it is a *guest* of
//! the pool, and nothing is handed over. With one job a call runs on its caller alone, as long as
//! nothing in it blocks; a worker takes the place of a guest that blocks. A pool with
//! `jobs(1).guests(false).spares(false)` has one thread, and all runs on that. A guest never waits
//! for its turn: if more threads call at once than the pool has jobs, each of them runs its own
//! call. A pool with special threads (named, pinned, with a stack size of their own, …) takes no
//! guests, unless it is [told to](PoolBuilder::guests). Calls wait there until a thread of the pool
//! runs them.
//!
//! No environment variable has a say, unless the program turns the feature `env` on.
//!
//! # What is where
//!
//! | to | use |
//! |---|---|
//! | run two closures, perhaps at once | [`join()`], [`join_context`] |
//! | go through a collection | [`prelude`], [`iter`]; [`mod@slice`] for chunks and sorting |
//! | handle items as they come | [`mod@stream`] |
//! | run many closures that borrow | [`scope()`], [`in_place_scope`] |
//! | start them in order | [`scope_fifo`], [`in_place_scope_fifo`] |
//! | run a closure later | [`spawn()`], [`spawn_fifo`]; [`JoinHandle`] |
//! | run a future | [`spawn_future()`], [`Scope::spawn_future`]; [`block_on`], [`TaskSet`] |
//! | wait for a time | [`task::sleep`], [`task::timeout`] |
//! | run a closure once on every thread | [`broadcast()`], [`spawn_broadcast`] |
//! | do the same in a scope | [`Scope::spawn_broadcast`] |
//! | have a pool of one's own | [`Pool`], [`PoolBuilder`] |
//! | set up the global pool | [`PoolBuilder::build_global`] |
//! | have state that is reached by messages only | [`mod@actor`] |
//! | have what has failed started again | [`actor::Supervisor`] |
//! | send messages between threads and tasks | [`mod@channel`] |
//! | wait for the first of several messages | [`select!`], [`channel::PortSet`] |
//! | connect a channel to a stream | its ends are [sources and sinks](mod@stream#channels) |
//! | have the compiler check a dialogue, step by step | [`protocol!`], [`mod@protocol`] |
//! | stop a loop or a stream, or count what it has done | [`CancellationToken`], [`Progress`] |
//! | say how many jobs | [`Jobs`], [`Pool::set_jobs`] |
//! | ask where one is | [`current_jobs`], [`worker_index`] |
//! | keep something for each thread | [`WorkerLocal`]; a vector by index: [`PoolBuilder::spares`] |
//! | let something else run here | [`yield_now`], [`yield_local`]; while waiting: [`WaitPolicy`] |
//! | hear what went wrong | [`PoolBuilder::panic_handler`], [`PoolBuilder::warning_handler`] |
//! | block without holding up others | [`blocking`], [`PoolBuilder::max_threads`] |
//! | hear or count what its threads do | [`PoolBuilder::event_handler`], [`Pool::stats`] |
//! | know what waits for a message | [`Pool::waiters`], [`channel::waiters`] |
//!
//! Where rayon has a function of the same name, it has the same shape here. The main differences:
//! `spawn` returns a handle, and a panic of a detached task does not abort; calls from outside a
//! pool run on the caller; a thread that waits runs only what it waits for; a thread that blocks is
//! replaced; [`worker_index`] has no bound; 0 jobs are an error. The guide has all of them
//! (`docs/src/rayon.md`).
//!
//! # Features
//!
//! All are off unless a program turns them on.
//!
//! | feature | with it |
//! |---|---|
//! | `either` | [`iter::Either`] is the type of that crate, which is a parallel iterator then |
//! | `crossbeam-channel`, `flume`, `kanal` | their receivers feed a [stream](mod@stream) |
//! | `futures` | `stream::from_async`: a [stream](mod@stream) from a `futures_core::Stream` |
//! | | `Serial::into_async`: the results of a stream are a `futures_core::Stream` |
//! | `env` | pools that are made without a number of jobs, the global one too, have what the |
//! | | environment variable `DRUMLINE_JOBS` says; for operators of programs without an option |
//! | `tracing` | the [events](Event) of a pool are events of `tracing` |
//! | | the span in which a message is told or asked goes on in its [`actor`]'s handler |
//!
//! # Waiting
//!
//! A call that waits (for the other half of a join, for a scope's jobs, for a task) runs what
//! belongs to the thing it waits for, or sleeps. It never runs unrelated work on top of its stack,
//! where that could want a lock that is held further down. Three things are the exception and say
//! so: a share of a [`broadcast()`], which no other thread can run, [`yield_now`], and a pool with
//! [`WaitPolicy::Steal`].
//!
//! What a thread takes onto its stack while it waits, it takes only as long as there is room: while
//! a quarter of the stack is left. So stacks grow about as deep as in a sequential program, and a
//! chain of tasks that wait for each other may be longer than any of them.
//!
//! # Shared libraries
//!
//! A shared library (`cdylib`, `proc-macro`) that contains Drumline has pools of its own, and any
//! number of them can be loaded into a process. On Linux on x86-64 a [`join()`] costs 0.4 to 2.1 ns
//! more there than in a program. A Rust `dylib` with Drumline inside has to be linked with lld (the
//! default there since Rust 1.90) or mold; with other linkers, compile with
//! `RUSTFLAGS="--cfg drumline_portable"`.
//!
//! # Blocking
//!
//! A pool has as many places as jobs, and a thread that blocks outside of Drumline (on a socket, a
//! mutex, a channel) does not use its own. Wrapped in [`blocking`], it gives the place up, and if
//! work is waiting a spare thread takes it at once. On Linux the pool also notices what no thread
//! announced: if every place is taken and work is waiting, an idle thread looks every few
//! milliseconds whether those that have the places use any processor time, and replaces those that
//! do not. When a blocked thread goes on, no thread is stopped; threads in excess stand down after
//! the job at hand, and spares that are not needed end after two seconds.
//!
//! A task that polls in between is not noticed: one that sleeps for less than about a millisecond
//! at a time looks like one that computes, and keeps its place. If it waits for another task of a
//! pool with one job, it waits for ever. Announce the sleeps with [`blocking`], call [`yield_now`]
//! between them, or join the other task.
//!
//! A thread that waits in Drumline itself (in a join, a scope, a handle) is replaced as well if
//! other work is there, but not at once. While as many threads of the pool run as there are
//! processors, a spare holds back for up to a second.
//!
//! There are at most [`max_threads`](PoolBuilder::max_threads) threads in a pool. When more are
//! needed, it warns, and names those that block. A pool may do
//! [without spares](PoolBuilder::spares). A pool has none if its threads come from the program
//! ([`spawn_handler`](PoolBuilder::spawn_handler), [`build_scoped`](PoolBuilder::build_scoped)).
//!
//! # Tables by thread
//!
//! Guests and spares have numbers, too, so [`worker_index`] has no bound, also where nothing
//! blocks. [`WorkerLocal`] is the table with a value for each thread: it grows, and works in every
//! pool. A pool without [guests](PoolBuilder::guests) and [spares](PoolBuilder::spares) promises
//! that every index is less than the largest number of jobs that it has had.
//!
//! # Panics
//!
//! A panic in a closure arrives at the call that waits for that closure, with its payload: `join`
//! and `scope` wait for everything else first, [`JoinHandle::join`] returns it as an error. If
//! several closures panic, one payload arrives (which one is said at each function) and the others
//! are dropped. The panic of a task that is never joined goes to the pool's
//! [panic handler](PoolBuilder::panic_handler), or is [counted](Pool::lost_panics) and a
//! [`Warning`]. The pool goes on in every case. With `panic = "abort"` a panic ends the process, as
//! everywhere.
//!
//! A thread that cannot be created is no panic and no error: the pool has fewer threads, and says
//! so ([`Warning`]); with none, everything runs in the calls themselves.
//!
//! # Forking
//!
//! In a child process made by `fork`, the threads of a pool do not exist. The global pool is made
//! anew there on first use, as [`PoolBuilder::describe_global`] says; what `build_global` set is
//! lost. A pool of one's own panics with a message that says so ([`Pool`](Pool#forking)). This is
//! noticed on Linux, Android, Apple's systems and the BSDs, and after `fork` itself: `vfork`,
//! `posix_spawn` and a bare `clone` have no handlers, and so are not noticed. Actors, timers and
//! channels that a child makes work there, whatever the threads of the parent did at that moment.
//! Those of the parent are not for the child.
//!
//! # Platforms
//!
//! The fast path runs no fence because a thread that steals has the operating system run one on all
//! threads of the process. Linux (`membarrier`, from 4.14) and Windows (`FlushProcessWriteBuffers`)
//! can do that. Where a sandbox or an older kernel refuses, pools notice when they are made, and
//! the threads run fences of their own: the same behaviour, some nanoseconds more per fork. Every
//! other system works like that. A sandbox may also be entered while pools are in use: then each
//! thread changes over at the next fork that it makes. Until that fork, other threads take what it
//! has pending only if it blocks. Linux on x86-64 is what this is developed and measured on;
//! Windows is checked to compile; nothing else has been tried. The standard library is needed.
#![warn(missing_docs)]
#![cfg_attr(
    any(drumline_loom, drumline_shuttle),
    allow(
        dead_code,
        unused_imports,
        reason = "the models use a part of the crate"
    )
)]

pub mod actor;
#[cfg(not(drumline_loom))]
mod blocks;
#[cfg(not(drumline_loom))]
mod broadcast;
pub mod channel;
#[cfg(doctest)]
mod compile_fail;
mod control;
mod deadline;
#[cfg(not(drumline_loom))]
mod future;
#[cfg(not(drumline_loom))]
pub mod iter;
mod job;
#[cfg(not(drumline_loom))]
mod jobs;
#[cfg(not(drumline_loom))]
mod join;
mod latch;
#[cfg(not(drumline_loom))]
mod platform;
mod pool;
#[cfg(not(drumline_loom))]
pub mod prelude;
#[cfg(not(any(drumline_loom, drumline_shuttle)))]
pub mod protocol;
#[cfg(not(drumline_loom))]
mod scope;
#[cfg(not(drumline_loom))]
pub mod slice;
#[cfg(not(drumline_loom))]
mod source;
#[cfg(not(drumline_loom))]
mod spawn;
pub mod stream;
mod sync;
#[cfg(not(drumline_loom))]
pub mod task;
mod team;
mod unwind;
mod wait;
mod worker_local;

#[cfg(not(drumline_loom))]
pub use crate::{
    broadcast::{BroadcastContext, broadcast, spawn_broadcast},
    control::{CancellationToken, Progress},
    future::{JoinError, PanicPayload},
    jobs::{Jobs, JobsError, ParseJobsError},
    join::{FnContext, join, join_context},
    pool::{
        BuildError, Event, IntoJobs, Pool, PoolBuilder, ShutdownError, Stats, ThreadBuilder,
        WaitPolicy, Warning, Yield, current_jobs, worker_index, yield_local, yield_now,
    },
    scope::{
        Scope, ScopeFifo, ScopedJoinHandle, in_place_scope, in_place_scope_fifo, scope, scope_fifo,
    },
    source::{array, collections, option, range, range_inclusive, result, str, string, vec},
    spawn::{AbortOnDrop, JoinHandle, spawn, spawn_fifo, spawn_future},
    task::{TaskSet, block_on},
    wait::blocking,
    worker_local::WorkerLocal,
};
