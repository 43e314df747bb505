//! Actors: state that is reached by messages only.
//!
//! An actor is a value and a mailbox. It handles one message at a time, on some thread of its pool,
//! so its handlers have `&mut self` and need no lock. An actor without messages holds no thread,
//! and takes 80 bytes besides its value, so a program may have millions.
//!
//! ```
//! use drumline::Pool;
//! use drumline::actor::{Actor, ActorSystem, Context, Handler};
//!
//! struct Account {
//!     balance: i64,
//! }
//!
//! impl Actor for Account {}
//!
//! struct Deposit(i64);
//! impl Handler<Deposit> for Account {
//!     type Reply = i64;
//!     fn handle(&mut self, Deposit(amount): Deposit, _: &mut Context<Self>) -> i64 {
//!         self.balance += amount;
//!         self.balance
//!     }
//! }
//!
//! let pool = Pool::builder().jobs(2).build()?;
//! let system = ActorSystem::new(&pool);
//! let account = system.spawn(Account { balance: 0 });
//! account.tell(Deposit(30))?; // goes on at once
//! assert_eq!(account.ask(Deposit(12)).recv(), Ok(42)); // waits for the reply
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Messages
//!
//! An actor has a [`Handler`] for each type of message, or one for an enum. [`ActorRef::tell`]
//! sends a message, at the cost of one atomic swap. [`ActorRef::ask`] sends one with a reply that
//! the caller waits for. What one sender sends comes in that order. The mailbox may have a
//! [bound](SpawnOptions::bounded).
//!
//! A message that is told from a handler to an idle actor makes that actor the next thing that the
//! worker runs. From outside of the pool it is queued.
//!
//! # Handlers that await
//!
//! An [`AsyncHandler`] is an `async fn` with the state of the actor: no other message is handled
//! before it is done, and no thread waits. A handler can also start a future that has no part in
//! the state, and go on with its output later, among other messages ([`Context::spawn_then`]).
//!
//! # The end of an actor
//!
//! An actor ends
//!
//! * when it is stopped, after what it was told before ([`ActorRef::stop`], [`Context::stop`]) or
//!   after the message at hand ([`ActorRef::stop_now`], [`Context::stop_now`]),
//! * when no [`ActorRef`] and the like is left, after the messages that it has,
//! * when its [system](ActorSystem) or its pool ends,
//! * when a handler or a hook panics, unless a [supervisor](Supervisor) starts it again.
//!
//! Its hook [`Actor::stopped`] is called, except after a panic. Then its value is dropped, and what
//! is left in its mailbox is discarded: [dead letters](DeadLetter), which are
//! [counted](ActorSystem::dead_letters). A message that is told to a dead actor comes back. What is
//! asked of it is answered by [`AskError::Dead`] or [`AskError::Panicked`].
//!
//! An actor can [monitor](Context::monitor) another one, and is told of its end. A
//! [link](Context::link) has two actors fail together. Any thread or task can
//! [wait](ActorRef::ended) for an end.
//!
//! # Timers
//!
//! An actor sends itself a message [later](Context::send_after), or one
//! [again and again](Context::send_every). A timer ends with its actor.
//!
//! # What there is
//!
//! [`ActorSystem::tree`] says which actors are alive, below which supervisors, and how many
//! messages each has. With the feature `tracing`, a handler runs in a span of its own. That is
//! below the span in which its message was told or asked.
//!
//! # Panics
//!
//! A panic in a handler ends its actor and nothing else, or its [supervisor](Supervisor) starts the
//! actor again. It is reported as that of a task that
//! nothing joins: to the [panic handler](crate::PoolBuilder::panic_handler) of the pool. With
//! `panic = "abort"` it ends the process, as everywhere.
//!
//! # Blocking
//!
//! A handler may block, and so blocks its actor. Another thread of the pool takes the place of the
//! one that blocks, as in any job; see [`blocking`](crate::blocking()). An actor that blocks most
//! of the time may have [a thread of its own](Scheduler::Pinned), or be a function on such a thread
//! that [receives](Inbox) its messages when it likes.

#[cfg(not(drumline_loom))]
mod api;
#[cfg(any(not(drumline_loom), test))]
mod attached;
#[cfg(all(test, drumline_loom))]
mod inbox_models;
#[cfg(not(drumline_loom))]
mod life;
mod life_word;
#[cfg(not(drumline_loom))]
mod mail;
mod mailbox;
#[cfg(not(drumline_loom))]
mod memory;
#[cfg(all(test, drumline_loom))]
mod models;
#[cfg(all(test, drumline_shuttle))]
mod programs;
#[cfg(doctest)]
mod promises;
#[cfg(any(not(drumline_loom), test))]
mod run_queue;
#[cfg(not(drumline_loom))]
mod schedulers;
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod small_tests;
#[cfg(any(not(drumline_loom), test))]
mod supervision;
#[cfg(not(drumline_loom))]
mod system;
mod thread_call;
mod wait_graph;
#[cfg(all(test, drumline_loom))]
mod wait_models;
mod wait_shard;
mod weak_link;
#[cfg(all(test, drumline_loom))]
mod weak_models;

#[cfg(not(drumline_loom))]
pub use {
    api::{
        actor_ref::{ActorRef, WeakActorRef},
        ask::Answer,
        async_handler::{AsyncContext, AsyncHandler, Awaiting},
        broadcast::Broadcast,
        group::ActorGroup,
        handler::{Accept, Actor, Context, Direct, Handler},
        options::{HandQueue, Overflow, Scheduler, SpawnOptions, Style},
        probe::{Probe, ProbeActor},
        recipient::{Recipient, WeakRecipient},
        router::Router,
        stash::StashError,
    },
    attached::{ActorTimer, Ended, Exit, ExitReason, Link, Monitor},
    life::current::current_name,
    mail::{
        dead_letter::DeadLetter,
        error::{AskError, FindError, NameTaken, TellError},
    },
    schedulers::{
        hand_scheduler::HandScheduler,
        inbox::{Inbox, InboxError},
        shared_scheduler::SharedScheduler,
        thread_actor::ThreadActor,
    },
    supervision::{Directive, Failure, FailureOutcome, Strategy, Supervisor, SupervisorOptions},
    system::{
        actor_tree::{ActorTree, TreeEntry},
        handle::{ActorSystem, ActorSystemBuilder, ShutdownReport},
        stats::{ActorStats, MessageCounts},
    },
};
