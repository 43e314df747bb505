//! Hardware events of this process and the threads that it makes, where the machine counts them
//! and the kernel lets us look. Most virtual machines and containers do not.

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
                let counter = perf_event::Builder::new(event).inherit(true).build().ok()?;
                Some((event, counter))
            })
            .collect();
        // They happen in the kernel, where not every process may count.
        let migrations = perf_event::Builder::new(Software::CPU_MIGRATIONS)
            .inherit(true)
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
            let value = counter.read().ok();
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
        counts.migrations = migrations.and_then(|counter| counter.read().ok());
        counts
    }
}

#[cfg(not(target_os = "linux"))]
impl Counters {
    /// Opens nothing on this system.
    pub fn open() -> Self {
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
