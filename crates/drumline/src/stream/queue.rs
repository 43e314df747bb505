//! A bounded queue from many senders to one stream.
//!
//! A `VecDeque` under a mutex: what is taken out is taken in batches, so the lock is seldom fought
//! over. The receiving side is woken only if it sleeps. A sender that found the queue full is woken
//! when it is half empty: waking it for every place would cost two context switches per item as
//! long as the other side is the slower one. A program may count on the exact number of
//! places. So a waiting sender also looks by itself, after a millisecond and then ever
//! less often.
//!
//! # The race feared
//!
//! Both sides sleep. A side that sleeps has said so under the lock, after it had seen the queue
//! empty or full; the side that changes that sees the note in the same critical section, and wakes
//! after it.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use super::source::{Drained, Polled, Source, Stopper};
use crate::channel::{SendError, TrySendError};
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Instant, Mutex, MutexGuard, lock};
use crate::wait::{self, Parker};

/// A sender's first look by itself, and the longest time between two.
const LOOKS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_secs(1));

/// A queue for a stream, with room for `bound` items: any number of senders, one receiving end.
///
/// ```
/// use drumline::stream::{self, stream};
///
/// let (sender, receiver) = stream::queue(16);
/// let producer = std::thread::spawn(move || {
///     for number in 1..=1_000u64 {
///         sender.send(number).expect("the stream takes them all");
///     }
/// });
/// let sum = stream(receiver).fold(|| 0, |sum, number| *sum += number, |sum, more| *sum += more);
/// producer.join().unwrap();
/// assert_eq!(sum, 500_500);
/// ```
///
/// # Panics
///
/// If `bound` is 0.
pub fn queue<T>(bound: usize) -> (Sender<T>, Receiver<T>) {
    assert!(
        bound > 0,
        "a queue without room passes nothing on; ask for at least 1"
    );
    let shared = Arc::new(Shared {
        state: Mutex::new(State {
            items: VecDeque::new(),
            sent: None,
            senders: 1,
            receiver: true,
            watched: false,
            waiting: Vec::new(),
        }),
        bound,
        parking: Arc::new(Parking {
            parker: Parker::new(),
            stopped: AtomicBool::new(false),
        }),
    });
    let sender = Sender {
        shared: Arc::clone(&shared),
    };
    let receiver = Receiver {
        shared,
        waits: Vec::new(),
    };
    (sender, receiver)
}

/// The sending end of a [`queue`]; clones send to the same queue, which ends when all of them are
/// gone.
pub struct Sender<T> {
    shared: Arc<Shared<T>>,
}

/// The receiving end of a [`queue`]: a [`Source`].
pub struct Receiver<T> {
    shared: Arc<Shared<T>>,
    /// How long the items had waited that were taken lately, if that is measured.
    waits: Vec<Duration>,
}

struct Shared<T> {
    state: Mutex<State<T>>,
    bound: usize,
    parking: Arc<Parking>,
}

/// Where the receiving side sleeps.
struct Parking {
    parker: Parker,
    /// Who finds nothing is not to wait.
    stopped: AtomicBool,
}

struct State<T> {
    items: VecDeque<T>,
    /// When they were sent, if that is measured, and was when they were sent.
    sent: Option<VecDeque<Option<Instant>>>,
    senders: usize,
    /// There is a receiver.
    receiver: bool,
    /// The receiver sleeps, or is about to.
    watched: bool,
    /// Senders that found it full.
    waiting: Vec<Arc<Parker>>,
}

