//! What the model takes for granted, in one place.
//!
//! Times are in microseconds here and in nanoseconds everywhere else. What the library itself
//! decides by the clock (how long it spins, how long a run is) is no assumption: it stands in the
//! file that models the rule, under the name that it has in the library.

use std::fmt;

use anyhow::{Result, bail};

use super::clock::Time;
use super::limits;

/// One thing that is taken for granted.
#[derive(Clone, Copy, Debug)]
struct Row {
    name: &'static str,
    /// On a machine with a core for each thread.
    wide: f64,
    /// On the small machine on which predictions are compared with the real pool: items sleep, and
    /// no more than two threads run at once.
    small: f64,
    meaning: &'static str,
}

const fn row(name: &'static str, wide: f64, small: f64, meaning: &'static str) -> Row {
    Row {
        name,
        wide,
        small,
        meaning,
    }
}

const ROWS: [Row; 20] = [
    row(
        "wake-latency",
        5.0,
        7.0,
        "from the call of a sleeper until it runs",
    ),
    row(
        "wake-cost",
        1.5,
        2.0,
        "the system call that wakes a sleeper, for the caller",
    ),
    row(
        "nap-latency",
        5.0,
        20.0,
        "by which a nap lasts longer than it was meant to",
    ),
    row(
        "sleep-latency",
        5.0,
        20.0,
        "the same for an item that sleeps",
    ),
    row(
        "barrier",
        2.0,
        1.7,
        "a heavy barrier, under one lock of the kernel",
    ),
    row(
        "barrier-per-thread",
        0.1,
        0.0,
        "and for each thread of the process that runs",
    ),
    row(
        "interruption",
        1.0,
        0.0,
        "what each barrier takes from every thread that computes",
    ),
    row(
        "idle-lock",
        0.15,
        0.1,
        "how long the lock of the idle set is held",
    ),
    row(
        "hand-over",
        0.05,
        0.05,
        "from the release of a lock until the next one has it",
    ),
    row(
        "survey-per-seat",
        0.1,
        0.01,
        "a searcher's look at one deque",
    ),
    row("mark-per-seat", 0.2, 0.03, "a mark on one deque"),
    row(
        "probe-per-seat",
        0.06,
        0.01,
        "a thief's look at a deque with nothing to take",
    ),
    row(
        "thief-lock",
        0.1,
        0.1,
        "how long a thief-lock is held, without the barrier",
    ),
    row(
        "place-lock",
        0.1,
        0.05,
        "how long the lock of a place in a shared loop, or of its team, is held",
    ),
    row(
        "answer",
        1.0,
        1.0,
        "how long a thief waits for an answer: 48 pauses",
    ),
    row(
        "attend",
        0.1,
        0.1,
        "an owner's cold step when a thread has asked",
    ),
    row(
        "owner-spin",
        0.3,
        0.3,
        "between two looks at a thief-lock that is held",
    ),
    row(
        "look",
        1.0,
        1.0,
        "between two looks of a thread that spins: 24 pauses and a yield",
    ),
    row("fork", 0.001, 0.001, "a push and a pop that meet no thief"),
    row(
        "oversubscribed",
        0.0,
        0.0,
        "not a time: 1 if threads wait for processors, so that they spin for a moment only",
    ),
];

/// Values for all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumptions([f64; ROWS.len()]);

impl Assumptions {
    /// A machine with a core for each thread.
    pub fn wide() -> Self {
        Assumptions(ROWS.map(|row| row.wide))
    }

    /// The machine of the validation.
    pub fn small() -> Self {
        Assumptions(ROWS.map(|row| row.small))
    }

    /// Sets one, in microseconds.
    pub fn set(&mut self, name: &str, value: f64) -> Result<()> {
        let Some(index) = ROWS.iter().position(|row| row.name == name) else {
            let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
            bail!(
                "no assumption is called {name}; there are {}",
                names.join(", ")
            );
        };
        limits::assumption(name, value)?;
        self.0[index] = value;
        Ok(())
    }

    /// One of them.
    ///
    /// # Panics
    ///
    /// If there is none of that name.
    pub fn time(&self, name: &str) -> Time {
        let index = ROWS.iter().position(|row| row.name == name);
        nanos(self.0[index.expect("an assumption has this name")])
    }
}

impl fmt::Display for Assumptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Assumptions (microseconds):")?;
        for (row, value) in ROWS.iter().zip(&self.0) {
            writeln!(f, "  {:18} {value:>7}  {}", row.name, row.meaning)?;
        }
        write!(
            f,
            "  Each thread has a core of its own; memory costs nothing but what is listed."
        )
    }
}

/// Microseconds in the unit of the clock.
pub fn nanos(micros: f64) -> Time {
    (micros * 1e3).round() as Time
}

/// The other way round.
pub fn micros(time: Time) -> f64 {
    time as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_can_be_set_and_is_printed() {
        let mut assumptions = Assumptions::wide();
        for row in ROWS {
            assumptions.set(row.name, 12.5).unwrap();
            assert_eq!(assumptions.time(row.name), 12_500);
        }
        let text = assumptions.to_string();
        assert_eq!(text.matches("12.5").count(), ROWS.len(), "{text}");
        assert!(assumptions.set("wake", 1.0).is_err());
        for nonsense in [-1.0, f64::NAN, f64::INFINITY, 1e7] {
            let error = assumptions.set("barrier", nonsense).unwrap_err();
            assert!(error.to_string().contains("0 to 1000000"), "{error}");
        }
    }
}
