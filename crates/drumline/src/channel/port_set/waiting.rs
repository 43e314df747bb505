//! Receiving: the calls that wait.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::{PortEvent, PortSet};
use crate::channel::lane::Nothing;
use crate::channel::recv_many::{RecvFuture, RecvManyAsync};
use crate::channel::{ChannelKind, RecvError, RecvTimeoutError, WaitingFor};
use crate::sync::Instant;
use crate::wait::{WaitSite, Watched, budget, watch};

impl<T: Send> PortSet<T> {
    fn wait(&mut self, deadline: Option<Instant>, location: &'static Location<'static>) -> bool {
        match watch(deadline, || self.is_ready()) {
            Watched::Ready => return true,
            Watched::TooLate => return false,
            Watched::Nothing => {}
        }
        if !self.listen_to_all() {
            return true;
        }
        let site = self.site(location);
        let (entry, calls) = self.entry_and_calls();
        let arrivals = calls.arrivals();
        arrivals.sleep_until(deadline, entry, site, || calls.is_called())
    }

    /// Has `waker` called by what comes next. `false`: there is something to look at. `is_listed`
    /// is its memory between two calls.
    pub(in crate::channel) fn listen(&mut self, waker: &Waker, is_listed: &mut bool) -> bool {
        if !self.listen_to_all() {
            return false;
        }
        let (_, calls) = self.entry_and_calls();
        let is_called = || calls.is_called();
        !calls.arrivals().list(waker, is_listed, is_called)
    }

    /// Listens no more.
    pub(in crate::channel) fn unlisten(&mut self, is_listed: &mut bool) {
        let (_, calls) = self.entry_and_calls();
        calls.arrivals().unlist(is_listed);
    }

    fn site(&self, location: &'static Location<'static>) -> WaitSite {
        let list = std::sync::Arc::as_ptr(self.ready_list());
        WaitSite::new(ChannelKind::PortSet, list, WaitingFor::Message, location)
    }

    /// Receives a message, or the end of a port; waits if there is none.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, PortEvent, PortSet, spsc};
    ///
    /// let mut set = PortSet::new();
    /// let (mut sender, receiver) = spsc::unbounded();
    /// let port = set.add(receiver);
    /// std::thread::spawn(move || sender.send("hello"));
    /// assert_eq!(set.recv(), Ok(PortEvent::Message(port, "hello")));
    /// assert_eq!(set.recv(), Ok(PortEvent::Closed(port, CloseReason::Dropped)));
    /// assert!(set.recv().is_err()); // there is no port any more
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no port, and no [`PortAdder`](super::PortAdder). Its reason is the gravest of
    /// those for which a port was closed: [`Panicked`](crate::channel::CloseReason::Panicked)
    /// before [`Dropped`](crate::channel::CloseReason::Dropped) before
    /// [`Finished`](crate::channel::CloseReason::Finished), which it is also if there was none.
    ///
    /// # Blocking
    ///
    /// Until there is a message or an end.
    #[inline]
    #[track_caller]
    pub fn recv(&mut self) -> Result<PortEvent<T>, RecvError> {
        self.recv_at(Location::caller())
    }

    #[inline]
    fn recv_at(&mut self, location: &'static Location<'static>) -> Result<PortEvent<T>, RecvError> {
        loop {
            match self.take() {
                Ok(event) => return Ok(event),
                Err(Nothing::Ever(reason)) => return Err(RecvError::new(reason)),
                Err(Nothing::Yet) => self.wait(None, location),
            };
        }
    }

    /// As [`recv`](Self::recv), but waits for `timeout` at most.
    ///
    /// ```
    /// use drumline::channel::{PortSet, RecvTimeoutError, spsc};
    /// use std::time::Duration;
    ///
    /// let mut set = PortSet::<u8>::new();
    /// let (_silent, receiver) = spsc::unbounded();
    /// set.add(receiver);
    /// let received = set.recv_timeout(Duration::from_millis(1));
    /// assert_eq!(received, Err(RecvTimeoutError::Timeout));
    /// ```
    ///
    /// # Errors
    ///
    /// If nothing came until then, and as [`recv`](Self::recv).
    ///
    /// # Blocking
    ///
    /// As [`recv`](Self::recv), for `timeout` at most.
    #[track_caller]
    pub fn recv_timeout(&mut self, timeout: Duration) -> Result<PortEvent<T>, RecvTimeoutError> {
        self.recv_until(Instant::now().checked_add(timeout), Location::caller())
    }

