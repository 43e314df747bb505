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
mod actor_list;
#[cfg(not(drumline_loom))]
mod actor_ref;
#[cfg(not(drumline_loom))]
mod actor_stats;
#[cfg(not(drumline_loom))]
mod actor_tree;
#[cfg(not(drumline_loom))]
mod ask;
#[cfg(not(drumline_loom))]
mod async_handler;
#[cfg(any(not(drumline_loom), test))]
mod attached;
#[cfg(not(drumline_loom))]
mod bounded;
#[cfg(not(drumline_loom))]
mod broadcast;
#[cfg(not(drumline_loom))]
mod cell;
#[cfg(not(drumline_loom))]
mod census;
#[cfg(not(drumline_loom))]
mod context;
#[cfg(not(drumline_loom))]
mod continuation;
#[cfg(not(drumline_loom))]
mod dead_letter;
#[cfg(not(drumline_loom))]
mod directory;
#[cfg(not(drumline_loom))]
mod envelope;
#[cfg(not(drumline_loom))]
mod extra;
#[cfg(not(drumline_loom))]
mod group;
#[cfg(not(drumline_loom))]
mod hand_scheduler;
#[cfg(not(drumline_loom))]
mod handler;
#[cfg(not(drumline_loom))]
mod held;
#[cfg(not(drumline_loom))]
mod inbox;
#[cfg(all(test, drumline_loom))]
mod inbox_models;
mod life_word;
mod mailbox;
#[cfg(not(drumline_loom))]
mod message;
#[cfg(not(drumline_loom))]
mod message_counts;
#[cfg(not(drumline_loom))]
mod message_span;
#[cfg(all(test, drumline_loom))]
mod models;
#[cfg(not(drumline_loom))]
mod name_error;
#[cfg(not(drumline_loom))]
mod options;
#[cfg(not(drumline_loom))]
mod own_thread;
#[cfg(not(drumline_loom))]
mod probe;
#[cfg(all(test, drumline_shuttle))]
mod programs;
#[cfg(doctest)]
mod promises;
#[cfg(not(drumline_loom))]
mod recipient;
#[cfg(not(drumline_loom))]
mod router;
#[cfg(not(drumline_loom))]
mod run;
#[cfg(not(drumline_loom))]
mod run_end;
#[cfg(any(not(drumline_loom), test))]
mod run_queue;
#[cfg(not(drumline_loom))]
mod shared_scheduler;
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod small_tests;
#[cfg(not(drumline_loom))]
mod stash;
#[cfg(any(not(drumline_loom), test))]
mod supervision;
#[cfg(not(drumline_loom))]
mod system;
#[cfg(not(drumline_loom))]
mod system_shared;
#[cfg(not(drumline_loom))]
mod tell_error;
#[cfg(not(drumline_loom))]
mod thread_actor;
mod thread_call;
mod wait_graph;
#[cfg(all(test, drumline_loom))]
mod wait_models;
mod wait_shard;
#[cfg(not(drumline_loom))]
mod weak_actor_ref;
#[cfg(not(drumline_loom))]
mod weak_core_ref;
mod weak_link;
#[cfg(all(test, drumline_loom))]
mod weak_models;
#[cfg(not(drumline_loom))]
mod weak_recipient;

#[cfg(not(drumline_loom))]
pub use {
    actor_ref::ActorRef,
    actor_stats::{ActorStats, current_name},
    actor_tree::{ActorTree, TreeEntry},
    ask::{Answer, AskError},
    async_handler::{AsyncContext, AsyncHandler, Awaiting},
    attached::{ActorTimer, Ended, Exit, ExitReason, Link, Monitor},
    broadcast::Broadcast,
    context::Context,
    dead_letter::DeadLetter,
    group::ActorGroup,
    hand_scheduler::{HandQueue, HandScheduler},
    handler::{Accept, Actor, Direct, Handler},
    inbox::{Inbox, InboxError},
    message_counts::MessageCounts,
    name_error::{FindError, NameTaken},
    options::{Overflow, Scheduler, SpawnOptions, Style},
    probe::{Probe, ProbeActor},
    recipient::Recipient,
    router::Router,
    shared_scheduler::SharedScheduler,
    stash::StashError,
    supervision::{Directive, Failure, FailureOutcome, Strategy, Supervisor, SupervisorOptions},
    system::{ActorSystem, ActorSystemBuilder, ShutdownReport},
    tell_error::TellError,
    thread_actor::ThreadActor,
    weak_actor_ref::WeakActorRef,
    weak_recipient::WeakRecipient,
};
