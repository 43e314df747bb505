//! State that is made once per thread that takes part.
//!
//! `map_init` makes a state per part of the loop, because its state need not be [`Send`]. Here it
//! is, so states can wait on a shelf while none uses them: a thread takes one for a run of items
//! and puts it back, and makes one only if the shelf is empty. A thread goes through one run at a
//! time, so there are never more states than threads that took part.

use crate::iter::item_op::Plan;
use crate::iter::map_op::{MapOp, map_op_adapter};
use crate::sync::{Mutex, lock};

map_op_adapter! {
    /// The items of another iterator, mapped with a state that each thread has for itself; see
    /// [`map_worker`](crate::iter::ParallelIterator::map_worker).
    MapWorker<I, INIT, F> { init: INIT, op: F }
    where [S, R] {
        INIT: Fn() -> S + Sync + Send,
        S: Send,
        F: Fn(&mut S, I::Item) -> R + Sync + Send,
        R: Send,
    }
    yields R;
    plan WithShelf { shelf: &Shelf::new(&init), op: &op };
}

/// Where states wait for the next run.
struct Shelf<'f, S, INIT> {
    free: Mutex<Vec<S>>,
    init: &'f INIT,
}

impl<'f, S, INIT> Shelf<'f, S, INIT>
where
    INIT: Fn() -> S,
{
    fn new(init: &'f INIT) -> Self {
        Shelf {
            free: Mutex::new(Vec::new()),
            init,
        }
    }

    fn take(&self) -> S {
        let free = lock(&self.free).pop();
        free.unwrap_or_else(self.init)
    }

    fn put(&self, state: S) {
        lock(&self.free).push(state);
    }
}

/// The plan: applies `op` with a state from the shelf.
struct WithShelf<'f, S, INIT, F> {
    shelf: &'f Shelf<'f, S, INIT>,
    op: &'f F,
}

impl<S, INIT, F> Clone for WithShelf<'_, S, INIT, F> {
    fn clone(&self) -> Self {
        WithShelf {
            shelf: self.shelf,
            op: self.op,
        }
    }
}

impl<'f, S, INIT, F> Plan for WithShelf<'f, S, INIT, F>
where
    S: Send,
    INIT: Fn() -> S + Sync,
    F: Sync,
{
    type ItemOp = WithState<'f, S, INIT, F>;

    fn begin(self) -> Self::ItemOp {
        WithState {
            shelf: self.shelf,
            op: self.op,
            state: None,
        }
    }
}

/// The item operation: has a state as long as a run lasts.
struct WithState<'f, S, INIT, F>
where
    INIT: Fn() -> S,
{
    shelf: &'f Shelf<'f, S, INIT>,
    op: &'f F,
    state: Option<S>,
}

impl<T, R, S, INIT, F> MapOp<T> for WithState<'_, S, INIT, F>
where
    INIT: Fn() -> S,
    F: Fn(&mut S, T) -> R,
{
    type Item = R;

    #[inline]
    fn apply(&mut self, item: T) -> R {
        let state = self.state.get_or_insert_with(|| self.shelf.take());
        (self.op)(state, item)
    }

    fn rest(&mut self) {
        if let Some(state) = self.state.take() {
            self.shelf.put(state);
        }
    }
}

impl<S, INIT, F> Drop for WithState<'_, S, INIT, F>
where
    INIT: Fn() -> S,
{
    fn drop(&mut self) {
        // A state is dropped if `op` has panicked with it: no thread may use it again.
        if let Some(state) = self.state.take()
            && !std::thread::panicking()
        {
            self.shelf.put(state);
        }
    }
}
