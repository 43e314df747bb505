//! Many tasks, awaited in the order in which they end.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker, ready};

use crate::future::JoinError;
use crate::spawn::{AbortOnDrop, JoinHandle, spawn, spawn_future};
use crate::sync::{Mutex, lock};
use crate::unwind;
use crate::wait::budget::{self, Budget};

/// Tasks of one type of value, closures and futures, which are awaited in the order in which they
/// end.
///
/// Dropping the set aborts the tasks that have not ended. As tokio's `JoinSet`.
///
/// ```
/// use drumline::TaskSet;
///
/// let sum: u32 = drumline::block_on(async {
///     let mut set = TaskSet::new();
///     for n in 1..=3 {
///         set.spawn(move || n * n);
///     }
///     set.spawn_future(async { 100 });
///     let mut sum = 0;
///     while let Some(square) = set.join_next().await {
///         sum += square.unwrap();
///     }
///     sum
/// });
/// assert_eq!(sum, 114);
/// ```
///
/// # Complexity
///
/// A task that ends costs the set the same, however many there are.
#[doc(alias = "JoinSet")]
pub struct TaskSet<T: Send + 'static> {
    tasks: HashMap<u64, Member<T>>,
    next: u64,
    ended: Arc<Ended>,
}

/// A task of the set. Its handle aborts it when it is dropped.
struct Member<T: Send + 'static> {
    handle: AbortOnDrop<T>,
    waker: Waker,
}

/// The tasks that have ended, as their wakers say.
#[derive(Default)]
struct Ended {
    state: Mutex<EndedState>,
}

#[derive(Default)]
struct EndedState {
    numbers: VecDeque<u64>,
    /// The task that awaits the set.
    waiting: Option<Waker>,
}

impl Ended {
    /// The task of this number has ended.
    fn add(&self, number: u64) {
        let waiting = {
            let mut state = lock(&self.state);
            state.numbers.push_back(number);
            state.waiting.take()
        };
        if let Some(waker) = waiting {
            waker.wake();
        }
    }
}

/// Tells the set that a task has ended.
struct MemberWaker {
    ended: Arc<Ended>,
    number: u64,
}

impl Wake for MemberWaker {
    fn wake(self: Arc<Self>) {
        self.ended.add(self.number);
    }
}

