//! A channel as it is written by hand: a queue behind a lock, and condition variables.
//!
//! The lock is one per channel or one for all channels of the process; see
//! [`lock`](crate::families::messages::lock). A condition variable is notified only while a thread
//! waits for it, because a notification without a waiter is a call of the kernel.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::sync::{Arc, Condvar};
use std::task::{Poll, Waker};

use crate::families::messages::channel::{
    AsyncReceiver, AsyncSender, BatchReceiver, OnceReceiver, OnceSender, Receiver, Sender,
};
use crate::families::messages::lock::Lock;

/// What the lock of a channel protects.
#[derive(Debug)]
pub struct State<T> {
    queue: VecDeque<T>,
    bound: usize,
    senders: usize,
    receivers: usize,
    /// Threads that wait for room.
    waiting_senders: usize,
    /// Threads that wait for a message.
    waiting_receivers: usize,
    /// The task that waits for a message. A channel has one at most.
    waker: Option<Waker>,
}

/// What the ends of a channel share.
#[derive(Debug)]
struct Shared<L> {
    lock: L,
    has_room: Condvar,
    has_message: Condvar,
}

/// A sender. A copy is one of the same channel.
#[derive(Debug)]
pub struct QueueSender<T, L: Lock<State<T>>> {
    shared: Arc<Shared<L>>,
    messages: PhantomData<fn(T)>,
}

/// A receiver. A copy is one of the same channel.
#[derive(Debug)]
pub struct QueueReceiver<T, L: Lock<State<T>>> {
    shared: Arc<Shared<L>>,
    messages: PhantomData<fn() -> T>,
}

/// The ends of a channel behind a lock of kind `L`, which holds at most `bound` messages.
pub fn bounded<T, L: Lock<State<T>>>(bound: usize) -> (QueueSender<T, L>, QueueReceiver<T, L>) {
    let shared = Arc::new(Shared {
        lock: L::new(State {
            queue: VecDeque::new(),
            bound,
            senders: 1,
            receivers: 1,
            waiting_senders: 0,
            waiting_receivers: 0,
            waker: None,
        }),
        has_room: Condvar::new(),
        has_message: Condvar::new(),
    });
    let sender = QueueSender {
        shared: Arc::clone(&shared),
        messages: PhantomData,
    };
    let receiver = QueueReceiver {
        shared,
        messages: PhantomData,
    };
    (sender, receiver)
}

/// The same without a bound.
pub fn unbounded<T, L: Lock<State<T>>>() -> (QueueSender<T, L>, QueueReceiver<T, L>) {
    bounded(usize::MAX)
}

impl<T, L: Lock<State<T>>> QueueReceiver<T, L> {
    /// Takes the lock when there is a message, or no sender.
    fn lock_when_ready(&self) -> L::Guard<'_> {
        let Shared {
            lock, has_message, ..
        } = &*self.shared;
        let mut state = lock.lock();
        while state.queue.is_empty() && state.senders > 0 {
            state.waiting_receivers += 1;
            state = lock.wait(has_message, state);
            state.waiting_receivers -= 1;
        }
        state
    }

    /// Gives the lock back, and wakes senders after `taken` messages were taken.
    fn unlock(&self, state: L::Guard<'_>, taken: usize) {
        let waiting = state.waiting_senders;
        drop(state);
        match taken.min(waiting) {
            0 => {}
            1 => self.shared.has_room.notify_one(),
            _ => self.shared.has_room.notify_all(),
        }
    }
}

impl<T: Send + 'static, L: Lock<State<T>>> Sender<T> for QueueSender<T, L> {
    fn send(&mut self, message: T) -> bool {
        let Shared {
            lock,
            has_room,
            has_message,
        } = &*self.shared;
        let mut state = lock.lock();
        while state.queue.len() >= state.bound && state.receivers > 0 {
            state.waiting_senders += 1;
            state = lock.wait(has_room, state);
            state.waiting_senders -= 1;
        }
        if state.receivers == 0 {
            return false;
        }
        state.queue.push_back(message);
        let is_waited_for = state.waiting_receivers > 0;
        let waker = state.waker.take();
        drop(state);
        if is_waited_for {
            has_message.notify_one();
        }
        if let Some(waker) = waker {
            waker.wake();
        }
        true
    }
}

impl<T: Send + 'static, L: Lock<State<T>>> Receiver<T> for QueueReceiver<T, L> {
    fn recv(&mut self) -> Option<T> {
        let mut state = self.lock_when_ready();
        let message = state.queue.pop_front();
        self.unlock(state, usize::from(message.is_some()));
        message
    }
}

