//! The actors of a system, as a tree that can be printed.

use std::fmt;
use std::time::Duration;

use crate::actor::ActorSystem;
use crate::actor::attached::census::Census;
use crate::actor::memory::CoreRef;
use crate::actor::supervision::TreeItem;
use crate::sync::Instant;

/// The deepest entry that is indented by its depth.
const DEEPEST_INDENT: usize = 40;

/// The actors of a system, and how many messages each of them has; made by [`ActorSystem::tree`].
///
/// [`Display`](fmt::Display) prints a line for each, below its supervisor. Lines that follow each
/// other and say the same are printed once, with their number. Below 40 supervisors, a line begins
/// with the number of those above it.
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, SpawnOptions};
/// use std::time::Duration;
///
/// struct Idler;
/// impl Actor for Idler {}
///
/// let system = ActorSystem::builder().build_here();
/// let idler = system.spawn_with(Idler, SpawnOptions::new().name("the idler"));
/// let tree = system.tree(Duration::from_secs(10));
/// let names: Vec<_> = tree.entries().iter().map(|entry| entry.name()).collect();
/// assert_eq!(names, ["the idler"]);
/// drop(idler);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActorTree {
    entries: Vec<TreeEntry>,
}

/// An actor or a supervisor in an [`ActorTree`].
///
/// ```
/// use drumline::actor::{Actor, ActorSystem, SpawnOptions};
/// use std::time::Duration;
///
/// struct Idler;
/// impl Actor for Idler {}
///
/// let system = ActorSystem::builder().build_here();
/// let idler = system.spawn_with(Idler, SpawnOptions::new().name("the idler"));
/// let tree = system.tree(Duration::from_secs(10));
/// for entry in tree.entries() {
///     let waiting = entry.mailbox().map_or("busy".to_owned(), |count| format!("{count} waiting"));
///     println!("{}{}: {waiting}", "  ".repeat(entry.depth()), entry.name());
/// }
/// drop(idler);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    depth: usize,
    name: String,
    kind: EntryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryKind {
    Supervisor,
    /// How many messages it has, as far as it has answered.
    Actor(Option<usize>),
    /// It waits to be started again.
    Aside,
}

impl ActorTree {
    /// The actors and supervisors. Those of a supervisor follow it.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, SpawnOptions};
    /// use std::time::Duration;
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let idler = system.spawn_with(Idler, SpawnOptions::new().name("the idler"));
    /// let tree = system.tree(Duration::from_secs(10));
    /// assert_eq!(tree.entries().len(), 1);
    /// assert_eq!(tree.entries()[0].name(), "the idler");
    /// drop(idler);
    /// ```
    #[must_use]
    pub fn entries(&self) -> &[TreeEntry] {
        &self.entries
    }
}

impl TreeEntry {
    /// How many supervisors are above.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, SupervisorOptions};
    /// use std::time::Duration;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let root = system.supervisor(SupervisorOptions::new().name("root"));
    /// let below = root.supervisor(SupervisorOptions::new().name("below"));
    /// let tree = system.tree(Duration::from_secs(10));
    /// let depths: Vec<_> = tree.entries().iter().map(|entry| entry.depth()).collect();
    /// assert_eq!(depths, [0, 1]);
    /// below.stop();
    /// ```
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Its name, or the type of an actor without a name, or the strategy of a supervisor without
    /// one.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, SupervisorOptions};
    /// use std::time::Duration;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let root = system.supervisor(SupervisorOptions::new().name("root"));
    /// let below = root.supervisor(SupervisorOptions::new().name("below"));
    /// let tree = system.tree(Duration::from_secs(10));
    /// let names: Vec<_> = tree.entries().iter().map(|entry| entry.name()).collect();
    /// assert_eq!(names, ["root", "below"]);
    /// below.stop();
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is a supervisor.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, SpawnOptions};
    /// use std::time::Duration;
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let idler = system.spawn_with(Idler, SpawnOptions::new().name("the idler"));
    /// let tree = system.tree(Duration::from_secs(10));
    /// assert!(!tree.entries()[0].is_supervisor());
    /// drop(idler);
    /// ```
    #[must_use]
    pub fn is_supervisor(&self) -> bool {
        self.kind == EntryKind::Supervisor
    }

    /// Whether it is an actor that has failed, or was put aside because of another one, and has
    /// not been started again yet.
    ///
    /// ```
    /// use drumline::actor::{Actor, ActorSystem, SpawnOptions};
    /// use std::time::Duration;
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let idler = system.spawn_with(Idler, SpawnOptions::new().name("the idler"));
    /// let tree = system.tree(Duration::from_secs(10));
    /// assert!(tree.entries().iter().all(|entry| !entry.is_aside())); // nothing has failed
    /// drop(idler);
    /// ```
    #[must_use]
    pub fn is_aside(&self) -> bool {
        self.kind == EntryKind::Aside
    }

    /// How many messages wait in its mailbox. `None`: it has not answered in time, or is aside, or
    /// is a supervisor.
    ///
    /// The message that is handled does not count.
    ///
    /// ```
    /// use drumline::actor::{ActorSystem, SupervisorOptions};
    /// use std::time::Duration;
    ///
    /// let system = ActorSystem::builder().build_here();
    /// let supervisor = system.supervisor(SupervisorOptions::new());
    /// let tree = system.tree(Duration::from_secs(10));
    /// assert_eq!(tree.entries()[0].mailbox(), None); // it is a supervisor, and has none
    /// supervisor.stop();
    /// ```
    #[must_use]
    pub fn mailbox(&self) -> Option<usize> {
        match self.kind {
            EntryKind::Actor(mailbox) => mailbox,
            EntryKind::Supervisor | EntryKind::Aside => None,
        }
    }
}

