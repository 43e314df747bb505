//! Actors that fail together.
//!
//! A link has an entry at each of both actors. When the state of one fails, the other is sent a
//! notice, and its entry stays until it comes to that: so a state that has been made since is not
//! concerned.
//!
//! **The race feared** is a panic that goes round in a circle. Two supervised actors link each
//! other when they start. One fails and starts again before the other has come to the notice. Its
//! new state is linked with the old state of the other, which fails then; so it would fail once
//! more because of the same panic, and so on. Therefore each panic is a *cause* with a number. A
//! notice has that cause, and so has the failure that comes of it. An actor remembers the causes
//! of its failures, and fails of none of them again. A link with an actor that has failed of the
//! cause at hand is *spared*: it stays, and is one of the next states.
//!
//! A cause lives as long as it may come again: a notice has it, or it is that of the last failure
//! of an actor. Causes that are gone are forgotten, so what an actor remembers does not pile up.

use std::ptr::{self, NonNull};

use super::cause::{Causes, LinkFailure, PanicCause};
use super::entry::{Attachment, EntryCore, LinkEnd, with_shard};
use super::exit::ExitReason;
use super::monitor::exit_of_ended;
use super::table::{AttachShard, next_number};
use crate::actor::mail::Envelope;
use crate::actor::memory::{ActorCore, CoreRef, RunFrame};
use crate::actor::{Actor, ActorRef, AsyncContext, Context};
use crate::sync::{Arc, planted};
use crate::unwind;

/// What two actors are linked by; made by [`Context::link`].
///
/// ```
/// use drumline::actor::{Actor, ActorRef, ActorSystem, Context, Handler, Link};
///
/// struct Idler;
/// impl Actor for Idler {}
///
/// struct Worker;
/// impl Actor for Worker {}
/// impl Handler<ActorRef<Idler>> for Worker {
///     type Reply = Link;
///     fn handle(&mut self, other: ActorRef<Idler>, context: &mut Context<Self>) -> Link {
///         context.link(&other)
///     }
/// }
///
/// let system = ActorSystem::builder().build_here();
/// let worker = system.spawn(Worker);
/// let other = system.spawn(Idler);
/// let link = worker.ask(other.clone()).recv().unwrap();
/// assert!(link.cut()); // each lives for itself again
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    number: u64,
    /// Addresses of the actors.
    ends: [usize; 2],
}

/// The notice that the other actor has failed.
struct BrokenLink {
    number: u64,
    cause: Arc<PanicCause>,
    /// What the panic of this actor says.
    text: String,
}

impl Link {
    /// Cuts the link, also if the actors were linked before [`link`](Context::link) was called.
    /// Returns whether it was there, at the actor that has called that.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorRef, ActorSystem, Context, Handler};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl Handler<ActorRef<Idler>> for Worker {
    ///     type Reply = (bool, bool);
    ///     fn handle(
    ///         &mut self,
    ///         other: ActorRef<Idler>,
    ///         context: &mut Context<Self>,
    ///     ) -> (bool, bool) {
    ///         let link = context.link(&other);
    ///         (link.cut(), link.cut())
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// let other = system.spawn(Idler);
    /// assert_eq!(worker.ask(other.clone()).recv(), Ok((true, false)));
    /// ```
    ///
    /// # Complexity
    ///
    /// As for [`Monitor::cancel`](crate::actor::Monitor::cancel).
    pub fn cut(&self) -> bool {
        let [own, other] = self.ends;
        let cut = |end, number| with_shard(end, |shard| remove_link(shard, end, number));
        let first = cut(own, self.number);
        cut(other, self.number);
        if let Some(twin) = first.as_ref().and_then(|end| end.twin) {
            cut(own, twin);
            cut(other, twin);
        }
        first.is_some()
    }
}

impl LinkEnd {
    /// One actor is gone, and the other does not care.
    pub(super) fn forget(&self, number: u64) {
        let peer = self.peer;
        with_shard(peer, |shard| remove_link(shard, peer, number));
    }
}

/// Where the number is found of the link with the actor at the address `peer`. No other entry has
/// this number.
fn index_of(peer: usize) -> u64 {
    1 << 63 | peer as u64
}

/// Takes out a link of the actor at an address.
fn remove_link(
    shard: &mut AttachShard<Attachment>,
    address: usize,
    number: u64,
) -> Option<LinkEnd> {
    let Some(Attachment::Link(end)) = shard.remove(address, number) else {
        return None;
    };
    let index = index_of(end.peer);
    if matches!(shard.get(address, index), Some(Attachment::Linked(linked)) if *linked == number) {
        shard.remove(address, index);
    }
    Some(end)
}

/// The number of the link that the actor at an address has with another one, unless it is broken.
fn number_with(shard: &mut AttachShard<Attachment>, address: usize, peer: usize) -> Option<u64> {
    let Some(&mut Attachment::Linked(number)) = shard.get(address, index_of(peer)) else {
        return None;
    };
    let link = shard.get(address, number);
    let is_whole = matches!(link, Some(Attachment::Link(end)) if !end.is_broken);
    is_whole.then_some(number)
}