impl<T> Sender<T> {
    /// Sends an item, and waits for room before that if the queue is full.
    ///
    /// A sender that waits is woken when the queue is half empty. Meanwhile it looks for room
    /// itself: after 1 ms, and then at intervals that double, up to a second.
    ///
    /// ```
    /// use drumline::stream::{self, SendError};
    ///
    /// let (sender, receiver) = stream::queue(1);
    /// sender.send(1)?;
    /// drop(receiver);
    /// assert_eq!(sender.send(2), Err(SendError(2)));
    /// # Ok::<(), SendError<i32>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the receiver is gone; the item comes back.
    ///
    /// # Blocking
    ///
    /// While the queue is full. In a pool the thread is replaced meanwhile, as by
    /// [`blocking`](crate::blocking()).
    pub fn send(&self, item: T) -> Result<(), SendError<T>> {
        let Some(mut item) = self.try_push(item)? else {
            return Ok(());
        };
        let parker = Arc::new(Parker::new());
        let (mut nap, longest) = LOOKS;
        loop {
            if !self.shared.wait_for_room(&parker, nap) {
                nap = longest.min(nap * 2);
            }
            match self.try_push(item)? {
                None => {
                    let mut state = lock(&self.shared.state);
                    state.waiting.retain(|other| !Arc::ptr_eq(other, &parker));
                    return Ok(());
                }
                Some(back) => item = back,
            }
        }
    }

    /// Sends an item if there is room now, or gives it back.
    fn try_push(&self, item: T) -> Result<Option<T>, SendError<T>> {
        match self.try_send(item) {
            Ok(()) => Ok(None),
            Err(TrySendError::Full(item)) => Ok(Some(item)),
            Err(TrySendError::Closed(item)) => Err(SendError(item)),
        }
    }

    /// Sends an item if there is room now.
    ///
    /// ```
    /// use drumline::stream::{self, TrySendError};
    ///
    /// let (sender, _receiver) = stream::queue(1);
    /// assert_eq!(sender.try_send(1), Ok(()));
    /// assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
    /// ```
    ///
    /// # Errors
    ///
    /// If it is full, or the receiver is gone; the item comes back.
    pub fn try_send(&self, item: T) -> Result<(), TrySendError<T>> {
        let mut state = lock(&self.shared.state);
        if !state.receiver {
            return Err(TrySendError::Closed(item));
        }
        if state.items.len() >= self.shared.bound {
            return Err(TrySendError::Full(item));
        }
        state.items.push_back(item);
        if let Some(sent) = &mut state.sent {
            sent.push_back(Some(Instant::now()));
        }
        self.shared.wake_receiver(state);
        Ok(())
    }

    /// How many items wait to be taken: a moment's number.
    pub fn len(&self) -> usize {
        lock(&self.shared.state).items.len()
    }

    /// Whether no item waits to be taken at this moment.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> Shared<T> {
    fn wake_receiver(&self, mut state: MutexGuard<'_, State<T>>) {
        if std::mem::take(&mut state.watched) {
            drop(state);
            self.parking.parker.unpark();
        }
    }

    /// A sender sleeps in its parker until there may be room, or the receiver is gone, but no
    /// longer than this time. `false`: it was not woken.
    fn wait_for_room(&self, parker: &Arc<Parker>, time: Duration) -> bool {
        let mut state = lock(&self.state);
        if !state.receiver || state.items.len() < self.bound {
            return true;
        }
        if !state.waiting.iter().any(|other| Arc::ptr_eq(other, parker)) {
            state.waiting.push(Arc::clone(parker));
        }
        drop(state);
        wait::blocking(|| parker.park_timeout(time))
    }

    /// After something was taken: wakes the senders if half of the places are free.
    fn wake_senders(&self, mut state: MutexGuard<'_, State<T>>) {
        if !state.waiting.is_empty() && state.items.len() <= self.bound / 2 {
            let waiting = std::mem::take(&mut state.waiting);
            drop(state);
            for parker in waiting {
                parker.unpark();
            }
        }
    }

    /// The next item; `stoppable`: or `None` if it has been stopped.
    fn recv(&self, stoppable: bool, waits: &mut Vec<Duration>) -> Option<T> {
        match self.recv_until(stoppable, None, waits) {
            Polled::Item(item) => Some(item),
            Polled::Empty | Polled::Ended => None,
        }
    }

