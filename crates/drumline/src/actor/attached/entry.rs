//! What may be attached to an actor, and how a thread that finds it reaches the actor.

use std::ptr::NonNull;

use super::exit::{Exit, ExitReason};
use super::link::{self, Causes, LinkBreak, LinkEnd, LinkFailure};
use super::monitor::{self, Watching};
use super::table::{AttachShard, AttachTable};
use super::timer::TimerEntry;
use crate::actor::Actor;
use crate::actor::actor_ref::CoreRef;
use crate::actor::cell::ActorCore;
use crate::actor::envelope::{Envelope, SpentEnvelope};
use crate::actor::life_word::LifeWord;
use crate::actor::mailbox::Pushed;
use crate::actor::message::Content;
use crate::actor::run::RunFrame;
use crate::actor::run_end;
use crate::channel::oneshot;
use crate::pool::{HeldOpen, SharedRegistry};
use crate::spawn::spawn_future_in;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::{PerProcess, process_wide};

process_wide! {
    /// What is attached to the actors of this process.
    static ATTACHED: PerProcess<AttachTable<Attachment>> = PerProcess::new();
    /// The number that was given last.
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
}

/// A number for an entry, or for the two of a pair.
pub(super) fn next_number() -> u64 {
    // Relaxed: each is given once, and that is all.
    NUMBERS.fetch_add(1, Ordering::Relaxed) + 1
}

/// Calls `use_shard` with the entries among which those of the actor at `address` are. It calls no
/// code of the program, and drops none of its values.
pub(super) fn with_shard<R>(
    address: usize,
    use_shard: impl FnOnce(&mut AttachShard<Attachment>) -> R,
) -> R {
    attached().with(address, use_shard)
}

fn attached() -> &'static AttachTable<Attachment> {
    ATTACHED.get(AttachTable::new)
}

/// What is attached to an actor.
pub(super) enum Attachment {
    Timer(TimerEntry),
    /// It watches another actor.
    Watching(Watching),
    /// The actor at this address watches it.
    Watched(usize),
    /// Its end is waited for.
    Awaited(oneshot::Sender<Exit>),
    Link(LinkEnd),
    /// The number of its link with another actor, by which that is found.
    Linked(u64),
    /// The causes of its failures. It is at the number 0, which no other entry has.
    Causes(Causes),
    /// The length of its mailbox is asked for.
    Census(oneshot::Sender<usize>),
}

/// The actor of an entry, for threads that have found that entry and hold the lock.
pub(super) struct EntryCore(NonNull<ActorCore>);

// SAFETY: it is used for the word of the actor only, which any thread may use.
unsafe impl Send for EntryCore {}

impl EntryCore {
    pub(super) fn new(core: NonNull<ActorCore>) -> Self {
        EntryCore(core)
    }

    /// A reference to the actor, unless it is about to end.
    ///
    /// # Safety
    ///
    /// The caller has found the entry in the table, and holds the lock.
    pub(super) unsafe fn upgrade(&self) -> Option<CoreRef> {
        // SAFETY: the caller's obligation.
        unsafe { self.add_ref(LifeWord::upgrade) }
    }

    /// The same for a notice that is sent once: also if no reference is left, but the actor has not
    /// come to its end. A handler that still runs may make one, and the actor lives on.
    ///
    /// # Safety
    ///
    /// As for [`upgrade`](Self::upgrade).
    pub(super) unsafe fn reach(&self) -> Option<CoreRef> {
        // SAFETY: the caller's obligation.
        unsafe { self.add_ref(LifeWord::reach) }
    }

    /// A reference, if `count` has counted it in the word.
    ///
    /// # Safety
    ///
    /// As for [`upgrade`](Self::upgrade).
    unsafe fn add_ref(&self, count: impl FnOnce(&LifeWord) -> bool) -> Option<CoreRef> {
        // SAFETY: the memory is there as long as the entry: see `table`.
        let is_counted = count(unsafe { &(*self.0.as_ptr()).word });
        // SAFETY: counted just now.
        is_counted.then(|| unsafe { CoreRef::from_raw(self.0) })
    }
}

/// An envelope with content that may never be sent.
pub(super) struct SealedMessage {
    envelope: NonNull<Envelope>,
    discard: unsafe fn(NonNull<Envelope>),
}

// SAFETY: it is made of content that is `Send`.
unsafe impl Send for SealedMessage {}

