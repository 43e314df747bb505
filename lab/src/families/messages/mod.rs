//! Messages: channels between threads and between tasks.
//!
//! A runtime here is a library of channels, or a way of using one. Its trait has one method per
//! kind of channel, in which the library's own constructors stand as its users would call them. A
//! runtime names the kinds that it has, and has no row in the workloads that need another one.
//!
//! The workloads know a channel by the traits of [`channel`]: two ends that are used through
//! `&mut self`, by one thread or task at a time. So an end may be one that cannot be shared, and a
//! library with several senders makes one for each thread.
//!
//! Each library has its own ends for threads and for tasks. Tasks run on tokio, which all libraries
//! of futures are at home on. A library that brings an executor of its own says so in
//! [`executor`](MessageRuntime::executor).

use anyhow::Result;

use crate::effort::Effort;
use crate::entry::{Pair, RuntimeEntry, WorkloadEntry};
use crate::families::{Family, usual_limit};
use crate::runtime::RuntimeCard;
use crate::session::Session;
use crate::workload::{WorkloadCard, group};

use self::channel::{
    AsyncReceiver, AsyncSender, BatchReceiver, Missing, OnceReceiver, OnceSender, Receiver,
    SelectReceiver, Sender,
};
use self::dialogue::{ByHand, Client, Reply, Request, Server};
use self::executor::{Executor, TokioExecutor};

pub mod channel;
pub mod dialogue;
pub mod executor;
pub mod lock;
pub mod locked;
pub mod memory;
pub mod payload;
pub mod ports;
pub mod rings;
pub mod select;
pub mod talk;
pub mod tally;
pub mod traffic;

include!(concat!(env!("OUT_DIR"), "/families/messages.rs"));

/// The family.
pub static FAMILY: Family = Family {
    name: "messages",
    title: "messages",
    rank: 42,
    nests: false,
    computes: false,
    // Threads are as many as the workload says. Only an executor has jobs.
    jobs: |cores| vec![cores],
    // One operation has up to a million items.
    effort: |usual| Effort {
        samples_min: 1,
        ..usual
    },
    limit: usual_limit,
};

/// A kind of channel, by its ends and by what it does when it is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelKind {
    /// [`MessageRuntime::spsc`].
    Spsc,
    /// [`MessageRuntime::spsc_bounded`].
    SpscBounded,
    /// [`MessageRuntime::spsc_batch`].
    SpscBatch,
    /// [`MessageRuntime::mpsc`].
    Mpsc,
    /// [`MessageRuntime::mpsc_bounded`].
    MpscBounded,
    /// [`MessageRuntime::mpmc_bounded`].
    MpmcBounded,
    /// [`MessageRuntime::oneshot`].
    Oneshot,
    /// [`MessageRuntime::spsc_async`].
    SpscAsync,
    /// [`MessageRuntime::ports`].
    Ports,
    /// [`MessageRuntime::dialogue`].
    Dialogue,
    /// [`MessageRuntime::select4`].
    Select4,
}

/// Messages that pass through channels, with a checked answer.
pub trait MessageWorkload: Sized {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// The channels that a runtime must have. A runtime that lacks one has no row.
    const NEEDS: &'static [ChannelKind];

    /// Whether the ends of the channels are tasks. If not, they are threads, and the number of jobs
    /// means nothing.
    const HAS_TASKS: bool = false;

    /// Sends and receives as often as the session wants to.
    fn drive<R: MessageRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()>;

    /// What a size is called in tables.
    fn size_label(size: u64) -> String {
        group(size)
    }
}