impl<T: Send + 'static> TaskSet<T> {
    /// A set without tasks.
    ///
    /// ```
    /// let mut set = drumline::TaskSet::new();
    /// assert!(set.is_empty());
    /// set.spawn(|| 6 * 7);
    /// assert_eq!(drumline::block_on(set.join_all()), [42]);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        TaskSet {
            tasks: HashMap::new(),
            next: 0,
            ended: Arc::default(),
        }
    }

    /// Starts a closure, as [`drumline::spawn`](crate::spawn()) does.
    ///
    /// ```
    /// let mut set = drumline::TaskSet::new();
    /// for number in 1..=3u32 {
    ///     set.spawn(move || number * number);
    /// }
    /// assert_eq!(drumline::block_on(set.join_all()).iter().sum::<u32>(), 14);
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child, inside a pool of the parent.
    pub fn spawn(&mut self, f: impl FnOnce() -> T + Send + 'static) {
        self.insert(spawn(f));
    }

    /// Starts a future, as [`drumline::spawn_future`](crate::spawn_future()) does.
    ///
    /// ```
    /// let (answer, answered) = drumline::channel::oneshot::channel();
    /// let mut set = drumline::TaskSet::new();
    /// set.spawn_future(answered);
    /// answer.send(42).unwrap();
    /// assert_eq!(drumline::block_on(set.join_next()).unwrap().unwrap(), Ok(42));
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child, inside a pool of the parent.
    pub fn spawn_future(&mut self, future: impl Future<Output = T> + Send + 'static) {
        self.insert(spawn_future(future));
    }

    /// Adds a task that was started elsewhere: in another pool, or before.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// let mut set = drumline::TaskSet::new();
    /// set.insert(pool.spawn(|| 7));
    /// assert_eq!(drumline::block_on(set.join_next()).unwrap().unwrap(), 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the outcome has been taken from the handle by a poll.
    pub fn insert(&mut self, mut handle: JoinHandle<T>) {
        let number = self.next;
        self.next += 1;
        let waker = Waker::from(Arc::new(MemberWaker {
            ended: Arc::clone(&self.ended),
            number,
        }));
        let has_ended = !handle.watch(&waker);
        let handle = handle.abort_on_drop();
        self.tasks.insert(number, Member { handle, waker });
        if has_ended {
            // Last: this may wake what awaits the set, which is code of the program.
            self.ended.add(number);
        }
    }

    /// How many tasks there are with an outcome that was not taken.
    ///
    /// ```
    /// let mut set = drumline::TaskSet::new();
    /// set.spawn(|| 1);
    /// set.spawn(|| 2);
    /// assert_eq!(set.len(), 2);
    /// drumline::block_on(set.join_next());
    /// assert_eq!(set.len(), 1);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there is no task.
    ///
    /// ```
    /// let mut set = drumline::TaskSet::new();
    /// set.spawn(|| 1);
    /// assert!(!set.is_empty());
    /// drumline::block_on(set.join_next());
    /// assert!(set.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Waits until one of the tasks has ended, and takes its outcome. `None`: there are no tasks.
    ///
    /// ```
    /// drumline::block_on(async {
    ///     let mut set = drumline::TaskSet::new();
    ///     set.spawn(|| "done");
    ///     assert_eq!(set.join_next().await.unwrap().unwrap(), "done");
    ///     assert!(set.join_next().await.is_none());
    /// });
    /// ```
    ///
    /// # Cancellation
    ///
    /// If the future is dropped before it is ready, no outcome is lost.
    pub async fn join_next(&mut self) -> Option<Result<T, JoinError>> {
        poll_fn(|cx| self.poll_join_next(cx)).await
    }

    /// As [`join_next`](Self::join_next), for code that polls.
    ///
    /// ```
    /// let mut set = drumline::TaskSet::new();
    /// set.spawn(|| 42);
    /// let outcome = drumline::block_on(std::future::poll_fn(|cx| set.poll_join_next(cx)));
    /// assert_eq!(outcome.unwrap().unwrap(), 42);
    /// ```
    pub fn poll_join_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, JoinError>>> {
        loop {
            if self.tasks.is_empty() {
                return Poll::Ready(None);
            }
            if lock(&self.ended.state).numbers.is_empty() {
                // Without the lock: a clone may run anything.
                let waker = cx.waker().clone();
                let mut state = lock(&self.ended.state);
                if state.numbers.is_empty() {
                    let before = state.waiting.replace(waker);
                    drop(state);
                    drop(before);
                    return Poll::Pending;
                }
            }
            // Before the number is taken out: a waker that panics must not lose it.
            ready!(budget::proceed(cx));
            let number = lock(&self.ended.state).numbers.pop_front();
            if let Some(outcome) = number.and_then(|number| self.take(number)) {
                return Poll::Ready(Some(outcome));
            }
        }
    }

    /// The outcome of a task that has ended, if there is one.
    ///
    /// ```
    /// let mut set = drumline::TaskSet::new();
    /// set.spawn(|| 1);
    /// let one = loop {
    ///     if let Some(outcome) = set.try_join_next() {
    ///         break outcome.unwrap();
    ///     }
    ///     std::thread::yield_now();
    /// };
    /// assert_eq!(one, 1);
    /// ```
    pub fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
        loop {
            let number = lock(&self.ended.state).numbers.pop_front()?;
            if let Some(outcome) = self.take(number) {
                return Some(outcome);
            }
        }
    }

    /// The outcome of this task, if it has ended and is still there.
    fn take(&mut self, number: u64) -> Option<Result<T, JoinError>> {
        let member = self.tasks.get_mut(&number)?;
        // The caller has paid for it.
        let _budget = Budget::begin(budget::poller());
        let mut cx = Context::from_waker(&member.waker);
        match Pin::new(&mut member.handle).poll(&mut cx) {
            Poll::Ready(outcome) => {
                self.tasks.remove(&number);
                Some(outcome)
            }
            Poll::Pending => None,
        }
    }

    /// Waits for all tasks, and returns their values in the order in which they ended.
    ///
    /// ```
    /// let mut set = drumline::TaskSet::new();
    /// set.spawn(|| 1);
    /// set.spawn_future(async { 2 });
    /// let mut values = drumline::block_on(set.join_all());
    /// values.sort();
    /// assert_eq!(values, [1, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// If a task panics, with its payload, and if one was cancelled; the others are aborted.
    ///
    /// # Cancellation
    ///
    /// The future owns the set. If it is dropped before it is ready, the tasks are aborted, and the
    /// values of those that have ended are lost.
    pub async fn join_all(mut self) -> Vec<T> {
        let mut values = Vec::with_capacity(self.len());
        while let Some(outcome) = self.join_next().await {
            match outcome {
                Ok(value) => values.push(value),
                Err(error) => match error.try_into_panic() {
                    Ok(payload) => unwind::resume(payload),
                    Err(error) => panic!("`join_all` of a set in which {error}"),
                },
            }
        }
        values
    }

    /// Asks all tasks to stop; see [`JoinHandle::abort`]. Their outcomes are still to be awaited.
    ///
    /// ```
    /// drumline::block_on(async {
    ///     let mut set = drumline::TaskSet::new();
    ///     set.spawn_future(std::future::pending::<()>());
    ///     set.abort_all();
    ///     assert!(set.join_next().await.unwrap().unwrap_err().is_cancelled());
    /// });
    /// ```
    ///
    /// # Panics
    ///
    /// If what a closure has captured panics when it is dropped, with the first such payload, after
    /// all tasks have been asked.
    pub fn abort_all(&self) {
        let mut panic = None;
        for member in self.tasks.values() {
            if let Err(payload) = unwind::catch(|| member.handle.abort()) {
                match panic {
                    None => panic = Some(payload),
                    Some(_) => unwind::discard(payload),
                }
            }
        }
        if let Some(payload) = panic {
            unwind::resume(payload);
        }
    }

    /// Aborts all tasks, and waits until they have ended.
    ///
    /// ```
    /// drumline::block_on(async {
    ///     let mut set = drumline::TaskSet::new();
    ///     set.spawn_future(std::future::pending::<()>());
    ///     set.shutdown().await;
    ///     assert!(set.is_empty());
    /// });
    /// ```
    ///
    /// # Panics
    ///
    /// As [`abort_all`](Self::abort_all).
    ///
    /// # Cancellation
    ///
    /// The tasks are asked to stop by the first poll. If the future is dropped later, those that
    /// have not ended stay in the set.
    pub async fn shutdown(&mut self) {
        self.abort_all();
        while self.join_next().await.is_some() {}
    }

    /// Lets all tasks go on without the set.
    ///
    /// ```
    /// let (send, receive) = std::sync::mpsc::channel();
    /// let mut set = drumline::TaskSet::new();
    /// set.spawn(move || send.send("done"));
    /// set.detach_all();
    /// drop(set); // aborts nothing
    /// assert_eq!(receive.recv(), Ok("done"));
    /// ```
    pub fn detach_all(&mut self) {
        for (_, member) in self.tasks.drain() {
            drop(member.handle.into_handle());
        }
    }
}

impl<T: Send + 'static> Default for TaskSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Send + 'static> fmt::Debug for TaskSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskSet").field("len", &self.len()).finish()
    }
}

impl<T: Send + 'static> Extend<JoinHandle<T>> for TaskSet<T> {
    fn extend<I: IntoIterator<Item = JoinHandle<T>>>(&mut self, handles: I) {
        for handle in handles {
            self.insert(handle);
        }
    }
}

impl<T: Send + 'static> FromIterator<JoinHandle<T>> for TaskSet<T> {
    fn from_iter<I: IntoIterator<Item = JoinHandle<T>>>(handles: I) -> Self {
        let mut set = TaskSet::new();
        set.extend(handles);
        set
    }
}
