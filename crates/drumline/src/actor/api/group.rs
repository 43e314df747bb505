//! Groups: sets of actors that accept the same messages.
//!
//! The members are in a list that is copied before it is changed while a thread looks at it. So a
//! broadcast, and a [router](crate::actor::api::router), go through a list that stays as it is, and
//! hold no lock meanwhile. The lock is held for a search and for a change of the list: no code of
//! the program runs under it, and no reference to an actor is dropped there.
//!
//! Each change moves a version on. A router keeps a list, and looks at the version only, as long as
//! that stays the same.
//!
//! **The race feared** is an actor that one thread finds ended, and that is taken out after it has
//! joined again. There are such ones: an actor to which no reference is left counts as ended, and
//! its handler may yet make one. Each member has a number, which is another one after each join. A
//! thread takes out what has the number that it has seen, and nothing else.

use std::collections::BTreeMap;
use std::fmt;

use crate::actor::memory::WeakCoreRef;
use crate::actor::{Accept, Actor, ActorRef, Broadcast, Recipient, TellError, WeakRecipient};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Arc, Mutex, lock, planted};

/// With fewer members there is no sweep.
const FEWEST_TO_SWEEP: usize = 32;

/// A set of actors that accept messages of the type `M`, whatever their types.
///
/// It is a handle of one word. Clones of it are handles to the same set.
///
/// A group does not keep its members alive. One that has ended, is killed, or has no reference left
/// is no member any more. An actor that a [supervisor](crate::actor::Supervisor) starts again
/// stays.
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{Actor, ActorGroup, ActorSystem, Context, Handler};
/// use std::sync::mpsc;
///
/// struct Listener(mpsc::Sender<String>);
/// impl Actor for Listener {}
/// impl Handler<String> for Listener {
///     type Reply = ();
///     fn handle(&mut self, news: String, _: &mut Context<Self>) {
///         let _ = self.0.send(news);
///     }
/// }
///
/// let pool = Pool::builder().jobs(2).build()?;
/// let system = ActorSystem::new(&pool);
/// let (send, heard) = mpsc::channel();
/// let listeners = [(); 3].map(|()| system.spawn(Listener(send.clone())));
/// let group = ActorGroup::new();
/// for listener in &listeners {
///     group.join(listener);
/// }
/// let report = group.tell_all("rain".to_owned());
/// assert_eq!(report.told(), 3);
/// for _ in 0..3 {
///     assert_eq!(heard.recv()?, "rain");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Order
///
/// What one thread or actor tells a group arrives at each member in that order. What two threads
/// tell it may arrive at one member in another order than at another.
pub struct ActorGroup<M> {
    shared: Arc<GroupShared<M>>,
}

/// What the handles to a group share.
struct GroupShared<M> {
    state: Mutex<GroupState<M>>,
    /// Written under the lock.
    version: AtomicUsize,
    /// How many routers there have been.
    routers: AtomicUsize,
}

/// What the lock of a group protects.
struct GroupState<M> {
    members: Arc<Vec<GroupMember<M>>>,
    /// The place of each member in the list, by the identity of its actor.
    places: BTreeMap<usize, usize>,
    /// How many joins there have been.
    joined: u64,
    /// With this many members the next sweep is due.
    sweep_at: usize,
}

/// An actor that is in a group.
pub(crate) struct GroupMember<M> {
    pub(crate) recipient: WeakRecipient<M>,
    /// No other member of the group has it, or has had it.
    pub(crate) number: u64,
}

impl<M> Clone for GroupMember<M> {
    fn clone(&self) -> Self {
        GroupMember {
            recipient: self.recipient.clone(),
            number: self.number,
        }
    }
}

/// The members that a group had when it was asked.
pub(crate) struct MemberList<M> {
    pub(crate) members: Arc<Vec<GroupMember<M>>>,
    version: usize,
}

