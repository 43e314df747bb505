//! Which waker is registered, without a share in it.

use std::task::Waker;

/// The addresses of a waker.
///
/// A future that has registered a waker compares it with that of the next poll. A clone would do as
/// well, except that it may own the very future that it is a part of. No thread polls a task after
/// the end of its runtime. What is registered is dropped when it is woken, which frees such a task.
/// A clone inside of the task would keep it for ever.
///
/// # Why addresses suffice
///
/// The addresses of a waker may be those of a later one, after the first was freed. But as long as
/// the first one is registered it is not freed. So before it compares, a poll must have seen that
/// the first one still is: it reads the word that is written before the waker is taken out. A waker
/// made of memory that was freed after that comes with a poll that sees the word. Two wakers with
/// the same addresses at the same time are the same, as [`Waker::will_wake`] has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WakerId {
    data: usize,
    vtable: usize,
}

impl WakerId {
    pub(crate) fn of(waker: &Waker) -> Self {
        WakerId {
            data: waker.data().addr(),
            vtable: std::ptr::from_ref(waker.vtable()).addr(),
        }
    }
}
