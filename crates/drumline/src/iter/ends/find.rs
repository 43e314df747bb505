//! `find_any`, `find_map_any`, `any` and `all`.

use std::ops::ControlFlow::{Break, Continue};

use super::reduction::{Join, Reduction};
use crate::sync::atomic::{AtomicBool, Ordering};

/// Stops all threads as soon as something is made of an item.
#[derive(Debug)]
pub(crate) struct FindAny<'f, P> {
    pick: &'f P,
    found: AtomicBool,
}

impl<'f, P> FindAny<'f, P> {
    pub(crate) fn new(pick: &'f P) -> Self {
        FindAny {
            pick,
            found: AtomicBool::new(false),
        }
    }

    #[inline]
    fn is_over(&self) -> bool {
        // Relaxed: it only saves work. What was found is in the result.
        self.found.load(Ordering::Relaxed)
    }

    fn announce(&self) {
        // Relaxed: as above.
        self.found.store(true, Ordering::Relaxed);
    }
}

impl<R, P: Sync> Join<Option<R>> for FindAny<'_, P> {
    fn join(&self, left: Option<R>, right: Option<R>) -> Option<R> {
        left.or(right)
    }
}

impl<T, R, P> Reduction<T> for FindAny<'_, P>
where
    R: Send,
    P: Fn(T) -> Option<R> + Sync,
{
    type Value = Option<R>;

    #[inline]
    fn begin(&self) -> Option<R> {
        None
    }

    #[inline]
    fn take(&self, value: Option<R>, item: T) -> Option<R> {
        if value.is_some() {
            return value;
        }
        let found = (self.pick)(item);
        if found.is_some() {
            self.announce();
        }
        found
    }

    #[inline]
    fn take_all<I>(&self, value: Option<R>, mut items: I) -> Option<R>
    where
        I: Iterator<Item = T>,
    {
        if value.is_some() {
            return value;
        }
        let end = items.try_for_each(|item| match (self.pick)(item) {
            None if self.is_over() => Break(None),
            None => Continue(()),
            found => Break(found),
        });
        let Break(Some(found)) = end else {
            return None;
        };
        self.announce();
        Some(found)
    }

    #[inline]
    fn over(&self) -> bool {
        self.is_over()
    }
}