    /// As [`recv`](Self::recv), but waits until `deadline` at most.
    ///
    /// ```
    /// use drumline::channel::{PortSet, RecvTimeoutError, spsc};
    /// use std::time::{Duration, Instant};
    ///
    /// let mut set = PortSet::new();
    /// let (mut sender, receiver) = spsc::unbounded();
    /// set.add(receiver);
    /// sender.send("in time").unwrap();
    /// let deadline = Instant::now() + Duration::from_millis(1);
    /// assert_eq!(set.recv_deadline(deadline).unwrap().into_message(), Some("in time"));
    /// assert_eq!(set.recv_deadline(deadline), Err(RecvTimeoutError::Timeout));
    /// ```
    ///
    /// # Errors
    ///
    /// If nothing came until then, and as [`recv`](Self::recv).
    ///
    /// # Blocking
    ///
    /// As [`recv`](Self::recv), until `deadline` at most.
    #[track_caller]
    pub fn recv_deadline(&mut self, deadline: Instant) -> Result<PortEvent<T>, RecvTimeoutError> {
        self.recv_until(Some(deadline), Location::caller())
    }

    fn recv_until(
        &mut self,
        deadline: Option<Instant>,
        location: &'static Location<'static>,
    ) -> Result<PortEvent<T>, RecvTimeoutError> {
        loop {
            match self.take() {
                Ok(event) => return Ok(event),
                Err(Nothing::Ever(reason)) => return Err(RecvTimeoutError::Closed(reason)),
                Err(Nothing::Yet) => {}
            }
            if !self.wait(deadline, location) {
                return Err(RecvTimeoutError::Timeout);
            }
        }
    }

    /// Receives what there is, up to `max` messages and ends, and adds it to `events`; waits if
    /// there is nothing. Returns how many it has received: at least one, unless `max` is 0.
    ///
    /// ```
    /// use drumline::channel::{PortSet, spsc};
    ///
    /// let mut set = PortSet::new();
    /// let (mut sender, receiver) = spsc::unbounded();
    /// set.add(receiver);
    /// (0..5).for_each(|number| sender.send(number).unwrap());
    /// let mut events = Vec::new();
    /// assert_eq!(set.recv_many(&mut events, 3), Ok(3));
    /// assert_eq!(events.pop().unwrap().into_message(), Some(2));
    /// ```
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    ///
    /// # Blocking
    ///
    /// As [`recv`](Self::recv).
    #[track_caller]
    pub fn recv_many(
        &mut self,
        events: &mut Vec<PortEvent<T>>,
        max: usize,
    ) -> Result<usize, RecvError> {
        if max == 0 {
            return Ok(0);
        }
        // Before anything is taken: it may panic.
        events.reserve(1);
        events.push(self.recv_at(Location::caller())?);
        Ok(1 + self.take_held(events, max - 1))
    }

    /// Takes what there is now, up to `max`. Returns how much.
    fn take_held(&mut self, events: &mut Vec<PortEvent<T>>, max: usize) -> usize {
        // No more than there are now: senders may be as fast as this.
        let most = self.count_held(max);
        for count in 0..most {
            events.reserve(1);
            match self.take() {
                Ok(event) => events.push(event),
                Err(_) => return count,
            }
        }
        most
    }

    /// A future that receives a message, or the end of a port.
    ///
    /// ```
    /// # drumline::block_on(async {
    /// use drumline::channel::{PortSet, spsc};
    ///
    /// let mut set = PortSet::new();
    /// let (mut sender, receiver) = spsc::unbounded();
    /// set.add(receiver);
    /// drumline::spawn(move || sender.send("hello"));
    /// let event = set.recv_async().await.unwrap();
    /// assert_eq!(event.into_message(), Some("hello"));
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is ready has received nothing.
    #[track_caller]
    pub fn recv_async(&mut self) -> RecvAsync<'_, T> {
        RecvAsync {
            set: self,
            is_listed: false,
            location: Location::caller(),
        }
    }

    /// A future that receives what there is, up to `max` messages and ends, and adds it to
    /// `events`; it waits if there is nothing. It returns how many it has received: at least one,
    /// unless `max` is 0.
    ///
    /// ```
    /// # drumline::block_on(async {
    /// use drumline::channel::{PortSet, spsc};
    ///
    /// let mut set = PortSet::new();
    /// let (mut sender, receiver) = spsc::unbounded();
    /// set.add(receiver);
    /// (0..5).for_each(|number| sender.send(number).unwrap());
    /// let mut events = Vec::new();
    /// assert_eq!(set.recv_many_async(&mut events, 3).await, Ok(3));
    /// assert_eq!(events.pop().unwrap().into_message(), Some(2));
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv).
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is ready has received nothing.
    #[track_caller]
    pub fn recv_many_async<'a>(
        &'a mut self,
        events: &'a mut Vec<PortEvent<T>>,
        max: usize,
    ) -> impl Future<Output = Result<usize, RecvError>> + Unpin + Send {
        RecvManyAsync::new(self.recv_async(), events, max)
    }

    /// Goes through all messages and ends, until there is no port and no
    /// [`PortAdder`](super::PortAdder); waits for each.
    ///
    /// ```
    /// use drumline::channel::{PortEvent, PortSet, spsc};
    ///
    /// let mut set = PortSet::new();
    /// let (mut sender, receiver) = spsc::unbounded();
    /// let port = set.add(receiver);
    /// sender.send("hello").unwrap();
    /// sender.finish();
    /// assert_eq!(set.iter().next(), Some(PortEvent::Message(port, "hello")));
    /// assert_eq!(set.iter().count(), 1); // the end of the port, and then there is none
    /// ```
    ///
    /// # Blocking
    ///
    /// Each step as [`recv`](Self::recv).
    #[track_caller]
    pub fn iter(&mut self) -> Events<'_, T> {
        Events {
            set: self,
            location: Location::caller(),
        }
    }

    /// [Closes](Self::close) all ports, and takes all messages that were sent before, and the ends
    /// of the ports.
    ///
    /// What is left when the iterator is dropped stays in the set. Ports that others add meanwhile
    /// are not closed, and bring nothing here.
    ///
    /// ```
    /// use drumline::channel::{PortEvent, PortSet, spsc};
    ///
    /// let mut set = PortSet::new();
    /// let (mut sender, receiver) = spsc::unbounded();
    /// set.add(receiver);
    /// sender.send("unfinished").unwrap();
    /// let left: Vec<_> = set.drain().filter_map(PortEvent::into_message).collect();
    /// assert_eq!(left, ["unfinished"]);
    /// assert!(sender.send("too late").is_err());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, T> {
        self.close();
        Drain(self)
    }
}