/// Makes the entries of one end. If there are others by now, the other actor has made the same link
/// meanwhile: the two are cut together. Returns whether the actor is alive.
fn add_link(shard: &mut AttachShard<Attachment>, core: &CoreRef, peer: usize, number: u64) -> bool {
    let (address, word) = (core.as_ptr().as_ptr().addr(), &core.core().word);
    let twin = number_with(shard, address, peer);
    let end = LinkEnd {
        core: EntryCore::new(core.as_ptr()),
        peer,
        twin,
        is_broken: false,
    };
    if shard
        .attach(word, (address, number), Attachment::Link(end))
        .is_err()
    {
        return false;
    }
    if let Some(Attachment::Link(end)) = twin.and_then(|twin| shard.get(address, twin)) {
        end.twin = Some(number);
        return true;
    }
    let index = Attachment::Linked(number);
    shard.attach(word, (address, index_of(peer)), index).is_ok()
}

/// What became of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkBreak {
    /// It breaks, or is gone.
    Broken,
    /// The other actor has failed of the same cause before.
    Spared,
}

/// The failure of the actor of this name. The actor remembers the cause; if that `is_by_link`, it
/// does so already.
pub(super) fn failure_of<'a>(
    core: &ActorCore,
    name: &'a str,
    panic: &str,
    is_by_link: bool,
) -> LinkFailure<'a> {
    let address = ptr::from_ref(core).addr();
    with_shard(address, |shard| match shard.get(address, 0) {
        Some(Attachment::Causes(causes)) if is_by_link => causes.last(name),
        _ => {
            let failure = LinkFailure::of_panic(name, Some(panic));
            note_cause(shard, core, &failure.cause, false);
            failure
        }
    })
}

fn note_cause(
    shard: &mut AttachShard<Attachment>,
    core: &ActorCore,
    cause: &Arc<PanicCause>,
    is_by_link: bool,
) {
    let address = ptr::from_ref(core).addr();
    if let Some(Attachment::Causes(causes)) = shard.get(address, 0) {
        causes.note(cause, is_by_link);
    } else {
        let entry = Attachment::Causes(Causes::new(cause, is_by_link));
        let made = shard.attach(&core.word, (address, 0), entry);
        debug_assert!(made.is_ok(), "its run lives");
    }
}

/// Whether the actor remembers the cause.
fn has_failed_of(shard: &mut AttachShard<Attachment>, address: usize, cause: &PanicCause) -> bool {
    let causes = shard.get(address, 0);
    matches!(causes, Some(Attachment::Causes(causes)) if causes.know(cause))
        && !planted!(CauseForgotten)
}

/// The state of the actor at this address has failed. Returns the numbers of the links that break,
/// in their order.
pub(super) fn break_all(address: usize, failure: &LinkFailure<'_>) -> Vec<u64> {
    let links: Vec<(u64, usize)> = with_shard(address, |shard| {
        let peer = |(number, entry): (u64, &Attachment)| match entry {
            Attachment::Link(end) => Some((number, end.peer)),
            _ => None,
        };
        shard.of(address).filter_map(peer).collect()
    });
    let breaks =
        |(number, peer)| (break_link(peer, number, failure) == LinkBreak::Broken).then_some(number);
    links.into_iter().filter_map(breaks).collect()
}

/// The other end of a link of the actor at the address `end` has failed.
pub(super) fn break_link(end: usize, number: u64, failure: &LinkFailure<'_>) -> LinkBreak {
    let found = with_shard(end, |shard| {
        let is_spared = has_failed_of(shard, end, &failure.cause);
        let Some(Attachment::Link(link)) = shard.get(end, number) else {
            return Ok(None);
        };
        if is_spared {
            return Err(LinkBreak::Spared);
        }
        link.is_broken = true;
        // SAFETY: found just now, under the lock.
        Ok(unsafe { link.core.reach() })
    });
    let core = match found {
        Ok(Some(core)) => core,
        Ok(None) => return LinkBreak::Broken,
        Err(spared) => return spared,
    };
    let notice = BrokenLink {
        number,
        cause: Arc::clone(&failure.cause),
        text: failure.text(),
    };
    let notice = Envelope::seal(notice, open_broken_link);
    // SAFETY: the reference stays meanwhile.
    unsafe { ActorCore::notify(core.as_ptr(), notice) };
    LinkBreak::Broken
}

