//! What consumers do with items: chains of functions, run on one item after another.

use std::cell::Cell;
use std::fmt;

/// The item at hand: its number in the source, and a way to stop the stream.
#[derive(Debug)]
pub struct At {
    index: Cell<u64>,
    stop: Cell<bool>,
}

impl At {
    pub(super) fn new() -> Self {
        At {
            index: Cell::new(0),
            stop: Cell::new(false),
        }
    }

    pub(super) fn go_to(&self, index: u64) {
        self.index.set(index);
    }

    pub(super) fn index(&self) -> u64 {
        self.index.get()
    }

    /// Nothing more shall be pulled.
    pub(super) fn stop(&self) {
        self.stop.set(true);
    }

    pub(super) fn take_stop(&self) -> bool {
        self.stop.take()
    }

    /// Whether something has said so at this item, or at one before it.
    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.get()
    }
}

/// What is done with each item, with a state per consumer. What comes of it goes to `out`.
///
/// ```
/// use drumline::stream::{self, Feed, Stream, Work};
///
/// /// How many items come of any stream, whatever it does with them.
/// fn count<F: Feed, W: Work<F::Item>>(stream: Stream<F, W>) -> usize {
///     stream.count()
/// }
///
/// assert_eq!(count(stream::iter(0..10).filter(|number| number % 2 == 0)), 5);
/// ```
pub trait Work<T>: Send + Sync {
    /// What comes of an item.
    type Out: Send;
    /// What each consumer has for itself.
    type State: Send;

    /// The state of another consumer. For the library only.
    #[doc(hidden)]
    fn begin(&self) -> Self::State;

    /// What is left of a state with which an item has panicked. For the library only.
    #[doc(hidden)]
    fn salvage(&self, state: Self::State) -> Option<Self::State> {
        crate::unwind::discard(state);
        None
    }

    /// Does it. For the library only.
    #[doc(hidden)]
    fn work(&self, state: &mut Self::State, at: &At, item: T, out: &mut impl FnMut(Self::Out));
}

/// Hands items on as they are: the work of a stream that [`iter`](super::iter()) has begun.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pass;

impl<T: Send> Work<T> for Pass {
    type Out = T;
    type State = ();

    fn begin(&self) {}

    #[inline]
    fn work(&self, (): &mut (), _at: &At, item: T, out: &mut impl FnMut(T)) {
        out(item);
    }
}

/// [`Work`] that makes one thing of each item, so that what comes of a stream has the numbers of
/// the source: everything but [`filter`](super::Stream::filter),
/// [`filter_map`](super::Stream::filter_map) and [`flat_map`](super::Stream::flat_map).
///
/// ```
/// use drumline::stream::{self, Feed, IndexedWork, Stream};
///
/// /// The number of the first item that comes twice in a row.
/// fn first_twin<F: Feed, W: IndexedWork<F::Item, Out: PartialEq>>(
///     stream: Stream<F, W>,
/// ) -> Option<usize> {
///     let mut last = None;
///     stream.enumerate().ordered().with(|items| {
///         items.find_map(|(index, item)| {
///             let is_twin = last.as_ref() == Some(&item);
///             last = Some(item);
///             is_twin.then_some(index)
///         })
///     })
/// }
///
/// assert_eq!(first_twin(stream::iter([1, 2, 2, 3]).map(|n| n * n)), Some(2));
/// ```
#[diagnostic::on_unimplemented(
    message = "items of this stream have no numbers",
    label = "what comes of an item may be nothing here, or more than one thing",
    note = "call `enumerate` and `take` before `filter`, `filter_map` and `flat_map`; after these, \
            `ordered()` has `enumerate` and `take` of its iterator: \
            `.ordered().with(|results| results.take(10).collect::<Vec<_>>())`"
)]
pub trait IndexedWork<T>: Work<T> {}

impl<T: Send> IndexedWork<T> for Pass {}

