//! Naps: what items do that stand for something that blocks. How many there are at once, and how
//! long they last.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Makes sleeps of this thread, and of threads that it makes from now on, end when they should. By
/// default Linux lets them last 50 µs longer. Threads of some runtimes, drumline's among them, ask
/// for more precision themselves, and their items would be shorter than those of others.
#[cfg(target_os = "linux")]
pub fn sleep_precisely() {
    // Where this is refused, sleeps last longer.
    let _ = nix::sys::prctl::set_timerslack(1_000);
}

/// Nothing to ask for on this system.
#[cfg(not(target_os = "linux"))]
pub fn sleep_precisely() {}

/// Counts items that run, and keeps the most that there were at once.
#[derive(Debug, Default)]
pub struct Peak {
    running: AtomicUsize,
    most: AtomicUsize,
}

impl Peak {
    /// Runs an item, which counts until it ends.
    pub fn during<R>(&self, item: impl FnOnce() -> R) -> R {
        // Relaxed, here and below: what was counted is read after the runtime has said that all
        // items have ended. The count of those that run publishes nothing. An item that begins
        // because another one has ended comes after that in the order of changes of `running`.
        let running = self.running.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(running, Ordering::Relaxed);
        let result = item();
        self.running.fetch_sub(1, Ordering::Relaxed);
        result
    }

    /// The most items that have run at once, ever.
    pub fn most(&self) -> usize {
        self.most.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_the_most_at_once_and_stays() {
        let peak = Peak::default();
        assert_eq!(peak.most(), 0);
        peak.during(|| ());
        peak.during(|| ());
        assert_eq!(peak.most(), 1);
        assert_eq!(peak.during(|| peak.during(|| 7)), 7);
        peak.during(|| ());
        assert_eq!(peak.most(), 2);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn threads_that_are_made_later_sleep_precisely_too() {
        let slack = std::thread::spawn(|| {
            sleep_precisely();
            let made = std::thread::spawn(nix::sys::prctl::get_timerslack);
            made.join().expect("the thread does not panic")
        });
        assert_eq!(slack.join().expect("the thread does not panic"), Ok(1_000));
    }
}
