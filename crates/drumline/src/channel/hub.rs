//! Many lanes to one receiver.
//!
//! # What it owns
//!
//! Each sender has a [lane](super::lane) of its own, in a [`Port`]. The receiver looks only at the
//! ports that it holds: those with lanes that may have messages. A port is always in one of three
//! places:
//!
//! ```text
//!               a tell reports                 the receiver takes the list
//!   resting ─────────────────────► on the list ────────────────────────────► held
//!      ▲                                                                       │
//!      └───────────────────────────────────────────────────────────────────────┘
//!                       the receiver found nothing, and rests
//! ```
//!
//! So a receiver of 10,000 lanes, of which ten are in use, looks at ten. The list is a chain of
//! ports. A sender puts its port at the front, and the receiver takes the whole chain by one swap.
//!
//! # What keeps a port
//!
//! Its sender keeps a port, and so does the holder of the *floating* reference: the list, or the
//! receiver. While the port rests, neither has the reference; the tell that reports gets it. Each
//! sender tells when it ends, so each floating reference comes back to the list, and the hub drops
//! what is left there.
//!
//! # The races feared
//!
//! *A message lies in a lane that rests.* The proof is that of [`WakeFlag`]: to rest is a swap
//! before a last look, so either that look finds the message, or the tell reports.
//!
//! *The receiver sleeps while there is a port on the list.* A sender puts the port there first, and
//! then tells the flag of the hub; the receiver looks at the list after it has said that it waits.
//!
//! *The receiver believes that there is no sender, and misses a message.* A sender that ends tells
//! its lane first, and leaves the count of senders then. So a receiver that sees no sender, and
//! after that an empty list and no port in its hands, has all messages.
//!
//! *A lane is made while the receiver closes.* Both happen under the lock of `ports`.
//!
//! *The receiver closes, and misses a port that is about to be on the list.* From the close on it
//! holds all ports, wherever they are besides. No lane rests any more.

use std::collections::VecDeque;
use std::ptr::{self, NonNull};
// The standard library's, also in models: its counts are not what they are about.
#[cfg(drumline_loom)]
use std::sync::{Arc, Weak};

use super::CloseReason;
use super::lane::{Lane, Nothing, Reader};
use crate::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
#[cfg(not(drumline_loom))]
use crate::sync::{Arc, Weak};
use crate::sync::{Mutex, lock, planted};
use crate::wait::{Told, WakeFlag, settle};

/// The receiver takes at most this many messages from a lane before it turns to the next one.
const IN_A_ROW: u32 = 64;
/// At how many lanes it looks for an estimate of what is there.
#[cfg(not(drumline_loom))]
const NEAR: usize = 16;
/// With fewer ports it is not worth while to look for those that are gone.
const LEAST_SWEEP: usize = 16;
/// Memory for this many ports is kept after a burst.
const KEPT: usize = 64;
/// A lane with a lazy sender rests only after this many visits in vain, because a rest costs a
/// barrier.
const VISITS: u32 = if cfg!(drumline_loom) { 0 } else { 64 };

/// What all senders and the receiver share.
#[derive(Debug)]
pub(super) struct Hub<T> {
    /// The front of the list.
    list: AtomicPtr<Port<T>>,
    /// The receiver waits for ports, or for the end.
    arrivals: WakeFlag,
    senders: AtomicUsize,
    /// The gravest reason for which a sender has ended.
    ended: AtomicUsize,
    ports: Mutex<Ports<T>>,
    capacity: usize,
}

/// All ports, for the receiver that closes.
#[derive(Debug)]
struct Ports<T> {
    all: Vec<Weak<Port<T>>>,
    /// Those that are gone are dropped when there are this many.
    sweep_at: usize,
    is_closed: bool,
}

impl<T> Ports<T> {
    /// Gives back the memory of ports that are gone.
    fn sweep(&mut self) {
        self.all.retain(|port| port.strong_count() > 0);
        self.sweep_at = LEAST_SWEEP.max(2 * self.all.len());
    }
}

/// A lane in the list of its hub. The lane has the reader, too.
#[derive(Debug)]
pub(super) struct Port<T> {
    pub(super) lane: Lane<T>,
    /// The next one in the list.
    next: AtomicPtr<Port<T>>,
}

impl<T> Hub<T> {
    /// A hub of lanes that hold this many messages each.
    pub(super) fn new(capacity: usize) -> Self {
        Hub {
            list: AtomicPtr::new(ptr::null_mut()),
            arrivals: WakeFlag::new(),
            senders: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            ports: Mutex::new(Ports {
                all: Vec::new(),
                sweep_at: LEAST_SWEEP,
                is_closed: false,
            }),
            capacity,
        }
    }

