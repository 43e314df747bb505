//! One sending end for many threads that seldom send.

use std::fmt;
use std::mem::ManuallyDrop;
use std::panic::Location;

use super::Sender;
use crate::channel::lane::Lane;
use crate::channel::{CloseReason, SendError, TrySendError};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Arc, Mutex, MutexGuard, TryLockError, lock, thread};
use crate::wait::blocking;

/// A [`Sender`] behind a lock, for many threads that seldom send; made by
/// [`Sender::into_shared`].
///
/// A thousand clients that send a message now and then need no lane each: this one takes 16 bytes a
/// clone. All messages come in one order, that of the sends. Threads that send often wait for each
/// other here: give them a channel each, in a [`PortSet`](crate::channel::PortSet), or use
/// [`mpsc`](crate::channel::mpsc). In tasks use that too: a send here may block the thread.
///
/// If the receiver is awaited by a task, its waker is called with the lock. Those of executors
/// queue the task and are done. One of a program's own that sends by the same sender, there and
/// then, waits for itself.
///
/// The channel ends when all clones are gone. The receiver then gets the gravest of their reasons,
/// as in [`lanes`](crate::channel::lanes).
///
/// ```
/// use drumline::channel::{CloseReason, spsc};
///
/// let (sender, mut receiver) = spsc::unbounded();
/// let sender = sender.into_shared();
/// let clients: Vec<_> = (0..10)
///     .map(|client| {
///         let sender = sender.clone();
///         std::thread::spawn(move || {
///             sender.send(client).unwrap();
///             sender.finish();
///         })
///     })
///     .collect();
/// sender.finish();
/// assert_eq!(receiver.iter().sum::<u32>(), 45);
/// assert_eq!(receiver.close_reason(), Some(CloseReason::Finished));
/// # clients.into_iter().for_each(|client| client.join().unwrap());
/// ```
pub struct SharedSender<T: Send> {
    shared: Arc<LockedSender<T>>,
    is_finished: bool,
}

struct LockedSender<T: Send> {
    /// For what is asked without the lock.
    lane: Arc<Lane<T>>,
    /// Dropped by the last clone.
    sender: Mutex<ManuallyDrop<Sender<T>>>,
    /// The thread that has the lock waits for room.
    is_full: AtomicBool,
    clones: AtomicUsize,
    /// The code of the gravest reason for which a clone has ended.
    ended: AtomicUsize,
}

impl<T: Send> Sender<T> {
    /// A sending end that many threads may have, behind a lock.
    ///
    /// ```
    /// let (sender, mut receiver) = drumline::channel::spsc::unbounded();
    /// let sender = sender.into_shared();
    /// let other = sender.clone();
    /// std::thread::spawn(move || other.send(1u32));
    /// sender.send(2).unwrap();
    /// drop(sender);
    /// assert_eq!(receiver.iter().sum::<u32>(), 3);
    /// ```
    #[must_use]
    pub fn into_shared(self) -> SharedSender<T> {
        let shared = LockedSender {
            lane: Arc::clone(self.lane()),
            sender: Mutex::new(ManuallyDrop::new(self)),
            is_full: AtomicBool::new(false),
            clones: AtomicUsize::new(1),
            ended: AtomicUsize::new(0),
        };
        SharedSender {
            shared: Arc::new(shared),
            is_finished: false,
        }
    }
}

