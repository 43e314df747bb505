//! A consumer that stays aside while the serial end is quick.
//!
//! Where items take nanoseconds, a hand-over between two threads costs more than many of them. So a
//! consumer that arrives during a run of the serial end does not take the run away as long as the
//! run is *quick*: it looks now and then how far the run has come. It is there for the case that
//! the serial end is held up, by an item, a result or the source. Then it takes over as ever.
//!
//! # The race feared
//!
//! The run ends, and the consumer sleeps on. The end of a run wakes it ([`Aside::rouse`]); a wake-up
//! that comes between its look and its nap is kept by the parker. The nap has an end in any case.

use std::time::Duration;

use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Count, Instant};
use crate::wait::{self, Parker};

/// Items that take less than this are not worth a second thread.
const QUICK: Duration = Duration::from_nanos(400);
/// The first nap, and the longest: so long may a result hold up all others.
const FIRST_NAP: Duration = Duration::from_micros(50);
const LAST_NAP: Duration = Duration::from_millis(1);

/// Where one consumer of a stage stays aside.
#[derive(Debug)]
pub(super) struct Aside {
    items: Count,
    taken: AtomicBool,
    parker: Parker,
}

/// How a consumer's stay aside ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stay {
    /// The run is over, or not quick: the consumer goes to work.
    Over,
    /// Another one is there already.
    Taken,
}

impl Aside {
    pub(super) fn new() -> Self {
        Aside {
            items: Count::default(),
            taken: AtomicBool::new(false),
            parker: Parker::new(),
        }
    }

    /// The serial end has handled an item of its run.
    #[inline]
    pub(super) fn count(&self) {
        self.items.up();
    }

    /// A run has ended.
    pub(super) fn rouse(&self) {
        // Relaxed: see the module on a wake-up that is lost.
        if self.taken.load(Ordering::Relaxed) {
            self.parker.unpark();
        }
    }

    /// Stays aside as long as `is_run` and the run is quick.
    pub(super) fn stay(&self, is_run: impl Fn() -> bool) -> Stay {
        if !is_run() {
            return Stay::Over;
        }
        // Relaxed: it keeps a second consumer away, and publishes nothing.
        if self.taken.swap(true, Ordering::Relaxed) {
            return Stay::Taken;
        }
        let mut nap = FIRST_NAP;
        let mut before = self.items.get();
        while is_run() {
            let begun = Instant::now();
            wait::blocking(|| self.parker.park_timeout(nap));
            let now = self.items.get();
            let items = u32::try_from(now.wrapping_sub(before)).unwrap_or(u32::MAX);
            if items == 0 || begun.elapsed() / items > QUICK {
                break;
            }
            before = now;
            nap = (nap * 2).min(LAST_NAP);
        }
        self.taken.store(false, Ordering::Relaxed);
        Stay::Over
    }
}
