//! The serial end of a stage as an async stream.
//!
//! A poll takes what is finished. If nothing is, it leaves its waker in the stage state, and sees
//! to it that a consumer is called. It does no work of the stage itself and does not look into the
//! source, so it does not wait for either.
//!
//! # Why it is sound
//!
//! The async stream may be forgotten, at any time and in any state, like any value. Then nothing
//! stops the stream of work. Its consumers go on until as much is in flight as may be. So nothing
//! that they touch may be borrowed. That is why only a stage that is `'static` becomes an async
//! stream: the `Stage` owns the source, the functions and the results, and each consumer holds it
//! with an `Arc`. Stages that borrow run inside of [`Serial::with`](super::Serial::with). Its own
//! frame waits for the consumers, and no future or async stream comes out of that frame.
//!
//! # The race feared
//!
//! *A batch is finished between the look and the waker.* Both are one step under the lock of the
//! stage state. The consumer that hands the batch in takes the waker out under that lock, and wakes
//! it after the lock.
//!
//! *No consumer comes.* A poll that finds nothing calls one if none is at work. A pool may have no
//! thread for it: it is over, or the system refused its threads. The poll that calls learns that at
//! once, and starts a thread instead (`TasksOrThreads`). If another consumer had called in vain
//! before, the next poll that finds nothing repeats the call (`StageState::recall`). If the system
//! refuses the thread, too, the polls do the work, and wait for the source: rather late than never.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::vec;

use super::consumers::ConsumerKind;
use super::executor::{ConsumerBody, Detached, Executor, Tasks, Threads};
use super::results::{Adrift, Asked, Batches, Wait};
use super::serial::{Serial, finished};
use super::source::Source;
use super::stage::Stage;
use super::stage_state::NextBatch;
use super::work::Work;
use crate::sync::Arc;
use crate::wait::budget;

/// Consumers that are tasks of a pool, or threads once that pool has none.
struct TasksOrThreads {
    tasks: Tasks,
    threads: Threads<'static, Detached>,
}

impl Executor<'static> for TasksOrThreads {
    fn call(&self, consumer_body: Arc<dyn ConsumerBody<'static>>) {
        if !self.tasks.try_call(&consumer_body) {
            self.threads.call(consumer_body);
        }
    }

    /// If there are neither tasks nor threads.
    fn takes_caller(&self) -> bool {
        Executor::takes_caller(&self.threads)
    }

    fn may_lose_calls(&self) -> bool {
        self.tasks.has_no_pool()
    }

    fn dismiss(&self) {
        self.threads.dismiss();
    }
}

/// What gives batches to a task.
trait PollBatches<T>: Send {
    /// The next batch, or `None` at the end; else the task is woken when there is one.
    fn poll_batch(&mut self, context: &mut Context<'_>) -> Poll<Option<Vec<T>>>;
}

/// A stage with results that a task awaits.
struct AwaitedStage<S: Source, W: Work<S::Item>, C: Executor<'static>> {
    /// Stops the stage when it is dropped.
    inner: Adrift<S, W, C>,
    /// No consumer can come: the polls do the work.
    works_here: bool,
}

impl<S, W, C> AwaitedStage<S, W, C>
where
    S: Source,
    W: Work<S::Item>,
    C: Executor<'static>,
{
    fn new(stage: Arc<Stage<S, W>>, executor: C) -> Self {
        AwaitedStage {
            inner: Adrift {
                stage,
                executor,
                solo: None,
            },
            works_here: false,
        }
    }
}

impl<S, W, C> PollBatches<W::Out> for AwaitedStage<S, W, C>
where
    S: Source + 'static,
    W: Work<S::Item> + 'static,
    C: Executor<'static> + Send + Sync,
{
    fn poll_batch(&mut self, context: &mut Context<'_>) -> Poll<Option<Vec<W::Out>>> {
        let stage = Arc::clone(&self.inner.stage);
        let stage_state = &stage.stage_state;
        while !self.works_here {
            // Outside of the lock: this is code of the program, and so is its drop.
            let mut waker = Some(context.waker().clone());
            match stage_state.next_or_wake(&mut waker) {
                NextBatch::Batch(batch, call) => {
                    if call {
                        stage.call(&self.inner.executor);
                    }
                    if !batch.is_empty() {
                        return Poll::Ready(Some(batch));
                    }
                    // Everything in it was left out. There may be many of these.
                    ready!(budget::proceed(context));
                }
                NextBatch::Wait => {
                    let executor = &self.inner.executor;
                    let call = stage_state.summon()
                        || stage.is_blind && stage_state.wants_watch()
                        || executor.may_lose_calls() && stage_state.recall();
                    if call {
                        stage.call(executor);
                    }
                    self.works_here = executor.takes_caller();
                    if !self.works_here {
                        return Poll::Pending;
                    }
                    // From now on it is a thread that sleeps.
                    stage_state.forget_waker();
                }
                NextBatch::Over => break,
            }
        }
        // Over, or the work is done here.
        Poll::Ready(match self.inner.next_batch(Wait::ForEver) {
            Asked::One(item) => Some(vec![item]),
            Asked::Batch(batch) => Some(batch),
            Asked::Empty | Asked::Over => None,
        })
    }
}

