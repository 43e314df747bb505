//! A sequential iterator that stops as soon as a function says so.

use std::ops::ControlFlow::{Break, Continue};

/// Gives the items of another iterator until `over` says that it is over, which it is asked before
/// each item.
#[derive(Debug)]
pub(crate) struct Until<I, F> {
    items: I,
    over: F,
}

impl<I, F> Until<I, F> {
    #[inline]
    pub(crate) fn new(items: I, over: F) -> Self {
        Until { items, over }
    }
}

impl<I, F> Iterator for Until<I, F>
where
    I: Iterator,
    F: Fn() -> bool,
{
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        if (self.over)() {
            return None;
        }
        self.items.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.items.size_hint().1)
    }

    #[inline]
    fn fold<B, G>(mut self, init: B, mut fold: G) -> B
    where
        G: FnMut(B, I::Item) -> B,
    {
        if (self.over)() {
            return init;
        }
        let end = self.items.try_fold(init, |value, item| {
            let value = fold(value, item);
            if (self.over)() {
                Break(value)
            } else {
                Continue(value)
            }
        });
        match end {
            Break(value) | Continue(value) => value,
        }
    }
}
