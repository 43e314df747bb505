//! What may be attached to an actor, and how a thread that finds it reaches the actor.

use std::ptr::NonNull;

use super::cause::Causes;
use super::exit::Exit;
use super::sealed_message::SealedMessage;
use super::table::{AttachShard, AttachTable};
use crate::actor::life_word::LifeWord;
use crate::actor::memory::{ActorCore, CoreRef};
use crate::channel::oneshot;
use crate::deadline::Registration;
use crate::sync::{PerProcess, process_wide};

process_wide! {
    /// What is attached to the actors of this process.
    static ATTACHED: PerProcess<AttachTable<Attachment>> = PerProcess::new();
}

/// Calls `use_shard` with the entries among which those of the actor at `address` are. It calls no
/// code of the program, and drops none of its values.
pub(super) fn with_shard<R>(
    address: usize,
    use_shard: impl FnOnce(&mut AttachShard<Attachment>) -> R,
) -> R {
    attached().with(address, use_shard)
}

pub(super) fn attached() -> &'static AttachTable<Attachment> {
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

/// The entry of a timer.
pub(super) struct TimerEntry {
    pub(super) core: EntryCore,
    /// There until it is sent. A tick comes back.
    pub(super) due: Option<SealedMessage>,
    /// A message that is sent once keeps the actor alive until then.
    pub(super) keeps: Option<CoreRef>,
    /// `None` also if its time is later than the clock can say.
    pub(super) registration: Option<Registration>,
}

/// The entry of the actor that watches.
pub(super) struct Watching {
    pub(super) core: EntryCore,
    pub(super) watched: usize,
    pub(super) seal: fn(&ActorCore, Exit) -> SealedMessage,
}

/// The entry of a link, at one of both actors.
pub(super) struct LinkEnd {
    pub(super) core: EntryCore,
    /// The address of the other one.
    pub(super) peer: usize,
    /// The number of the same link, if both actors have made it at once.
    pub(super) twin: Option<u64>,
    /// The notice is on its way.
    pub(super) is_broken: bool,
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
