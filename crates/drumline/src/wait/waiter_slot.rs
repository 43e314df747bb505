//! What is listed of an end of a channel that has waited.

use std::mem;
use std::panic::Location;
use std::ptr;
use std::thread::Thread;

use super::budget::Poller;
use super::hook;
use super::moment;
use super::waiter::{ChannelId, ChannelKind, WaitingFor};
use crate::platform::fork;
use crate::sync::atomic::AtomicUsize;
use crate::sync::{Arc, SharedWords, SpinCell, Ticks};

/// Where in the program something waits, and for what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitSite {
    pub(super) kind: ChannelKind,
    pub(super) channel: ChannelId,
    pub(super) waiting_for: WaitingFor,
    pub(super) location: &'static Location<'static>,
}

impl WaitSite {
    /// At a channel. The ends of the channel share `channel`. `location` is that of the user's
    /// call.
    #[inline]
    pub(crate) fn new<T>(
        kind: ChannelKind,
        channel: *const T,
        waiting_for: WaitingFor,
        location: &'static Location<'static>,
    ) -> Self {
        WaitSite {
            kind,
            channel: ChannelId(channel.addr()),
            waiting_for,
            location,
        }
    }
}

/// What is listed of an end that has waited.
#[derive(Debug)]
pub(super) struct WaiterSlot {
    /// The fork generation of its table.
    generation: u32,
    /// The shard of the table that it is in.
    pub(super) shard: usize,
    /// Its place there; changed with the lock of the shard.
    pub(super) index: AtomicUsize,
    pub(super) words: SharedWords<5>,
    /// What sleeps, if it is a thread. Written while there are no words.
    sleeper: SpinCell<Option<Arc<ListedThread>>>,
}

/// A thread, and the numbers of the pools that it is in.
#[derive(Debug)]
struct ListedThread {
    thread: Thread,
    pools: Vec<usize>,
}

/// What a slot says.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) site: WaitSite,
    pub(super) since: Ticks,
    pub(super) thread: Option<Thread>,
    /// The numbers of the pools that it belongs to.
    pub(super) pools: Vec<usize>,
}

/// Where the parts of the last word begin: what it waits for; the kind of the channel; whether it
/// is a thread; the number of the pool of a task.
const KIND_SHIFT: u32 = 4;
const THREAD_SHIFT: u32 = 8;
const POOL_SHIFT: u32 = 9;

/// How often a reader tries anew, because the slot has changed meanwhile.
const TRIES: u32 = 10;

impl WaiterSlot {
    pub(super) fn new(generation: u32, shard: usize) -> Self {
        WaiterSlot {
            generation,
            shard,
            index: AtomicUsize::new(0),
            words: SharedWords::new(),
            sleeper: SpinCell::new(None),
        }
    }

    /// Whether its table is that of this process, and not of one that this one was forked from.
    pub(super) fn is_of_this_process(&self) -> bool {
        fork::generation() == self.generation
    }

    /// Owner: whether something waits at `site`.
    pub(super) fn is_at(&self, site: WaitSite) -> bool {
        self.words.is_set()
            && self.words.word(0).cast_const() == ptr::from_ref(site.location).cast()
            && self.words.word(1).addr() == site.channel.0
    }

    /// Owner: it waits at `site` from now on.
    #[inline]
    pub(super) fn set(&self, site: WaitSite, poller: Poller) {
        let is_thread = poller == Poller::Thread;
        self.words.clear();
        let pool = if is_thread {
            self.name_thread();
            0
        } else {
            hook::inmost_pool()
        };
        let what = site.waiting_for as usize
            | (site.kind as usize) << KIND_SHIFT
            | usize::from(is_thread) << THREAD_SHIFT
            | pool << POOL_SHIFT;
        let [low, high] = moment::now(poller).into_words();
        let numbers = [site.channel.0, low, high, what].map(ptr::without_provenance_mut);
        let [channel, low, high, what] = numbers;
        let location = ptr::from_ref(site.location).cast_mut().cast();
        self.words.set([location, channel, low, high, what]);
    }

    /// Owner, while there are no words: the calling thread is what sleeps.
    #[cold]
    fn name_thread(&self) {
        let sleeper = Arc::new(ListedThread {
            thread: std::thread::current(),
            pools: hook::pools(),
        });
        drop(self.sleeper.with(|place| place.replace(sleeper)));
    }

    /// The end is gone: nothing waits, and no name is kept.
    pub(super) fn reset(&self) {
        self.words.clear();
        drop(self.sleeper.with(mem::take));
    }

    /// What it says now. `None`: nothing waits, or not for long.
    pub(super) fn read(&self) -> Option<Waiting> {
        for _ in 0..TRIES {
            let words = self.words.read()?;
            let [location, channel, low, high, what] = words;
            let what = what.addr();
            let is_thread = what >> THREAD_SHIFT & 1 == 1;
            let sleeper = is_thread.then(|| self.sleeper.with(|place| place.clone()));
            // It is that of these words if they are still there: it is replaced between two waits.
            if is_thread && self.words.read() != Some(words) {
                continue;
            }
            let sleeper = sleeper.flatten();
            let pools = match &sleeper {
                Some(sleeper) => sleeper.pools.clone(),
                None => Vec::from_iter(Some(what >> POOL_SHIFT).filter(|&pool| pool != 0)),
            };
            return Some(Waiting {
                site: WaitSite {
                    kind: ChannelKind::ALL[what >> KIND_SHIFT & 0xf],
                    channel: ChannelId(channel.addr()),
                    waiting_for: WaitingFor::ALL[what & 0xf],
                    // SAFETY: the words are those of one `set`, and this one came from a reference
                    // for good.
                    location: unsafe { &*location.cast_const().cast::<Location<'static>>() },
                },
                since: Ticks::from_words([low.addr(), high.addr()]),
                thread: sleeper.map(|sleeper| sleeper.thread.clone()),
                pools,
            });
        }
        None
    }
}
