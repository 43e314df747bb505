//! Panics as values: catching them, carrying them, and dropping payloads that
//! panic themselves.

use std::any::Any;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What a panic carries.
pub(crate) type Payload = Box<dyn Any + Send>;

/// Runs `f` and turns a panic into a value.
///
/// The closure may break the invariants of what it captures when it panics;
/// every caller either rethrows the payload to the code that owns those values
/// or drops them, as a panic without threads would.
#[inline(always)]
pub(crate) fn catch<R>(f: impl FnOnce() -> R) -> Result<R, Payload> {
    catch_unwind(AssertUnwindSafe(f))
}

/// Goes on with a panic that was caught earlier, without running the hook again.
#[cold]
pub(crate) fn resume(payload: Payload) -> ! {
    resume_unwind(payload)
}

/// What a panic says, if its payload is a text.
pub(crate) fn message(payload: &(dyn Any + Send)) -> Option<&str> {
    let formatted = payload.downcast_ref::<String>().map(String::as_str);
    formatted.or_else(|| payload.downcast_ref::<&str>().copied())
}

/// Drops a value that may panic in its drop. Such a panic is swallowed, and so is the value that it
/// carries, however often that panics in turn.
#[cold]
pub(crate) fn discard<T>(value: T) {
    if const { std::mem::needs_drop::<T>() } {
        let mut value = Some(value);
        discard_erased(&mut || drop(value.take()));
    }
}

/// As [`discard`], for what `drop_value` drops when it is called, once.
pub(crate) fn discard_erased(drop_value: &mut dyn FnMut()) {
    let mut next = catch(drop_value).err();
    for _ in 0..4 {
        match next {
            None => return,
            Some(payload) => next = catch(|| drop(payload)).err(),
        }
    }
    // A payload that keeps panicking with new payloads is leaked: the only
    // other end to this is an abort.
    std::mem::forget(next);
}

/// Aborts the process if it is dropped during unwinding: for code of this
/// crate, never of a user, that cannot be unwound through.
pub(crate) struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Where standard error cannot be written, the process ends without a word.
            let _ = writeln!(
                std::io::stderr(),
                "drumline: a panic crossed a frame that cannot be unwound; aborting"
            );
            std::process::abort();
        }
    }
}

/// Runs a step of the scheduler that must not unwind: a frame below may be one that a job refers
/// to. Should it panic after all, which is a bug of this crate, the process aborts.
#[inline]
pub(crate) fn never<R>(step: impl FnOnce() -> R) -> R {
    let guard = AbortOnUnwind;
    let outcome = step();
    std::mem::forget(guard);
    outcome
}
