//! What makes a message at each multiple of a period. The function is the program's, so the run of
//! the actor calls it; see [`timer`](super::timer).

use std::marker::PhantomData;
use std::mem;
use std::ptr::NonNull;
use std::time::{Duration, Instant};

use super::sealed_message::SealedMessage;
use super::timer::ActorTimer;
use crate::actor::api::ReplyTo;
use crate::actor::life::NameOnUnwind;
use crate::actor::mail::{Content, Envelope, OpenFn};
use crate::actor::memory::{ActorCell, RunFrame};
use crate::actor::{Accept, Context};

/// Makes a message at each time.
pub(super) struct Tick<M, F, K> {
    pub(super) number: u64,
    pub(super) period: Duration,
    /// The time of this one. `None`: later than the clock can say.
    pub(super) at: Option<Instant>,
    pub(super) make: F,
    pub(super) kind: PhantomData<fn(K) -> M>,
}

impl<A, M, F, K> Content<A> for Tick<M, F, K>
where
    A: Accept<M, K>,
    M: 'static,
    F: FnMut() -> M + Send + 'static,
    K: 'static,
{
    const OPEN: OpenFn = open_tick::<A, M, F, K>;
}

/// # Safety
///
/// As for [`OpenFn`], with this content; the actor is of this type.
unsafe fn open_tick<A, M, F, K>(envelope: NonNull<Envelope>, frame: &mut RunFrame)
where
    A: Accept<M, K>,
    M: 'static,
    F: FnMut() -> M + Send + 'static,
    K: 'static,
{
    // SAFETY: the content is of this type.
    let mut tick = unsafe { Envelope::unseal::<Tick<M, F, K>>(envelope) };
    let core = frame.core;
    let timer = ActorTimer {
        actor: core.addr(),
        number: tick.number,
    };
    // The message has not been made, so nothing is lost.
    if frame.loss.is_some() || !timer.is_pending() {
        return;
    }
    let frame: *mut RunFrame = frame;
    // SAFETY: the frame is the caller's, and borrowed for the call below only.
    let name = unsafe { NameOnUnwind::<M>::new(frame) };
    let message = (tick.make)();
    tick.at = next_time(tick.at, tick.period, Instant::now());
    let at = tick.at;
    // SAFETY: the run has the actor, which is alive, and of the type `A`.
    let alive = unsafe { &*core };
    if timer.put_back(alive, SealedMessage::new::<A, _>(alive, tick), at) {
        // SAFETY: the run has the state, which is of this type, and leaves it alone after this; the
        // frame is borrowed for the call only.
        unsafe {
            let actor = ActorCell::<A>::state(core);
            A::accept(actor, message, ReplyTo(None), Context::of(&mut *frame));
        };
    }
    mem::forget(name);
}

/// The time after `at`. Times that have passed by `now` are left out.
fn next_time(at: Option<Instant>, period: Duration, now: Instant) -> Option<Instant> {
    let next = at?.checked_add(period)?;
    if next > now {
        return Some(next);
    }
    let behind = now.duration_since(next).as_nanos() % period.as_nanos();
    // What is less than a period, and has passed, is no more than the clock can say.
    let behind = Duration::from_nanos(u64::try_from(behind).ok()?);
    now.checked_add(period - behind)
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn times_are_multiples_of_the_period() {
        let begin = Instant::now();
        let second = Duration::from_secs(1);
        let next = |at, now| next_time(Some(begin + at), second, begin + now);
        assert_eq!(next(second, second), Some(begin + 2 * second));
        assert_eq!(next(second, second * 3 / 2), Some(begin + 2 * second));
        // Late, so that two times have passed.
        assert_eq!(next(second, second * 7 / 2), Some(begin + 4 * second));
        assert_eq!(next(second, second * 4), Some(begin + 5 * second));
        assert_eq!(next_time(None, second, begin), None);
        assert_eq!(next_time(Some(begin), Duration::MAX, begin), None);
    }
}