impl<T: Send + 'static, L: Lock<State<T>>> BatchReceiver<T> for QueueReceiver<T, L> {
    fn recv_many(&mut self, batch: &mut Vec<T>, most: usize) {
        let mut state = self.lock_when_ready();
        let count = state.queue.len().min(most);
        batch.extend(state.queue.drain(..count));
        self.unlock(state, count);
    }
}

impl<T: Send + 'static, L: Lock<State<T>>> OnceSender<T> for QueueSender<T, L> {
    fn send_once(mut self, message: T) -> bool {
        self.send(message)
    }
}

impl<T: Send + 'static, L: Lock<State<T>>> OnceReceiver<T> for QueueReceiver<T, L> {
    fn recv_once(mut self) -> Option<T> {
        self.recv()
    }
}

/// Without a bound, a send has nothing to wait for.
impl<T: Send + 'static, L: Lock<State<T>>> AsyncSender<T> for QueueSender<T, L> {
    async fn send_async(&mut self, message: T) -> bool {
        self.send(message)
    }
}

impl<T: Send + 'static, L: Lock<State<T>>> AsyncReceiver<T> for QueueReceiver<T, L> {
    async fn recv_async(&mut self) -> Option<T> {
        poll_fn(|context| {
            let mut state = self.shared.lock.lock();
            let message = state.queue.pop_front();
            if message.is_none() && state.senders > 0 {
                state.waker = Some(context.waker().clone());
                return Poll::Pending;
            }
            Poll::Ready(message)
        })
        .await
    }
}

impl<T, L: Lock<State<T>>> Clone for QueueSender<T, L> {
    fn clone(&self) -> Self {
        self.shared.lock.lock().senders += 1;
        Self {
            shared: Arc::clone(&self.shared),
            messages: PhantomData,
        }
    }
}

impl<T, L: Lock<State<T>>> Clone for QueueReceiver<T, L> {
    fn clone(&self) -> Self {
        self.shared.lock.lock().receivers += 1;
        Self {
            shared: Arc::clone(&self.shared),
            messages: PhantomData,
        }
    }
}

impl<T, L: Lock<State<T>>> Drop for QueueSender<T, L> {
    fn drop(&mut self) {
        let mut state = self.shared.lock.lock();
        state.senders -= 1;
        if state.senders > 0 {
            return;
        }
        let waker = state.waker.take();
        drop(state);
        self.shared.has_message.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T, L: Lock<State<T>>> Drop for QueueReceiver<T, L> {
    fn drop(&mut self) {
        let mut state = self.shared.lock.lock();
        state.receivers -= 1;
        if state.receivers == 0 {
            drop(state);
            self.shared.has_room.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::families::messages::lock::{OwnLock, ProcessLock};

    /// More senders than there is room, and more receivers than messages at the end.
    fn every_message_arrives<L: Lock<State<u64>>>() {
        let (sender, receiver) = bounded::<u64, L>(2);
        let sum: u64 = thread::scope(|scope| {
            for first in 0..3 {
                let mut sender = sender.clone();
                scope.spawn(move || (first..300).step_by(3).all(|number| sender.send(number)));
            }
            drop(sender);
            let receivers = (0..2).map(|_| {
                let mut receiver = receiver.clone();
                scope.spawn(move || std::iter::from_fn(|| receiver.recv()).sum::<u64>())
            });
            let receivers: Vec<_> = receivers.collect();
            receivers.into_iter().map(|one| one.join().unwrap()).sum()
        });
        assert_eq!(sum, (0..300).sum::<u64>());
    }

    #[test]
    fn every_message_arrives_whatever_the_lock() {
        every_message_arrives::<OwnLock<_>>();
        every_message_arrives::<ProcessLock<_>>();
    }

    #[test]
    fn an_end_knows_that_the_other_one_is_gone() {
        let (mut sender, receiver) = unbounded::<u64, OwnLock<_>>();
        assert!(sender.send(1));
        drop(receiver);
        assert!(!sender.send(2));

        let (mut sender, mut receiver) = unbounded::<u64, OwnLock<_>>();
        assert!(sender.send(1));
        drop(sender);
        let mut batch = Vec::new();
        receiver.recv_many(&mut batch, 10);
        assert_eq!((batch, receiver.recv()), (vec![1], None));
    }
}