    pub(super) fn arrivals(&self) -> &WakeFlag {
        &self.arrivals
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// About how many messages there are in all lanes.
    pub(super) fn len(&self) -> usize {
        // Without the lock: this may drop the last reference, and with it a waker, which may run
        // anything.
        let alive = Vec::from_iter(lock(&self.ports).all.iter().filter_map(Weak::upgrade));
        alive.iter().map(|port| port.lane.len()).sum()
    }

    /// A port for a further sender.
    pub(super) fn open_port(&self) -> Arc<Port<T>> {
        // Relaxed: the caller is a sender, or makes the first one.
        self.senders.fetch_add(1, Ordering::Relaxed);
        let port = Arc::new(Port {
            lane: Lane::resting(self.capacity),
            next: AtomicPtr::new(ptr::null_mut()),
        });
        let mut ports = lock(&self.ports);
        if ports.all.len() >= ports.sweep_at {
            ports.sweep();
        }
        if ports.is_closed {
            // SAFETY: the receiver has looked for all lanes that it will ever see.
            let _was_resting = unsafe { port.lane.with_reader(Reader::close) };
        } else {
            ports.all.push(Arc::downgrade(&port));
            // The floating reference.
            std::mem::forget(Arc::clone(&port));
        }
        drop(ports);
        port
    }

    /// Sender: does what a tell of its lane has to be followed by.
    #[inline]
    pub(super) fn note(&self, port: &Arc<Port<T>>, told: Told) {
        if told == Told::Resting {
            self.enlist(port);
        }
    }

    #[cold]
    fn enlist(&self, port: &Arc<Port<T>>) {
        // Relaxed: a sender uses only the address of the port at the front.
        let mut front = self.list.load(Ordering::Relaxed);
        loop {
            // Relaxed: published by the list.
            port.next.store(front, Ordering::Relaxed);
            // Release pairs with the Acquire in `take_list`. Relaxed on failure: as above.
            match self.list.compare_exchange_weak(
                front,
                // Of the counted reference: a plain one could not be made into one again.
                Arc::as_ptr(port).cast_mut(),
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => break,
                Err(now) => front = now,
            }
        }
        if !planted!(HubUntold) {
            let told = self.arrivals.tell_loudly();
            debug_assert_eq!(told, Told::Done, "the receiver waits here only");
        }
    }

    /// Sender: it has told its lane, for the last time.
    pub(super) fn leave(&self, reason: CloseReason) {
        // Relaxed: published by the count. Reasons are ordered by how grave they are.
        self.ended.fetch_max(reason.code(), Ordering::Relaxed);
        // Release: all that the sender has done comes before the end.
        if self.senders.fetch_sub(1, Ordering::AcqRel) == 1 {
            let told = self.arrivals.tell_loudly();
            debug_assert_eq!(told, Told::Done, "the receiver waits here only");
        }
    }

    fn has_list(&self) -> bool {
        // Relaxed: the thread that takes the list acquires it.
        !self.list.load(Ordering::Relaxed).is_null()
    }

    /// Whether a receiver that rests at all lanes has something to do.
    pub(super) fn is_called(&self) -> bool {
        self.has_list() || self.ended().is_some()
    }

    /// Why no message follows, if no sender is left.
    pub(super) fn ended(&self) -> Option<CloseReason> {
        // Acquire pairs with the Release in `leave`.
        if self.senders.load(Ordering::Acquire) > 0 {
            return None;
        }
        // Relaxed: acquired above. Each sender writes it before it leaves the count.
        CloseReason::from_code(self.ended.load(Ordering::Relaxed))
    }

    /// Takes the list: the floating references of its ports, in the order in which they came.
    fn take_list(&self, ports: &mut VecDeque<Arc<Port<T>>>) -> bool {
        if !self.has_list() {
            return false;
        }
        // Acquire pairs with the Release in `enlist`.
        let mut next = self.list.swap(ptr::null_mut(), Ordering::Acquire);
        let first = ports.len();
        while let Some(port) = NonNull::new(next) {
            // SAFETY: the list has the floating reference of each port in it.
            let port = unsafe { Arc::from_raw(port.as_ptr().cast_const()) };
            // Relaxed: acquired with the list.
            next = port.next.load(Ordering::Relaxed);
            ports.push_back(port);
        }
        ports.make_contiguous()[first..].reverse();
        true
    }
}

impl<T> Drop for Hub<T> {
    fn drop(&mut self) {
        if cfg!(drumline_loom) && std::thread::panicking() {
            // The model has failed, and its atomics are gone.
            return;
        }
        let mut ports = VecDeque::new();
        self.take_list(&mut ports);
    }
}

/// The receiver's side.
#[derive(Debug)]
pub(super) struct Gatherer<T> {
    /// Ports with lanes that may have messages; the first one is next.
    held: VecDeque<Held<T>>,
    /// Messages in a row from the first one.
    in_a_row: u32,
    arrived: VecDeque<Arc<Port<T>>>,
    /// Ports that are gone since it swept.
    gone: usize,
    is_closed: bool,
}

#[derive(Debug)]
struct Held<T> {
    port: Arc<Port<T>>,
    /// Visits in vain.
    visits: u32,
}

impl<T> Gatherer<T> {
    pub(super) fn new() -> Self {
        Gatherer {
            held: VecDeque::new(),
            in_a_row: 0,
            arrived: VecDeque::new(),
            gone: 0,
            is_closed: false,
        }
    }