impl fmt::Display for ActorTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for run in self.entries.chunk_by(|one, next| one == next) {
            let entry = &run[0];
            let indent = 2 * entry.depth.min(DEEPEST_INDENT);
            write!(f, "{:indent$}", "")?;
            if entry.depth > DEEPEST_INDENT {
                write!(f, "[{}] ", entry.depth)?;
            }
            write!(f, "{}", entry.name)?;
            if run.len() > 1 {
                write!(f, " ({} of them)", run.len())?;
            }
            match entry.kind {
                EntryKind::Supervisor => writeln!(f)?,
                EntryKind::Aside => writeln!(f, ": waits for its restart")?,
                EntryKind::Actor(None) => writeln!(f, ": busy")?,
                EntryKind::Actor(Some(0)) => writeln!(f, ": idle")?,
                EntryKind::Actor(Some(1)) => writeln!(f, ": 1 message")?,
                EntryKind::Actor(Some(count)) => writeln!(f, ": {count} messages")?,
            }
        }
        Ok(())
    }
}

/// What is known before the actors have answered.
enum Asked {
    Supervisor(String),
    Actor(CoreRef, Census),
    Aside(CoreRef),
}

impl ActorSystem {
    /// The actors that are alive, below their supervisors, with the number of messages that each
    /// has.
    ///
    /// Actors that have no supervisor come first, in no order. Then come the supervisors, in the
    /// order in which they were made, each with its children in the order of their starts.
    ///
    /// An actor that has messages is asked how many, and answers between two of them. It is waited
    /// for at most for `within`, all together. An actor that handles one message for longer than
    /// that, or awaits in it, has no answer: [`TreeEntry::mailbox`] is `None`. The mailboxes are
    /// those of moments that lie close together, not of one.
    ///
    /// Use it to look for what is stuck, and in tests.
    ///
    /// ```
    /// use drumline::Pool;
    /// use drumline::actor::{Actor, ActorSystem, SpawnOptions, SupervisorOptions};
    /// use std::time::Duration;
    ///
    /// struct Idler;
    /// impl Actor for Idler {}
    ///
    /// let pool = Pool::builder().jobs(2).build()?;
    /// let system = ActorSystem::new(&pool);
    /// let workers = system.supervisor(SupervisorOptions::new().name("workers"));
    /// let kept: Vec<_> = (0..3).map(|_| workers.spawn(|| Idler)).collect();
    /// let printer = system.spawn_with(Idler, SpawnOptions::new().name("printer"));
    /// let tree = system.tree(Duration::from_secs(10));
    /// assert_eq!(tree.entries().len(), 5);
    /// println!("{tree}");
    /// # drop((kept, printer));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// prints, once the actors have started:
    ///
    /// ```text
    /// printer: idle
    /// workers
    ///   Idler (3 of them): idle
    /// ```
    ///
    /// # Blocking
    ///
    /// For `within` at most. In a handler, its own actor is not asked.
    ///
    /// # Complexity
    ///
    /// O(n log n) for n actors, and O(m) for the actor with the m messages that it counts.
    #[must_use]
    pub fn tree(&self, within: Duration) -> ActorTree {
        // A time that no clock shows is for ever.
        let deadline = Instant::now().checked_add(within);
        let deadline = deadline.unwrap_or_else(|| Instant::now() + Duration::from_secs(1 << 32));
        let ask = |core: CoreRef| {
            let census = Census::ask(&core);
            Asked::Actor(core, census)
        };
        let shared = self.shared();
        let alone = shared.list.without_supervisors();
        let mut asked: Vec<_> = alone.into_iter().map(|core| (0, ask(core))).collect();
        for tree in shared.trees.trees() {
            asked.extend(tree.walk().into_iter().map(|(depth, item)| {
                let item = match item {
                    TreeItem::Supervisor(name) => Asked::Supervisor(name),
                    TreeItem::Actor(core) => ask(core),
                    TreeItem::Aside(core) => Asked::Aside(core),
                };
                (depth, item)
            }));
        }
        let entries = asked.into_iter().filter_map(|(depth, asked)| {
            let (name, kind) = match asked {
                Asked::Supervisor(name) => (name, EntryKind::Supervisor),
                Asked::Aside(core) => (core.core().name(), EntryKind::Aside),
                Asked::Actor(core, census) => {
                    let mailbox = match census.wait(deadline) {
                        Census::Known(length) => Some(length),
                        Census::Ended => return None,
                        Census::Asked(..) | Census::Unknown => None,
                    };
                    (core.core().name(), EntryKind::Actor(mailbox))
                }
            };
            Some(TreeEntry { depth, name, kind })
        });
        ActorTree {
            entries: entries.collect(),
        }
    }
}
