//! Kinds of work, each with its own workloads and its own runtimes.

use std::time::Duration;

use crate::crowd;
use crate::session::Effort;

/// What kind of work something is, or can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Closures that are joined in a tree: `workloads/` on `runtimes/`.
    ForkJoin,
    /// Closures that are queued from outside and block: `crowds/` on `spawners/`.
    Tasks,
    /// Something done with each item of a range or a slice: `loops/` on `loopers/`.
    Loops,
    /// Items that come one after the other, handled by many: `streams/` on `streamers/`.
    Streams,
    /// Items that sleep, in pools with more jobs than cores: `virtual_workloads/` on
    /// `virtual_runtimes/`.
    VirtualCores,
}

impl Family {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 5] = [
        Self::ForkJoin,
        Self::Tasks,
        Self::Loops,
        Self::Streams,
        Self::VirtualCores,
    ];

    /// What it is called in the list.
    pub fn title(self) -> &'static str {
        match self {
            Self::ForkJoin => "fork/join",
            Self::Tasks => "tasks that block",
            Self::Loops => "loops",
            Self::Streams => "streams",
            Self::VirtualCores => "virtual cores",
        }
    }

    /// The numbers of jobs that are run when none is asked for.
    pub fn jobs(self, cores: usize) -> Vec<usize> {
        match self {
            Self::VirtualCores => vec![2, 4, 8, 16, 32, 64],
            Self::ForkJoin | Self::Loops if cores > 1 => vec![1, cores],
            // With one job, what blocks has only one more way to go wrong, and most streams are
            // defined with as many jobs as cores.
            Self::ForkJoin | Self::Loops | Self::Tasks | Self::Streams => vec![cores],
        }
    }

    /// The trouble to go to, where `usual` is what was asked for. Tasks are measured cold: after a
    /// first sample the threads that it took would still be there. Most streams take seconds, so a
    /// warm-up would take as long as what it is for. Items that sleep are as long as they say, so
    /// one sample of a process says as much as several.
    pub fn effort(self, usual: Effort) -> Effort {
        match self {
            Self::ForkJoin | Self::Loops => usual,
            Self::Tasks => Effort::once(),
            Self::Streams => Effort {
                warm_up_ms: 0,
                samples_min: 1,
                ..usual
            },
            Self::VirtualCores => Effort {
                samples_min: 1,
                ..usual
            },
        }
    }

    /// How long a process may take that takes so many samples.
    pub fn limit(self, smoke: bool, full: bool, samples: usize) -> Duration {
        match self {
            Self::Tasks => crowd::bound(smoke, samples),
            _ if full => Duration::from_secs(600),
            _ => Duration::from_secs(60),
        }
    }

    /// Whether threads need a stack deeper than usual. Who makes hundreds of them to wait pays for
    /// what nobody uses.
    pub fn nests(self) -> bool {
        self == Self::ForkJoin
    }
}
