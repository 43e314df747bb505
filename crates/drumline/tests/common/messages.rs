//! For the tests of channels: messages that keep accounts of themselves, and wakers of all sorts.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// Counts messages that were made, and those that were dropped.
#[derive(Clone, Debug, Default)]
pub struct Accounts(Arc<(AtomicUsize, AtomicUsize)>);

/// A message that is counted.
#[derive(Debug)]
pub struct Message {
    pub number: usize,
    accounts: Accounts,
    /// Its address is freed by the drop: a second drop is found by the allocator, and by Miri.
    _memory: Box<usize>,
}

impl Accounts {
    pub fn message(&self, number: usize) -> Message {
        self.0.0.fetch_add(1, Ordering::SeqCst);
        Message {
            number,
            accounts: self.clone(),
            _memory: Box::new(number),
        }
    }

    pub fn made(&self) -> usize {
        self.0.0.load(Ordering::SeqCst)
    }

    pub fn dropped(&self) -> usize {
        self.0.1.load(Ordering::SeqCst)
    }

    /// Each message was dropped once.
    #[track_caller]
    pub fn settle(&self) {
        assert_eq!(self.made(), self.dropped(), "messages made and dropped");
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        self.accounts.0.1.fetch_add(1, Ordering::SeqCst);
    }
}

impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

/// A waker that counts its calls.
#[derive(Debug, Default)]
pub struct Calls(AtomicUsize);

impl Calls {
    pub fn new() -> Arc<Self> {
        Self::default().into()
    }

    pub fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Wake for Calls {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A waker that runs a closure.
pub struct Runs<F>(pub F);

impl<F: Fn() + Send + Sync + 'static> Wake for Runs<F> {
    fn wake(self: Arc<Self>) {
        (self.0)();
    }
}

/// A waker that runs a closure.
pub fn waker(f: impl Fn() + Send + Sync + 'static) -> Waker {
    Arc::new(Runs(f)).into()
}

/// A waker that panics when it is called.
pub fn panicking_waker() -> Waker {
    waker(|| super::quiet_panic("the waker panics"))
}

/// Polls once.
pub fn poll<F: Future + Unpin>(future: &mut F, waker: &Waker) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(waker))
}

/// Passes a little time, of a random length.
pub fn dawdle(steps: u64) {
    for _ in 0..steps {
        std::hint::spin_loop();
    }
}
