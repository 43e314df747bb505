//! A cheap look at the time, for the lengths of chunks.

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
use std::sync::OnceLock;
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
use std::time::Instant;

/// A moment, for spans of some microseconds on one thread.
///
/// On x86-64 it is the processor's counter, which costs about 8 ns to read where the system's clock
/// costs 23. Its frequency is not asked for: that is 1 to 5 GHz, so spans are right within a factor
/// of 2.7. They may be wrong altogether for a thread that was moved between two processors whose
/// counters differ. So they are good for a decision that may be wrong, and for nothing else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticks(u64);

impl Ticks {
    /// This moment.
    #[inline(always)]
    pub(crate) fn now() -> Ticks {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            // SAFETY: each x86-64 processor has this instruction, which reads a counter.
            Ticks(unsafe { core::arch::x86_64::_rdtsc() })
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        {
            static FIRST: OnceLock<Instant> = OnceLock::new();
            Ticks(FIRST.get_or_init(Instant::now).elapsed().as_nanos() as u64)
        }
    }

    /// About how many nanoseconds after `earlier` this is.
    #[inline(always)]
    pub(crate) fn nanos_since(self, earlier: Ticks) -> u64 {
        let ticks = self.0.saturating_sub(earlier.0);
        if cfg!(all(target_arch = "x86_64", not(miri))) {
            // 2.67 GHz.
            (ticks >> 3).saturating_mul(3)
        } else {
            ticks
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn spans_are_about_right() {
        // Of several, one during which the thread stayed where it was.
        let is_right = || {
            let (ticks, clock) = (Ticks::now(), Instant::now());
            while clock.elapsed() < Duration::from_millis(2) {}
            let (nanos, took) = (Ticks::now().nanos_since(ticks), clock.elapsed());
            let ratio = nanos as f64 / took.as_nanos() as f64;
            (0.3..=3.0).contains(&ratio)
        };
        assert!((0..10).any(|_| is_right()));
        // A counter that is behind makes no long span.
        assert_eq!(Ticks(0).nanos_since(Ticks::now()), 0);
    }
}
