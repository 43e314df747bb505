//! Waiting for several sessions at once.
//!
//! The endpoints are looked at in their order, and the first one that has something is received
//! from. If none has, all listen with one waker, and are looked at once more. A call that blocks
//! watches them for a moment, and then polls the same future on its thread.
//!
//! A lane forgets its waker with the first tell, which may be late: for a message that was received
//! meanwhile. So each poll has all endpoints listen anew before its last look.

mod group;
mod tuples;

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::sync::Instant;
use crate::task::{block_on, timeout_at};
use crate::wait::{Watched, budget, settle, watch};

use group::Group;
pub use group::Selectable;
pub use tuples::{Selected2, Selected3, Selected4};

/// Receives from the first of several sessions that has something.
///
/// Takes a `&mut Vec` of endpoints in one state, or a tuple of two to four endpoints in any states.
/// In all of them the next step must be a `recv` or an `offer`.
///
/// From a vector, the endpoint that was received from is taken out, and those after it move up. The
/// result is its place, with what came or why the peer has left. It is `None` if the vector is
/// empty. The first in the vector is looked at first. So to add the next endpoint at the end makes
/// the choice fair.
///
/// ```
/// use drumline::protocol;
///
/// protocol! {
///     mod tally of voter with counter {
///         Voting = send u32 => Voting;
///     }
/// }
///
/// let mut counters = Vec::new();
/// for votes in [1, 2, 3] {
///     let (mut voter, counter) = tally::unbounded();
///     counters.push(counter);
///     std::thread::spawn(move || {
///         for vote in 0..votes {
///             voter = voter.send(vote).unwrap();
///         }
///     });
/// }
/// let (mut sum, mut gone) = (0, 0);
/// while let Some((_place, received)) = protocol::select(&mut counters) {
///     match received {
///         Ok((vote, next)) => {
///             sum += vote;
///             counters.push(next);
///         }
///         Err(_left) => gone += 1,
///     }
/// }
/// assert_eq!((sum, gone), (4, 3));
/// ```
///
/// From a tuple, the result is an enum that says which one has come, and gives the others back.
///
/// ```
/// use drumline::protocol;
/// use drumline::protocol::Selected2;
///
/// protocol! {
///     mod news of paper with reader { Morning = send String => end; }
/// }
/// protocol! {
///     mod post of sender with addressee { Letter = send u64 => end; }
/// }
///
/// let (_paper, news) = news::unbounded();
/// let (sender, letters) = post::unbounded();
/// sender.send(7).unwrap();
/// match protocol::select((news, letters)) {
///     Selected2::First(_, _) => unreachable!("there is no news"),
///     Selected2::Second(_news, letter) => assert_eq!(letter.unwrap().0, 7),
/// }
/// ```
///
/// Each call looks at all endpoints, and has all of them listen if it has to wait. Where there are
/// hundreds, give each session a task, or have them send to a
/// [`PortSet`](crate::channel::PortSet).
///
/// # Blocking
///
/// Until one of the endpoints has something; see [`block_on`].
#[track_caller]
pub fn select<S: Selectable>(mut endpoints: S) -> S::Selected {
    let location = Location::caller();
    if endpoints.len() == 0
        || watch(None, || first_ready(&mut endpoints).is_some()) == Watched::Ready
    {
        match take_first(endpoints) {
            Ok(selected) => return selected,
            Err(back) => endpoints = back,
        }
    }
    block_on(SelectAsync::new(endpoints, location))
}

/// As [`select`], but does not wait.
///
/// ```
/// drumline::protocol! {
///     mod news of paper with reader {
///         Morning = send String => end;
///     }
/// }
///
/// let (paper, reader) = news::unbounded();
/// let mut readers = vec![reader];
/// assert!(drumline::protocol::try_select(&mut readers).is_err()); // nothing has come
/// assert!(paper.send("all is well".to_owned()).is_ok());
/// let selected = drumline::protocol::try_select(&mut readers);
/// assert_eq!(selected.ok().flatten().unwrap().1.unwrap().0, "all is well");
/// ```
///
/// # Errors
///
/// If none of the endpoints has something now. They come back.
pub fn try_select<S: Selectable>(endpoints: S) -> Result<S::Selected, S> {
    take_first(endpoints)
}

