//! Gathers items in place, in a value per consumer.

use super::work::{At, Work};

/// See [`fold_init`](super::Stream::fold_init).
pub(super) struct FoldInit<W, INIT, OP> {
    pub(super) base: W,
    pub(super) init: INIT,
    pub(super) op: OP,
}

impl<T, W, INIT, OP, A> Work<T> for FoldInit<W, INIT, OP>
where
    W: Work<T>,
    INIT: Fn() -> A + Send + Sync,
    OP: Fn(&mut A, W::Out) + Send + Sync,
    A: Send,
{
    type Out = ();
    type State = (Option<W::State>, A);

    fn begin(&self) -> Self::State {
        (None, (self.init)())
    }

    fn salvage(&self, (base, value): Self::State) -> Option<Self::State> {
        let base = base.and_then(|base| self.base.salvage(base));
        Some((base, value))
    }

    #[inline]
    fn work(&self, state: &mut Self::State, at: &At, item: T, _out: &mut impl FnMut(())) {
        let (base, value) = state;
        let base = base.get_or_insert_with(|| self.base.begin());
        self.base
            .work(base, at, item, &mut |item| (self.op)(value, item));
    }
}