macro_rules! debug_without_closure {
    ($($Link:ident)*) => {$(
        impl<W: fmt::Debug, F> fmt::Debug for $Link<W, F> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Link))
                    .field("base", &self.base)
                    .finish_non_exhaustive()
            }
        }
    )*};
}

debug_without_closure! { Map Filter FilterMap FlatMap TryMap Inspect }

/// One item of each; see [`map`](super::Stream::map).
#[derive(Clone)]
pub struct Map<W, F> {
    pub(super) base: W,
    pub(super) op: F,
}

impl<T, W, F, R> Work<T> for Map<W, F>
where
    W: Work<T>,
    F: Fn(W::Out) -> R + Send + Sync,
    R: Send,
{
    type Out = R;
    type State = W::State;

    fn begin(&self) -> W::State {
        self.base.begin()
    }

    #[inline]
    fn work(&self, state: &mut W::State, at: &At, item: T, out: &mut impl FnMut(R)) {
        self.base
            .work(state, at, item, &mut |item| out((self.op)(item)));
    }
}

impl<T, W, F, R> IndexedWork<T> for Map<W, F>
where
    W: IndexedWork<T>,
    F: Fn(W::Out) -> R + Send + Sync,
    R: Send,
{
}

/// The items, after a look at them; see [`inspect`](super::Stream::inspect).
#[derive(Clone)]
pub struct Inspect<W, F> {
    pub(super) base: W,
    pub(super) op: F,
}

impl<T, W, F> Work<T> for Inspect<W, F>
where
    W: Work<T>,
    F: Fn(&W::Out) + Send + Sync,
{
    type Out = W::Out;
    type State = W::State;

    fn begin(&self) -> W::State {
        self.base.begin()
    }

    #[inline]
    fn work(&self, state: &mut W::State, at: &At, item: T, out: &mut impl FnMut(W::Out)) {
        self.base.work(state, at, item, &mut |item| {
            (self.op)(&item);
            out(item);
        });
    }
}

impl<T, W, F> IndexedWork<T> for Inspect<W, F>
where
    W: IndexedWork<T>,
    F: Fn(&W::Out) + Send + Sync,
{
}

/// The items with their numbers; see [`enumerate`](super::Stream::enumerate).
#[derive(Clone, Debug)]
pub struct Enumerate<W> {
    pub(super) base: W,
}

impl<T, W: IndexedWork<T>> Work<T> for Enumerate<W> {
    type Out = (usize, W::Out);
    type State = W::State;

    fn begin(&self) -> W::State {
        self.base.begin()
    }

    #[inline]
    fn work(&self, state: &mut W::State, at: &At, item: T, out: &mut impl FnMut(Self::Out)) {
        self.base.work(state, at, item, &mut |item| {
            let index = usize::try_from(at.index()).expect("fewer items than a `usize` can count");
            out((index, item));
        });
    }
}

impl<T, W: IndexedWork<T>> IndexedWork<T> for Enumerate<W> {}

/// Some of them; see [`filter`](super::Stream::filter).
#[derive(Clone)]
pub struct Filter<W, F> {
    pub(super) base: W,
    pub(super) op: F,
}

impl<T, W, F> Work<T> for Filter<W, F>
where
    W: Work<T>,
    F: Fn(&W::Out) -> bool + Send + Sync,
{
    type Out = W::Out;
    type State = W::State;

    fn begin(&self) -> W::State {
        self.base.begin()
    }

    #[inline]
    fn work(&self, state: &mut W::State, at: &At, item: T, out: &mut impl FnMut(W::Out)) {
        self.base.work(state, at, item, &mut |item| {
            if (self.op)(&item) {
                out(item);
            }
        });
    }
}

/// One item of some of them; see [`filter_map`](super::Stream::filter_map).
#[derive(Clone)]
pub struct FilterMap<W, F> {
    pub(super) base: W,
    pub(super) op: F,
}

