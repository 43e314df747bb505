//! What of a shared loop is of the loop's own types: compiled for each chain of a program, and so
//! as little as can be.
//!
//! All else that happens in a shared loop is compiled once. It knows the rest of a part as
//! [`Work`], a thread's folder as an [`Accumulator`], what joins two results as a [`Joiner`], and a result
//! as a [`Value`]. The types behind them are those of one loop, `I` and `C`: all of these come from
//! one [`Joint`](super::Joint), and what is of one loop never meets what is of another.

use std::mem;

use super::Outcome;
use crate::iter::plumbing::chunk_len::ChunkLen;
use crate::iter::plumbing::items::Items;
use crate::iter::plumbing::part::{self, Part};
use crate::iter::plumbing::plant::planted;
use crate::iter::plumbing::{Consumer, Folder, Reducer};

/// Anything: all that can be done with it is to drop it.
trait Anything: Send {}
impl<T: Send> Anything for T {}

/// A result of the loop.
pub(super) struct Value(Box<dyn Anything>);

impl Value {
    pub(super) fn new<T: Send>(value: T) -> Self {
        let value: Box<dyn Anything + '_> = Box::new(value);
        // SAFETY: only the lifetime is another one. The caller of the loop waits until all values
        // have been joined or dropped, so what they borrow is alive.
        Value(unsafe { mem::transmute::<Box<dyn Anything + '_>, Box<dyn Anything>>(value) })
    }

    /// # Safety
    ///
    /// It was made of a `T`.
    pub(super) unsafe fn take<T>(self) -> T {
        let value = Box::into_raw(self.0).cast::<T>();
        // SAFETY: it points to a `T` in a box, which is taken once.
        *unsafe { Box::from_raw(value) }
    }
}

/// What joins two results.
pub(super) trait Joiner: Send {
    /// # Safety
    ///
    /// Both are results of the loop that this is of.
    unsafe fn join(self: Box<Self>, left: Value, right: Value) -> Value;
}

struct Joins<T, C: Consumer<T>>(C::Reducer);

impl<T, C: Consumer<T>> Joiner for Joins<T, C> {
    unsafe fn join(self: Box<Self>, left: Value, right: Value) -> Value {
        // SAFETY: the caller's obligation.
        let (left, right) = unsafe { (left.take::<C::Result>(), right.take::<C::Result>()) };
        Value::new(self.0.reduce(left, right))
    }
}

/// How much a participant takes of what another one has left.
pub(super) enum Share {
    All,
    /// The second half, and what joins the results of both.
    Half(Box<dyn Work>, Box<dyn Joiner>),
}

/// What is left of a part, and where its items go.
///
/// A method that panics leaves it without items.
pub(super) trait Work: Send {
    /// See [`Items::left`]; 0 if there are no items.
    fn left(&self) -> usize;

    /// None are left, but more may come of the chunk that is gone through.
    fn has_items(&self) -> bool;

    /// Divides it with another participant.
    fn share(&mut self, min: usize, is_begun: bool) -> Share;

    /// Splits the last items off, if they can be counted and are not all.
    fn split_last(&mut self, min: usize) -> Option<(Box<dyn Work>, Box<dyn Joiner>)>;

    /// Takes a chunk off, and puts it in the accumulator. The folder there goes on with it if it
    /// `is_begun`. Returns whether there may be more.
    ///
    /// # Safety
    ///
    /// The accumulator is of the same loop.
    unsafe fn detach(&mut self, chunk_len: &ChunkLen, accumulator: *mut (), is_begun: bool)
    -> bool;

    /// Puts all in the accumulator, as the last chunk.
    ///
    /// # Safety
    ///
    /// As for [`detach`](Self::detach).
    unsafe fn detach_all(&mut self, accumulator: *mut ());

    /// Takes back what comes behind a chunk, and was found to be in it.
    ///
    /// # Safety
    ///
    /// `more` points to an `Option` of the items of the same loop, and there are some.
    unsafe fn put_back(&mut self, more: *mut ());
}

/// A part of which a chunk may be gone through.
pub(super) struct Rest<I, C> {
    items: Option<I>,
    consumer: Option<C>,
}

impl<I, C> Rest<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    pub(super) fn hide(part: Part<I, C>) -> Box<dyn Work> {
        Self::boxed(Some(part.items), part.consumer)
    }

    fn boxed(items: Option<I>, consumer: C) -> Box<dyn Work> {
        let consumer = Some(consumer);
        let work: Box<dyn Work + '_> = Box::new(Rest { items, consumer });
        // SAFETY: only the lifetime is another one; as for `Value::new`.
        unsafe { mem::transmute::<Box<dyn Work + '_>, Box<dyn Work>>(work) }
    }

    fn joiner(reducer: C::Reducer) -> Box<dyn Joiner> {
        let joiner: Box<dyn Joiner + '_> = Box::new(Joins::<I::Item, C>(reducer));
        // SAFETY: as above.
        unsafe { mem::transmute::<Box<dyn Joiner + '_>, Box<dyn Joiner>>(joiner) }
    }

    fn take(&mut self) -> (I, C) {
        match (self.items.take(), self.consumer.take()) {
            (Some(items), Some(consumer)) => (items, consumer),
            _ => missing(),
        }
    }

    /// Keeps the first `at` items, and makes a part of the others.
    #[inline(never)]
    fn divide(
        &mut self,
        stays: Option<I>,
        goes: I,
        consumer: C,
        at: usize,
    ) -> (Box<dyn Work>, Box<dyn Joiner>) {
        let (first, second, reducer) = consumer.split_at(at);
        (self.items, self.consumer) = (stays, Some(first));
        (Self::boxed(Some(goes), second), Self::joiner(reducer))
    }

    /// # Safety
    ///
    /// It is the accumulator of a participant of this loop, and used by nothing else now.
    unsafe fn accumulator<'d>(accumulator: *mut ()) -> &'d mut Typed<I, C> {
        // SAFETY: the caller's obligation.
        unsafe { &mut *accumulator.cast::<Typed<I, C>>() }
    }
}

#[cold]
fn missing() -> ! {
    unreachable!("a part has items and a consumer, or is over")
}

impl<I, C> Work for Rest<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    fn left(&self) -> usize {
        self.items.as_ref().map_or(0, Items::left)
    }

    fn has_items(&self) -> bool {
        self.items.is_some()
    }

    fn share(&mut self, min: usize, is_begun: bool) -> Share {
        let (items, consumer) = self.take();
        let (stays, goes, at) = items.share(min);
        if stays.is_none() && !is_begun {
            (self.items, self.consumer) = (Some(goes), Some(consumer));
            return Share::All;
        }
        let (goes, joiner) = self.divide(stays, goes, consumer, at);
        Share::Half(goes, joiner)
    }

    fn split_last(&mut self, min: usize) -> Option<(Box<dyn Work>, Box<dyn Joiner>)> {
        if !I::COUNTED || self.items.as_ref()?.at_most(min.saturating_mul(2)) {
            return None;
        }
        let (items, consumer) = self.take();
        let at = items.left() - min;
        let (first, last) = items.split(at);
        Some(self.divide(Some(first), last, consumer, at))
    }

    unsafe fn detach(
        &mut self,
        chunk_len: &ChunkLen,
        accumulator: *mut (),
        is_begun: bool,
    ) -> bool {
        // SAFETY: the caller's obligation.
        let accumulator = unsafe { Self::accumulator(accumulator) };
        let (items, consumer) = self.take();
        let at = items.chunk(chunk_len);
        let (chunk, rest) = items.detach(chunk_len);
        if rest.is_none() && !I::NESTS {
            (accumulator.chunk, accumulator.consumer) = (Some(chunk), Some(consumer));
            return false;
        }
        let others = match accumulator.folder.take_if(|_| is_begun) {
            Some(so_far) => {
                let (advanced, others) = consumer.advance(so_far, at);
                accumulator.folder = Some(advanced);
                others
            }
            None => {
                let (first, others) = consumer.split_chunk(at);
                accumulator.consumer = Some(first);
                others
            }
        };
        accumulator.chunk = Some(chunk);
        (self.items, self.consumer) = (rest, Some(others));
        true
    }

    unsafe fn detach_all(&mut self, accumulator: *mut ()) {
        // SAFETY: the caller's obligation.
        let accumulator = unsafe { Self::accumulator(accumulator) };
        (accumulator.chunk, accumulator.consumer) = (self.items.take(), self.consumer.take());
    }

    unsafe fn put_back(&mut self, more: *mut ()) {
        // SAFETY: the caller's obligation.
        let more = unsafe { &mut *more.cast::<Option<I>>() };
        if let Some(more) = more.take() {
            self.items = Some(more.before(self.items.take()));
        }
    }
}

/// What a participant has in hand: a chunk, and a folder. It stays on one thread.
pub(super) trait Accumulator {
    /// Where [`Work`] finds it.
    fn address(&mut self) -> *mut ();

    /// Whether the chunk has a consumer of its own, which the folder is to go on for.
    fn has_consumer(&self) -> bool;

    /// Whether a folder can go on elsewhere, as another one.
    fn succeeds(&self) -> bool;

    /// Splits nothing off the consumer, for the folder of an earlier part.
    fn split_nothing(&mut self);

    /// Makes a result of the folder, which becomes another one, for what comes next.
    fn succeed(&mut self) -> Value;

    /// Gives the chunk to the folder. Returns whether that wants no more. `put_back` is called with
    /// what is found to be more than a chunk.
    fn fold(&mut self, chunk_len: &mut ChunkLen, put_back: &mut dyn FnMut(*mut ())) -> bool;

    /// Makes a result of the folder.
    fn close(&mut self) -> Option<Value>;

    /// Drops all that is in it.
    fn discard(&mut self);
}

/// An accumulator of a loop over `I`.
pub(super) struct Typed<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    folder: Option<C::Folder>,
    chunk: Option<I>,
    /// That of the chunk. Without it, the folder is ready for that.
    consumer: Option<C>,
    /// That of no items: it ends what the folder has done so far.
    nothing: Option<C>,
}

impl<I, C> Typed<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    pub(super) fn new(folder: Option<C::Folder>) -> Self {
        Typed {
            folder,
            chunk: None,
            consumer: None,
            nothing: None,
        }
    }
}

