//! What came of a measuring process.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::measurement::Measurement;
use crate::weather::{Clocks, Weather};

/// How a measuring process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// By itself.
    Itself,
    /// It was ended because it took too long.
    Late,
    /// The same, and it did nothing any more.
    Deadlock,
    /// It was ended because the run was; see [`interrupt`](crate::interrupt). What came of it says
    /// nothing.
    Interrupted,
}

/// What came of a measuring process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// What it found, or why it found nothing.
    pub found: Result<Measurement, String>,
    /// How it ended.
    pub end: End,
    /// When it was started.
    pub date: String,
    /// How long it took, with its start and its end.
    pub seconds: f64,
    /// The most threads that were seen.
    pub threads_peak: Option<u64>,
    /// The least available memory that was seen.
    pub memory_free_min_bytes: Option<u64>,
    /// What else the machine did meanwhile.
    pub weather: Weather,
    /// How many tasks of the machine ran or waited to run in the minute before.
    #[serde(default)]
    pub load: Option<f64>,
}

impl Outcome {
    /// What comes of a configuration that no process can measure.
    pub fn without_process(found: Result<Measurement, String>) -> Self {
        let now = Clocks::now();
        Self {
            found,
            end: End::Itself,
            date: crate::date::now(),
            seconds: 0.0,
            threads_peak: None,
            memory_free_min_bytes: None,
            weather: Weather::between(now, now),
            load: None,
        }
    }

    /// How long the process took.
    pub fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds).unwrap_or_default()
    }
}
