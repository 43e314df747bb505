//! Hardware events of this process and the threads that it makes, or of the programs that it
//! starts, where the machine counts them and the kernel lets us look. Most virtual machines and
//! containers do not.
//!
//! A processor has few counters. Where events have to take turns, the kernel says for which part of
//! the time each was counted, and its count is scaled to the whole time.

use serde::{Deserialize, Serialize};

/// How many events there were; `None` where they are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Instructions executed.
    pub instructions: Option<u64>,
    /// Processor cycles.
    pub cycles: Option<u64>,
    /// Branches executed.
    pub branches: Option<u64>,
    /// Branches that were predicted wrongly.
    pub branch_misses: Option<u64>,
    /// Accesses that the last cache could not serve.
    pub cache_misses: Option<u64>,
    /// Moves of threads from core to core, which the kernel counts by itself.
    pub migrations: Option<u64>,
}

/// Open counters. Threads made after they were opened are counted too.
#[derive(Debug)]
pub struct Counters {
    #[cfg(target_os = "linux")]
    open: Vec<(Event, perf_event::Counter)>,
    #[cfg(target_os = "linux")]
    migrations: Option<perf_event::Counter>,
}

#[cfg(target_os = "linux")]
use perf_event::events::{Hardware as Event, Software};

#[cfg(target_os = "linux")]
impl Counters {
    /// Opens what can be opened.
    pub fn open() -> Self {
        Self::open_from(Begin::Enabled)
    }

    /// The same for programs that this thread starts later, and all that these start: counts from
    /// the moment at which a program takes the place of its starter, and nothing of this process.
    pub fn open_for_programs() -> Self {
        Self::open_from(Begin::Program)
    }

    fn open_from(begin: Begin) -> Self {
        let on_exec = begin == Begin::Program;
        let events = [
            Event::INSTRUCTIONS,
            Event::CPU_CYCLES,
            Event::BRANCH_INSTRUCTIONS,
            Event::BRANCH_MISSES,
            Event::CACHE_MISSES,
        ];
        let open = events
            .into_iter()
            .filter_map(|event| {
                let mut builder = perf_event::Builder::new(event);
                builder.inherit(true).enable_on_exec(on_exec);
                Some((event, builder.build().ok()?))
            })
            .collect();
        // They happen in the kernel, where not every process may count.
        let migrations = perf_event::Builder::new(Software::CPU_MIGRATIONS)
            .inherit(true)
            .enable_on_exec(on_exec)
            .include_kernel()
            .build()
            .ok();
        Self { open, migrations }
    }

    /// Counts from here…
    pub fn enable(&mut self) {
        self.open
            .retain_mut(|(_, counter)| counter.enable().is_ok());
        self.migrations.take_if(|counter| counter.enable().is_err());
    }

    /// …to here.
    pub fn disable(&mut self) {
        self.open
            .retain_mut(|(_, counter)| counter.disable().is_ok());
        self.migrations
            .take_if(|counter| counter.disable().is_err());
    }

    /// The totals.
    pub fn read(&mut self) -> Counts {
        let mut counts = Counts::default();
        for (event, counter) in &mut self.open {
            let value = whole(counter);
            match *event {
                Event::INSTRUCTIONS => counts.instructions = value,
                Event::CPU_CYCLES => counts.cycles = value,
                Event::BRANCH_INSTRUCTIONS => counts.branches = value,
                Event::BRANCH_MISSES => counts.branch_misses = value,
                Event::CACHE_MISSES => counts.cache_misses = value,
                _ => {}
            }
        }
        let migrations = self.migrations.as_mut();
        counts.migrations = migrations.and_then(whole);
        counts
    }
}

/// When counters begin.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begin {
    /// When they are enabled.
    Enabled,
    /// When a program begins.
    Program,
}

/// What a counter would have counted in the whole time.
#[cfg(target_os = "linux")]
fn whole(counter: &mut perf_event::Counter) -> Option<u64> {
    let read = counter.read_count_and_time().ok()?;
    scaled(read.count, read.time_enabled, read.time_running)
}

/// A count, scaled from the time in which an event was counted to the time in which it should have
/// been; `None` if it had no turn.
#[cfg(any(target_os = "linux", test))]
fn scaled(count: u64, enabled_ns: u64, running_ns: u64) -> Option<u64> {
    if enabled_ns == running_ns {
        return Some(count);
    }
    let scaled = u128::from(count) * u128::from(enabled_ns);
    u64::try_from(scaled.checked_div(u128::from(running_ns))?).ok()
}

#[cfg(not(target_os = "linux"))]
impl Counters {
    /// Opens nothing on this system.
    pub fn open() -> Self {
        Self {}
    }

    /// Opens nothing on this system.
    pub fn open_for_programs() -> Self {
        Self {}
    }

    /// Does nothing on this system.
    pub fn enable(&mut self) {}

    /// Does nothing on this system.
    pub fn disable(&mut self) {}

    /// Nothing is known on this system.
    pub fn read(&mut self) -> Counts {
        Counts::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_scaled_to_the_whole_time() {
        assert_eq!(scaled(7, 100, 100), Some(7));
        assert_eq!(scaled(7, 100, 50), Some(14));
        // It never had a turn, or nothing has run at all.
        assert_eq!(scaled(0, 100, 0), None);
        assert_eq!(scaled(0, 0, 0), Some(0));
        assert_eq!(scaled(u64::MAX / 2, 4, 1), None);
    }
}
