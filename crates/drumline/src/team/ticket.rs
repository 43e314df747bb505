//! Tickets: jobs in the queues of a pool that invite a thread to take part in a loop.

use super::{Shared, Team};
use crate::job::JobRef;
use crate::pool::{self, local};
use crate::sync::Arc;

/// The number of tickets that a participant puts out at once, and of workers that it wakes for
/// them. Each thread that takes one does the same. With two workers each, the last of 64 was at
/// work 1.5 times as late by simulation, where a wake-up takes 50 µs.
const TICKETS: usize = 4;

impl Team {
    /// Puts out tickets for `shared`: a part of it is open. `left` says how much, if only a little.
    pub(crate) fn announce<S: Shared>(shared: &Arc<S>, left: usize) {
        let team = shared.team();
        // In a pool that is over, no thread would take one but this one, on top of what it does.
        let is_over = team.registry().idle_set().is_over();
        let wanted = if is_over { 0 } else { TICKETS.min(left) };
        let tickets = team.needs_tickets(wanted);
        for _ in 0..tickets {
            pool::submit(team.registry(), ticket(shared), false);
        }
        team.registry().call_helpers(tickets);
    }

    /// The thread in this place takes part in `shared` no longer: it has nothing left. It announces
    /// what is open nevertheless.
    pub(crate) fn leave<S: Shared>(shared: &Arc<S>, place: usize, announce: impl FnOnce()) {
        let (withdraw, is_open) = (|| withdraw(shared), || shared.is_open());
        let roster = shared.team().roster();
        roster.depart(place, withdraw, is_open, announce);
    }
}

/// A reference that is redeemed, or withdrawn, once.
fn ticket<S: Shared>(shared: &Arc<S>) -> JobRef {
    JobRef {
        data: Arc::into_raw(Arc::clone(shared)).cast(),
        run: redeem::<S>,
    }
}

/// This thread redeems a ticket for `shared` as soon as the stolen job that it runs has been
/// reported as done.
pub(crate) fn redeem_next<S: Shared>(shared: &Arc<S>) {
    pool::do_next(JobRef {
        run: take_part::<S>,
        ..ticket(shared)
    });
}

/// Takes part, with a ticket that is not counted.
///
/// # Safety
///
/// As for [`redeem`].
unsafe fn take_part<S: Shared>(data: *const ()) {
    // SAFETY: the reference that `ticket` leaked, taken once.
    let shared = unsafe { Arc::from_raw(data.cast::<S>()) };
    shared.take_part();
}

/// Takes part in what the ticket is for.
///
/// # Safety
///
/// `data` is of a ticket, which is used once.
unsafe fn redeem<S: Shared>(data: *const ()) {
    // SAFETY: the reference that `ticket` leaked, taken once.
    let shared = unsafe { Arc::from_raw(data.cast::<S>()) };
    shared.team().roster().ticket_is_back();
    shared.take_part();
}

/// Takes tickets back that are the newest in the queue of this thread: nothing is open. One that
/// lies deeper does nothing when it is redeemed.
fn withdraw<S: Shared>(shared: &Arc<S>) {
    let Some(seat) = local::seat() else { return };
    let address = Arc::as_ptr(shared).cast();
    let mut has_withdrawn = false;
    while seat.queue().withdraw(address) {
        has_withdrawn = true;
        shared.team().roster().ticket_is_back();
        // SAFETY: at this address there is this team, and what refers to it in a queue is a ticket,
        // for which `ticket` counted a reference.
        unsafe { Arc::decrement_strong_count(Arc::as_ptr(shared)) };
    }
    if has_withdrawn {
        pool::has_withdrawn(seat.registry(), Some(seat));
    }
}
