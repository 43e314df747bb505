//! An async stream that other threads fill.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use futures_util::Stream;

#[derive(Debug)]
struct State<T> {
    items: VecDeque<T>,
    ended: bool,
    waker: Option<Waker>,
    /// Polls that found nothing.
    pending: usize,
    polls: usize,
    dropped: bool,
}

/// The end that is polled.
#[derive(Debug)]
pub struct AsyncQueue<T>(Arc<Mutex<State<T>>>);

/// The end that fills it. It ends when this is dropped.
#[derive(Debug)]
pub struct Filler<T>(Arc<Mutex<State<T>>>);

pub fn async_queue<T>() -> (Filler<T>, AsyncQueue<T>) {
    let state = Arc::new(Mutex::new(State {
        items: VecDeque::new(),
        ended: false,
        waker: None,
        pending: 0,
        polls: 0,
        dropped: false,
    }));
    (Filler(Arc::clone(&state)), AsyncQueue(state))
}

impl<T> Filler<T> {
    fn change(&self, change: impl FnOnce(&mut State<T>)) {
        let waker = {
            let mut state = self.0.lock().unwrap();
            change(&mut state);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub fn send(&self, item: T) {
        self.change(|state| state.items.push_back(item));
    }

    /// Wakes the task for nothing.
    pub fn wake(&self) {
        self.change(|_| ());
    }

    /// How many polls found nothing.
    pub fn pending(&self) -> usize {
        self.0.lock().unwrap().pending
    }

    pub fn polls(&self) -> usize {
        self.0.lock().unwrap().polls
    }

    /// Whether the task has been told all, and found nothing.
    pub fn is_awaited(&self) -> bool {
        let state = self.0.lock().unwrap();
        state.items.is_empty() && state.waker.is_some()
    }

    /// Whether the other end is gone.
    pub fn is_closed(&self) -> bool {
        self.0.lock().unwrap().dropped
    }
}

impl<T> Stream for AsyncQueue<T> {
    type Item = T;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let mut state = self.0.lock().unwrap();
        state.polls += 1;
        if let Some(item) = state.items.pop_front() {
            return Poll::Ready(Some(item));
        }
        if state.ended {
            return Poll::Ready(None);
        }
        state.pending += 1;
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl<T> Drop for AsyncQueue<T> {
    fn drop(&mut self) {
        self.0.lock().unwrap().dropped = true;
    }
}

impl<T> Drop for Filler<T> {
    fn drop(&mut self) {
        self.change(|state| state.ended = true);
    }
}
