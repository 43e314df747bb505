//! All ends of channels that have waited: the slots in which they say whether they wait now.
//!
//! The table is cut into shards, each under a lock. A thread takes slots from one shard, so threads
//! do not meet. The lock is taken when an end waits for the first time, when it is gone, and when
//! the program asks what waits. A few slots of each shard are kept for the ends that come next; the
//! memory of the others is given back.
//!
//! # Forking
//!
//! In a forked child the locks of the table may be held by threads that do not exist, and what is
//! listed there waits in the parent. So the child makes a table of its own, and never touches the
//! other one: an end with a slot of that takes a new one, and the old one is left where it is.
//!
//! Under shuttle nothing is listed: a table would be shared by programs that know nothing of each
//! other.

use super::waiter::Waiter;
use super::waiter_slot::WaiterSlot;
use crate::platform::fork;
use crate::sync::atomic::Ordering;
use crate::sync::{Apart, Arc, Mutex, PerProcess, TickScale, lock, process_wide, thread_number};

/// Threads beyond this many share shards.
const SHARDS: usize = 64;
/// How many slots a shard keeps that nothing uses.
const SPARES: usize = 32;

process_wide! {
    static TABLE: PerProcess<WaiterTable> = PerProcess::new();
}

#[derive(Debug)]
struct WaiterTable {
    scale: TickScale,
    shards: Box<[Apart<Mutex<WaiterShard>>]>,
}

#[derive(Debug, Default)]
struct WaiterShard {
    /// Those that are in use come first.
    slots: Vec<Arc<WaiterSlot>>,
    used: usize,
}

/// A slot for an end that waits. `None`: nothing is listed here.
#[cold]
pub(super) fn list() -> Option<Arc<WaiterSlot>> {
    if cfg!(drumline_shuttle) {
        return None;
    }
    let table = WaiterTable::get();
    let number = thread_number() % SHARDS;
    let mut shard = lock(&table.shards[number]);
    let index = shard.used;
    if index == shard.slots.len() {
        let slot = WaiterSlot::new(fork::generation(), number);
        shard.slots.push(Arc::new(slot));
    }
    shard.used += 1;
    let slot = Arc::clone(&shard.slots[index]);
    // Relaxed, here and below: the lock orders it.
    slot.index.store(index, Ordering::Relaxed);
    Some(slot)
}

/// The end of this slot is gone.
#[cold]
pub(super) fn unlist(slot: Arc<WaiterSlot>) {
    if !slot.is_of_this_process() {
        return;
    }
    slot.reset();
    let table = WaiterTable::get();
    let shard = &mut *lock(&table.shards[slot.shard]);
    // Relaxed, here and below: the lock of the shard orders it.
    let index = slot.index.load(Ordering::Relaxed);
    shard.used -= 1;
    shard.slots.swap(index, shard.used);
    shard.slots[index].index.store(index, Ordering::Relaxed);
    if shard.slots.len() - shard.used > SPARES {
        shard.slots.pop();
        let len = shard.slots.len();
        if shard.slots.capacity() > 4 * len {
            shard.slots.shrink_to(2 * len);
        }
    }
}

impl WaiterTable {
    /// The table of this process.
    fn get() -> &'static Self {
        TABLE.get(|| WaiterTable {
            scale: TickScale::new(),
            shards: (0..SHARDS).map(|_| Apart::default()).collect(),
        })
    }
}

/// Everything that waits at an end of a channel now, on any thread and in any pool; what has waited
/// longest comes first.
///
/// For a program that stands still, and wants to say why: the result tells [which
/// thread](Waiter::thread) or task waits, [for what](Waiter::waiting_for), at [which
/// channel](Waiter::channel), in [which call](Waiter::location) and [since when](Waiter::since).
/// [`Pool::waiters`](crate::Pool::waiters) has those of one pool.
///
/// ```
/// let (mut sender, mut receiver) = drumline::channel::spsc::unbounded::<u32>();
/// let task = drumline::spawn_future(async move { receiver.recv_async().await });
/// while drumline::channel::waiters().is_empty() {
///     std::thread::yield_now();
/// }
/// sender.send(7).unwrap();
/// assert_eq!(task.join().unwrap(), Ok(7));
/// assert!(drumline::channel::waiters().is_empty());
/// ```
///
/// A thread is among them from the moment that it sleeps, after it has watched for its message for
/// up to some 60 microseconds; a future from the poll that leaves it pending until it is ready or
/// dropped, so also while its task has been woken and waits for a thread. The ends are asked one by
/// one, while others go on: the result is no picture of a single moment. A future that is
/// [forgotten](std::mem::forget) is among them until its end waits again, or is gone.
///
/// In a forked child, those that waited in its parent are not among them.
///
/// # Cost
///
/// Looks at each end of a channel that has ever waited, under locks that are held for a short time.
/// An end that never waits costs nothing, and one that waits a few stores.
#[must_use]
pub fn waiters() -> Vec<Waiter> {
    waiters_of(None)
}

/// Those of the pool with this number, or all.
pub(crate) fn waiters_of(pool: Option<usize>) -> Vec<Waiter> {
    if cfg!(drumline_shuttle) {
        return Vec::new();
    }
    let table = WaiterTable::get();
    let mut found = Vec::new();
    for shard in &table.shards {
        // Without the lock it would take longer, but no thread would wait for it.
        let used: Vec<_> = {
            let shard = lock(shard);
            shard.slots[..shard.used].to_vec()
        };
        found.extend(used.iter().filter_map(|slot| slot.read()));
    }
    let now = TickScale::new();
    let mut waiters: Vec<_> = found
        .into_iter()
        .filter(|waiting| pool.is_none_or(|pool| waiting.pools.contains(&pool)))
        .map(|waiting| Waiter {
            thread: waiting.thread,
            waiting_for: waiting.site.waiting_for,
            channel_kind: waiting.site.kind,
            channel: waiting.site.channel,
            location: waiting.site.location,
            since: table.scale.time_of(waiting.since, &now),
        })
        .collect();
    waiters.sort_by_key(|waiter| waiter.since);
    waiters
}
