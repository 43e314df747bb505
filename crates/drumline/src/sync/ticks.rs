//! A cheap look at the time, for the lengths of chunks, and for how long something has waited.

use std::time::Duration;

use super::Instant;

/// A moment, for spans of some microseconds on one thread.
///
/// On x86-64 it is the processor's counter. To read it costs about 8 ns, while the system's clock
/// costs 20 and waits for all loads before it. Its frequency is not asked for: that is 1 to 5 GHz,
/// so spans are right within a factor of 2.7. They may be wrong altogether for a thread that was
/// moved between two processors with different counters. So they are good for a decision that may
/// be wrong, and for nothing else. A [`TickScale`] says what time it was, for people.
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

impl Ticks {
    /// Two words of 32 bits.
    pub(crate) fn into_words(self) -> [usize; 2] {
        [(self.0 & 0xffff_ffff) as usize, (self.0 >> 32) as usize]
    }

    /// The ticks of these [words](Self::into_words).
    pub(crate) fn from_words([low, high]: [usize; 2]) -> Self {
        Ticks(low as u64 | (high as u64) << 32)
    }
}

/// How fast the counter is: it was compared with the clock once, and is again when it matters. So
/// it costs no time to wait for the second look.
#[derive(Debug)]
pub(crate) struct TickScale {
    ticks: Ticks,
    at: Instant,
}

impl TickScale {
    pub(crate) fn new() -> Self {
        TickScale {
            ticks: Ticks::now(),
            at: Instant::now(),
        }
    }

    /// What time it was. `now` is a second look, as late as possible. The result is about right,
    /// and no later than that.
    pub(crate) fn time_of(&self, ticks: Ticks, now: &TickScale) -> Instant {
        let between = now.ticks.0.saturating_sub(self.ticks.0).max(1) as f64;
        let ago = now.ticks.0.saturating_sub(ticks.0) as f64;
        let nanos = (now.at - self.at).as_nanos() as f64 * (ago / between);
        let ago = Duration::from_nanos(nanos as u64);
        now.at.checked_sub(ago).unwrap_or(self.at)
    }
}

/// Nanoseconds since the first call in this process.
#[cfg(not(any(all(target_arch = "x86_64", not(miri)), drumline_shuttle)))]
fn nanos() -> u64 {
    static FIRST: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Nanoseconds of the clock that counts looks at it.
#[cfg(drumline_shuttle)]
fn nanos() -> u64 {
    Instant::now().since_ever().as_nanos() as u64
}

#[cfg(all(test, not(drumline_shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn ticks_come_back_from_words() {
        for ticks in [0, 1, 0xffff_ffff, 0x1_0000_0000, u64::MAX] {
            assert_eq!(Ticks::from_words(Ticks(ticks).into_words()).0, ticks);
        }
    }

    /// The scale knows the time of a moment, of several during one of which the thread stayed where
    /// it was.
    #[test]
    fn a_scale_gives_the_time() {
        let is_right = || {
            let scale = TickScale::new();
            let wait = |millis| {
                let begin = Instant::now();
                while begin.elapsed() < Duration::from_millis(millis) {}
            };
            wait(1);
            let (ticks, at) = (Ticks::now(), Instant::now());
            wait(2);
            let time = scale.time_of(ticks, &TickScale::new());
            let error = time.max(at) - time.min(at);
            time <= Instant::now() && error < Duration::from_micros(100)
        };
        assert!((0..100).any(|_| is_right()));
    }

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
        assert!((0..100).any(|_| is_right()));
        // A counter that is behind makes no long span.
        assert_eq!(Ticks(0).nanos_since(Ticks::now()), 0);
    }
}