impl<S: Source, W: Work<S::Item>, C: Executor<'static>> Drop for AwaitedStage<S, W, C> {
    fn drop(&mut self) {
        self.inner.stage.stage_state.forget_waker();
    }
}

/// What comes of a stage, as an async stream (`futures_core::Stream`); made by
/// [`Serial::into_async`].
///
/// After its end it says so again when it is polled.
#[must_use = "an async stream does nothing unless it is polled"]
pub struct AsyncResults<T> {
    batches: Box<dyn PollBatches<T>>,
    current: vec::IntoIter<T>,
    is_over: bool,
}

impl<S, W> Serial<S, W>
where
    S: Source + 'static,
    W: Work<S::Item> + 'static,
{
    /// The results as an async stream (`futures_core::Stream`), for a stage that borrows nothing;
    /// with the feature `futures`.
    ///
    /// It begins with the first poll, and stops when the async stream is dropped: what was in
    /// flight is finished, but no thread waits for it. A task that awaits a result holds no thread.
    /// If it is slow, what [is in flight](super::Stream::in_flight) has its limit, and so nothing
    /// more is taken from the source.
    ///
    /// ```
    /// use drumline::stream;
    /// use futures_util::StreamExt;
    ///
    /// let squares = stream::iter(1..=4).map_ordered(|n| n * n).into_async();
    /// let task = drumline::spawn_future(squares.collect::<Vec<_>>());
    /// assert_eq!(task.join().unwrap(), [1, 4, 9, 16]);
    /// ```
    ///
    /// # Panics
    ///
    /// The poll at its end panics if a function of the stage has panicked and that
    /// [stopped](super::OnPanic::Stop) it. Polls panic in a forked child.
    ///
    /// # Blocking
    ///
    /// A poll neither works on items nor waits. Its caller is no consumer, so there is at least one
    /// other thread. Where the pool is over or could not be given threads, a thread is started for
    /// the stream; if the system refuses that, too, polls handle items and may wait in the source.
    ///
    /// # Complexity
    ///
    /// A batch costs a poll one lock of the stage's; its other items cost nothing more.
    pub fn into_async(self) -> AsyncResults<W::Out> {
        let most = self.consumers.most();
        let finished = finished(self.is_ordered);
        let stage = Stage::new(self.feed, self.work, self.settings, most, finished);
        if let ConsumerKind::Threads(threads) = self.consumers.kind {
            let threads = Threads::new(Detached, threads.get(), false);
            return AsyncResults::new(AwaitedStage::new(stage, threads));
        }
        let executor = TasksOrThreads {
            tasks: Tasks {
                registry: self.consumers.share(),
            },
            threads: Threads::new(Detached, 1, false),
        };
        AsyncResults::new(AwaitedStage::new(stage, executor))
    }
}

impl<T> AsyncResults<T> {
    fn new(batches: impl PollBatches<T> + 'static) -> Self {
        AsyncResults {
            batches: Box::new(batches),
            current: Vec::new().into_iter(),
            is_over: false,
        }
    }
}

/// Nothing in it is pinned: results are handed out, not lent.
impl<T> Unpin for AsyncResults<T> {}

impl<T> futures_core::Stream for AsyncResults<T> {
    type Item = T;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let this = self.get_mut();
        loop {
            if this.current.len() > 0 {
                ready!(budget::proceed(context));
                return Poll::Ready(this.current.next());
            }
            if this.is_over {
                return Poll::Ready(None);
            }
            // Said first: after a panic, too, it is over.
            this.is_over = true;
            let polled = this.batches.poll_batch(context);
            this.is_over = matches!(polled, Poll::Ready(None));
            match ready!(polled) {
                Some(batch) => this.current = batch.into_iter(),
                None => return Poll::Ready(None),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let known = self.current.len();
        (known, self.is_over.then_some(known))
    }
}

impl<T> fmt::Debug for AsyncResults<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncResults")
            .field("is_over", &self.is_over)
            .finish_non_exhaustive()
    }
}
