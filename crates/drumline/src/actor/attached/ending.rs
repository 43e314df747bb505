//! What becomes of what is attached when a state or its actor ends.

use super::cause::LinkFailure;
use super::entry::{Attachment, with_shard};
use super::exit::{Exit, ExitReason};
use super::link::{self, LinkBreak};
use super::monitor;
use crate::actor::memory::RunFrame;

/// The state of an actor is about to go, and the actor to be started again or to end: because of a
/// panic that has said `failed`, or because of another actor.
///
/// # Safety
///
/// The frame is that of a run of the actor, or of a thread that acts for it.
pub(crate) unsafe fn state_ended(frame: &mut RunFrame, failed: Option<&str>) {
    // SAFETY: the actor is alive.
    if !unsafe { (*frame.core).word.has_attached() } {
        return;
    }
    let address = frame.core.addr();
    let mut broken = Vec::new();
    if let Some(panic) = failed {
        // SAFETY: as above.
        let core = unsafe { &*frame.core };
        let (name, is_by_link) = (core.name(), std::mem::take(&mut frame.fails_by_link));
        let failure = link::failure_of(core, &name, panic, is_by_link);
        broken = link::break_all(address, &failure);
    }
    let is_broken = |number| broken.binary_search(&number).is_ok();
    let taken = with_shard(address, |shard| {
        shard.take(address, |number, entry| match entry {
            Attachment::Timer(_) => true,
            // What was linked since, or is spared, is linked with the next state.
            Attachment::Link(_) => failed.is_none() || is_broken(number),
            Attachment::Linked(of) => failed.is_none() || is_broken(*of),
            _ => false,
        })
    });
    for (number, entry) in taken {
        match entry {
            Attachment::Link(end) if failed.is_none() => end.forget(number),
            // What waits for its time is the program's.
            entry => frame.report_panic(|_| drop(entry)),
        }
    }
}

/// An actor has ended that had something attached.
///
/// # Safety
///
/// The frame is that of the run that ends it, and the word is ENDED.
pub(crate) unsafe fn actor_ended(frame: &mut RunFrame, exit: &Exit) {
    let address = frame.core.addr();
    let taken = with_shard(address, |shard| shard.take(address, |_, _| true));
    // The entry of the causes is the first.
    let failure = match taken.first() {
        Some((_, Attachment::Causes(causes))) => causes.last(exit.name()),
        _ => LinkFailure::of_panic(exit.name(), exit.panic_message()),
    };
    for (number, entry) in taken {
        match entry {
            Attachment::Watched(watcher) => {
                frame.report_panic(|_| monitor::tell(watcher, number, exit));
            }
            Attachment::Watching(watching) => watching.forget(number),
            Attachment::Awaited(waiter) => {
                // It may have gone.
                frame.report_panic(|_| drop(waiter.send(exit.clone())));
            }
            Attachment::Link(end) if exit.reason() == ExitReason::Panicked => {
                if link::break_link(end.peer, number, &failure) == LinkBreak::Spared {
                    end.forget(number);
                }
            }
            Attachment::Link(end) => end.forget(number),
            Attachment::Timer(timer) => frame.report_panic(|_| drop(timer)),
            // The one that has asked learns by the drop that the actor has ended.
            Attachment::Census(_) | Attachment::Causes(_) | Attachment::Linked(_) => {}
        }
    }
}
