//! Actors that fail together.
//!
//! A link has an entry at each of both actors. When the state of one fails, the other is sent a
//! notice, and its entry stays until it comes to that: so a state that has been made since is not
//! concerned.

use std::ptr::NonNull;

use super::entry::{Attachment, EntryCore, next_number, with_shard};
use super::exit::ExitReason;
use super::monitor::exit_of_dead;
use crate::actor::actor_ref::CoreRef;
use crate::actor::cell::ActorCore;
use crate::actor::envelope::Envelope;
use crate::actor::run::RunFrame;
use crate::actor::{Actor, ActorRef, AsyncContext, Context};
use crate::unwind;

/// What two actors are linked by; made by [`Context::link`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    number: u64,
    /// Addresses of the actors.
    ends: [usize; 2],
}

/// The entry of one of both actors.
pub(super) struct LinkEnd {
    core: EntryCore,
    /// The address of the other one.
    pub(super) peer: usize,
}

/// The notice that the other actor has failed.
struct BrokenLink {
    number: u64,
    /// What the panic of this actor says.
    text: String,
}

impl Link {
    /// Cuts the link. Returns whether it was there, at the actor that has made it.
    ///
    /// # Complexity
    ///
    /// As for [`Monitor::cancel`](crate::actor::Monitor::cancel).
    pub fn cut(&self) -> bool {
        let [first, second] = self
            .ends
            .map(|end| with_shard(end, |shard| shard.remove(end, self.number)));
        drop(second);
        first.is_some()
    }
}

impl LinkEnd {
    /// One actor is gone, and the other does not care.
    pub(super) fn forget(&self, number: u64) {
        let peer = self.peer;
        with_shard(peer, |shard| shard.remove(peer, number));
    }
}

/// The other end of a link of the actor at the address `end` has failed, and is called `name`.
pub(super) fn break_link(end: usize, number: u64, name: &str, panic: Option<&str>) {
    let found = with_shard(end, |shard| {
        let Some(Attachment::Link(link)) = shard.get(end, number) else {
            return None;
        };
        // SAFETY: found just now, under the lock.
        unsafe { link.core.upgrade() }
    });
    if let Some(core) = found {
        let mut text = format!("a linked actor has failed: {name}");
        if let Some(panic) = panic {
            text = format!("{text}: {panic}");
        }
        let notice = Envelope::seal(BrokenLink { number, text }, open_broken_link);
        // SAFETY: the reference stays meanwhile.
        unsafe { ActorCore::notify(core.as_ptr(), notice) };
    }
}

/// Opens the notice.
///
/// # Safety
///
/// As for [`OpenFn`](crate::actor::envelope::OpenFn), with this content.
unsafe fn open_broken_link(envelope: NonNull<Envelope>, frame: &mut RunFrame) {
    // SAFETY: the content is of this type.
    let BrokenLink { number, text } = unsafe { Envelope::unseal::<BrokenLink>(envelope) };
    let address = frame.core.addr();
    let entry = with_shard(address, |shard| shard.remove(address, number));
    if entry.is_some() && frame.loss.is_none() {
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
    /// Actors that link each other in their hook `started`, below supervisors that start both again
    /// at once, may go on to fail because of each other: the new state of one links with the old
    /// state of the other, which is about to fail. Have only one of them link, give their
    /// supervisors a [delay](crate::actor::SupervisorOptions::backoff), or put both below one
    /// supervisor that starts them again [together](crate::actor::Strategy::OneForAll).
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
    let attach = |core: &CoreRef, address, peer| {
        let core_of_entry = EntryCore::new(core.as_ptr());
        let entry = Attachment::Link(LinkEnd {
            core: core_of_entry,
            peer,
        });
        let key = (address, number);
        with_shard(address, |shard| shard.attach(&core.core().word, key, entry)).is_ok()
    };
    // Otherwise the context has left its handler, and the actor is dead.
    if attach(own, address, peer) && !attach(other, peer, address) {
        let exit = exit_of_dead(other);
        if exit.reason() == ExitReason::Panicked {
            break_link(address, number, exit.name(), None);
        } else {
            link.cut();
        }
    }
    link
}