impl SealedMessage {
    /// For this actor, which is of the type `A`.
    pub(super) fn new<A, C>(core: &ActorCore, content: C) -> Self
    where
        A: Actor,
        C: Content<A>,
    {
        let open = if core.counter().is_some() {
            C::COUNTED_OPEN
        } else {
            C::OPEN
        };
        SealedMessage {
            envelope: Envelope::seal(content, open),
            discard: discard::<C>,
        }
    }

    /// Sends it. It needs no room.
    ///
    /// # Safety
    ///
    /// It is for that actor.
    pub(super) unsafe fn send(self, core: &CoreRef) {
        let envelope = self.envelope;
        std::mem::forget(self);
        // SAFETY: the reference stays meanwhile.
        unsafe { ActorCore::notify(core.as_ptr(), envelope) };
    }

    /// Sends it, and runs no code of the program: for the timer thread. If the actor has ended
    /// meanwhile, the message is discarded by a task of the pool; or here, if that has ended, too.
    ///
    /// # Safety
    ///
    /// It is for that actor.
    pub(super) unsafe fn send_only(self, core: CoreRef) {
        let envelope = self.envelope;
        std::mem::forget(self);
        // SAFETY: the reference stays meanwhile.
        if unsafe { ActorCore::push(core.as_ptr(), envelope) } == Pushed::Behind {
            return;
        }
        // SAFETY: as above; the mailbox was idle.
        if let Some(envelope) = unsafe { ActorCore::schedule(core.as_ptr(), envelope) } {
            let registry = SharedRegistry::clone(core.core().system.registry());
            let late = LateMessage { core, envelope };
            // A pool that has ended would keep the task for ever: nothing runs it.
            if let Some(held_open) = HeldOpen::new(&registry) {
                let discard = async move {
                    drop(late);
                    drop(held_open);
                };
                // It goes on by itself.
                drop(spawn_future_in(registry, discard));
            }
        }
    }
}

/// A message for an actor that is dead, and was idle. It is discarded when this is dropped.
struct LateMessage {
    core: CoreRef,
    envelope: NonNull<Envelope>,
}

// SAFETY: the content is `Send`, and any thread may act for the actor.
unsafe impl Send for LateMessage {}

impl Drop for LateMessage {
    fn drop(&mut self) {
        // SAFETY: the actor was found idle when the envelope was pushed, and there is a reference.
        unsafe { run_end::give_up(self.core.as_ptr(), self.envelope, false) };
    }
}

impl Drop for SealedMessage {
    fn drop(&mut self) {
        // SAFETY: the envelope was not sent, and has content of that type.
        unsafe { (self.discard)(self.envelope) };
    }
}

/// # Safety
///
/// The envelope was sealed with content of this type, and is in no mailbox.
unsafe fn discard<C>(envelope: NonNull<Envelope>) {
    let _spent = SpentEnvelope(envelope);
    // SAFETY: the caller's obligation.
    drop(unsafe { Envelope::unseal::<C>(envelope) });
}

/// The state of an actor is about to go, and the actor to be started again or to end: because of a
/// panic that has said `failed`, or because of another actor.
///
/// # Safety
///
/// The frame is that of a run of the actor, or of a thread that acts for it.
pub(in crate::actor) unsafe fn state_ended(frame: &mut RunFrame, failed: Option<&str>) {
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
/// The frame is that of the run that ends it, and the word is DEAD.
pub(in crate::actor) unsafe fn actor_ended(frame: &mut RunFrame, exit: &Exit) {
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

/// Attaches the place for the length of the mailbox of an actor, and returns its number. `None`:
/// the actor is dead.
pub(in crate::actor) fn attach_census(
    actor: &CoreRef,
    answer: oneshot::Sender<usize>,
) -> Option<u64> {
    let address = actor.as_ptr().as_ptr().addr();
    let number = next_number();
    let key = (address, number);
    let entry = Attachment::Census(answer);
    let made = with_shard(address, |shard| {
        shard.attach(&actor.core().word, key, entry)
    });
    made.is_ok().then_some(number)
}

/// The answer is not waited for any longer.
pub(in crate::actor) fn forget_census(actor: usize, number: u64) {
    let place = with_shard(actor, |shard| shard.remove(actor, number));
    drop(place);
}

/// The places for the length of the mailbox of an actor, for its run.
pub(in crate::actor) fn take_census(core: &ActorCore) -> Vec<oneshot::Sender<usize>> {
    let is_census = |_, entry: &Attachment| matches!(entry, Attachment::Census(_));
    let address = std::ptr::from_ref(core).addr();
    let taken = attached().take_census(&core.word, address, is_census);
    let senders = taken.into_iter().filter_map(|(_, entry)| match entry {
        Attachment::Census(answer) => Some(answer),
        _ => None,
    });
    senders.collect()
}