/// Opens the notice.
///
/// # Safety
///
/// As for [`OpenFn`](crate::actor::mail::envelope::OpenFn), with this content.
unsafe fn open_broken_link(envelope: NonNull<Envelope>, frame: &mut RunFrame) {
    // SAFETY: the content is of this type.
    let BrokenLink {
        number,
        cause,
        text,
    } = unsafe { Envelope::unseal::<BrokenLink>(envelope) };
    let address = frame.core.addr();
    let is_alive = frame.loss.is_none();
    let fails = with_shard(address, |shard| {
        let fails = remove_link(shard, address, number).is_some()
            && !has_failed_of(shard, address, &cause)
            && is_alive;
        if fails {
            // SAFETY: the actor is alive: this is its run.
            note_cause(shard, unsafe { &*frame.core }, &cause, true);
        }
        fails
    });
    if fails {
        frame.fails_by_link = true;
        unwind::resume(Box::new(text));
    }
}

impl<A: Actor> Context<A> {
    /// Links this actor with another one: if a panic makes one of them fail, the other fails, too.
    ///
    /// An actor fails because of a link when it comes to a notice in its mailbox: as if a handler
    /// had panicked then, with a text that says which actor has failed, but without the panic hook.
    /// So its own links break in turn, and its supervisor, if it has one, starts it again. A link
    /// is one of the states of both actors: it is gone when one of them has failed, or has ended in
    /// another way, or is started again. It keeps neither of them alive. An actor that is linked
    /// with itself is not.
    ///
    /// Two actors that are linked already are not linked twice. One panic has each actor fail once
    /// at most, however the actors are linked: so supervised ones may link each other in their hook
    /// [`started`](Actor::started). If both of a link have failed because of the same panic, the
    /// link may stay, and is one of their next states.
    ///
    /// If the other actor was ended by a panic before, this one fails when it comes to the notice.
    ///
    /// An actor that is to be told of the end of another one, and to go on,
    /// [monitors](Self::monitor) it. Erlang has links of this kind.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorRef, ActorSystem, Context, ExitReason, Handler};
    ///
    /// struct Reader;
    /// impl Actor for Reader {}
    /// impl Handler<()> for Reader {
    ///     type Reply = ();
    ///     fn handle(&mut self, (): (), _: &mut Context<Self>) {
    ///         panic!("the file is gone");
    ///     }
    /// }
    ///
    /// /// Of no use without its reader.
    /// struct Parser(ActorRef<Reader>);
    /// impl Actor for Parser {
    ///     fn started(&mut self, context: &mut Context<Self>) {
    ///         context.link(&self.0);
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(2).panic_handler(|_| {}).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let reader = system.spawn(Reader);
    /// let parser = system.spawn(Parser(reader.clone()));
    /// let ended = parser.ended();
    /// reader.tell(())?;
    /// let exit = ended.recv();
    /// assert_eq!(exit.reason(), ExitReason::Panicked);
    /// assert_eq!(
    ///     exit.panic_message(),
    ///     Some("a linked actor has failed: Reader: the file is gone")
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// As for [`monitor`](Self::monitor).
    pub fn link<B: Actor>(&self, other: &ActorRef<B>) -> Link {
        link(self.actor_ref().core(), other.core())
    }
}

impl<A: Actor> AsyncContext<A> {
    /// As [`Context::link`].
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorRef, ActorSystem, AsyncContext, AsyncHandler, Link};
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// struct Worker;
    /// impl Actor for Worker {}
    /// impl AsyncHandler<ActorRef<Idler>> for Worker {
    ///     type Reply = Link;
    ///     async fn handle(
    ///         &mut self,
    ///         other: ActorRef<Idler>,
    ///         context: AsyncContext<Self>,
    ///     ) -> Link {
    ///         context.link(&other)
    ///     }
    /// }
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let worker = system.spawn(Worker);
    /// let other = system.spawn(Idler);
    /// let link = worker.ask(other.clone()).recv().unwrap();
    /// assert!(link.cut());
    /// ```
    ///
    /// # Complexity
    ///
    /// As there.
    pub fn link<B: Actor>(&self, other: &ActorRef<B>) -> Link {
        link(self.actor_ref().core(), other.core())
    }
}

fn link(own: &CoreRef, other: &CoreRef) -> Link {
    let ends @ [address, peer] = [own, other].map(|core| core.as_ptr().as_ptr().addr());
    let number = next_number();
    let link = Link { number, ends };
    if address == peer {
        return link;
    }
    let own_end = with_shard(address, |shard| match number_with(shard, address, peer) {
        Some(before) => Err(Link {
            number: before,
            ends,
        }),
        None => Ok(add_link(shard, own, peer, number)),
    });
    let is_alive = match own_end {
        Ok(is_alive) => is_alive,
        Err(before) => return before,
    };
    // Otherwise the context has left its handler, and the actor is dead.
    if is_alive && !with_shard(peer, |shard| add_link(shard, other, address, number)) {
        let exit = exit_of_ended(other);
        if exit.reason() == ExitReason::Panicked {
            let failure = LinkFailure::of_panic(exit.name(), None);
            break_link(address, number, &failure);
        } else {
            link.cut();
        }
    }
    link
}
