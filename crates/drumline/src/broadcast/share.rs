//! One worker's part of a broadcast that its caller waits for.

use std::cell::UnsafeCell;

use super::context::BroadcastContext;
use crate::job::JobRef;
use crate::latch::Countdown;
use crate::pool::waiting;
use crate::pool::{Registry, local};
use crate::unwind::{self, Payload};

/// A broadcast, in the frame of the caller that waits for it.
struct Round<'a, OP> {
    op: &'a OP,
    count: usize,
    open: Countdown,
}

/// What one worker has to do, and later what came of it.
struct Share<'a, OP, R> {
    round: &'a Round<'a, OP>,
    index: usize,
    outcome: UnsafeCell<Option<Result<R, Payload>>>,
}

impl<OP, R> Share<'_, OP, R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    fn as_job_ref(&self) -> JobRef {
        JobRef {
            data: std::ptr::from_ref(self).cast(),
            run: Self::run,
        }
    }

    /// # Safety
    ///
    /// `data` comes from `as_job_ref` of a share, and the round of that share is open. Called once
    /// per share.
    unsafe fn run(data: *const ()) {
        let sleeper = {
            // SAFETY: the frame waits for the countdown.
            let share = unsafe { &*data.cast::<Share<'_, OP, R>>() };
            let round = share.round;
            let outcome =
                unwind::catch(|| (round.op)(BroadcastContext::new(share.index, round.count)));
            // SAFETY: only this share's runner touches the cell before the
            // countdown is over.
            unsafe { *share.outcome.get() = Some(outcome) };
            // SAFETY: alive, and each share counts once.
            unsafe { Countdown::count_down(&raw const round.open) }
        };
        if let Some(sleeper) = sleeper {
            // SAFETY: this worker is in the pool in which a member waits; an
            // outsider waits for this.
            unsafe { sleeper.wake() };
        }
    }
}

/// Runs `op` on all these workers and waits.
pub(super) fn on_all<OP, R>(registry: &Registry, workers: &[usize], op: &OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    let round = Round {
        op,
        count: workers.len(),
        open: Countdown::new(workers.len()),
    };
    let shares: Vec<Share<'_, OP, R>> = (0..workers.len())
        .map(|index| Share {
            round: &round,
            index,
            outcome: UnsafeCell::new(None),
        })
        .collect();
    let me = local::find(registry).map(|seat| seat.index());
    let mut own = None;
    for (share, &worker) in shares.iter().zip(workers) {
        if Some(worker) == me {
            own = Some(share.as_job_ref());
        } else {
            registry.send(worker, share.as_job_ref());
        }
    }
    if let Some(own) = own {
        // SAFETY: this share was sent to no other thread.
        unsafe { own.run() };
    }
    // Every worker has its own share, so there is nothing to help with.
    if me.is_some() {
        waiting::wait_in(registry, &round.open);
    } else {
        waiting::block_on(&round.open);
    }
    collect(shares)
}

fn collect<OP, R>(shares: Vec<Share<'_, OP, R>>) -> Vec<R> {
    let mut values = Vec::with_capacity(shares.len());
    let mut panic = None;
    for share in shares {
        match share.outcome.into_inner().expect("every share has ended") {
            Ok(value) => values.push(value),
            Err(payload) if panic.is_none() => panic = Some(payload),
            Err(payload) => unwind::discard(payload),
        }
    }
    if let Some(payload) = panic {
        for value in values {
            unwind::discard(value);
        }
        unwind::resume(payload);
    }
    values
}