impl<M: Send + 'static> ActorGroup<M> {
    /// A group without members.
    ///
    /// ```
    /// use drumline::actor::ActorGroup;
    ///
    /// let group = ActorGroup::<String>::new();
    /// assert!(group.is_empty());
    /// assert_eq!(group.tell_all("nothing hears it".to_owned()).told(), 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        let state = GroupState {
            members: Arc::new(Vec::new()),
            places: BTreeMap::new(),
            joined: 0,
            sweep_at: FEWEST_TO_SWEEP,
        };
        ActorGroup {
            shared: Arc::new(GroupShared {
                state: Mutex::new(state),
                version: AtomicUsize::new(0),
                routers: AtomicUsize::new(0),
            }),
        }
    }

    /// Makes an actor a member, if it is none yet. An actor is a member once, however often it
    /// joins.
    ///
    /// O(log n) with n members, and O(n) if a broadcast is under way or a router has looked at the
    /// group since its last change.
    ///
    /// ```
    /// # use drumline::Pool;
    /// # use drumline::actor::{Actor, ActorGroup, ActorSystem, Context, Handler};
    /// # struct Sink;
    /// # impl Actor for Sink {}
    /// # impl Handler<u32> for Sink {
    /// #     type Reply = ();
    /// #     fn handle(&mut self, _: u32, _: &mut Context<Self>) {}
    /// # }
    /// # let pool = Pool::builder().jobs(1).build()?;
    /// # let system = ActorSystem::new(&pool);
    /// let sink = system.spawn(Sink);
    /// let group = ActorGroup::<u32>::new();
    /// group.join(&sink);
    /// group.join(&sink);
    /// assert_eq!(group.len(), 1);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn join<A, K>(&self, actor: &ActorRef<A>)
    where
        A: Accept<M, K>,
        K: 'static,
    {
        let recipient = actor.recipient().downgrade();
        let identity = recipient.core().identity();
        let mut state = lock(&self.shared.state);
        if state.places.contains_key(&identity) {
            return;
        }
        state.sweep_if_due();
        let (place, number) = (state.members.len(), state.joined);
        state.joined += 1;
        state.places.insert(identity, place);
        Arc::make_mut(&mut state.members).push(GroupMember { recipient, number });
        self.shared.has_changed();
    }

    /// Has an actor leave. Returns whether it was a member, and has not ended.
    ///
    /// A broadcast that is under way may reach it afterwards. Costs as much as
    /// [`join`](Self::join).
    ///
    /// ```
    /// # use drumline::Pool;
    /// # use drumline::actor::{Actor, ActorGroup, ActorSystem, Context, Handler};
    /// # struct Sink;
    /// # impl Actor for Sink {}
    /// # impl Handler<u32> for Sink {
    /// #     type Reply = ();
    /// #     fn handle(&mut self, _: u32, _: &mut Context<Self>) {}
    /// # }
    /// # let pool = Pool::builder().jobs(1).build()?;
    /// # let system = ActorSystem::new(&pool);
    /// let sink = system.spawn(Sink);
    /// let group = ActorGroup::<u32>::new();
    /// group.join(&sink);
    /// assert!(group.leave(&sink));
    /// assert!(!group.leave(&sink));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn leave<A: Actor>(&self, actor: &ActorRef<A>) -> bool {
        let core = WeakCoreRef::new(actor.core());
        let mut state = lock(&self.shared.state);
        let Some(place) = state.places.get(&core.identity()).copied() else {
            return false;
        };
        state.take_out(place);
        self.shared.has_changed();
        drop(state);
        core.upgrade().is_some()
    }

    /// How many members there are. O(n) with n members: it looks whether they have ended.
    ///
    /// ```
    /// use drumline::actor::{ActorGroup, ActorSystem, Probe};
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let probe = Probe::<u32>::new(&system);
    /// let group = ActorGroup::new();
    /// group.join(&probe.actor_ref());
    /// assert_eq!(group.len(), 1);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.recipients().len()
    }

    /// Whether there are none. O(n) with n members, of which the last one lives.
    ///
    /// ```
    /// use drumline::actor::{ActorGroup, ActorSystem, Probe};
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let probe = Probe::<u32>::new(&system);
    /// let group = ActorGroup::new();
    /// group.join(&probe.actor_ref());
    /// assert!(!group.is_empty());
    /// probe.actor_ref().stop();
    /// probe.actor_ref().ended().recv();
    /// assert!(group.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let list = self.list();
        let mut living = list.members.iter().filter_map(|m| m.recipient.upgrade());
        living.next().is_none()
    }

    /// References to all members, which keep them alive. O(n) with n members.
    ///
    /// ```
    /// # use drumline::Pool;
    /// # use drumline::actor::{Actor, ActorGroup, ActorSystem, Context, Handler};
    /// # struct Sink;
    /// # impl Actor for Sink {}
    /// # impl Handler<u32> for Sink {
    /// #     type Reply = ();
    /// #     fn handle(&mut self, _: u32, _: &mut Context<Self>) {}
    /// # }
    /// # let pool = Pool::builder().jobs(1).build()?;
    /// # let system = ActorSystem::new(&pool);
    /// let sink = system.spawn(Sink);
    /// let group = ActorGroup::new();
    /// group.join(&sink);
    /// for recipient in group.recipients() {
    ///     recipient.tell(1)?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn recipients(&self) -> Vec<Recipient<M>> {
        let list = self.list();
        let (mut living, mut ended) = (Vec::new(), Vec::new());
        for member in list.members.iter() {
            match member.recipient.upgrade() {
                Some(recipient) => living.push(recipient),
                None => ended.push(member.clone()),
            }
        }
        drop(list);
        self.take_out(&ended);
        living
    }

    /// Tells each member a clone of the message, and the last one the message itself.
    ///
    /// Members that join or leave meanwhile may be told or not. No lock is held: `clone` may use
    /// the group. O(n) with n members.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorGroup, ActorSystem, Context, Handler};
    ///
    /// struct Sink;
    /// impl Actor for Sink {}
    /// impl Handler<u32> for Sink {
    ///     type Reply = ();
    ///     fn handle(&mut self, _: u32, _: &mut Context<Self>) {}
    /// }
    ///
    /// let pool = Pool::builder().jobs(1).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let [one, other] = [system.spawn(Sink), system.spawn(Sink)];
    /// let group = ActorGroup::new();
    /// group.join(&one);
    /// group.join(&other);
    /// drop(other); // the last reference
    /// let report = group.tell_all(7);
    /// assert_eq!((report.told(), report.ended()), (1, 1));
    /// assert_eq!(group.len(), 1);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `clone` panics: with that panic. The members before that one have been told.
    ///
    /// # Blocking
    ///
    /// As [`ActorRef::tell`], for each member: while it has no room, if its senders are to
    /// [wait](crate::actor::Overflow::Wait). The members behind it are told afterwards.
    pub fn tell_all(&self, message: M) -> Broadcast<M>
    where
        M: Clone,
    {
        let list = self.list();
        let mut ended = Vec::new();
        let mut report = Broadcast {
            told: 0,
            no_room: Vec::new(),
            ended: 0,
        };
        let mut original = Some(message);
        for (place, member) in list.members.iter().enumerate() {
            let is_last = place + 1 == list.members.len();
            let Some(recipient) = member.recipient.upgrade() else {
                ended.push(member.clone());
                continue;
            };
            let copy = if is_last {
                original.take()
            } else {
                original.clone()
            };
            match recipient.tell(copy.expect("the last member takes it")) {
                Ok(()) => report.told += 1,
                Err(TellError::Full(_)) => report.no_room.push(member.recipient.clone()),
                Err(TellError::Dead(_)) => ended.push(member.clone()),
            }
        }
        // Otherwise the change below would copy the list.
        drop(list);
        self.take_out(&ended);
        report.ended = ended.len();
        report
    }
}

