//! Routers: each message to one member of a group.
//!
//! A handle keeps the list of members that it has seen last, and a version by which it knows
//! whether the group has changed since. So a message takes no lock of the group, and writes to no
//! word that another handle uses, besides those of the member that gets it. The list is taken out
//! of its cell while a member is told, because that may run code of the program.

use std::cell::Cell;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{GroupMember, MemberList};
use crate::actor::{ActorGroup, TellError};
use crate::sync::Arc;

/// Sends each message to one member of a [group](ActorGroup).
///
/// A handle belongs to one thread or actor at a time. For others, clone it: it is cheap, and
/// handles share nothing that a message changes.
///
/// A member that has ended is passed over, and leaves the group.
///
/// ```
/// use drumline::Pool;
/// use drumline::actor::{Actor, ActorGroup, ActorSystem, Context, Handler, Router};
/// use std::sync::mpsc;
///
/// struct Worker(usize, mpsc::Sender<(usize, u32)>);
/// impl Actor for Worker {}
/// impl Handler<u32> for Worker {
///     type Reply = ();
///     fn handle(&mut self, job: u32, _: &mut Context<Self>) {
///         let _ = self.1.send((self.0, job));
///     }
/// }
///
/// let pool = Pool::builder().jobs(2).build()?;
/// let system = ActorSystem::new(&pool);
/// let (send, done) = mpsc::channel();
/// let workers = [0, 1].map(|number| system.spawn(Worker(number, send.clone())));
/// let group = ActorGroup::new();
/// for worker in &workers {
///     group.join(worker);
/// }
/// let router = Router::round_robin(&group);
/// for job in 0..4 {
///     router.tell(job)?;
/// }
/// let mut jobs: Vec<_> = done.iter().take(4).collect();
/// jobs.sort();
/// assert_eq!(jobs, [(0, 0), (0, 2), (1, 1), (1, 3)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # A member without room
///
/// The bound of that member decides, as for [`ActorRef::tell`](crate::actor::ActorRef::tell): the
/// sender waits, gets the message back, or a message is lost. The message goes to no other member.
/// By round robin, the next message goes to the next member.
///
/// # Order
///
/// What one handle sends to one member arrives in that order. So do messages with one key, while
/// their member lives and no other one joins that gets the key.
pub struct Router<M> {
    group: ActorGroup<M>,
    choice: RouterChoice<M>,
    /// The members as of the last message.
    seen: Cell<Option<MemberList<M>>>,
}

/// Which member gets a message.
enum RouterChoice<M> {
    /// The next one.
    RoundRobin(Cell<usize>),
    /// The one with the highest weight for the hash of the message.
    ByKey(Arc<KeyHash<M>>),
}

/// The hash of the key of a message.
type KeyHash<M> = dyn Fn(&M) -> u64 + Send + Sync;