impl<T, W, F, R> Work<T> for FilterMap<W, F>
where
    W: Work<T>,
    F: Fn(W::Out) -> Option<R> + Send + Sync,
    R: Send,
{
    type Out = R;
    type State = W::State;

    fn begin(&self) -> W::State {
        self.base.begin()
    }

    #[inline]
    fn work(&self, state: &mut W::State, at: &At, item: T, out: &mut impl FnMut(R)) {
        self.base.work(state, at, item, &mut |item| {
            if let Some(made) = (self.op)(item) {
                out(made);
            }
        });
    }
}

/// Any number of items of each; see [`flat_map`](super::Stream::flat_map).
#[derive(Clone)]
pub struct FlatMap<W, F> {
    pub(super) base: W,
    pub(super) op: F,
}

impl<T, W, F, R> Work<T> for FlatMap<W, F>
where
    W: Work<T>,
    F: Fn(W::Out) -> R + Send + Sync,
    R: IntoIterator,
    R::Item: Send,
{
    type Out = R::Item;
    type State = W::State;

    fn begin(&self) -> W::State {
        self.base.begin()
    }

    #[inline]
    fn work(&self, state: &mut W::State, at: &At, item: T, out: &mut impl FnMut(R::Item)) {
        self.base.work(state, at, item, &mut |item| {
            (self.op)(item).into_iter().for_each(&mut *out);
        });
    }
}

/// One result of each; an error stops the stream; see [`try_map`](super::Stream::try_map).
#[derive(Clone)]
pub struct TryMap<W, F> {
    pub(super) base: W,
    pub(super) op: F,
}

impl<T, W, F, R, E> Work<T> for TryMap<W, F>
where
    W: Work<T>,
    F: Fn(W::Out) -> Result<R, E> + Send + Sync,
    R: Send,
    E: Send,
{
    type Out = Result<R, E>;
    type State = W::State;

    fn begin(&self) -> W::State {
        self.base.begin()
    }

    #[inline]
    fn work(&self, state: &mut W::State, at: &At, item: T, out: &mut impl FnMut(Result<R, E>)) {
        self.base.work(state, at, item, &mut |item| {
            let result = (self.op)(item);
            if result.is_err() {
                at.stop();
            }
            out(result);
        });
    }
}

impl<T, W, F, R, E> IndexedWork<T> for TryMap<W, F>
where
    W: IndexedWork<T>,
    F: Fn(W::Out) -> Result<R, E> + Send + Sync,
    R: Send,
    E: Send,
{
}

/// One item of each, with a state that each consumer has for itself; see
/// [`map_init`](super::Stream::map_init).
#[derive(Clone)]
pub struct MapInit<W, INIT, F> {
    pub(super) base: W,
    pub(super) init: INIT,
    pub(super) op: F,
}

impl<T, W, INIT, F, S, R> Work<T> for MapInit<W, INIT, F>
where
    W: Work<T>,
    INIT: Fn() -> S + Send + Sync,
    F: Fn(&mut S, W::Out) -> R + Send + Sync,
    S: Send,
    R: Send,
{
    type Out = R;
    type State = (W::State, S);

    fn begin(&self) -> Self::State {
        (self.base.begin(), (self.init)())
    }

    #[inline]
    fn work(&self, state: &mut Self::State, at: &At, item: T, out: &mut impl FnMut(R)) {
        let (base, own) = state;
        self.base
            .work(base, at, item, &mut |item| out((self.op)(own, item)));
    }
}

impl<T, W, INIT, F, S, R> IndexedWork<T> for MapInit<W, INIT, F>
where
    W: IndexedWork<T>,
    INIT: Fn() -> S + Send + Sync,
    F: Fn(&mut S, W::Out) -> R + Send + Sync,
    S: Send,
    R: Send,
{
}

impl<W: fmt::Debug, INIT, F> fmt::Debug for MapInit<W, INIT, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MapInit")
            .field("base", &self.base)
            .finish_non_exhaustive()
    }
}
