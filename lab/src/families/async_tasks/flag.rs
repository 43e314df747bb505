//! What tasks wait for: a flag that another task, or a thread, sets.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// A flag with room for the waker of one task. In cache lines of its own, so that two flags are not
/// in each other's way.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Flag {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    is_set: bool,
    waker: Option<Waker>,
}

impl Flag {
    /// `count` flags that last as long as the process. None is set.
    pub fn leaked(count: u64) -> &'static [Self] {
        let flags: Vec<Self> = (0..count).map(|_| Self::default()).collect();
        flags.leak()
    }

    /// Sets the flag, and wakes the task that waits for it.
    pub fn set(&self) {
        let waker = {
            let mut state = self.lock();
            state.is_set = true;
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Waits until the flag is set, and takes it down. One task at a time.
    pub fn wait(&self) -> Wait<'_> {
        Wait { flag: self }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The future of [`Flag::wait`].
#[derive(Debug)]
pub struct Wait<'a> {
    flag: &'a Flag,
}

impl Future for Wait<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.flag.lock();
        if state.is_set {
            state.is_set = false;
            return Poll::Ready(());
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(context.waker()),
            empty => *empty = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_flag_wakes_its_task_once_and_is_taken_down() {
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(Arc::clone(&wakes));
        let mut context = Context::from_waker(&waker);
        let flag = Flag::default();
        let mut poll = || Pin::new(&mut flag.wait()).poll(&mut context);
        assert_eq!(poll(), Poll::Pending);
        assert_eq!(poll(), Poll::Pending);
        flag.set();
        flag.set();
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
        assert_eq!(poll(), Poll::Ready(()));
        assert_eq!(poll(), Poll::Pending);
    }
}
