//! Drumline: actors with handlers, a runtime for each scheduler and style.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ::drumline::Pool;
use ::drumline::actor::{
    Actor, ActorRef, ActorSystem, Context, Handler, Scheduler, SharedScheduler, Style, Supervisor,
    SupervisorOptions,
};
use ::drumline::blocking;
use anyhow::{Context as _, Result, anyhow};

use crate::families::actors::{ActorRuntime, Behaviour};
use crate::runtime::{Role, RuntimeCard};

/// The most actors at once that have threads. Above that, starting the threads takes longer than
/// what is measured.
pub const MOST_THREADS: u64 = 1_000;

/// Why there are no more.
pub const TOO_MANY_THREADS: &str = "each actor has a thread, and there would be more than 1,000";

/// An actor of drumline.
pub struct Shell<B>(B);

impl<B: Behaviour> Actor for Shell<B> {}

impl<B: Behaviour> Handler<B::Message> for Shell<B> {
    type Reply = ();

    fn handle(&mut self, message: B::Message, context: &mut Context<Self>) {
        if let Some(nap) = self.0.nap(&message) {
            blocking(|| nap.sleep());
        }
        self.0.handle(message);
        while let Some((delay, message)) = self.0.later() {
            context.send_after(delay, message);
        }
    }
}

impl<B> fmt::Debug for Shell<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shell")
    }
}

/// The schedulers, before they have threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `Scheduler::Managed`.
    Managed,
    /// `Scheduler::ForkJoinLifo`.
    ForkJoinLifo,
    /// `Scheduler::ForkJoinFifo`.
    ForkJoinFifo,
    /// `Scheduler::Shared`, with as many threads as there are jobs.
    Shared,
    /// `Scheduler::Pinned`.
    Pinned,
}

impl Kind {
    fn scheduler(self, jobs: usize) -> Result<Scheduler> {
        Ok(match self {
            Self::Managed => Scheduler::Managed,
            Self::ForkJoinLifo => Scheduler::ForkJoinLifo,
            Self::ForkJoinFifo => Scheduler::ForkJoinFifo,
            Self::Shared => Scheduler::Shared(
                SharedScheduler::new(jobs).context("the threads of the scheduler")?,
            ),
            Self::Pinned => Scheduler::Pinned,
        })
    }
}

/// A system of actors, and its pool.
#[derive(Debug)]
pub struct System {
    /// The system.
    pub actors: ActorSystem,
    supervisor: Supervisor,
    /// Those that the system has told of.
    panics: Arc<AtomicU64>,
    _pool: Pool,
}

impl System {
    /// One in which all actors have this style and this scheduler, in a pool that replaces threads
    /// which block, or not.
    pub fn new(jobs: usize, scheduler: Scheduler, style: Style, spares: bool) -> Result<Self> {
        let pool = Pool::builder()
            .jobs(jobs)
            .spares(spares)
            .build()
            .map_err(|error| anyhow!("the pool cannot be made: {error:?}"))?;
        let builder = ActorSystem::builder().style(style).scheduler(scheduler);
        let actors = builder.build(&pool);
        let panics = Arc::new(AtomicU64::new(0));
        let told = Arc::clone(&panics);
        actors.on_failure(move |_, _| {
            // Relaxed: a count, beside which nothing is published.
            told.fetch_add(1, Ordering::Relaxed);
        });
        let any_number = SupervisorOptions::new().max_restarts(usize::MAX, Duration::from_secs(1));
        Ok(Self {
            supervisor: actors.supervisor(any_number),
            actors,
            panics,
            _pool: pool,
        })
    }
}