    /// Whether there is a message, or will never be one again.
    pub(super) fn is_ready(&mut self, hub: &Hub<T>) -> bool {
        hub.is_called()
            || self.is_closed
            || self.held.iter().any(|held| {
                // SAFETY: this is the receiver.
                unsafe {
                    held.port
                        .lane
                        .with_reader(|reader, lane| reader.is_ready(lane))
                }
            })
    }

    /// Takes a message. What is left in its lane stays for the next call.
    ///
    /// # Safety
    ///
    /// This is the one receiver of the hub.
    #[inline(always)]
    pub(super) unsafe fn take(&mut self, hub: &Hub<T>) -> Result<T, Nothing> {
        if self.in_a_row < IN_A_ROW
            && let Some(first) = self.held.front_mut()
        {
            // SAFETY: this is the receiver.
            if let Some(message) = unsafe { first.port.lane.pop_further() } {
                self.in_a_row += 1;
                first.visits = 0;
                return Ok(message);
            }
        }
        // SAFETY: the caller's obligation.
        unsafe { self.take_from_next(hub) }
    }

    /// Turns to the next lane that has a message.
    ///
    /// # Safety
    ///
    /// As for [`take`](Self::take).
    #[cold]
    unsafe fn take_from_next(&mut self, hub: &Hub<T>) -> Result<T, Nothing> {
        let ended = hub.ended();
        self.in_a_row = 0;
        let had_its_turn = self.held.pop_front();
        if hub.take_list(&mut self.arrived) {
            // Behind those that still wait for their turn. Before them, lanes that arrive could
            // keep them waiting for ever.
            let arrived = self.arrived.drain(..);
            self.held
                .extend(arrived.map(|port| Held { port, visits: 0 }));
        }
        self.held.extend(had_its_turn);
        // Each is visited once.
        for _ in 0..self.held.len() {
            let first = self.held.front_mut().expect("as many are left");
            // SAFETY: this is the receiver.
            let popped = unsafe { first.port.lane.with_reader(|reader, lane| reader.pop(lane)) };
            match popped {
                Ok(message) => {
                    self.in_a_row = 1;
                    first.visits = 0;
                    return Ok(message);
                }
                Err(Nothing::Ever(_)) => {
                    drop(self.held.pop_front());
                    self.gone += 1;
                }
                Err(Nothing::Yet) => {
                    first.visits += 1;
                    let stays = first.visits <= VISITS && first.port.lane.is_writer_lazy();
                    if stays || self.rest_first() {
                        self.held.rotate_left(1);
                    }
                }
            }
        }
        self.tidy();
        // After a burst of senders, too, when no further one is made.
        // Relaxed: it only decides whether a sweep pays now. The sweep takes the lock.
        if self.gone >= LEAST_SWEEP.max(hub.senders.load(Ordering::Relaxed)) {
            self.gone = 0;
            lock(&hub.ports).sweep();
        }
        Err(self
            .end_reason(hub, ended)
            .map_or(Nothing::Yet, Nothing::Ever))
    }

    /// Gives back the memory of a burst.
    fn tidy(&mut self) {
        if self.held.len() < KEPT && self.held.capacity().max(self.arrived.capacity()) > KEPT {
            self.held.shrink_to(KEPT);
            self.arrived.shrink_to(KEPT);
        }
    }