impl<M: Send + 'static> Router<M> {
    /// A router that sends to one member after the other.
    ///
    /// Each handle has its own position: of n messages of one handle to m members, each gets n / m,
    /// rounded up or down, while the members stay the same. Clones begin elsewhere. A message costs
    /// O(1), and O(m) after a change of the group.
    ///
    /// ```
    /// use drumline::actor::{ActorGroup, ActorSystem, Probe, Router};
    /// use std::time::Duration;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let mut probes = [Probe::new(&system), Probe::new(&system)];
    /// let group = ActorGroup::new();
    /// probes.iter().for_each(|probe| group.join(&probe.actor_ref()));
    /// let router = Router::round_robin(&group);
    /// router.tell("a job").unwrap();
    /// router.tell("a job").unwrap();
    /// for probe in &mut probes {
    ///     assert_eq!(probe.expect(Duration::from_secs(10)), "a job"); // one each
    /// }
    /// ```
    #[must_use]
    pub fn round_robin(group: &ActorGroup<M>) -> Self {
        let position = Cell::new(group.count_router());
        Self::new(group, RouterChoice::RoundRobin(position))
    }

    /// A router that sends all messages with one key to one member.
    ///
    /// All routers over a group choose the same member for keys with the same hash. A member that
    /// joins gets its share of the keys. One that leaves or ends gives its share to the others. No
    /// other key moves. A member that leaves and joins again is another one. An actor that a
    /// supervisor starts again keeps its keys.
    ///
    /// The method is rendezvous hashing, or highest random weight (D. G. Thaler and C. V.
    /// Ravishankar, "Using name-based mappings to increase hit rates", IEEE/ACM Transactions on
    /// Networking, 1998). A message costs O(n) with n members: a few nanoseconds each.
    ///
    /// The hash has no secret. An adversary that chooses keys can have all of them go to one
    /// member; against that, let `key` return a hash with a secret.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorGroup, ActorSystem, Context, Handler, Router};
    /// use std::sync::mpsc;
    ///
    /// struct Deposit {
    ///     account: &'static str,
    /// }
    /// struct Branch(usize, mpsc::Sender<(&'static str, usize)>);
    /// impl Actor for Branch {}
    /// impl Handler<Deposit> for Branch {
    ///     type Reply = ();
    ///     fn handle(&mut self, deposit: Deposit, _: &mut Context<Self>) {
    ///         let _ = self.1.send((deposit.account, self.0));
    ///     }
    /// }
    ///
    /// let pool = Pool::builder().jobs(2).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let (send, receive) = mpsc::channel();
    /// let branches = [0, 1, 2].map(|number| system.spawn(Branch(number, send.clone())));
    /// let group = ActorGroup::new();
    /// for branch in &branches {
    ///     group.join(branch);
    /// }
    /// let router = Router::by_key(&group, |deposit: &Deposit| deposit.account);
    /// router.tell(Deposit { account: "ada" })?;
    /// router.tell(Deposit { account: "ada" })?;
    /// assert_eq!(receive.recv()?, receive.recv()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Not here. A panic of `key` is one of [`tell`](Self::tell).
    #[must_use]
    pub fn by_key<T, F>(group: &ActorGroup<M>, key: F) -> Self
    where
        F: Fn(&M) -> T + Send + Sync + 'static,
        T: Hash,
    {
        let hash = move |message: &M| {
            let mut hasher = DefaultHasher::new();
            key(message).hash(&mut hasher);
            hasher.finish()
        };
        Self::new(group, RouterChoice::ByKey(Arc::new(hash)))
    }

    /// Sends a message to one member.
    ///
    /// ```
    /// use drumline::actor::{ActorGroup, ActorSystem, Probe, Router, TellError};
    /// use std::time::Duration;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let group = ActorGroup::new();
    /// let router = Router::round_robin(&group);
    /// assert_eq!(router.tell("a job"), Err(TellError::Dead("a job"))); // no member
    ///
    /// let mut probe = Probe::new(&system);
    /// group.join(&probe.actor_ref());
    /// router.tell("a job").unwrap();
    /// assert_eq!(probe.expect(Duration::from_secs(10)), "a job");
    /// ```
    ///
    /// # Errors
    ///
    /// [`TellError::Dead`] if there is no member that lives, as in a group without members.
    /// [`TellError::Full`] if the member has no room and is to [fail](crate::actor::Overflow::Fail)
    /// then. The message comes back.
    ///
    /// # Panics
    ///
    /// If the function that finds the key panics, or the hash of the key: with that panic. No
    /// member has been told, and the message is dropped. The router can be used further.
    ///
    /// # Blocking
    ///
    /// As [`ActorRef::tell`](crate::actor::ActorRef::tell) of the member that is chosen.
    pub fn tell(&self, message: M) -> Result<(), TellError<M>> {
        self.send(message, true)
    }

    /// Sends a message to one member, and never waits.
    ///
    /// ```
    /// use drumline::actor::{ActorGroup, Router, TellError};
    ///
    /// let router = Router::round_robin(&ActorGroup::<u32>::new());
    /// assert_eq!(router.try_tell(1), Err(TellError::Dead(1)));
    /// ```
    ///
    /// # Errors
    ///
    /// As [`tell`](Self::tell), and if the member has no room.
    ///
    /// # Panics
    ///
    /// As [`tell`](Self::tell).
    pub fn try_tell(&self, message: M) -> Result<(), TellError<M>> {
        self.send(message, false)
    }

    fn send(&self, mut message: M, may_wait: bool) -> Result<(), TellError<M>> {
        // Before the list is taken: the function may use this router by another handle, or panic.
        let hash = match &self.choice {
            RouterChoice::RoundRobin(_) => 0,
            RouterChoice::ByKey(hash) => hash(&message),
        };
        loop {
            let list = self.current_list();
            if list.members.is_empty() {
                self.seen.set(Some(list));
                return Err(TellError::Dead(message));
            }
            let start = match &self.choice {
                RouterChoice::RoundRobin(position) => {
                    let start = position.get() % list.members.len();
                    position.set(start + 1);
                    start
                }
                RouterChoice::ByKey(_) => heaviest(&list.members, hash),
            };
            let member = &list.members[start];
            let told = match member.recipient.upgrade() {
                Some(recipient) if may_wait => recipient.tell(message),
                Some(recipient) => recipient.try_tell(message),
                None => Err(TellError::Dead(message)),
            };
            let Err(TellError::Dead(back)) = told else {
                self.seen.set(Some(list));
                return told;
            };
            message = back;
            if let RouterChoice::RoundRobin(position) = &self.choice {
                // Another member comes to the place.
                position.set(start);
            }
            // All that have ended leave at once, as each change may copy the list. The one at hand
            // leaves in any case: a dead actor may refuse messages shortly before its word says it.
            let at_hand = member.number;
            let has_ended = |member: &&GroupMember<M>| {
                member.number == at_hand || member.recipient.upgrade().is_none()
            };
            let ended: Vec<_> = list.members.iter().filter(has_ended).cloned().collect();
            drop(list);
            self.group.take_out(&ended);
        }
    }
}