/// Runtimes, one a line: type, name, rank, scheduler, style, whether the pool has spares, what
/// schedules the actors, colour, whether it is in the default run. `build.rs` reads the types.
macro_rules! rows {
    ($(
        runtime $Runtime:ident = $name:literal, $rank:literal, $scheduler:ident, $style:ident,
            spares: $spares:literal, $text:literal, $colour:expr, by_default: $by_default:literal;
    )+) => {$(
        #[doc = concat!("`Scheduler::", stringify!($scheduler), "`, `Style::", stringify!($style))]
        #[doc = concat!("`, spares: ", stringify!($spares), ".")]
        #[derive(Debug)]
        pub struct $Runtime(System);

        impl ActorRuntime for $Runtime {
            const CARD: RuntimeCard = RuntimeCard {
                name: $name,
                about: concat!(
                    "this repository: `actor`, scheduler `", stringify!($scheduler), "`, style `",
                    stringify!($style), "`, `spares(", stringify!($spares), ")`",
                ),
                package: Some("drumline"),
                role: Role::Ours,
                rank: $rank,
                scheduler: $text,
                parallel: true,
                colour: $colour,
            };

            const BY_DEFAULT: bool = $by_default;

            const HAS_STACKS: bool = Self::HAS_THREADS;

            const HAS_THREADS: bool = matches!(Kind::$scheduler, Kind::Pinned);

            const RESTARTS: bool = true;

            const TIMERS: bool = true;

            const MAY_BLOCK: bool = $spares || Self::HAS_STACKS;

            type Ref<B: Behaviour> = ActorRef<Shell<B>>;

            fn start(jobs: usize) -> Result<Self> {
                // Actors with threads need no other.
                let jobs = if Self::HAS_THREADS { 1 } else { jobs };
                let scheduler = Kind::$scheduler.scheduler(jobs)?;
                System::new(jobs, scheduler, Style::$style, $spares).map(Self)
            }

            fn refuses(actors: u64) -> Option<&'static str> {
                (Self::HAS_THREADS && actors > MOST_THREADS).then_some(TOO_MANY_THREADS)
            }

            fn spawn<B: Behaviour>(&'static self, _group: u64, behaviour: B) -> Self::Ref<B> {
                self.0.actors.spawn(Shell(behaviour))
            }

            fn spawn_restarting<B: Behaviour>(
                &'static self,
                _group: u64,
                mut make: impl FnMut() -> B + Send + 'static,
            ) -> Self::Ref<B> {
                self.0.supervisor.spawn(move || Shell(make()))
            }

            fn panics(&self) -> u64 {
                // Relaxed: a count, beside which nothing is published.
                self.0.panics.load(Ordering::Relaxed)
            }

            fn tell<B: Behaviour>(actor: &Self::Ref<B>, message: B::Message) {
                // An actor that has ended takes part no more, and its messages are missed.
                let _ = actor.tell(message);
            }
        }
    )+};
}

rows! {
    runtime Drumline = "drumline", 4, Managed, Recursive,
        spares: true, "managed, recursive", (214, 69, 43), by_default: true;
    runtime DrumlineLoop = "drumline-loop", 5, Managed, Loop,
        spares: true, "managed, loop", (236, 142, 60), by_default: false;
    runtime DrumlineNoSpares = "drumline-no-spares", 6, Managed, Recursive,
        spares: false, "fixed threads, recursive", (170, 50, 30), by_default: false;
    runtime DrumlineNoSparesLoop = "drumline-no-spares-loop", 7, Managed, Loop,
        spares: false, "fixed threads, loop", (200, 104, 130), by_default: false;
    runtime DrumlineLifo = "drumline-lifo", 8, ForkJoinLifo, Recursive,
        spares: false, "fork/join, newest first, recursive", (96, 92, 168), by_default: false;
    runtime DrumlineLifoLoop = "drumline-lifo-loop", 9, ForkJoinLifo, Loop,
        spares: false, "fork/join, newest first, loop", (142, 138, 204), by_default: false;
    runtime DrumlineFifo = "drumline-fifo", 10, ForkJoinFifo, Recursive,
        spares: false, "fork/join, oldest first, recursive", (60, 130, 120), by_default: false;
    runtime DrumlineFifoLoop = "drumline-fifo-loop", 11, ForkJoinFifo, Loop,
        spares: false, "fork/join, oldest first, loop", (112, 176, 166), by_default: false;
    runtime DrumlineShared = "drumline-shared", 12, Shared, Recursive,
        spares: false, "one queue, recursive", (120, 110, 60), by_default: false;
    runtime DrumlineSharedLoop = "drumline-shared-loop", 13, Shared, Loop,
        spares: false, "one queue, loop", (176, 164, 104), by_default: false;
    // A thread of its own goes straight on to the next message, whatever the style.
    runtime DrumlinePinned = "drumline-pinned", 18, Pinned, Recursive,
        spares: true, "a thread per actor", (240, 160, 140), by_default: false;
}
