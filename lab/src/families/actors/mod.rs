//! Actors: values that handle messages, one at a time, each with a mailbox of its own.
//!
//! What an actor does is written once, as a [`Behaviour`]. A runtime makes its own kind of actor of
//! it, and its own kind of reference. What is measured is what the runtime does between a message
//! that is told and the call of [`Behaviour::handle`].
//!
//! A runtime lasts as long as the process, and so do most actors.

use std::time::Duration;

use anyhow::Result;

use crate::effort::Effort;
use crate::entry::{Pair, RuntimeEntry, WorkloadEntry};
use crate::families::actors::nap::Nap;
use crate::families::{Family, one_job_and_all, usual_limit};
use crate::machine::cores_available;
use crate::nap::sleep_precisely;
use crate::runtime::RuntimeCard;
use crate::session::Session;
use crate::workload::{WorkloadCard, group};

pub mod fan;
pub mod link;
pub mod nap;
pub mod pair;

include!(concat!(env!("OUT_DIR"), "/families/actors.rs"));

/// The family.
pub static FAMILY: Family = Family {
    name: "actors",
    title: "actors",
    rank: 44,
    nests: false,
    computes: false,
    jobs: one_job_and_all,
    // One operation has a million items.
    effort: |usual| Effort {
        samples_min: 1,
        ..usual
    },
    limit: usual_limit,
};

/// What an actor does, in every runtime.
pub trait Behaviour: Send + 'static {
    /// What it is told.
    type Message: Send + 'static;

    /// Whether it sends itself messages [later](Self::later).
    const SENDS_LATER: bool = false;

    /// The nap that handling this message begins with, if it does. The runtime takes it, in the way
    /// in which its handlers are to block.
    fn nap(&self, _message: &Self::Message) -> Option<Nap> {
        None
    }

    /// Handles a message, after its nap. It does not wait for anything.
    fn handle(&mut self, message: Self::Message);

    /// A message that the actor is to be sent later, and when. It is asked after each message,
    /// until there is no other, where the runtime [has timers](ActorRuntime::TIMERS).
    fn later(&mut self) -> Option<(Duration, Self::Message)> {
        None
    }
}

/// Actors that send each other messages, with a checked answer.
pub trait ActorWorkload: Sized {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// Whether the heap is what is measured. A runtime that gives actors stacks has no row then: a
    /// stack is not in the heap.
    const HEAP: bool = false;

    /// Whether an actor may have several messages from one sender, which have to come in order.
    const NEEDS_ORDER: bool = false;

    /// Whether handlers panic, and their actors go on.
    const NEEDS_RESTARTS: bool = false;

    /// Whether actors send themselves messages later.
    const NEEDS_TIMERS: bool = false;

    /// Whether handlers block for much of the time.
    const BLOCKS: bool = false;

    /// The sizes of the default run, where those of the card would take it too long.
    const BRIEF: Option<&'static [u64]> = None;

    /// How many actors live at once, at most.
    fn actors(size: u64) -> u64;

    /// Has the actors work as often as the session wants to.
    fn drive<R: ActorRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()>;

    /// What a size is called in tables.
    fn size_label(size: u64) -> String {
        group(size)
    }
}

/// A runtime that has actors, or what people use in their place.
pub trait ActorRuntime: Sized + Sync + 'static {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// Whether it is a row of the default run, which has little time.
    const BY_DEFAULT: bool = false;

    /// Whether an actor has a stack of its own.
    const HAS_STACKS: bool = false;

    /// Whether an actor has a thread of its own. Jobs mean nothing then, so there is no row where
    /// they are fewer than the cores.
    const HAS_THREADS: bool = false;

    /// Whether an actor gets the messages of a sender in the order in which they were sent.
    const KEEPS_ORDER: bool = true;

    /// Whether an actor that has panicked can go on with another state, and the messages that it
    /// has.
    ///
    /// Not ractor: its supervisors start another actor, and what waits in the first mailbox is
    /// lost. Not actix: its `Supervisor` is polled by the task that the panic ends.
    const RESTARTS: bool = false;

    /// Whether an actor can send itself a message later.
    const TIMERS: bool = false;

    /// Whether other actors go on while the handlers of some block.
    const MAY_BLOCK: bool = true;

    /// Bytes of each actor that are of the lab's own making, and not of the runtime's.
    const OWN_BYTES: usize = 0;

    /// A reference to an actor. An actor may end when none is left, and may not.
    type Ref<B: Behaviour>: Clone + Send + 'static;

    /// Makes whatever runs actors, so that at most `jobs` threads run handlers at once.
    fn start(jobs: usize) -> Result<Self>;

    /// Why it cannot have this many actors at once, if it cannot.
    fn refuses(_actors: u64) -> Option<&'static str> {
        None
    }

    /// Starts an actor, from a thread that is not part of the runtime. Its mailbox has no bound.
    ///
    /// Actors of the same group talk with each other. A runtime that places an actor on a thread
    /// for ever places it by its group.
    fn spawn<B: Behaviour>(&'static self, group: u64, behaviour: B) -> Self::Ref<B>;

    /// As [`spawn`](Self::spawn). If the actor panics, it goes on with another state of `make`,
    /// where the runtime [can do that](Self::RESTARTS).
    fn spawn_restarting<B: Behaviour>(
        &'static self,
        group: u64,
        mut make: impl FnMut() -> B + Send + 'static,
    ) -> Self::Ref<B> {
        self.spawn(group, make())
    }

    /// How many panics of actors the runtime has told of.
    fn panics(&self) -> u64 {
        0
    }

    /// Sends a message, from an actor or from a thread outside.
    fn tell<B: Behaviour>(actor: &Self::Ref<B>, message: B::Message);

    /// Has an actor end when it has handled what it was told before. This is the last reference to
    /// it.
    fn stop<B: Behaviour>(actor: Self::Ref<B>) {
        drop(actor);
    }
}

