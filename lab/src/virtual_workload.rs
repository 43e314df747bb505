//! A table of the fifth kind: items that sleep, in pools with more jobs than there may be cores.
//!
//! An item that sleeps stands for an item that computes on a core of its own. So a machine with two
//! cores shows how a pool divides work among sixty-four threads.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use crate::session::Session;
use crate::sleepers::Sleepers;
use crate::virtual_runtime::{Call, VirtualRuntime};
use crate::workload::{WorkloadCard, group};

/// Something that a pool divides, with a checked answer.
pub trait VirtualWorkload: Sized {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// What a runtime must be able to do. A runtime that is not able has no row.
    const CALL: Call;

    /// The sizes of the default run, where those of the card would take it too long.
    const BRIEF: Option<&'static [u64]> = None;

    /// The numbers of jobs in the default run, where those of the family would take it too long.
    const BRIEF_JOBS: Option<&'static [usize]> = None;

    /// Starts the runtime and runs the work as often as the session wants to.
    fn drive<R: VirtualRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()>;

    /// Why a size within the limits makes no sense, if it makes none.
    fn refuses(_size: u64) -> Option<&'static str> {
        None
    }

    /// What a size is called in tables.
    fn size_label(size: u64) -> String {
        group(size)
    }
}

/// Runs items of these lengths with `operation`, which is called inside the pool.
pub fn inside<R: VirtualRuntime>(
    lengths: Vec<Duration>,
    jobs: usize,
    session: &mut Session,
    operation: impl Fn(&R, &Arc<Sleepers>) + Send + Sync,
) -> Result<()> {
    let runtime = R::start(jobs)?;
    let items = Arc::new(Sleepers::new(lengths, jobs));
    runtime.enter(|| sample(&runtime, &items, jobs, session, &operation));
    session.items_peak(items.peak());
    // The process ends now. Ending a pool waits for its threads, and if that goes wrong it is not
    // what was measured.
    std::mem::forget(runtime);
    Ok(())
}

/// The same with an `operation` that is called from outside of the pool.
pub fn outside<R: VirtualRuntime>(
    lengths: Vec<Duration>,
    jobs: usize,
    session: &mut Session,
    operation: impl Fn(&R, &Arc<Sleepers>) + Send + Sync,
) -> Result<()> {
    let runtime = R::start(jobs)?;
    let items = Arc::new(Sleepers::new(lengths, jobs));
    sample(&runtime, &items, jobs, session, &operation);
    session.items_peak(items.peak());
    std::mem::forget(runtime);
    Ok(())
}

fn sample<R: VirtualRuntime>(
    runtime: &R,
    items: &Arc<Sleepers>,
    jobs: usize,
    session: &mut Session,
    operation: impl Fn(&R, &Arc<Sleepers>),
) {
    let limit = R::KEEPS_JOBS.then_some(jobs);
    session.tasks(items.len() as u64, None);
    session.bound(items.bound());
    session.sample_prepared(
        items.len() as u64,
        &mut (),
        |()| items.reset(),
        |()| operation(runtime, items),
        |(), ()| items.check(limit),
    );
}

/// So many items of the same length.
#[derive(Clone, Copy, Debug)]
pub struct Alike {
    /// How many.
    pub items: usize,
    /// How long each sleeps, in microseconds.
    pub us: u64,
}

/// The pairs of the definition, by size; the last one is for smoke runs.
const PAIRS: [Alike; 5] = [
    Alike {
        items: 64,
        us: 5_000,
    },
    Alike {
        items: 1_000,
        us: 500,
    },
    Alike {
        items: 1_000,
        us: 2_000,
    },
    Alike {
        items: 256,
        us: 2_000,
    },
    Alike {
        items: 8,
        us: 1_000,
    },
];

impl Alike {
    /// The sizes of workloads that are made of such a pair…
    pub const SIZES: &'static [u64] = &[0, 1, 2, 3];

    /// …in a smoke run…
    pub const SMOKE_SIZES: &'static [u64] = &[4];

    /// …and the smallest and the largest.
    pub const LIMITS: (u64, u64) = (0, PAIRS.len() as u64 - 1);

    /// The pair that a size names.
    pub fn of(size: u64) -> Result<Self> {
        Ok(PAIRS[usize::try_from(size)?])
    }

    /// What a size is called.
    pub fn label(size: u64) -> String {
        let Self { items, us } = PAIRS[size as usize];
        format!("{} × {} ms", group(items as u64), us as f64 / 1e3)
    }

    /// The lengths of the items.
    pub fn lengths(self) -> Vec<Duration> {
        vec![Duration::from_micros(self.us); self.items]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_labels() {
        let labels: Vec<_> = Alike::SIZES
            .iter()
            .map(|size| Alike::label(*size))
            .collect();
        let pairs = ["64 × 5 ms", "1,000 × 0.5 ms", "1,000 × 2 ms", "256 × 2 ms"];
        assert_eq!(labels, pairs);
    }
}
