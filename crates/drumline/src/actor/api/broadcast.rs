//! What became of a message to all members of a group.

use std::fmt;

use crate::actor::WeakRecipient;

/// What became of a message to all members of a group; returned by
/// [`ActorGroup::tell_all`](crate::actor::ActorGroup::tell_all).
///
/// ```
/// use drumline::actor::{ActorGroup, ActorSystem, Probe};
///
/// let system = ActorSystem::builder().build_here();
/// let probe = Probe::new(&system);
/// let group = ActorGroup::new();
/// group.join(&probe.actor_ref());
/// let report = group.tell_all("news");
/// assert_eq!((report.told(), report.ended(), report.no_room().len()), (1, 0, 0));
/// ```
#[must_use = "some members may not have been told"]
pub struct Broadcast<M> {
    pub(crate) told: usize,
    pub(crate) no_room: Vec<WeakRecipient<M>>,
    pub(crate) ended: usize,
}

impl<M> Broadcast<M> {
    /// How many members were told.
    ///
    /// A member with a mailbox that [loses](crate::actor::Overflow) the oldest or the newest
    /// message is among them, also when it had no room: the message that is lost is a dead letter.
    ///
    /// ```
    /// use drumline::actor::{ActorGroup, ActorSystem, Probe};
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let probes = [Probe::new(&system), Probe::new(&system)];
    /// let group = ActorGroup::new();
    /// probes.iter().for_each(|probe| group.join(&probe.actor_ref()));
    /// assert_eq!(group.tell_all("news").told(), 2);
    /// ```
    #[must_use]
    pub fn told(&self) -> usize {
        self.told
    }

    /// The members that had no room. Their messages have been dropped, and are no dead letters.
    ///
    /// ```
    /// use drumline::actor::{
    ///     Actor, ActorGroup, ActorSystem, Context, HandScheduler, Handler, Overflow,
    ///     SpawnOptions,
    /// };
    ///
    /// struct Doubler;
    /// impl Actor for Doubler {}
    /// impl Handler<u32> for Doubler {
    ///     type Reply = u32;
    ///     fn handle(&mut self, number: u32, _: &mut Context<Self>) -> u32 {
    ///         2 * number
    ///     }
    /// }
    ///
    /// let by_hand = HandScheduler::new(1);
    /// let system = ActorSystem::builder().scheduler(by_hand.scheduler()).build_here();
    /// let options = SpawnOptions::new().bounded(1, Overflow::Fail);
    /// let doubler = system.spawn_with(Doubler, options);
    /// let group = ActorGroup::new();
    /// group.join(&doubler);
    /// assert_eq!(group.tell_all(1).no_room().len(), 0);
    /// assert_eq!(group.tell_all(2).no_room().len(), 1);
    /// by_hand.run_until_idle();
    /// ```
    #[must_use]
    pub fn no_room(&self) -> &[WeakRecipient<M>] {
        &self.no_room
    }

    /// How many members had ended. They are not in the group any more.
    ///
    /// ```
    /// use drumline::actor::{ActorGroup, ActorSystem, Probe};
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let probe = Probe::new(&system);
    /// let group = ActorGroup::new();
    /// group.join(&probe.actor_ref());
    /// probe.actor_ref().stop();
    /// probe.actor_ref().ended().recv();
    /// assert_eq!(group.tell_all("news").ended(), 1);
    /// assert_eq!(group.tell_all("more").ended(), 0); // it is no member any more
    /// ```
    #[must_use]
    pub fn ended(&self) -> usize {
        self.ended
    }
}

impl<M> fmt::Debug for Broadcast<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Broadcast")
            .field("told", &self.told)
            .field("no_room", &self.no_room.len())
            .field("ended", &self.ended)
            .finish()
    }
}
