//! Whether the occupant of a seat blocks, for the monitor.

use std::time::Duration;

#[cfg(not(drumline_loom))]
use crate::platform::thread_state::ThreadId;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Mutex, lock, planted};

/// It runs, or seems to.
const RUNNING: usize = 0;
/// It has announced that it blocks, and keeps its place unless that lasts.
const BLOCKED: usize = 1;
/// It has announced that it blocks, and has no place.
const AWAY: usize = 2;

/// Written by the occupant, read by the monitor; what the monitor decides
/// because of it, it decides under the lock of the idle set.
#[derive(Debug)]
pub(crate) struct BlockState {
    word: AtomicUsize,
    /// Whether the occupant's last blocking was too short for another thread to take its place.
    /// Used by the occupant alone.
    short: AtomicBool,
    thread: AtomicUsize,
    /// The processor time that the occupant had used when the monitor last
    /// looked, in nanoseconds; used by monitors alone.
    used: AtomicUsize,
    /// The occupant's name, if it is a worker.
    name: Mutex<Option<String>>,
    seat: usize,
}

impl BlockState {
    pub(crate) fn new(seat: usize) -> Self {
        BlockState {
            word: AtomicUsize::new(RUNNING),
            short: AtomicBool::new(false),
            thread: AtomicUsize::new(0),
            used: AtomicUsize::new(0),
            name: Mutex::new(None),
            seat,
        }
    }
}

/// Which thread it is. (The system does not know loom's threads.)
#[cfg(not(drumline_loom))]
impl BlockState {
    /// The calling thread occupies the seat from now on. What the occupant before it did says
    /// nothing about it.
    pub(crate) fn occupy(&self) {
        self.expect_short(false);
        // Release pairs with the Acquire in `thread`: what the occupant before
        // this one did on the seat is visible with the new name.
        self.thread
            .store(ThreadId::current().number(), Ordering::Release);
    }

    /// The calling thread, which has this name, occupies the seat for long.
    pub(crate) fn move_in(&self, name: Option<&str>) {
        self.occupy();
        *lock(&self.name) = name.map(str::to_owned);
    }

    /// The seat is free.
    pub(crate) fn move_out(&self) {
        *lock(&self.name) = None;
        self.vacate();
    }

    /// A guest has left the seat.
    pub(crate) fn vacate(&self) {
        // Relaxed: it publishes nothing. The next occupant gets the seat under a lock.
        self.thread.store(0, Ordering::Relaxed);
    }

    /// Whether there is an occupant, as far as one can see.
    pub(crate) fn is_occupied(&self) -> bool {
        // Relaxed: a hint. Thieves touch nothing because of it.
        self.thread.load(Ordering::Relaxed) != 0
    }

    /// The name of the worker in the seat, for people.
    pub(crate) fn name(&self) -> String {
        match &*lock(&self.name) {
            Some(name) => name.clone(),
            None => format!("guest {}", self.seat),
        }
    }

    /// The thread that occupies the seat.
    pub(crate) fn thread(&self) -> ThreadId {
        ThreadId::from_number(self.thread.load(Ordering::Acquire))
    }
}

impl BlockState {
    /// The occupant blocks. `true`: nothing else is to be done, because this is expected to be
    /// short. If it is not, the monitor [takes](Self::lose_place) the place. `false`: the place is
    /// to be given up.
    pub(crate) fn block(&self) -> bool {
        // Relaxed: only the occupant uses `short`. The word publishes nothing, and a monitor that
        // sees it late looks again.
        let short = self.short.load(Ordering::Relaxed);
        self.word
            .store(if short { BLOCKED } else { AWAY }, Ordering::Relaxed);
        short
    }

    /// The occupant goes on. Whether it has to take its place back.
    pub(crate) fn unblock(&self) -> bool {
        if planted!(UnblockTwoSteps) {
            let away = self.word.load(Ordering::Relaxed) == AWAY;
            self.word.store(RUNNING, Ordering::Relaxed);
            return away;
        }
        // Relaxed: of this and `lose_place`, both read-modify-writes, the later one sees the other.
        // The lock that the occupant takes next shows it what the monitor has done.
        self.word.swap(RUNNING, Ordering::Relaxed) == AWAY
    }

    /// Notes whether the next blocking is expected to be too short for another thread to take the
    /// place.
    pub(crate) fn expect_short(&self, short: bool) {
        // Relaxed: only the occupant uses it.
        self.short.store(short, Ordering::Relaxed);
    }

    /// Whether the occupant has announced that it blocks, and has its place.
    pub(crate) fn is_blocked(&self) -> bool {
        // Relaxed: a hint. `lose_place` decides.
        self.word.load(Ordering::Relaxed) == BLOCKED
    }

    /// Under the lock of the idle set: takes the place from an occupant that has
    /// announced that it blocks. `false`: it does not any more.
    pub(crate) fn lose_place(&self) -> bool {
        if planted!(LosePlaceUnasked) {
            self.word.store(AWAY, Ordering::Relaxed);
            return true;
        }
        // Relaxed: as in `unblock`. On failure: the occupant keeps its place.
        self.word
            .compare_exchange(BLOCKED, AWAY, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }

    /// Notes what processor time the occupant has used.
    pub(crate) fn note_used(&self, used: Duration) {
        // Relaxed: used by monitors alone, one after the other. A lock hands the role on.
        self.used.store(used.as_nanos() as usize, Ordering::Relaxed);
    }

    /// What was noted last.
    pub(crate) fn used(&self) -> Duration {
        // Relaxed: as in `note_used`.
        Duration::from_nanos(self.used.load(Ordering::Relaxed) as u64)
    }
}