impl<M> Router<M> {
    fn new(group: &ActorGroup<M>, choice: RouterChoice<M>) -> Self {
        Router {
            group: group.clone(),
            choice,
            seen: Cell::new(None),
        }
    }

    /// The members there are now. The cell is empty afterwards.
    #[inline]
    fn current_list(&self) -> MemberList<M> {
        let seen = self.seen.take();
        let current = seen.filter(|list| self.group.is_current(list));
        current.unwrap_or_else(|| self.group.list())
    }
}

/// The place of the member with the highest weight for this hash. There is a member.
fn heaviest<M>(members: &[GroupMember<M>], hash: u64) -> usize {
    // The product spreads small numbers over all bits. It is another one for each number.
    let spread = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let weight = |member: &GroupMember<M>| mix(hash ^ spread(member.number));
    let weights = members.iter().map(weight).enumerate();
    // Two members have two numbers, and so two weights.
    let heaviest = weights.max_by_key(|&(_, weight)| weight);
    heaviest.map_or(0, |(place, _)| place)
}

/// Turns a number into another one that seems random. Two numbers never become the same. It is the
/// last step of SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
fn mix(number: u64) -> u64 {
    let mut mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl<M> Clone for Router<M> {
    fn clone(&self) -> Self {
        let choice = match &self.choice {
            RouterChoice::RoundRobin(_) => {
                RouterChoice::RoundRobin(Cell::new(self.group.count_router()))
            }
            RouterChoice::ByKey(hash) => RouterChoice::ByKey(Arc::clone(hash)),
        };
        Self::new(&self.group, choice)
    }
}

impl<M> fmt::Debug for Router<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let choice = match &self.choice {
            RouterChoice::RoundRobin(_) => "round robin",
            RouterChoice::ByKey(_) => "by key",
        };
        f.debug_struct("Router").field("choice", &choice).finish()
    }
}
