//! Events as events of `tracing`, where that is wanted.
//!
//! Everything has the target `drumline`; what is also a warning has the level
//! of one, all else is for debugging.

use super::event::Event;

/// Whether a subscriber could listen. Costs one load, or nothing.
#[inline]
pub(crate) fn is_on() -> bool {
    imp::is_on()
}

/// Notifies `tracing`. Returns whether a subscriber listens.
pub(crate) fn notify(event: &Event) -> bool {
    imp::notify(event)
}

#[cfg(not(feature = "tracing"))]
mod imp {
    use super::Event;

    pub(crate) const fn is_on() -> bool {
        false
    }

    pub(crate) const fn notify(_: &Event) -> bool {
        false
    }
}

#[cfg(feature = "tracing")]
mod imp {
    use tracing::level_filters::LevelFilter;
    use tracing::{Level, debug, enabled, warn};

    use super::Event;

    #[inline]
    pub(crate) fn is_on() -> bool {
        LevelFilter::current() != LevelFilter::OFF
    }

    /// Whether a subscriber listens to such events.
    fn hears(event: &Event) -> bool {
        match event {
            Event::LimitReached { .. }
            | Event::NoMonitor { .. }
            | Event::ThreadNotCreated { .. }
            | Event::SpareNotCreated { .. }
            | Event::NameNotUsed { .. }
            | Event::PanicLost { .. } => {
                enabled!(target: "drumline", Level::WARN)
            }
            _ => enabled!(target: "drumline", Level::DEBUG),
        }
    }

    pub(crate) fn notify(event: &Event) -> bool {
        if !hears(event) {
            return false;
        }
        match event {
            Event::ThreadStarted { index } => {
                debug!(target: "drumline", index, "thread started");
            }
            Event::ThreadStopped { index } => {
                debug!(target: "drumline", index, "thread ends");
            }
            Event::Slept { index } => debug!(target: "drumline", index, "thread sleeps"),
            Event::Woke { index } => debug!(target: "drumline", index, "thread woke up"),
            Event::Stole { thief, victim } => {
                debug!(target: "drumline", thief, victim, "thread took a job from another");
            }
            Event::Blocked { index } => debug!(target: "drumline", index, "thread blocks"),
            Event::Unblocked { index } => {
                debug!(target: "drumline", index, "thread goes on after blocking");
            }
            Event::LongPoll { index, lasted } => {
                debug!(target: "drumline", index, ?lasted, "a poll of a future took long");
            }
            Event::Compensated { threads, blocked } => {
                debug!(
                    target: "drumline",
                    threads, blocked, "a spare thread takes the place of a blocked one"
                );
            }
            Event::LimitReached {
                limit,
                blocked,
                workers,
            }
            | Event::NoMonitor {
                limit,
                blocked,
                workers,
            } => {
                warn!(target: "drumline", limit, blocked, ?workers, "{event}");
            }
            Event::ThreadNotCreated {
                have,
                wanted,
                error,
            } => {
                warn!(target: "drumline", have, wanted, %error, "{event}");
            }
            Event::PanicLost { message, lost } => {
                warn!(target: "drumline", ?message, lost, "{event}");
            }
            Event::SpareNotCreated {
                have,
                refusals,
                error,
            } => {
                warn!(target: "drumline", have, refusals, %error, "{event}");
            }
            Event::NameNotUsed { index, name } => {
                warn!(target: "drumline", index, name, "{event}");
            }
        }
        true
    }
}