impl<I, C> Accumulator for Typed<I, C>
where
    I: Items,
    C: Consumer<I::Item>,
{
    fn address(&mut self) -> *mut () {
        std::ptr::from_mut(self).cast()
    }

    fn has_consumer(&self) -> bool {
        self.consumer.is_some()
    }

    fn succeeds(&self) -> bool {
        C::SUCCEEDS
    }

    fn split_nothing(&mut self) {
        if C::SUCCEEDS
            && let Some(consumer) = self.consumer.take()
        {
            let (nothing, consumer, _) = consumer.split_at(0);
            (self.nothing, self.consumer) = (Some(nothing), Some(consumer));
        }
    }

    fn succeed(&mut self) -> Value {
        match (self.nothing.take(), self.folder.take()) {
            (Some(nothing), Some(folder)) if C::SUCCEEDS => {
                let (result, folder) = nothing.succeed(folder);
                self.folder = Some(folder);
                Value::new(result)
            }
            _ => missing(),
        }
    }

    fn fold(&mut self, chunk_len: &mut ChunkLen, put_back: &mut dyn FnMut(*mut ())) -> bool {
        let (consumer, folder) = (self.consumer.take(), self.folder.take());
        let folder = match (self.chunk.take(), folder) {
            (Some(_), None) if planted!(StolenPartLost) => part::begin(consumer, None),
            (Some(items), folder) if !I::NESTS => part::fold_apart(items, consumer, folder),
            (Some(items), folder) => {
                let folder = part::begin(consumer, folder);
                fold_nested(items, folder, chunk_len, put_back)
            }
            (None, folder) => part::begin(consumer, folder),
        };
        let is_full = folder.full();
        self.folder = Some(folder);
        is_full
    }

    fn close(&mut self) -> Option<Value> {
        let folder = self.folder.take()?;
        Some(Value::new(folder.close(false)))
    }

    fn discard(&mut self) {
        let chunk = (self.chunk.take(), self.consumer.take());
        drop((self.folder.take(), self.nothing.take(), chunk));
    }
}

/// Goes through a chunk of which more can come than it seems: that is open meanwhile.
fn fold_nested<I, F>(
    mut items: I,
    folder: F,
    chunk_len: &mut ChunkLen,
    put_back: &mut dyn FnMut(*mut ()),
) -> F
where
    I: Items,
    F: Folder<I::Item>,
{
    let mut put_back = |items: I| {
        let mut more = Some(items);
        put_back(std::ptr::from_mut(&mut more).cast());
    };
    while let Some(second) = {
        let (first, second) = items.divide(chunk_len);
        items = first;
        second
    } {
        put_back(second);
    }
    let (folder, rest) = items.fold_divided(chunk_len, folder);
    if let Some(rest) = rest {
        put_back(rest);
    }
    folder
}

/// What came of a part, as what it is.
///
/// # Safety
///
/// It is of a loop with results of this type.
pub(super) unsafe fn reveal<R>(outcome: Outcome) -> Result<R, crate::unwind::Payload> {
    // SAFETY: the caller's obligation.
    outcome.map(|value| unsafe { value.take() })
}