    /// As [`recv`](Self::recv), but no longer than until then: `Empty`.
    fn recv_until(
        &self,
        stoppable: bool,
        until: Option<Instant>,
        waits: &mut Vec<Duration>,
    ) -> Polled<T> {
        loop {
            let mut state = lock(&self.state);
            if let Some(item) = state.items.pop_front() {
                state.taken(1, waits);
                self.wake_senders(state);
                return Polled::Item(item);
            }
            if state.senders == 0 {
                return Polled::Ended;
            }
            state.watched = true;
            drop(state);
            // Relaxed: the thread that stops sets this and leaves a token, which `park` takes: the
            // next look, at the latest, sees it.
            if stoppable && self.parking.stopped.load(Ordering::Relaxed) {
                return Polled::Ended;
            }
            match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self.parking.parker.park(),
                Some(Duration::ZERO) => return Polled::Empty,
                Some(time) => {
                    self.parking.parker.park_timeout(time);
                }
            }
        }
    }
}

impl<T> State<T> {
    /// The oldest items were taken.
    fn taken(&mut self, items: usize, waits: &mut Vec<Duration>) {
        if let Some(sent) = &mut self.sent {
            let now = Instant::now();
            let sent = sent.drain(..items).flatten();
            waits.extend(sent.map(|sent| now.saturating_duration_since(sent)));
        }
    }
}

impl<T> Receiver<T> {
    /// Waits for the next item by hand, without a stream; `None` when all senders are gone.
    ///
    /// ```
    /// let (sender, mut receiver) = drumline::stream::queue(1);
    /// assert_eq!(sender.try_send(1), Ok(()));
    /// drop(sender);
    /// assert_eq!((receiver.recv(), receiver.recv()), (Some(1), None));
    /// ```
    ///
    /// # Blocking
    ///
    /// Until there is an item, or none will come.
    pub fn recv(&mut self) -> Option<T> {
        self.shared.recv(false, &mut self.waits)
    }
}

impl<T: Send> Source for Receiver<T> {
    type Item = T;

    fn recv(&mut self) -> Option<T> {
        self.shared.recv(true, &mut self.waits)
    }

    fn recv_timeout(&mut self, time: Duration) -> Polled<T> {
        // `None`: longer than a clock goes, and so until there is an item, or none will come.
        let until = Instant::now().checked_add(time);
        self.shared.recv_until(true, until, &mut self.waits)
    }

    fn try_recv(&mut self) -> Polled<T> {
        let mut state = lock(&self.shared.state);
        match state.items.pop_front() {
            Some(item) => {
                state.taken(1, &mut self.waits);
                self.shared.wake_senders(state);
                Polled::Item(item)
            }
            None if state.senders == 0 => Polled::Ended,
            None => Polled::Empty,
        }
    }

    fn recv_batch(&mut self, most: usize, batch: &mut Vec<T>) -> Drained {
        let mut state = lock(&self.shared.state);
        let count = most.min(state.items.len());
        batch.extend(state.items.drain(..count));
        state.taken(count, &mut self.waits);
        let drained = match (state.items.is_empty(), state.senders) {
            (true, 0) => Drained::Ended,
            (true, _) if count < most => Drained::Empty,
            _ => Drained::More,
        };
        self.shared.wake_senders(state);
        drained
    }

    fn len_hint(&self) -> Option<usize> {
        Some(lock(&self.shared.state).items.len())
    }

    fn measure_waits(&mut self) {
        let mut state = lock(&self.shared.state);
        if state.sent.is_none() {
            state.sent = Some(state.items.iter().map(|_| None).collect());
        }
    }

    fn waits(&mut self, waits: &mut Vec<Duration>) {
        waits.append(&mut self.waits);
    }

    fn stopper(&self) -> Option<Stopper> {
        let parking = Arc::clone(&self.shared.parking);
        // A stream that was stopped earlier is over.
        parking.stopped.store(false, Ordering::Relaxed);
        Some(Stopper::of_own(move || {
            parking.stopped.store(true, Ordering::Relaxed);
            parking.parker.unpark();
        }))
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        lock(&self.shared.state).senders += 1;
        Sender {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let mut state = lock(&self.shared.state);
        state.senders -= 1;
        if state.senders == 0 {
            self.shared.wake_receiver(state);
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let (items, waiting) = {
            let mut state = lock(&self.shared.state);
            state.receiver = false;
            (
                std::mem::take(&mut state.items),
                std::mem::take(&mut state.waiting),
            )
        };
        for parker in waiting {
            parker.unpark();
        }
        // User code: not under the lock.
        drop(items);
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