/// A future that receives from a set; made by [`PortSet::recv_async`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct RecvAsync<'a, T: Send> {
    set: &'a mut PortSet<T>,
    is_listed: bool,
    location: &'static Location<'static>,
}

impl<T: Send> Future for RecvAsync<'_, T> {
    type Output = Result<PortEvent<T>, RecvError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let RecvAsync {
            set,
            is_listed,
            location,
        } = &mut *self;
        let has_waited = *is_listed;
        loop {
            if set.is_ready() {
                if has_waited {
                    set.entry.clear();
                }
                if budget::proceed(cx).is_pending() {
                    return Poll::Pending;
                }
                match set.take() {
                    Ok(event) => return Poll::Ready(Ok(event)),
                    Err(Nothing::Ever(reason)) => return Poll::Ready(Err(RecvError::new(reason))),
                    // A port was woken for what the set had taken already.
                    Err(Nothing::Yet) => continue,
                }
            }
            if set.listen_to_all() {
                let site = set.site(location);
                let (entry, calls) = set.entry_and_calls();
                let is_called = || calls.is_called();
                if !calls.arrivals().list(cx.waker(), is_listed, is_called) {
                    entry.pend(site);
                    return Poll::Pending;
                }
            }
        }
    }
}

impl<T: Send> RecvFuture for RecvAsync<'_, T> {
    type Message = PortEvent<T>;

    fn take_more(&mut self, events: &mut Vec<PortEvent<T>>, most: usize) -> usize {
        self.set.take_held(events, most)
    }
}

impl<T: Send> Drop for RecvAsync<'_, T> {
    fn drop(&mut self) {
        if self.is_listed {
            let (entry, calls) = self.set.entry_and_calls();
            calls.arrivals().unlist(&mut self.is_listed);
            entry.clear();
        }
    }
}

impl<T: Send> fmt::Debug for RecvAsync<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvAsync").finish_non_exhaustive()
    }
}

/// All messages and ends; made by [`PortSet::iter`].
#[derive(Debug)]
pub struct Events<'a, T: Send> {
    set: &'a mut PortSet<T>,
    location: &'static Location<'static>,
}

impl<T: Send> Iterator for Events<'_, T> {
    type Item = PortEvent<T>;

    fn next(&mut self) -> Option<PortEvent<T>> {
        self.set.recv_at(self.location).ok()
    }
}

impl<'a, T: Send> IntoIterator for &'a mut PortSet<T> {
    type Item = PortEvent<T>;
    type IntoIter = Events<'a, T>;

    #[track_caller]
    fn into_iter(self) -> Events<'a, T> {
        self.iter()
    }
}

/// What was sent before the ports were closed; made by [`PortSet::drain`].
#[derive(Debug)]
pub struct Drain<'a, T: Send>(&'a mut PortSet<T>);

impl<T: Send> Iterator for Drain<'_, T> {
    type Item = PortEvent<T>;

    fn next(&mut self) -> Option<PortEvent<T>> {
        self.0.take_without_added().ok()
    }
}
