//! Appending many items to a vector: by two threads, if there are two.
//!
//! The pages of a large vector are handed out by the system when they are first written to, which
//! takes longer than the writing. That is half the time if two threads do it. More than two are not
//! asked: where there are pieces, a loop had leave for two at least, and there is no telling for
//! how many.

use std::mem::{self, MaybeUninit};
use std::ptr;

use crate::join;

/// From this many bytes on it is worth a fork.
const LARGE: usize = 1 << 18;

/// Moves the items of `pieces`, which are `len`, to the end of `vec`.
pub(super) fn append<T: Send>(vec: &mut Vec<T>, pieces: impl Iterator<Item = Vec<T>>, len: usize) {
    vec.reserve(len);
    if len.saturating_mul(mem::size_of::<T>()) < LARGE {
        for mut piece in pieces {
            vec.append(&mut piece);
        }
        return;
    }
    let mut pieces: Vec<Vec<T>> = pieces.collect();
    let items: Vec<Items<T>> = pieces
        .iter()
        .map(|piece| Items(&raw const **piece))
        .collect();
    let middle = len / 2;
    let room = &mut vec.spare_capacity_mut()[..len];
    let (first, second) = room.split_at_mut(middle);
    join::join(|| copy(first, &items, 0), || copy(second, &items, middle));
    for piece in &mut pieces {
        // SAFETY: less than before. The items are in the room now, and are not to be dropped here.
        unsafe { piece.set_len(0) };
    }
    let len = vec.len() + len;
    // SAFETY: `copy` has filled the two halves of the room behind the items that were there.
    unsafe { vec.set_len(len) };
}

/// The items of a piece, to be moved by either half of the join.
struct Items<T>(*const [T]);

// SAFETY: what is read of the items is their bytes, which no thread changes meanwhile; what becomes
// of them is that they are in another place, which is what `Send` allows.
unsafe impl<T: Send> Sync for Items<T> {}

/// Fills `room` with copies of all `items` but the first `skip`.
fn copy<T>(mut room: &mut [MaybeUninit<T>], items: &[Items<T>], mut skip: usize) {
    for items in items {
        let len = items.0.len();
        if skip >= len {
            skip -= len;
            continue;
        }
        let count = (len - skip).min(room.len());
        let (here, rest) = room.split_at_mut(count);
        // SAFETY: `skip + count` is `len` at most, so this is within the piece, which is alive, and
        // not in the room.
        unsafe {
            let from = items.0.cast::<MaybeUninit<T>>().add(skip);
            ptr::copy_nonoverlapping(from, here.as_mut_ptr(), count);
        }
        (room, skip) = (rest, 0);
    }
    assert!(
        room.is_empty(),
        "the pieces have as many items as they said"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of such lengths, of strings that tell their places.
    fn pieces(lens: &[usize]) -> Vec<Vec<String>> {
        let mut place = 0;
        let mut next = || {
            place += 1;
            place.to_string()
        };
        let piece = |&len: &usize| (0..len).map(|_| next()).collect();
        lens.iter().map(piece).collect()
    }

    #[track_caller]
    fn check(lens: &[usize]) {
        let len = lens.iter().sum();
        let mut vec = vec![String::from("0")];
        append(&mut vec, pieces(lens).into_iter(), len);
        assert_eq!(vec.len(), len + 1);
        for (place, item) in vec.iter().enumerate() {
            assert_eq!(*item, place.to_string());
        }
    }

    #[test]
    fn few_items_keep_their_order() {
        check(&[3, 0, 4]);
    }

    #[test]
    fn many_items_keep_their_order() {
        let enough = LARGE / mem::size_of::<String>() + 1;
        check(&[enough]);
        check(&[1, enough, 0, 1]);
        check(&[0, enough, enough / 2]);
        check(&[enough / 2, 1, enough / 2 + 1]);
    }
}
