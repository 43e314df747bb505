//! One queue of runs, for threads with a number that may change.
//!
//! All of it is under one lock. A thread takes the oldest run, or sleeps. [`resize`] says how many
//! threads there are to be: the caller starts those that are missing, and a thread that is one too
//! many leaves when it asks for its next run. Nothing is in its hands then.
//!
//! **The race feared** is a run that no thread takes: a push wakes one thread, and that one is one
//! too many, and leaves. It cannot be lost: a change of the number wakes all threads. So a thread
//! that sleeps through a push has gone to sleep after the last change, and then there were not too
//! many. None leaves after that before the next change, which wakes it. At least one thread stays
//! until the queue is closed, and a closed queue is emptied before its threads leave.
//!
//! A queue that is *handed over* has no threads any more, and takes no further runs: they go to the
//! pool.
//!
//! [`resize`]: RunQueue::resize

use std::collections::VecDeque;
// Plain references: nothing is learned from their count.
use std::sync::Arc;

use crate::sync::{Mutex, MutexGuard, lock, planted};
use crate::wait::Parker;

/// Runs, and the threads that take them.
#[derive(Debug)]
pub(crate) struct RunQueue<R> {
    state: Mutex<State<R>>,
}

#[derive(Debug)]
struct State<R> {
    runs: VecDeque<R>,
    /// How many threads there are to be.
    wanted: usize,
    /// How many there are.
    living: usize,
    /// Those of them that sleep.
    asleep: Vec<Arc<Parker>>,
    closed: bool,
    handed_over: bool,
}

impl<R> RunQueue<R> {
    /// A queue without threads.
    pub(crate) fn new() -> Self {
        RunQueue {
            state: Mutex::new(State {
                runs: VecDeque::new(),
                wanted: 0,
                living: 0,
                asleep: Vec::new(),
                closed: false,
                handed_over: false,
            }),
        }
    }

    /// Adds a run. It comes back if the queue has been handed over.
    pub(crate) fn push(&self, run: R) -> Option<R> {
        let mut state = lock(&self.state);
        if state.handed_over {
            return Some(run);
        }
        state.runs.push_back(run);
        let sleeper = state.asleep.pop();
        drop(state);
        if let Some(sleeper) = sleeper {
            sleeper.unpark();
        }
        None
    }

    /// The next run for a thread with this parker; waits for it. `None`: the thread is to end.
    pub(crate) fn next(&self, parker: &Arc<Parker>) -> Option<R> {
        loop {
            let mut state = lock(&self.state);
            if state.living > state.wanted || state.closed && state.runs.is_empty() {
                state.living -= 1;
                return None;
            }
            if let Some(run) = state.runs.pop_front() {
                return Some(run);
            }
            state.asleep.push(Arc::clone(parker));
            drop(state);
            // The thread that unparks it has taken it off the list.
            parker.park();
        }
    }

    /// From now on there are to be this number of threads, at least one. Returns how many the
    /// caller is to start: they count already.
    pub(crate) fn resize(&self, threads: usize) -> usize {
        let mut state = lock(&self.state);
        state.wanted = threads;
        let missing = threads.saturating_sub(state.living);
        state.living += missing;
        if !planted!(RunQueueResizesSilently) {
            Self::wake_all(state);
        }
        missing
    }

    /// This number of threads, which count already, could not be started.
    pub(crate) fn not_started(&self, threads: usize) {
        let mut state = lock(&self.state);
        state.living -= threads;
        state.wanted = state.wanted.min(state.living);
    }

    /// How many threads there are to be.
    pub(crate) fn threads(&self) -> usize {
        lock(&self.state).wanted
    }

    /// How many runs are queued.
    pub(crate) fn len(&self) -> usize {
        lock(&self.state).runs.len()
    }

    /// The threads are to end when the queue is empty.
    pub(crate) fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        Self::wake_all(state);
    }

    fn wake_all(mut state: MutexGuard<'_, State<R>>) {
        let asleep = std::mem::take(&mut state.asleep);
        drop(state);
        asleep.iter().for_each(|sleeper| sleeper.unpark());
    }

    /// Takes a run out of the queue, at the place that `choose` names for the number of runs.
    #[cfg(not(drumline_loom))]
    pub(crate) fn take(&self, choose: impl FnOnce(usize) -> usize) -> Option<R> {
        let mut state = lock(&self.state);
        let len = state.runs.len();
        (len > 0)
            .then(|| choose(len))
            .and_then(|place| state.runs.remove(place))
    }

    /// Takes no further runs. Returns those that are queued.
    #[cfg(not(drumline_loom))]
    pub(crate) fn hand_over(&self) -> VecDeque<R> {
        let mut state = lock(&self.state);
        state.handed_over = true;
        std::mem::take(&mut state.runs)
    }
}

#[cfg(all(test, drumline_loom))]
mod models {
    // As in the models of the mailbox.
    use std::sync::Arc;

    use loom::sync::atomic::{AtomicUsize, Ordering};
    use loom::thread;

    use crate::actor::run_queue::RunQueue;
    use crate::sync::exploration::bounded;
    use crate::sync::plant::{Plant, must_catch};
    use crate::wait::Parker;

    /// Runs come before and after the second of two threads is one too many.
    fn resize() {
        let queue = Arc::new(RunQueue::new());
        let done = Arc::new((AtomicUsize::new(0), Parker::new()));
        let threads: Vec<_> = (0..queue.resize(2))
            .map(|_| {
                let (queue, done) = (Arc::clone(&queue), Arc::clone(&done));
                thread::spawn(move || {
                    let parker = Arc::new(Parker::new());
                    while let Some(run) = queue.next(&parker) {
                        if done.0.fetch_add(run, Ordering::AcqRel) + run == 3 {
                            done.1.unpark();
                        }
                    }
                })
            })
            .collect();
        assert_eq!(queue.push(1), None);
        assert_eq!(queue.resize(1), 0);
        assert_eq!(queue.push(2), None);
        done.1.park();
        queue.close();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!((queue.len(), queue.threads()), (0, 1));
    }

    fn explore() {
        bounded(3).check(resize);
    }

    #[test]
    fn loom_actor_resize() {
        explore();
    }

    #[test]
    fn loom_plants_actor_resize() {
        must_catch(Plant::RunQueueResizesSilently, explore);
    }
}
