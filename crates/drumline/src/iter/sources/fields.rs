//! Slices and texts that are split where some of their items are, or between them.
//!
//! A place to cut is not known before some item was looked at. To cut one, a loop looks from the
//! place on where it should be cut. What was seen there is remembered, so no item is looked at
//! twice.

use crate::iter::engine::drive::bridge_stretch;
use crate::iter::engine::items::Stretch;
use crate::iter::plumbing::{Folder, UnindexedConsumer};

/// A slice or a text.
pub(crate) trait Whole: Send + Sized {
    /// What a shared reference to it is.
    type View: ?Sized;

    /// A shared reference to it.
    fn view(&self) -> &Self::View;

    /// How long it is.
    fn len(&self) -> usize;

    /// The first place at or behind `at` where it can be cut.
    fn place(&self, at: usize) -> usize;

    /// Cuts it.
    fn cut(self, at: usize) -> (Self, Self);
}

impl<T: Sync> Whole for &[T] {
    type View = [T];

    fn view(&self) -> &[T] {
        self
    }

    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn place(&self, at: usize) -> usize {
        at
    }

    fn cut(self, at: usize) -> (Self, Self) {
        self.split_at(at)
    }
}

impl<T: Send> Whole for &mut [T] {
    type View = [T];

    fn view(&self) -> &[T] {
        self
    }

    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn place(&self, at: usize) -> usize {
        at
    }

    fn cut(self, at: usize) -> (Self, Self) {
        self.split_at_mut(at)
    }
}

impl Whole for &str {
    type View = str;

    fn view(&self) -> &str {
        self
    }

    fn len(&self) -> usize {
        str::len(self)
    }

    fn place(&self, at: usize) -> usize {
        place_in(self, at)
    }

    fn cut(self, at: usize) -> (Self, Self) {
        self.split_at(at)
    }
}

/// The first place at or behind `at` where a character begins, or the end.
pub(crate) fn place_in(text: &str, at: usize) -> usize {
    let mut places = at..text.len();
    let place = places.find(|&place| text.is_char_boundary(place));
    place.unwrap_or(text.len())
}

/// Where one field ends and the next one begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    pub(crate) end: usize,
    pub(crate) start: usize,
}

/// How a whole is split into fields.
pub(crate) trait Rule<W: Whole>: Sync {
    /// Whether a field may be empty: what follows the last gap, or is between two.
    const EMPTY: bool;

    /// The first gap found when looking at `from..to`.
    fn first(&self, view: &W::View, from: usize, to: usize) -> Option<Gap>;

    /// The last gap found when looking at `..to`.
    fn last(&self, view: &W::View, to: usize) -> Option<Gap>;

    /// Gives all fields to `folder`, until that is full.
    fn fold<F>(&self, whole: W, folder: F) -> F
    where
        F: Folder<W>;
}

/// Fields, some of which may be known to be none.
#[derive(Debug)]
struct Fields<'r, W, R> {
    /// Nothing where nothing was left, not even an empty field.
    whole: Option<W>,
    /// What is at or behind this has been looked at: there is no gap.
    seen: usize,
    rule: &'r R,
}

/// Drives `consumer` with the fields of `whole`.
pub(crate) fn bridge_fields<W, R, C>(whole: W, rule: &R, consumer: C) -> C::Result
where
    W: Whole,
    R: Rule<W>,
    C: UnindexedConsumer<W>,
{
    let fields = Fields {
        seen: whole.len(),
        whole: Some(whole),
        rule,
    };
    bridge_stretch(fields, consumer)
}

impl<W, R> Stretch for Fields<'_, W, R>
where
    W: Whole,
    R: Rule<W>,
{
    type Item = W;

    fn len(&self) -> usize {
        self.seen
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let Fields { whole, seen, rule } = self;
        let part = |whole, seen| Fields { whole, seen, rule };
        let Some(whole) = whole else {
            return (part(None, 0), part(None, 0));
        };
        let at = whole.place(at).min(seen);
        let Some(gap) = rule.first(whole.view(), at, seen) else {
            return (part(Some(whole), at), part(None, 0));
        };
        let (left, rest) = whole.cut(gap.end);
        let (_, right) = rest.cut(gap.start - gap.end);
        // The gap may end behind what was to be looked at.
        let rest = seen.saturating_sub(gap.start);
        (part(Some(left), at), part(Some(right), rest))
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<W>,
    {
        let Some(whole) = self.whole else {
            return folder;
        };
        if self.seen == whole.len() {
            return self.rule.fold(whole, folder);
        }
        let Some(gap) = self.rule.last(whole.view(), self.seen) else {
            return folder.consume(whole);
        };
        let (first, rest) = whole.cut(gap.end);
        let (_, last) = rest.cut(gap.start - gap.end);
        let folder = self.rule.fold(first, folder);
        if folder.full() || !R::EMPTY && last.len() == 0 {
            return folder;
        }
        folder.consume(last)
    }
}
