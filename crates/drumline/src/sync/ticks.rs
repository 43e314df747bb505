//! A cheap look at the time, for the lengths of chunks.

/// A moment, for spans of some microseconds on one thread.
///
/// On x86-64 it is the processor's counter. To read it costs about 8 ns, where the system's clock
/// costs 20 and waits for all loads before it. Its frequency is not asked for: that is 1 to 5 GHz,
/// so spans are right within a factor of 2.7. They may be wrong altogether for a thread that was
/// moved between two processors whose counters differ. So they are good for a decision that may be
/// wrong, and for nothing else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticks(u64);

/// Whether the processor's counter is read.
const IS_COUNTER: bool = cfg!(all(
    target_arch = "x86_64",
    not(any(miri, drumline_shuttle))
));

impl Ticks {
    /// This moment.
    #[inline(always)]
    pub(crate) fn now() -> Ticks {
        #[cfg(all(target_arch = "x86_64", not(any(miri, drumline_shuttle))))]
        {
            // SAFETY: each x86-64 processor has this instruction, which reads a counter.
            Ticks(unsafe { core::arch::x86_64::_rdtsc() })
        }
        #[cfg(not(all(target_arch = "x86_64", not(any(miri, drumline_shuttle)))))]
        {
            Ticks(nanos())
        }
    }

    /// About how many nanoseconds after `earlier` this is.
    #[inline(always)]
    pub(crate) fn nanos_since(self, earlier: Ticks) -> u64 {
        let ticks = self.0.saturating_sub(earlier.0);
        if IS_COUNTER {
            // 2.67 GHz.
            (ticks >> 3).saturating_mul(3)
        } else {
            ticks
        }
    }
}

/// Nanoseconds since the first call in this process.
#[cfg(not(any(all(target_arch = "x86_64", not(miri)), drumline_shuttle)))]
fn nanos() -> u64 {
    static FIRST: std::sync::OnceLock<super::Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(super::Instant::now).elapsed().as_nanos() as u64
}

/// Nanoseconds of the clock that counts looks at it.
#[cfg(drumline_shuttle)]
fn nanos() -> u64 {
    super::Instant::now().since_ever().as_nanos() as u64
}

#[cfg(all(test, not(drumline_shuttle)))]
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
