//! The type that programs use.

use std::{fmt, vec};

use super::own::HeldIndex;
use super::table::Table;

/// A value for each thread that asks for one, made on first use.
///
/// This is the table for programs that keep something per thread: a buffer, a random number
/// generator, a histogram, a matcher. It works on every thread: on the workers of all pools, on
/// guests, on spare threads, on threads that are in no pool. It grows as threads appear, and no
/// value ever moves. (A vector that is indexed by [`worker_index`](crate::worker_index()) does not
/// grow; it is right only in pools with a [bound](crate::PoolBuilder::spares) on their indices.)
///
/// ```
/// use std::cell::Cell;
///
/// use drumline::WorkerLocal;
/// use drumline::prelude::*;
///
/// let counts = WorkerLocal::new(|| Cell::new(0));
/// (0..1_000).into_par_iter().for_each(|_| {
///     counts.with(|count| count.set(count.get() + 1)); // no lock, no atomic operation
/// });
/// // One value for each thread that took part.
/// let total: u32 = counts.into_iter().map(Cell::into_inner).sum();
/// assert_eq!(total, 1_000);
/// ```
///
/// # Which thread has which value
///
/// Threads that are alive at the same time have different values. When a thread ends, the next one
/// that appears takes its value over, with what is in it. So there are never more values than
/// threads were alive at once, and `T` is [`Send`].
///
/// [`with`](Self::with) gives a shared reference. While a closure waits in Drumline, its thread may
/// run another closure on top of it. That one gets the same value. So a `T` that is to be changed
/// has interior mutability: a [`Cell`](std::cell::Cell), or a [`RefCell`](std::cell::RefCell) that
/// is not borrowed across a wait. It need not be `Sync`.
///
/// ```
/// use std::cell::RefCell;
/// use std::collections::HashMap;
///
/// use drumline::WorkerLocal;
/// use drumline::prelude::*;
///
/// // A static, for all pools and threads of the program.
/// static WORDS: WorkerLocal<RefCell<HashMap<String, usize>>> =
///     WorkerLocal::new(|| RefCell::new(HashMap::new()));
///
/// "a rose is a rose is a rose".par_split(' ').for_each(|word| {
///     WORDS.with(|words| *words.borrow_mut().entry(word.to_owned()).or_default() += 1);
/// });
/// ```
pub struct WorkerLocal<T, F = fn() -> T> {
    table: Table<T>,
    make: F,
}

impl<T, F: Fn() -> T> WorkerLocal<T, F> {
    /// No values yet; `make` makes that of each thread.
    ///
    /// ```
    /// use drumline::WorkerLocal;
    ///
    /// static NAMES: WorkerLocal<Option<String>> =
    ///     WorkerLocal::new(|| std::thread::current().name().map(String::from));
    ///
    /// let name = NAMES.with(|name| name.clone());
    /// assert_eq!(name.as_deref(), std::thread::current().name());
    /// ```
    pub const fn new(make: F) -> Self {
        WorkerLocal {
            table: Table::new(),
            make,
        }
    }
}

impl<T: Send, F: Fn() -> T> WorkerLocal<T, F> {
    /// Calls `f` with the value of this thread, and makes that first if there is none.
    ///
    /// A call inside of `f`, or of a closure that runs on top of `f`, gets the same value. So does
    /// a call while the value is being made, if the closure that makes it waits: then the value
    /// that was made first stays, and the other one is dropped.
    ///
    /// ```
    /// use std::cell::RefCell;
    ///
    /// use drumline::WorkerLocal;
    ///
    /// let buffers = WorkerLocal::new(|| RefCell::new(Vec::with_capacity(4_096)));
    /// let sum = |numbers: &[u64]| {
    ///     buffers.with(|buffer| {
    ///         let mut buffer = buffer.borrow_mut();
    ///         buffer.clear(); // it may hold what an earlier call left
    ///         buffer.extend(numbers.iter().map(|n| n * n));
    ///         buffer.iter().sum::<u64>()
    ///     })
    /// };
    /// assert_eq!(drumline::join(|| sum(&[1, 2]), || sum(&[3, 4])), (5, 25));
    /// ```
    ///
    /// # Panics
    ///
    /// If the closure that makes the value panics: then there is none, and the next call tries
    /// again.
    #[inline]
    pub fn with<R>(&self, f: impl FnOnce(&T) -> R) -> R {
        let held = HeldIndex::new();
        // SAFETY: the index is this thread's until `held` is dropped, which is after `f`. It was
        // taken with Acquire from the Release with which its last holder gave it back.
        let value = unsafe { self.table.get_or_make(held.index(), &self.make) };
        f(value)
    }
}

impl<T: Send, F> WorkerLocal<T, F> {
    /// The values that have been made so far, in no particular order.
    ///
    /// Other threads may use and make values meanwhile. So `T` is [`Sync`].
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// use drumline::WorkerLocal;
    ///
    /// let counts = WorkerLocal::new(|| AtomicUsize::new(0));
    /// let count = || counts.with(|count| count.fetch_add(1, Ordering::Relaxed));
    /// drumline::join(count, count);
    /// let total: usize = counts.iter().map(|count| count.load(Ordering::Relaxed)).sum();
    /// assert_eq!(total, 2);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &T>
    where
        T: Sync,
    {
        self.table.values()
    }

    /// All values, in no particular order.
    ///
    /// ```
    /// use std::cell::Cell;
    ///
    /// use drumline::WorkerLocal;
    ///
    /// let mut counts = WorkerLocal::new(|| Cell::new(0));
    /// counts.with(|count| count.set(7));
    /// let total: i32 = counts.iter_mut().map(|count| *count.get_mut()).sum();
    /// assert_eq!(total, 7);
    /// counts.iter_mut().for_each(|count| count.set(0)); // and once more
    /// ```
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.table.values_mut()
    }
}

impl<T: Send, F> IntoIterator for WorkerLocal<T, F> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    /// All values, in no particular order.
    fn into_iter(mut self) -> vec::IntoIter<T> {
        self.table.take_values().into_iter()
    }
}

impl<T: Default> Default for WorkerLocal<T> {
    /// The value of each thread is the default.
    fn default() -> Self {
        WorkerLocal::new(T::default)
    }
}

impl<T, F> fmt::Debug for WorkerLocal<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerLocal").finish_non_exhaustive()
    }
}
