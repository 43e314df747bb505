//! A thread that looks at a program and its descendants again and again while the program runs.
//!
//! A look is made every 5 ms. Where many processes make it cost more than half a millisecond, looks
//! are made less often, so that the sampler never takes more than a tenth of a processor.

use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::descendants::{self, TreeSize};
use crate::energy::EnergyMeter;

/// How long it waits between two looks, at least.
const PAUSE: Duration = Duration::from_millis(5);

/// How many times the duration of a look it waits, at least.
const PAUSE_PER_LOOK: u32 = 9;

/// How often the counters of energy are looked at: none starts again from zero as often.
const ENERGY: Duration = Duration::from_secs(1);

/// The most that was seen at once; `null` where the system does not say, or where the program ended
/// before the first look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Seen {
    /// Resident memory of the program and all of its descendants together.
    pub rss_bytes: Option<u64>,
    /// The kernel's mark of resident memory of the process with the highest.
    pub mark_bytes: Option<u64>,
    /// Threads of all of them.
    pub threads: Option<u64>,
    /// How many processes there were.
    pub processes: Option<u64>,
    /// How many looks there were that saw something.
    pub looks: u64,
}

impl Seen {
    fn add(&mut self, size: TreeSize) {
        let most = |before: &mut Option<u64>, now| *before = (*before).max(Some(now));
        most(&mut self.rss_bytes, size.rss_bytes);
        most(&mut self.mark_bytes, size.mark_bytes);
        most(&mut self.threads, size.threads);
        most(&mut self.processes, size.processes);
        self.looks += 1;
    }
}

/// The thread. It is made before the program is started, and looks from then on.
#[derive(Debug)]
pub struct Sampler {
    begin: Sender<(u32, EnergyMeter)>,
    thread: JoinHandle<(Seen, Option<f64>)>,
}

impl Sampler {
    /// Makes the thread, which waits.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn new() -> io::Result<Self> {
        let (begin, told) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("sampler".to_owned())
            .spawn(move || sample(&told))?;
        Ok(Self { begin, thread })
    }

    /// Begins to look at this program.
    pub fn start(&self, program: u32, energy: EnergyMeter) {
        // The thread waits for this, and ends only when this is dropped.
        let _ = self.begin.send((program, energy));
    }

    /// Ends the thread, and returns what it has seen, and the joules used since the start.
    pub fn stop(self) -> (Seen, Option<f64>) {
        drop(self.begin);
        self.thread.join().unwrap_or_default()
    }
}

fn sample(told: &Receiver<(u32, EnergyMeter)>) -> (Seen, Option<f64>) {
    let mut seen = Seen::default();
    let Ok((program, mut energy)) = told.recv() else {
        return (seen, None);
    };
    let mut energy_at = Instant::now();
    loop {
        let start = Instant::now();
        if let Some(size) = descendants::look(program) {
            seen.add(size);
        }
        if energy_at.elapsed() >= ENERGY {
            energy.look();
            energy_at = Instant::now();
        }
        let pause = PAUSE.max(start.elapsed() * PAUSE_PER_LOOK);
        // The other end is dropped when the program has ended.
        if !matches!(told.recv_timeout(pause), Err(RecvTimeoutError::Timeout)) {
            return (seen, energy.finish());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_of_each_is_kept() {
        let size = |rss_bytes, threads| TreeSize {
            rss_bytes,
            mark_bytes: 2 * rss_bytes,
            threads,
            processes: 1,
        };
        let mut seen = Seen::default();
        for size in [size(5, 2), size(9, 1), size(7, 3)] {
            seen.add(size);
        }
        let expected = Seen {
            rss_bytes: Some(9),
            mark_bytes: Some(18),
            threads: Some(3),
            processes: Some(1),
            looks: 3,
        };
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_sampler_that_never_began_has_seen_nothing() {
        let sampler = Sampler::new().unwrap();
        assert_eq!(sampler.stop(), (Seen::default(), None));
    }
}
