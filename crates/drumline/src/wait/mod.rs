//! The only module that puts a thread to sleep.
//!
//! * [`Parker`]: one thread sleeps, and any thread wakes it. A wake-up that comes first is kept.
//!   Workers and waiting joins sleep here.
//! * [`WakeFlag`]: one thread or task waits, and is told of what others publish. The ends of
//!   channels wait here.
//! * [`SleepingThread`]: a thread that sleeps where tasks are woken as well.
//! * [`Gate`]: any number of threads wait until something has happened once.
//!   Threads outside the pool wait here.
//! * [`Patience`]: how long a thread that watches for something spins until it
//!   gives up.
//! * [`watch`]: a thread watches for something before it sleeps; [`YieldRecord`] says whether it
//!   pays there to offer the processor.
//! * [`Interrupt`]: a thread waits for a future, and another thread ends that. Streams wait here
//!   for channels.
//! * [`OversubscriptionWatch`]: whether threads compete for processors.
//! * [`WakerId`]: which waker is registered.
//! * [`WaiterEntry`]: where an end of a channel says what waits there, for people to read.
//! * [`moment`]: since when a task waits, about.
//! * [`budget`]: how much a task may do before it lets others run.
//! * [`blocking`]: any other wait, and what a scheduler does about it.

#[cfg(not(drumline_loom))]
pub(crate) mod budget;
#[cfg(not(drumline_loom))]
mod gate;
#[cfg(not(drumline_loom))]
mod hook;
mod interrupt;
#[cfg(all(test, drumline_loom))]
mod interrupt_models;
#[cfg(not(drumline_loom))]
pub(crate) mod moment;
#[cfg(not(drumline_loom))]
mod oversubscription;
mod parker;
#[cfg(not(drumline_loom))]
mod patience;
#[cfg(not(drumline_loom))]
mod sleeping_thread;
#[cfg(not(drumline_loom))]
mod waiter;
#[cfg(not(drumline_loom))]
mod waiter_entry;
#[cfg(not(drumline_loom))]
mod waiter_slot;
#[cfg(not(drumline_loom))]
mod waiter_table;
mod wake_flag;
#[cfg(all(test, drumline_loom))]
mod wake_flag_models;
mod waker_id;
#[cfg(not(drumline_loom))]
mod watching;
#[cfg(not(drumline_loom))]
mod yield_record;

#[cfg(not(drumline_loom))]
pub(crate) use gate::Gate;
#[cfg(not(drumline_loom))]
pub use hook::blocking;
#[cfg(not(drumline_loom))]
pub(crate) use hook::{Hook, install};
#[cfg(not(drumline_loom))]
pub(crate) use interrupt::{Interrupt, WaitOutcome};
#[cfg(not(drumline_loom))]
pub(crate) use oversubscription::{Oversubscription, OversubscriptionWatch};
pub(crate) use parker::Parker;
#[cfg(not(drumline_loom))]
pub(crate) use patience::{Patience, WaitKind, WaitStep};
#[cfg(not(drumline_loom))]
pub(crate) use sleeping_thread::SleepingThread;
#[cfg(not(drumline_loom))]
pub use waiter::{ChannelId, ChannelKind, Waiter, WaitingFor};
#[cfg(not(drumline_loom))]
pub(crate) use waiter_entry::WaiterEntry;
#[cfg(not(drumline_loom))]
pub(crate) use waiter_slot::WaitSite;
#[cfg(not(drumline_loom))]
pub use waiter_table::waiters;
#[cfg(not(drumline_loom))]
pub(crate) use waiter_table::waiters_of;
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
pub(crate) use wake_flag::wait_for_barrier;
pub(crate) use wake_flag::{Teller, Told, WakeFlag, call, is_barrier_there, let_go, settle};
pub(crate) use waker_id::WakerId;
#[cfg(not(drumline_loom))]
pub(crate) use watching::{Watched, watch, watch_moving};
#[cfg(not(drumline_loom))]
pub(crate) use yield_record::YieldRecord;
