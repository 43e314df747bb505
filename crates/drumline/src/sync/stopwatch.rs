//! The longest of many spans of time, each begun by one thread and ended by another.
//!
//! For statistics, and the standard library's atomics for the same reason as in [`count`]. A model
//! checker has no time to measure: there nothing is kept.
//!
//! [`count`]: super::count

#[cfg(not(any(drumline_loom, drumline_shuttle)))]
pub(crate) use real::Stopwatch;

#[cfg(not(any(drumline_loom, drumline_shuttle)))]
mod real {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    /// Measures spans in microseconds. At most one runs at a time.
    #[derive(Debug, Default)]
    pub(crate) struct Stopwatch {
        /// When the span began; 0 while none runs.
        since: AtomicUsize,
        longest: AtomicUsize,
    }

    /// Microseconds since the first call in this process. They wrap around, where a word has 32
    /// bits, after an hour.
    fn now() -> usize {
        static FIRST: OnceLock<Instant> = OnceLock::new();
        FIRST.get_or_init(Instant::now).elapsed().as_micros() as usize
    }

    impl Stopwatch {
        /// A span begins, unless one runs.
        #[cold]
        pub(crate) fn start(&self) {
            // Relaxed, here and below: nothing is published by it.
            if self.since.load(Ordering::Relaxed) == 0 {
                self.since.store(now().max(1), Ordering::Relaxed);
            }
        }

        /// The span ends, if one runs. If not, this is one load.
        #[inline]
        pub(crate) fn stop(&self) {
            // Relaxed: as in `start`.
            if self.since.load(Ordering::Relaxed) != 0 {
                self.stop_now();
            }
        }

        #[cold]
        fn stop_now(&self) {
            // Relaxed, here and below: as in `start`.
            let since = self.since.swap(0, Ordering::Relaxed);
            let took = now().wrapping_sub(since);
            self.longest.fetch_max(took, Ordering::Relaxed);
        }

        /// The longest span that has ended.
        pub(crate) fn longest(&self) -> Duration {
            // Relaxed: as in `start`.
            Duration::from_micros(self.longest.load(Ordering::Relaxed) as u64)
        }
    }

    #[cfg(test)]
    mod tests {
        use super::{Duration, Stopwatch};

        #[test]
        fn the_longest_span_counts() {
            let watch = Stopwatch::default();
            watch.stop();
            assert_eq!(watch.longest(), Duration::ZERO, "none has begun");
            watch.start();
            std::thread::sleep(Duration::from_millis(2));
            watch.start();
            watch.stop();
            let first = watch.longest();
            assert!(first >= Duration::from_millis(2), "{first:?}");
            watch.stop();
            assert_eq!(watch.longest(), first, "it has ended once");
        }
    }
}

#[cfg(any(drumline_loom, drumline_shuttle))]
pub(crate) use model::Stopwatch;

#[cfg(any(drumline_loom, drumline_shuttle))]
mod model {
    /// Measures nothing.
    #[derive(Debug, Default)]
    pub(crate) struct Stopwatch;

    impl Stopwatch {
        pub(crate) fn start(&self) {}

        pub(crate) fn stop(&self) {}

        #[cfg(drumline_shuttle)]
        pub(crate) fn longest(&self) -> std::time::Duration {
            std::time::Duration::ZERO
        }
    }
}
