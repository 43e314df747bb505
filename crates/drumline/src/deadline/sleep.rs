//! A future that is ready at a deadline.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use super::heap::Registration;
use crate::wait::{Parker, budget};

/// How long a poll holds its thread up where the system refuses the timer thread.
const NAP: Duration = Duration::from_millis(1);

/// A future that is ready at its deadline; made by [`sleep`] and [`sleep_until`].
///
/// It holds no thread up. A timer thread, which many sleeps share, wakes its task at the deadline;
/// see [`sleep`] for what it costs.
///
/// Polled again after the deadline, it is ready again, until it is [reset](Self::reset). So it can
/// be waited for in a loop together with other futures.
///
/// ```
/// use drumline::task::sleep;
/// use std::time::Duration;
///
/// let mut pause = std::pin::pin!(sleep(Duration::from_millis(1)));
/// drumline::block_on(pause.as_mut());
/// assert!(pause.is_elapsed());
/// ```
///
/// # Cancellation
///
/// A sleep that is dropped is gone at once: it wakes nothing, and the process keeps nothing of it.
/// A sleep that was not the first to be ready in a selection of futures goes on when it is polled
/// again; its deadline stays what it was.
#[must_use = "a sleep does nothing unless it is polled"]
pub struct Sleep {
    /// `None`: later than any time that there is.
    deadline: Option<Instant>,
    /// There once it has been polled before the deadline, until it is found to be over.
    registration: Option<Registration>,
}

/// Waits until `duration` from now has passed.
///
/// The time begins with this call, and not with the first poll. A duration that ends later than the
/// clock can say is waited for for ever.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use drumline::task::sleep;
///
/// let start = Instant::now();
/// drumline::block_on(async {
///     sleep(Duration::from_millis(5)).await;
/// });
/// assert!(start.elapsed() >= Duration::from_millis(5));
/// ```
///
/// # Precision
///
/// A sleep never ends before its deadline. How much later depends on the system: on Linux some tens
/// of microseconds, and more where all processors are busy.
///
/// # Cost
///
/// The first poll that is not ready puts the deadline into a heap of the process, and the drop
/// takes it out: O(log n) each, for n deadlines, under a lock. A duration that is over at the first
/// poll does not touch the heap. With more than 4 processors there is a heap for each 4 of them, up
/// to 16, and threads use them in turn.
///
/// The thread `drumline-timer` of a heap sleeps until its earliest deadline. It is started for the
/// first one, and ends when there has been none for a second. Wakers are called there one after
/// another, so a waker that takes long delays the others; the usual ones only put a task into a
/// queue. A waker that panics does not hurt the others, and its panic goes nowhere besides the
/// panic hook.
///
/// # Cancellation
///
/// A sleep that is dropped is gone at once.
///
/// # Blocking
///
/// None, unless the system refuses the timer thread. Then the sleep is polled again and again, and
/// each poll holds its thread up for a millisecond at most and asks the system again. So a sleep
/// ends late rather than never.
///
/// # Forking
///
/// In a child process made by `fork`, a sleep of the parent has to be polled again, as the thread
/// that would wake its task does not exist there.
pub fn sleep(duration: Duration) -> Sleep {
    Sleep::new(Instant::now().checked_add(duration))
}

/// Waits until `deadline`, as [`sleep`] does. A deadline in the past is ready at once.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use drumline::task::sleep_until;
///
/// // Ten milliseconds from one beginning to the next, however long the work takes.
/// drumline::block_on(async {
///     let mut next = Instant::now();
///     for _ in 0..3 {
///         // ... the work ...
///         next += Duration::from_millis(10);
///         sleep_until(next).await;
///         assert!(Instant::now() >= next);
///     }
/// });
/// ```
///
/// # Cancellation
///
/// As [`sleep`].
pub fn sleep_until(deadline: Instant) -> Sleep {
    Sleep::new(Some(deadline))
}

impl Sleep {
    pub(super) fn new(deadline: Option<Instant>) -> Self {
        Sleep {
            deadline,
            registration: None,
        }
    }

    /// When it is ready. `None` means never: its duration was longer than the clock can say.
    ///
    /// ```
    /// use drumline::task::{sleep, sleep_until};
    /// use std::time::{Duration, Instant};
    ///
    /// let soon = Instant::now() + Duration::from_millis(1);
    /// assert_eq!(sleep_until(soon).deadline(), Some(soon));
    /// assert_eq!(sleep(Duration::MAX).deadline(), None);
    /// ```
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Whether the deadline has passed. If so, the next poll is ready.
    ///
    /// ```
    /// use drumline::task::{sleep, sleep_until};
    /// use std::time::{Duration, Instant};
    ///
    /// assert!(sleep_until(Instant::now()).is_elapsed());
    /// assert!(!sleep(Duration::from_secs(3_600)).is_elapsed());
    /// ```
    #[must_use]
    pub fn is_elapsed(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Gives it another deadline, earlier or later, also after it was ready.
    ///
    /// A task that waits for it is woken at the new deadline; there is no need to poll it before.
    /// If the old deadline has passed, the task may have been woken for that, and the sleep
    /// has to be polled again, as when it is new. A loop that polls does so by itself.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    ///
    /// use drumline::task::sleep;
    ///
    /// let mut idle = sleep(Duration::from_secs(3600));
    /// let soon = Instant::now() + Duration::from_millis(1);
    /// idle.reset(soon);
    /// assert_eq!(idle.deadline(), Some(soon));
    /// drumline::block_on(idle);
    /// assert!(Instant::now() >= soon);
    /// ```
    pub fn reset(&mut self, deadline: Instant) {
        self.deadline = Some(deadline);
        if let Some(registration) = &mut self.registration
            && !registration.move_to(deadline)
        {
            self.registration = None;
        }
    }

    /// Takes the deadline out of the heap: it is not waited for any longer.
    pub(super) fn unregister(&mut self) {
        self.registration = None;
    }

    /// Has the task of `context` woken at `deadline`, which is in the future. Returns `false` if it
    /// is over meanwhile.
    fn register(&mut self, deadline: Instant, context: &Context<'_>) -> bool {
        let waker = context.waker();
        match &mut self.registration {
            Some(registration) if !registration.is_forked() => registration.update(waker),
            registration => match Registration::new(deadline, waker) {
                Ok(new) => {
                    *registration = Some(new);
                    true
                }
                // Of the parent, if there is one: it stays, and is tried again.
                Err(_refused) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    // So that a task that asks again and again does not use up a processor.
                    Parker::new().park_timeout(left.min(NAP));
                    waker.wake_by_ref();
                    true
                }
            },
        }
    }
}

impl Sleep {
    /// Whether the deadline has passed. If not, the task is woken then. It costs nothing of the
    /// task's budget: what has a time limit may have used that up.
    pub(super) fn poll_deadline(&mut self, context: &Context<'_>) -> Poll<()> {
        let Some(deadline) = self.deadline else {
            return Poll::Pending;
        };
        // Before the waker is compared with the one that is registered: see there.
        if Instant::now() >= deadline || !self.register(deadline, context) {
            self.unregister();
            return Poll::Ready(());
        }
        Poll::Pending
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        ready!(self.get_mut().poll_deadline(context));
        budget::proceed(context)
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep")
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