/// As [`select`], but waits for `timeout` at most.
///
/// ```
/// use std::time::Duration;
///
/// drumline::protocol! {
///     mod news of paper with reader { Morning = send String => end; }
/// }
///
/// let (_paper, reader) = news::unbounded();
/// let mut readers = vec![reader];
/// assert!(drumline::protocol::select_timeout(&mut readers, Duration::from_millis(1)).is_err());
/// assert_eq!(readers.len(), 1);
/// ```
///
/// # Errors
///
/// If none of the endpoints has something until then. They come back.
///
/// # Blocking
///
/// As [`select`], for `timeout` at most.
#[track_caller]
pub fn select_timeout<S: Selectable>(endpoints: S, timeout: Duration) -> Result<S::Selected, S> {
    match Instant::now().checked_add(timeout) {
        Some(deadline) => select_deadline(endpoints, deadline),
        None => Ok(select(endpoints)),
    }
}

/// As [`select`], but waits until `deadline` at most.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// drumline::protocol! {
///     mod news of paper with reader {
///         Morning = send String => end;
///     }
/// }
///
/// let (paper, reader) = news::unbounded();
/// let mut readers = vec![reader];
/// let deadline = Instant::now() + Duration::from_millis(1);
/// assert!(drumline::protocol::select_deadline(&mut readers, deadline).is_err());
/// assert!(paper.send("all is well".to_owned()).is_ok()); // what is there, it takes at any time
/// assert!(drumline::protocol::select_deadline(&mut readers, deadline).is_ok());
/// ```
///
/// # Errors
///
/// If none of the endpoints has something until then. They come back.
///
/// # Blocking
///
/// As [`select`], until `deadline` at most.
#[track_caller]
pub fn select_deadline<S: Selectable>(
    mut endpoints: S,
    deadline: Instant,
) -> Result<S::Selected, S> {
    let location = Location::caller();
    if endpoints.len() > 0 {
        let watched = watch(Some(deadline), || first_ready(&mut endpoints).is_some());
        if watched == Watched::Nothing {
            let mut waiting = AnyReady::new(&mut endpoints, location);
            // What comes of it is asked below, where the endpoints are looked at once more.
            let _in_time = block_on(timeout_at(deadline, &mut waiting));
        }
    }
    take_first(endpoints)
}

/// A future that receives from the first of several sessions that has something; see [`select`].
///
/// ```
/// use drumline::protocol;
///
/// protocol! {
///     mod news of paper with reader { Morning = send String => end; }
/// }
///
/// drumline::block_on(async {
///     let (paper, reader) = news::unbounded();
///     let mut readers = vec![reader];
///     let printing = drumline::spawn(move || paper.send("all is well".to_owned()).is_ok());
///     let (place, received) = protocol::select_async(&mut readers).await.unwrap();
///     assert_eq!((place, received.unwrap().0.as_str()), (0, "all is well"));
///     assert!(printing.await.unwrap());
/// });
/// ```
///
/// # Cancellation
///
/// A future that is dropped before it is ready has received nothing. The endpoints of a vector stay
/// there; those of a tuple are dropped, and leave their sessions.
#[track_caller]
pub fn select_async<S: Selectable>(endpoints: S) -> SelectAsync<S> {
    SelectAsync::new(endpoints, Location::caller())
}

/// A future that receives from the first of several sessions; made by [`select_async`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct SelectAsync<S: Selectable> {
    /// `None` once it is ready.
    endpoints: Option<S>,
    listening: Listening,
}

