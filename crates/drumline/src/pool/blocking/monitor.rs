//! Looking after threads that have a place and may not be using it.
//!
//! The monitor is an idle worker with a timer, outside the places. While every place is taken and
//! work is visible, it looks now and then at the threads that have the places. A thread loses its
//! place if it has announced that it blocks, at two looks in a row: whatever it does there, other
//! threads may run meanwhile. So does a thread that has used no processor time since the last look
//! and waits in the kernel. A thread that did not announce it does not know of the loss. It gets
//! its place back when it is seen to run, or when it asks for anything.
//!
//! The more threads block without a word, the likelier the next one that stands still does so, too:
//! the shorter it has to stand still. So a long row of tasks that wait for later ones is gone
//! through at the pace at which threads start. If the threads go on, the monitor is slow again.

use std::time::Duration;

use crate::platform::thread_state::ThreadId;
use crate::pool::shared::registry::Registry;
use crate::pool::shared::seat::Seat;
use crate::sync::{Instant, relax};
use crate::wait::Parker;

/// The first nap between two looks, and the time for which a thread must have
/// stood still at least, while no thread blocks without a word.
const FIRST_NAP: Duration = Duration::from_millis(1);
/// The same while many do: about what a look costs.
const SHORTEST_NAP: Duration = Duration::from_micros(20);
/// The longest nap.
const LAST_NAP: Duration = Duration::from_millis(8);
/// The monitor leaves when there was nothing to do for this long.
const GRACE: Duration = Duration::from_millis(8);

/// How many of those that lost their places are looked at in one go.
const RESTORED_AT_ONCE: usize = 64;

/// What was seen of a thread.
#[derive(Clone, Copy, Debug)]
struct Sample {
    seat: usize,
    thread: ThreadId,
    used: Duration,
    /// It had announced that it blocks.
    announced: bool,
}

/// What the monitor remembers from look to look.
#[derive(Debug)]
pub(crate) struct BlockMonitor {
    samples: Vec<Sample>,
    nap: Duration,
    /// Every active thread was seen to stand still for the first time, and many block without a
    /// word: so do these, as a rule.
    is_about_to_take: bool,
    busy: Instant,
    entries: usize,
    /// The first of the displaced threads to be looked at next.
    cursor: usize,
}

impl BlockMonitor {
    pub(crate) fn new(registry: &Registry) -> Self {
        BlockMonitor {
            samples: Vec::new(),
            // Doubled, it is the first nap.
            nap: Duration::ZERO,
            is_about_to_take: false,
            busy: Instant::now(),
            entries: registry.idle_set().entries(),
            cursor: 0,
        }
    }

    /// Passes the time until the next look.
    pub(crate) fn pause(&self, parker: &Parker) {
        if !self.is_about_to_take {
            parker.park_timeout(self.nap);
            return;
        }
        // No other thread of the pool needs this processor. While other programs compute, a thread
        // that gives up its processor waits for a time slice until it has it back.
        let since = Instant::now();
        while since.elapsed() < self.nap {
            relax();
        }
    }

    /// Whether nothing was to be done for a while.
    pub(crate) fn has_rested(&self) -> bool {
        self.busy.elapsed() >= GRACE
    }

    /// Looks at the active threads, and takes the places of those that block.
    pub(crate) fn look(&mut self, registry: &Registry) {
        let idle_set = registry.idle_set();
        let (active, displaced) = idle_set.active_and_displaced();
        self.restore(registry, &displaced);
        let entries = idle_set.entries();
        let used = entries != std::mem::replace(&mut self.entries, entries);
        let needed = idle_set.is_full() && registry.has_work();
        let before = std::mem::take(&mut self.samples);
        let (mut lost, mut begun, mut suspects) = (displaced.len(), false, false);
        let mut runs = false;
        if needed {
            for index in active {
                let seat = registry.seat(index);
                let sample = sample(seat);
                self.samples.push(sample);
                let announced = sample.announced;
                if !announced && !sample.thread.is_waiting() {
                    runs = true;
                    continue;
                }
                suspects = true;
                // Of threads that only block again and again, no more are to go than there is need.
                let is_due = |old: &Sample| {
                    sample.stands_still_since(old) || sample.blocks_since(old) && idle_set.is_full()
                };
                if before.iter().any(is_due) {
                    let claim = || !announced || seat.block_state().lose_place();
                    seat.block_state().note_used(sample.used);
                    idle_set.displace(index, announced, &claim);
                    lost += 1;
                } else if !before.iter().any(|old| old.is_of_same(&sample)) {
                    begun = true;
                }
            }
        }
        if used || needed {
            self.busy = Instant::now();
        }
        let first = first_nap(lost);
        self.nap = if lost > displaced.len() || begun {
            first
        } else if suspects {
            // They run now and then.
            (self.nap * 2).clamp(first, FIRST_NAP)
        } else {
            (self.nap * 2).clamp(first, LAST_NAP)
        };
        self.is_about_to_take = begun && !runs && self.nap <= SHORTEST_NAP;
    }
}

/// The first nap while `lost` threads block without a word.
fn first_nap(lost: usize) -> Duration {
    let share = u32::try_from(lost).unwrap_or(u32::MAX).saturating_add(1);
    (FIRST_NAP / share).max(SHORTEST_NAP)
}

impl Sample {
    /// Whether the other one is of the same thread.
    fn is_of_same(&self, other: &Sample) -> bool {
        (self.seat, self.thread) == (other.seat, other.thread)
    }

    /// Whether its thread has used no processor time since that earlier look.
    fn stands_still_since(&self, old: &Sample) -> bool {
        self.is_of_same(old) && self.used == old.used
    }

    /// Whether its thread had announced both times that it blocks. That holds though it uses the
    /// processor: it may poll, or block again and again.
    fn blocks_since(&self, old: &Sample) -> bool {
        self.is_of_same(old) && self.announced && old.announced
    }
}

impl BlockMonitor {
    /// Gives the places back to threads that run again: looks at some of
    /// `displaced`, others each time.
    fn restore(&mut self, registry: &Registry, displaced: &[usize]) {
        if self.cursor >= displaced.len() {
            self.cursor = 0;
        }
        for &index in displaced.iter().skip(self.cursor).take(RESTORED_AT_ONCE) {
            let seat = registry.seat(index);
            let used = seat
                .block_state()
                .thread()
                .processor_time()
                .unwrap_or_default();
            if used != seat.block_state().used() {
                seat.block_state().note_used(used);
                if !seat.block_state().thread().is_waiting() {
                    registry.idle_set().replace(index);
                }
            }
        }
        self.cursor += RESTORED_AT_ONCE;
    }
}

fn sample(seat: &Seat) -> Sample {
    let thread = seat.block_state().thread();
    Sample {
        seat: seat.index(),
        thread,
        used: thread.processor_time().unwrap_or_default(),
        announced: seat.block_state().is_blocked(),
    }
}