impl<M> ActorGroup<M> {
    /// The members there are now.
    pub(crate) fn list(&self) -> MemberList<M> {
        let state = lock(&self.shared.state);
        MemberList {
            members: Arc::clone(&state.members),
            // Relaxed: written under the lock.
            version: self.shared.version.load(Ordering::Relaxed),
        }
    }

    /// Whether the group has not changed since it was asked for the list.
    #[inline]
    pub(crate) fn is_current(&self, list: &MemberList<M>) -> bool {
        // Relaxed: a thread that learns of a change by other means sees its version, which is
        // written before. The list itself comes by way of the lock.
        self.shared.version.load(Ordering::Relaxed) == list.version
    }

    /// The number of another router.
    pub(crate) fn count_router(&self) -> usize {
        // Relaxed: a number, beside which nothing is published.
        self.shared.routers.fetch_add(1, Ordering::Relaxed)
    }

    /// Takes members out that have ended, unless they are out.
    pub(crate) fn take_out(&self, ended: &[GroupMember<M>]) {
        if ended.is_empty() {
            return;
        }
        let mut state = lock(&self.shared.state);
        for member in ended {
            let place = state.places.get(&member.recipient.core().identity());
            if let Some(&place) = place
                && state.members[place].number == member.number
            {
                state.take_out(place);
                self.shared.has_changed();
            }
        }
    }
}

impl<M> GroupShared<M> {
    /// The members are others; under the lock.
    fn has_changed(&self) {
        if !planted!(GroupVersionStays) {
            // Relaxed: as in `is_current`.
            self.version.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl<M> GroupState<M> {
    /// Takes a member out. The last one comes to its place.
    fn take_out(&mut self, place: usize) {
        let members = Arc::make_mut(&mut self.members);
        let gone = members.swap_remove(place);
        self.places.remove(&gone.recipient.core().identity());
        if let Some(moved) = members.get(place) {
            self.places.insert(moved.recipient.core().identity(), place);
        }
    }

    /// Takes those out that are dead, if there are twice as many members as the last sweep has
    /// left: on average, a join looks at two members at most.
    fn sweep_if_due(&mut self) {
        if self.members.len() < self.sweep_at {
            return;
        }
        let mut place = 0;
        while let Some(member) = self.members.get(place) {
            if member.recipient.core().is_dead() {
                self.take_out(place);
            } else {
                place += 1;
            }
        }
        self.sweep_at = FEWEST_TO_SWEEP.max(2 * self.members.len());
    }
}

impl<M: Send + 'static> Default for ActorGroup<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M> Clone for ActorGroup<M> {
    fn clone(&self) -> Self {
        ActorGroup {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<M> fmt::Debug for ActorGroup<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActorGroup").finish_non_exhaustive()
    }
}