impl<S: Selectable> SelectAsync<S> {
    fn new(endpoints: S, location: &'static Location<'static>) -> Self {
        SelectAsync {
            endpoints: Some(endpoints),
            listening: Listening::new(location),
        }
    }
}

// The endpoints are moved, and never pinned.
impl<S: Selectable> Unpin for SelectAsync<S> {}

impl<S: Selectable> Future for SelectAsync<S> {
    type Output = S::Selected;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<S::Selected> {
        let SelectAsync {
            endpoints: place,
            listening,
        } = &mut *self;
        let endpoints = place.as_mut().expect("it was ready before");
        if endpoints.len() > 0 && listening.poll(endpoints, cx).is_pending() {
            return Poll::Pending;
        }
        let endpoints = place.take().expect("it was there for the poll");
        match take_first(endpoints) {
            Ok(selected) => Poll::Ready(selected),
            Err(_) => unreachable!("one was ready, and nothing else receives from it"),
        }
    }
}

impl<S: Selectable> Drop for SelectAsync<S> {
    fn drop(&mut self) {
        if let Some(endpoints) = &mut self.endpoints {
            self.listening.end(endpoints);
        }
    }
}

impl<S: Selectable> fmt::Debug for SelectAsync<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SelectAsync").finish_non_exhaustive()
    }
}

/// As [`SelectAsync`], but leaves the endpoints as they are.
struct AnyReady<'a, G: Group> {
    endpoints: &'a mut G,
    listening: Listening,
}

impl<'a, G: Group> AnyReady<'a, G> {
    fn new(endpoints: &'a mut G, location: &'static Location<'static>) -> Self {
        AnyReady {
            endpoints,
            listening: Listening::new(location),
        }
    }
}

impl<G: Group> Future for AnyReady<'_, G> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        this.listening.poll(this.endpoints, cx)
    }
}

impl<G: Group> Drop for AnyReady<'_, G> {
    fn drop(&mut self) {
        self.listening.end(self.endpoints);
    }
}

/// Which endpoints listen.
struct Listening {
    /// One for each, once they have begun to.
    are_listed: Vec<bool>,
    location: &'static Location<'static>,
}

impl Listening {
    fn new(location: &'static Location<'static>) -> Self {
        Listening {
            are_listed: Vec::new(),
            location,
        }
    }

    /// Ready when one of the endpoints is.
    fn poll<G: Group>(&mut self, endpoints: &mut G, cx: &mut Context<'_>) -> Poll<()> {
        if first_ready(endpoints).is_none() {
            self.begin(endpoints, cx);
            if first_ready(endpoints).is_none() {
                return Poll::Pending;
            }
        }
        self.end(endpoints);
        budget::proceed(cx)
    }

    fn begin<G: Group>(&mut self, endpoints: &mut G, cx: &Context<'_>) {
        self.are_listed.resize(endpoints.len(), false);
        let mut is_unsettled = false;
        for (place, is_listed) in self.are_listed.iter_mut().enumerate() {
            let lane = endpoints.lane(place);
            is_unsettled |= lane.listen(cx.waker(), is_listed, self.location);
        }
        if is_unsettled {
            settle();
        }
    }

    fn end<G: Group>(&mut self, endpoints: &mut G) {
        for (place, is_listed) in self.are_listed.iter_mut().enumerate() {
            endpoints.lane(place).forget(is_listed);
        }
    }
}

/// The first endpoint from which a receive would not wait.
fn first_ready<G: Group>(endpoints: &mut G) -> Option<usize> {
    (0..endpoints.len()).find(|&place| endpoints.lane(place).is_ready())
}

/// Receives from the first endpoint that has something. If there is none, they come back.
fn take_first<S: Selectable>(mut endpoints: S) -> Result<S::Selected, S> {
    match first_ready(&mut endpoints) {
        Some(place) => Ok(endpoints.take(place)),
        None => endpoints.take_none(),
    }
}
