//! How a select waits, whatever it is made of.

#[cfg(not(drumline_loom))]
use std::future::Future;
#[cfg(not(drumline_loom))]
use std::panic::Location;
#[cfg(not(drumline_loom))]
use std::pin::Pin;
use std::task::Waker;
#[cfg(not(drumline_loom))]
use std::task::{Context, Poll, ready};

use crate::sync::planted;
use crate::wait::settle;
#[cfg(not(drumline_loom))]
use crate::{
    channel::{ChannelKind, WaitingFor},
    sync::Instant,
    wait::{SleepingThread, WaitSite, WaiterEntry, Watched, budget, watch},
};

/// What came of the wish to listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listened {
    /// What comes next calls the waker.
    Waits,
    /// The same, for what is published after [`settle`](crate::wait::settle).
    WaitsUnsettled,
    /// It does not listen: something has come.
    LooksAgain,
}

#[cfg(not(drumline_loom))]
impl Listened {
    pub(super) fn waits(waits: bool) -> Self {
        if waits {
            Listened::Waits
        } else {
            Listened::LooksAgain
        }
    }

    pub(super) fn unsettled(is_unsettled: bool) -> Self {
        if is_unsettled {
            Listened::WaitsUnsettled
        } else {
            Listened::Waits
        }
    }
}

/// The paths of a select.
pub(super) trait Paths {
    /// What a path gives that was chosen.
    type Chosen;

    /// Uses the first path that need not wait.
    fn choose(&mut self) -> Option<Self::Chosen>;

    /// Whether there is no path left.
    fn is_over(&self) -> bool;

    /// Whether paths may listen. A look at them may have ended that.
    fn is_listening(&self) -> bool {
        true
    }

    /// Has each path call `waker`, and tells `listened` what came of it.
    fn listen(&mut self, waker: &Waker, listened: impl FnMut(Listened));

    /// Has no path call anything any more.
    fn unlisten(&mut self);
}

/// What came of a select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SelectOutcome<C> {
    Chosen(C),
    /// No path was ready in time.
    NotReady,
    /// There is no path.
    NoPath,
}

/// What came of the last look before a sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastLook<C> {
    Over(SelectOutcome<C>),
    /// A path has changed while it was listened to: all are to be looked at again.
    Again,
    /// Each path calls the waker when something comes.
    MaySleep,
}

/// Listens to all paths, and looks at them once more.
pub(super) fn look_last<P: Paths>(paths: &mut P, waker: &Waker) -> LastLook<P::Chosen> {
    let mut has_to_settle = false;
    let mut looks_again = false;
    paths.listen(waker, |listened| {
        has_to_settle |= listened == Listened::WaitsUnsettled;
        looks_again |= listened == Listened::LooksAgain;
    });
    if planted!(SelectSleepsBlindly) {
        return LastLook::MaySleep;
    }
    if has_to_settle {
        // One barrier for all of them.
        settle();
    }
    match look(paths) {
        Some(outcome) => LastLook::Over(outcome),
        None if looks_again || !paths.is_listening() => LastLook::Again,
        None => LastLook::MaySleep,
    }
}

/// Looks at all paths.
#[inline]
pub(super) fn look<P: Paths>(paths: &mut P) -> Option<SelectOutcome<P::Chosen>> {
    match paths.choose() {
        Some(chosen) => Some(SelectOutcome::Chosen(chosen)),
        None if paths.is_over() => Some(SelectOutcome::NoPath),
        None => None,
    }
}

/// Leaves nothing behind at the ends, also if a path panics.
pub(super) struct Listening<'p, P: Paths>(pub(super) &'p mut P);

impl<P: Paths> Drop for Listening<'_, P> {
    fn drop(&mut self) {
        if cfg!(drumline_loom) && std::thread::panicking() {
            // The model has failed, and its atomics are gone.
            return;
        }
        self.0.unlisten();
    }
}

/// Waits until a path is chosen, or until the deadline.
#[cfg(not(drumline_loom))]
pub(super) fn wait<P: Paths>(
    paths: &mut P,
    deadline: Option<Instant>,
    entry: &mut WaiterEntry,
    location: &'static Location<'static>,
) -> SelectOutcome<P::Chosen> {
    let mut outcome = None;
    let watched = watch(deadline, || {
        outcome = look(paths);
        outcome.is_some()
    });
    match (watched, outcome) {
        (_, Some(outcome)) => return outcome,
        (Watched::TooLate, None) => return SelectOutcome::NotReady,
        (Watched::Ready | Watched::Nothing, None) => {}
    }
    let site = site(paths, location);
    let paths = Listening(paths);
    let thread = SleepingThread::new();
    let waker = thread.waker();
    loop {
        match look_last(paths.0, &waker) {
            LastLook::Over(outcome) => return outcome,
            LastLook::Again => continue,
            LastLook::MaySleep => {}
        }
        let asleep = entry.sleep(site);
        let was_called = thread.sleep(deadline);
        drop(asleep);
        match look(paths.0) {
            Some(outcome) => return outcome,
            // Another receiver was faster.
            None if was_called => {}
            None => return SelectOutcome::NotReady,
        }
    }
}

#[cfg(not(drumline_loom))]
fn site<P>(paths: &P, location: &'static Location<'static>) -> WaitSite {
    WaitSite::new(ChannelKind::Select, paths, WaitingFor::AnyEnd, location)
}

/// A future that is ready when a path is chosen.
#[cfg(not(drumline_loom))]
pub(super) struct Selecting<'p, P: Paths> {
    paths: Listening<'p, P>,
    entry: WaiterEntry,
    location: &'static Location<'static>,
}

#[cfg(not(drumline_loom))]
impl<'p, P: Paths> Selecting<'p, P> {
    pub(super) fn new(paths: &'p mut P, location: &'static Location<'static>) -> Self {
        Selecting {
            paths: Listening(paths),
            entry: WaiterEntry::new(),
            location,
        }
    }

    /// Looks at the paths, and listens if there is nothing.
    pub(super) fn poll_outcome(&mut self, cx: &mut Context<'_>) -> Poll<SelectOutcome<P::Chosen>> {
        ready!(budget::proceed(cx));
        let outcome = loop {
            if let Some(outcome) = look(self.paths.0) {
                break outcome;
            }
            match look_last(self.paths.0, cx.waker()) {
                LastLook::Over(outcome) => break outcome,
                LastLook::Again => {}
                LastLook::MaySleep => {
                    self.entry.pend(site(self.paths.0, self.location));
                    return Poll::Pending;
                }
            }
        };
        self.paths.0.unlisten();
        self.entry.clear();
        Poll::Ready(outcome)
    }
}

#[cfg(not(drumline_loom))]
impl<P: Paths> Future for Selecting<'_, P> {
    type Output = SelectOutcome<P::Chosen>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.poll_outcome(cx)
    }
}