    /// Takes up to `most` messages, and returns how many. If these are fewer, there were no more.
    ///
    /// # Safety
    ///
    /// As for [`take`](Self::take).
    #[cfg(not(drumline_loom))]
    pub(super) unsafe fn take_many(
        &mut self,
        hub: &Hub<T>,
        messages: &mut Vec<T>,
        most: usize,
    ) -> Result<usize, Nothing> {
        let mut count = 0;
        while count < most {
            // Before anything is taken: it may panic.
            messages.reserve(1);
            // SAFETY: the caller's obligation.
            match unsafe { self.take(hub) } {
                Ok(message) => messages.push(message),
                Err(nothing) if count == 0 => return Err(nothing),
                Err(_) => break,
            }
            count += 1;
            let left = (IN_A_ROW - self.in_a_row) as usize;
            let first = self.held.front().expect("the message came from it");
            // SAFETY: this is the receiver.
            let popped = unsafe {
                first.port.lane.with_reader(|reader, lane| {
                    reader.pop_many(lane, messages, left.min(most - count))
                })
            };
            if let Ok(more) = popped {
                self.in_a_row += u32::try_from(more).expect("no more than a turn");
                count += more;
            }
        }
        Ok(count)
    }

    /// About how many messages there are in the lanes that are held. Looks at a few.
    #[cfg(not(drumline_loom))]
    pub(super) fn count_near(&self, hub: &Hub<T>) -> usize {
        let held = self.held.iter().take(NEAR);
        let count: usize = held.map(|held| held.port.lane.len()).sum();
        count + usize::from(hub.has_list())
    }

    /// Why no message follows, once all were taken. `ended`: what [`Hub::ended`] said before.
    pub(super) fn end_reason(
        &self,
        hub: &Hub<T>,
        ended: Option<CloseReason>,
    ) -> Option<CloseReason> {
        if !self.held.is_empty() {
            None
        } else if self.is_closed {
            Some(CloseReason::ClosedByReceiver)
        } else {
            // Nothing came to the list after the last sender had left.
            ended.filter(|_| !hub.has_list())
        }
    }

    /// Rests at the lane of the first port. `true`: it is held all the same, because a message has
    /// come.
    fn rest_first(&mut self) -> bool {
        let first = self.held.pop_front().expect("there is one");
        if first.port.lane.messages().rest() {
            settle();
        }
        self.look_last(first)
    }

    /// The last look at a lane that rests. `true`: its port is held again.
    fn look_last(&mut self, held: Held<T>) -> bool {
        // SAFETY: the receiver's, and after a report only the list has the port, for the receiver.
        let is_ready = !planted!(HubRestsBlindly)
            && unsafe {
                held.port
                    .lane
                    .with_reader(|reader, lane| reader.is_ready(lane))
            };
        if is_ready && held.port.lane.rise() {
            self.held.push_front(held);
            return true;
        }
        // It rests, and the tell that comes next has this reference, or has it already.
        std::mem::forget(held.port);
        false
    }

    /// Rests at all lanes, before the receiver sleeps. Whether it may sleep: no message is to be
    /// seen.
    pub(super) fn rest_all(&mut self, hub: &Hub<T>) -> bool {
        let mut is_lazy = false;
        for held in &self.held {
            is_lazy |= held.port.lane.messages().rest();
        }
        if is_lazy {
            // One barrier for all of them.
            settle();
        }
        for _ in 0..self.held.len() {
            let first = self.held.pop_front().expect("as many are left");
            if self.look_last(first) {
                self.held.rotate_left(1);
            }
        }
        self.held.is_empty() && !hub.has_list()
    }

    /// Whether it wants no more messages.
    #[cfg(not(drumline_loom))]
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Wants no more messages. Those before the cut of each lane are still to be taken.
    pub(super) fn close(&mut self, hub: &Hub<T>) {
        if std::mem::replace(&mut self.is_closed, true) {
            return;
        }
        let all = {
            let mut ports = lock(&hub.ports);
            ports.is_closed = true;
            // They stay in the list, for `len`.
            Vec::from_iter(ports.all.iter().filter_map(Weak::upgrade))
        };
        WakeFlag::rouse_all(all.iter().map(|port| port.lane.messages()));
        // Without the lock: what waits for room is woken, and that may run anything, also what
        // makes a further sender.
        for port in all {
            // SAFETY: this is the receiver.
            if unsafe { port.lane.with_reader(Reader::close) } {
                // SAFETY: the lane rested, and no tell will report. So the floating reference is in
                // no other hands.
                unsafe { Arc::decrement_strong_count(Arc::as_ptr(&port)) };
            }
            self.held.push_back(Held { port, visits: 0 });
        }
    }
}