impl<T: Send> LockedSender<T> {
    fn try_lock(&self) -> Option<MutexGuard<'_, ManuallyDrop<Sender<T>>>> {
        match self.sender.try_lock() {
            Ok(sender) => Some(sender),
            // A waker has panicked, and the lane is as it should be.
            Err(TryLockError::Poisoned(sender)) => Some(sender.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl<T: Send> SharedSender<T> {
    /// Sends a message; waits for room if there is none, and for others that send.
    ///
    /// ```
    /// use drumline::channel::{SendError, spsc};
    ///
    /// let (sender, receiver) = spsc::unbounded();
    /// let sender = sender.into_shared();
    /// assert_eq!(sender.send(1), Ok(()));
    /// drop(receiver);
    /// assert_eq!(sender.send(2), Err(SendError(2)));
    /// ```
    ///
    /// # Errors
    ///
    /// If the receiver is gone, or has closed the channel. The message comes back.
    ///
    /// # Blocking
    ///
    /// While the channel is full, and while others wait for room in it. In a pool, another thread
    /// has the place of this one meanwhile. Only one thread at a time waits for room, and is listed
    /// among the [waiters](crate::channel::waiters); the others wait for the lock,
    /// in no order.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let location = Location::caller();
        let shared = &*self.shared;
        let mut sender = shared
            .try_lock()
            .unwrap_or_else(|| blocking(|| lock(&shared.sender)));
        match sender.try_send(message) {
            Ok(()) => Ok(()),
            Err(TrySendError::Closed(message)) => Err(SendError(message)),
            Err(TrySendError::Full(message)) => {
                // Release: those that see it find the channel full.
                shared.is_full.store(true, Ordering::Release);
                let sent = sender.send_later(message, location);
                shared.is_full.store(false, Ordering::Release);
                sent
            }
        }
    }

    /// Sends a message if there is room now.
    ///
    /// ```
    /// use drumline::channel::{TrySendError, spsc};
    ///
    /// let (sender, _receiver) = spsc::bounded(1);
    /// let sender = sender.into_shared();
    /// assert_eq!(sender.try_send(1), Ok(()));
    /// assert_eq!(sender.clone().try_send(2), Err(TrySendError::Full(2)));
    /// ```
    ///
    /// # Errors
    ///
    /// If the channel is full, or another clone still waits for room; and if the receiver is gone,
    /// or has closed the channel. The message comes back.
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        loop {
            if let Some(mut sender) = self.shared.try_lock() {
                return sender.try_send(message);
            }
            // Acquire pairs with the Release in `send`.
            if self.shared.is_full.load(Ordering::Acquire) {
                // The one that waits for room may not know yet.
                return Err(if self.is_closed() {
                    TrySendError::Closed(message)
                } else {
                    TrySendError::Full(message)
                });
            }
            // The other one is done in a moment, if it has a processor.
            thread::yield_now();
        }
    }

    /// Says that all messages of this clone have been sent; see [`CloseReason::Finished`].
    ///
    /// ```
    /// use drumline::channel::{CloseReason, spsc};
    ///
    /// let (sender, receiver) = spsc::unbounded::<u8>();
    /// let sender = sender.into_shared();
    /// sender.clone().finish();
    /// assert_eq!(receiver.close_reason(), None);
    /// sender.finish(); // now all clones have
    /// assert_eq!(receiver.close_reason(), Some(CloseReason::Finished));
    /// ```
    pub fn finish(mut self) {
        self.is_finished = true;
    }

    /// How many messages are in the channel, about.
    ///
    /// ```
    /// let (sender, _receiver) = drumline::channel::spsc::unbounded();
    /// let sender = sender.into_shared();
    /// sender.send("a").unwrap();
    /// sender.clone().send("b").unwrap();
    /// assert_eq!(sender.len(), 2);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.lane.len()
    }

    /// Whether there is no message in the channel; see [`len`](Self::len).
    ///
    /// ```
    /// let (sender, _receiver) = drumline::channel::spsc::unbounded();
    /// let sender = sender.into_shared();
    /// assert!(sender.is_empty());
    /// sender.send("a").unwrap();
    /// assert!(!sender.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many messages the channel holds at most; `None` if there is no bound.
    ///
    /// ```
    /// let (sender, _receiver) = drumline::channel::spsc::bounded::<u8>(3);
    /// assert_eq!(sender.into_shared().capacity(), Some(3));
    /// ```
    #[must_use]
    pub fn capacity(&self) -> Option<usize> {
        Some(self.shared.lane.capacity()).filter(|&capacity| capacity != usize::MAX)
    }

    /// Whether the receiver is gone, or has closed the channel.
    ///
    /// ```
    /// let (sender, receiver) = drumline::channel::spsc::unbounded::<u8>();
    /// let sender = sender.into_shared();
    /// assert!(!sender.is_closed());
    /// drop(receiver);
    /// assert!(sender.is_closed());
    /// ```
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.lane.refuses()
    }
}

impl<T: Send> Clone for SharedSender<T> {
    fn clone(&self) -> Self {
        // Relaxed: this clone is there meanwhile.
        self.shared.clones.fetch_add(1, Ordering::Relaxed);
        SharedSender {
            shared: Arc::clone(&self.shared),
            is_finished: false,
        }
    }
}

impl<T: Send> Drop for SharedSender<T> {
    fn drop(&mut self) {
        let shared = &*self.shared;
        let reason = if self.is_finished {
            CloseReason::Finished
        } else {
            CloseReason::of_drop()
        };
        // Relaxed, here and below: published by the count. Reasons are ordered by how grave they
        // are.
        shared.ended.fetch_max(reason.code(), Ordering::Relaxed);
        // AcqRel: what each clone has sent comes before the end.
        if shared.clones.fetch_sub(1, Ordering::AcqRel) > 1 {
            return;
        }
        // Relaxed: acquired with the count. The other clones wrote it before they left.
        let gravest = CloseReason::from_code(shared.ended.load(Ordering::Relaxed));
        let mut sender = lock(&shared.sender);
        // SAFETY: the last clone is the only one that has it, and it is not used again.
        let sender = unsafe { ManuallyDrop::take(&mut sender) };
        sender.finish_as(gravest.unwrap_or(reason));
    }
}

impl<T: Send> fmt::Debug for SharedSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSender").finish_non_exhaustive()
    }
}