/// A library of channels.
///
/// A channel with several senders comes with one sender per client, because a sender need not be
/// one that can be shared or copied.
pub trait MessageRuntime: Sized + 'static {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// The channels that it has.
    const KINDS: &'static [ChannelKind];

    /// What its documentation tells a program to call first.
    fn prepare() {}

    /// A channel without a bound, from one thread to one other.
    fn spsc<T: Send + Unpin + 'static>() -> (impl Sender<T>, impl Receiver<T>) {
        (Missing, Missing)
    }

    /// A channel that holds at most `bound` messages, from one thread to one other.
    fn spsc_bounded<T: Send + Unpin + 'static>(
        _bound: usize,
    ) -> (impl Sender<T>, impl Receiver<T>) {
        (Missing, Missing)
    }

    /// As [`spsc`](Self::spsc), but the receiver takes many messages at once.
    fn spsc_batch<T: Send + Unpin + 'static>() -> (impl Sender<T>, impl BatchReceiver<T>) {
        (Missing, Missing)
    }

    /// A channel without a bound, from this many threads to one other.
    fn mpsc<T: Send + Unpin + 'static>(_senders: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        (vec![Missing], Missing)
    }

    /// A channel that holds at most `bound` messages, from this many threads to one other.
    fn mpsc_bounded<T: Send + Unpin + 'static>(
        _senders: usize,
        _bound: usize,
    ) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        (vec![Missing], Missing)
    }

    /// A channel that holds at most `bound` messages, from these many threads to those many others.
    fn mpmc_bounded<T: Send + Unpin + 'static>(
        _senders: usize,
        _receivers: usize,
        _bound: usize,
    ) -> (Vec<impl Sender<T>>, Vec<impl Receiver<T>>) {
        (vec![Missing], vec![Missing])
    }

    /// A channel for one message, or what is nearest to it.
    fn oneshot<T: Send + Unpin + 'static>() -> (impl OnceSender<T>, impl OnceReceiver<T>) {
        (Missing, Missing)
    }

    /// A channel without a bound, from one task to one other.
    fn spsc_async<T: Send + Unpin + 'static>() -> (impl AsyncSender<T>, impl AsyncReceiver<T>) {
        (Missing, Missing)
    }

    /// This many channels without a bound, and a receiver that waits for all of them.
    fn ports<T: Send + Unpin + 'static>(_ports: usize) -> (Vec<impl Sender<T>>, impl Receiver<T>) {
        (vec![Missing], Missing)
    }

    /// Both sides of a protocol: by hand over two channels without a bound, unless the library has
    /// something else for that.
    fn dialogue() -> (impl Client, impl Server) {
        let (to_server, requests) = Self::spsc::<Request>();
        let (to_client, replies) = Self::spsc::<Reply>();
        (
            ByHand::new(to_server, replies),
            ByHand::new(to_client, requests),
        )
    }

    /// Four channels without a bound, and receivers that are selected over.
    fn select4<T: Send + Unpin + 'static>() -> (Vec<impl Sender<T>>, impl SelectReceiver<T>) {
        (vec![Missing], Missing)
    }

    /// What runs the tasks, on this many threads.
    fn executor(jobs: usize) -> Result<impl Executor> {
        TokioExecutor::start(jobs)
    }
}

// What the registry is made of.

pub(crate) const fn workload<W: MessageWorkload>() -> WorkloadEntry {
    WorkloadEntry {
        // A lost wake-up leaves all threads asleep.
        can_deadlock: true,
        one_job_too: W::HAS_TASKS,
        label: W::size_label,
        ..WorkloadEntry::new(&FAMILY, W::CARD)
    }
}

pub(crate) const fn runtime<R: MessageRuntime>() -> RuntimeEntry {
    RuntimeEntry::new(&FAMILY, R::CARD)
}

pub(crate) const fn pair<W: MessageWorkload, R: MessageRuntime>() -> Pair {
    Pair::new(W::CARD, R::CARD, measure::<W, R>)
        .only_if(|| W::NEEDS.iter().all(|kind| R::KINDS.contains(kind)))
}

fn measure<W: MessageWorkload, R: MessageRuntime>(
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    session.begin();
    R::prepare();
    W::drive::<R>(size, jobs, session)
}