// What the registry is made of.

pub(crate) const fn workload<W: ActorWorkload>() -> WorkloadEntry {
    WorkloadEntry {
        // A lost message leaves all threads asleep.
        can_deadlock: true,
        brief: W::BRIEF,
        label: W::size_label,
        ..WorkloadEntry::new(&FAMILY, W::CARD)
    }
}

pub(crate) const fn runtime<R: ActorRuntime>() -> RuntimeEntry {
    RuntimeEntry {
        by_default: R::BY_DEFAULT,
        ..RuntimeEntry::new(&FAMILY, R::CARD)
    }
}

pub(crate) const fn pair<W: ActorWorkload, R: ActorRuntime>() -> Pair {
    Pair::new(W::CARD, R::CARD, measure::<W, R>).only_if(|| {
        !(W::HEAP && R::HAS_STACKS)
            && (R::RESTARTS || !W::NEEDS_RESTARTS)
            && (R::TIMERS || !W::NEEDS_TIMERS)
    })
}

/// Why a row with this many jobs would run more at once on this many cores, if it would.
fn ignores_jobs<R: ActorRuntime>(jobs: usize, cores: Option<usize>) -> Option<&'static str> {
    (R::HAS_THREADS && cores.is_some_and(|cores| jobs < cores))
        .then_some("each actor has a thread, so only the number of cores limits them")
}

fn measure<W: ActorWorkload, R: ActorRuntime>(
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    session.begin();
    let actors = W::actors(size);
    if let Some(reason) = R::refuses(actors) {
        session.decline(reason);
        return Ok(());
    }
    if W::NEEDS_ORDER && !R::KEEPS_ORDER {
        session.decline("it does not keep the messages of a sender in order");
        return Ok(());
    }
    if W::BLOCKS && !R::MAY_BLOCK {
        session.decline("no thread takes the place of one that blocks, so the others starve");
        return Ok(());
    }
    if let Some(reason) = ignores_jobs::<R>(jobs, cores_available()) {
        session.decline(reason);
        return Ok(());
    }
    session.tasks(actors, None);
    if W::BLOCKS {
        // Before the runtime makes its threads.
        sleep_precisely();
    }
    // It lasts as long as the process, so nothing waits for its end. If that goes wrong, it is not
    // what was measured.
    let runtime = Box::leak(Box::new(R::start(jobs)?));
    W::drive(size, runtime, session)
}

#[cfg(test)]
mod tests {
    use super::ignores_jobs;
    use crate::families::actors::runtimes::drumline::{Drumline, DrumlinePinned};
    use crate::families::actors::runtimes::drumline_receive::DrumlineReceive;
    use crate::families::actors::runtimes::tokio::Tokio;

    #[test]
    fn threads_of_actors_stand_beside_all_cores_only() {
        for (jobs, cores, is_declined) in [
            (1, Some(2), true),
            (4, Some(64), true),
            (2, Some(2), false),
            (5, Some(2), false),
            (1, None, false),
        ] {
            let declined = ignores_jobs::<DrumlinePinned>(jobs, cores);
            assert_eq!(declined.is_some(), is_declined, "{jobs} of {cores:?}");
            let declined = ignores_jobs::<DrumlineReceive>(jobs, cores);
            assert_eq!(declined.is_some(), is_declined, "{jobs} of {cores:?}");
            assert_eq!(ignores_jobs::<Drumline>(jobs, cores), None);
            assert_eq!(ignores_jobs::<Tokio>(jobs, cores), None);
        }
    }
}
