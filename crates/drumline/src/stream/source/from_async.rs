//! Async streams as sources.
//!
//! The consumer with the token polls the stream, with one waker for all polls. That waker unparks
//! whichever consumer waits in the source, and notes that there is a reason to poll again. Without
//! that note, a stream that was not ready is not polled again.
//!
//! # The race feared
//!
//! *A wake-up comes between the poll and the sleep.* It leaves a token in the parker, so the sleep
//! ends at once. *It comes during the poll*, or while no consumer waits in the source: the note is
//! taken before each poll and not after it, so it stays for the next one.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures_core::Stream;

use super::{Polled, Source, Stopper};
use crate::sync::Instant;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::wait::Parker;
use crate::wait::budget::{Budget, Poller};

/// The items of an async stream; made by [`stream::from_async`](crate::stream::from_async).
///
/// Consumers poll the async stream, one consumer at a time. A consumer that finds nothing there
/// leaves, and the last one waits until the async stream wakes it. After its end, or a panic, the
/// async stream is not polled again.
pub struct FromAsync<S> {
    stream: Pin<Box<S>>,
    progress: StreamProgress,
    alarm: std::sync::Arc<Alarm>,
    /// Of the alarm.
    waker: Waker,
}

/// What the last poll of the async stream said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamProgress {
    /// There may be an item.
    Open,
    /// There was none, so a poll is of no use before the alarm.
    Pending,
    /// There will be none.
    Ended,
}

/// Wakes the consumer that waits in the source.
struct Alarm {
    parker: Parker,
    /// The async stream is to be polled again.
    woken: AtomicBool,
    /// The stream of work stops.
    stopped: AtomicBool,
}

impl Wake for Alarm {
    fn wake(self: std::sync::Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &std::sync::Arc<Self>) {
        // Release: the poll that finds the note sees what happened before.
        self.woken.store(true, Ordering::Release);
        self.parker.unpark();
    }
}

impl<S: Stream> FromAsync<S> {
    pub(in crate::stream) fn new(stream: S) -> Self {
        let alarm = std::sync::Arc::new(Alarm {
            parker: Parker::new(),
            woken: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
        });
        FromAsync {
            stream: Box::pin(stream),
            progress: StreamProgress::Open,
            waker: Waker::from(std::sync::Arc::clone(&alarm)),
            alarm,
        }
    }

    fn poll(&mut self) -> Polled<S::Item> {
        // Acquire: with the one that wakes. Before the poll, so that a note made during the poll
        // stays.
        let is_woken = self.alarm.woken.swap(false, Ordering::Acquire);
        match self.progress {
            StreamProgress::Ended => return Polled::Ended,
            StreamProgress::Pending if !is_woken => return Polled::Empty,
            StreamProgress::Pending | StreamProgress::Open => {}
        }
        // Said first: after a panic, too, it has ended.
        self.progress = StreamProgress::Ended;
        let polled = {
            // The budget of the task that the thread may be in says nothing about this stream. If
            // it were used up, each poll would be put off, and the consumer would spin.
            let _budget = Budget::begin(Poller::Task);
            let mut context = Context::from_waker(&self.waker);
            self.stream.as_mut().poll_next(&mut context)
        };
        match polled {
            Poll::Ready(Some(item)) => {
                self.progress = StreamProgress::Open;
                Polled::Item(item)
            }
            Poll::Ready(None) => Polled::Ended,
            Poll::Pending => {
                self.progress = StreamProgress::Pending;
                Polled::Empty
            }
        }
    }

    /// Waits for the next item, but no longer than until then: `Empty`.
    fn poll_until(&mut self, until: Option<Instant>) -> Polled<S::Item> {
        loop {
            let polled = self.poll();
            if !matches!(polled, Polled::Empty) {
                return polled;
            }
            // Relaxed: the thread that stops sets this and leaves a token, which `park` takes: the
            // next look, at the latest, sees it.
            if self.alarm.stopped.load(Ordering::Relaxed) {
                return Polled::Ended;
            }
            match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self.alarm.parker.park(),
                Some(Duration::ZERO) => return Polled::Empty,
                Some(time) => {
                    self.alarm.parker.park_timeout(time);
                }
            }
        }
    }
}

impl<S> Source for FromAsync<S>
where
    S: Stream + Send,
    S::Item: Send,
{
    type Item = S::Item;

    fn recv(&mut self) -> Option<S::Item> {
        match self.poll_until(None) {
            Polled::Item(item) => Some(item),
            Polled::Empty | Polled::Ended => None,
        }
    }

    fn recv_timeout(&mut self, time: Duration) -> Polled<S::Item> {
        // `None`: longer than a clock goes, and so until there is an item, or none will come.
        self.poll_until(Instant::now().checked_add(time))
    }

    fn try_recv(&mut self) -> Polled<S::Item> {
        self.poll()
    }

    fn stopper(&self) -> Option<Stopper> {
        let alarm = std::sync::Arc::clone(&self.alarm);
        Some(Stopper::of_own(move || {
            // Relaxed: published by the token. The thread that takes the token sees it.
            alarm.stopped.store(true, Ordering::Relaxed);
            alarm.parker.unpark();
        }))
    }
}

impl<S> fmt::Debug for FromAsync<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromAsync")
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}
