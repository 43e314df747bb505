//! A table of the fifth kind: items that sleep, in pools with more jobs than there may be cores.
//!
//! An item that sleeps stands for an item that computes on a core of its own. So a machine with two
//! cores shows how a pool divides work among sixty-four threads.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use crate::marks::Marks;
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

/// Runs `operation`, called from outside of the pool, until each of so many items is marked once.
pub fn marked<R: VirtualRuntime>(
    items: u64,
    jobs: usize,
    session: &mut Session,
    operation: impl Fn(&R, &'static Marks),
) -> Result<()> {
    let runtime = R::start(jobs)?;
    let marks = Marks::leaked();
    session.tasks(items, None);
    session.sample_prepared(
        items,
        &mut (),
        |()| marks.reset(),
        |()| operation(&runtime, marks),
        |(), ()| marks.check(items),
    );
    // As in `inside`.
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

/// Items of the same length.
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
    use crate::registry::virtual_workloads::ramp::Ramp;
    use crate::registry::virtual_workloads::vc_join::VcJoin;
    use crate::registry::virtual_workloads::vc_loop::VcLoop;
    use crate::registry::virtual_workloads::vc_nested::VcNested;
    use crate::registry::virtual_workloads::vc_scope::VcScope;
    use crate::registry::virtual_workloads::vc_stream::VcStream;
    use crate::registry::virtual_workloads::vc_uneven::VcUneven;
    use crate::runtime::{Role, RuntimeCard};
    use crate::session::{Effort, Measurement};

    #[test]
    fn pairs_have_labels() {
        let labels: Vec<_> = Alike::SIZES
            .iter()
            .map(|size| Alike::label(*size))
            .collect();
        let pairs = ["64 × 5 ms", "1,000 × 0.5 ms", "1,000 × 2 ms", "256 × 2 ms"];
        assert_eq!(labels, pairs);
    }

    /// A pretended runtime: it begins all items before the first one ends, and perhaps leaves the
    /// last one out.
    struct Pretended<const KEEPS_JOBS: bool, const LEAVES_OUT: usize>;

    impl<const KEEPS_JOBS: bool, const LEAVES_OUT: usize> VirtualRuntime
        for Pretended<KEEPS_JOBS, LEAVES_OUT>
    {
        const CARD: RuntimeCard = RuntimeCard {
            name: "pretended",
            about: "",
            package: None,
            role: Role::Peer,
            rank: 0,
            scheduler: "",
            parallel: true,
            colour: (0, 0, 0),
        };

        const CALLS: &'static [Call] = &[Call::Share, Call::Stream];

        const KEEPS_JOBS: bool = KEEPS_JOBS;

        fn start(_jobs: usize) -> Result<Self> {
            Ok(Self)
        }

        fn enter<R: Send>(&self, call: impl FnOnce() -> R + Send) -> R {
            call()
        }

        fn each(&self, items: &Arc<Sleepers>) {
            all_at_once(items, items.len() - LEAVES_OUT);
        }

        fn nested(&self, items: &Arc<Sleepers>, _inner: usize) {
            self.each(items);
        }

        fn join(&self, items: &Arc<Sleepers>) {
            self.each(items);
        }

        fn scope(&self, items: &Arc<Sleepers>) {
            self.each(items);
        }

        fn stream(&self, items: &Arc<Sleepers>) {
            self.each(items);
        }
    }

    /// Runs the first `left` items, each inside the one after it.
    fn all_at_once(items: &Sleepers, left: usize) {
        if let Some(item) = left.checked_sub(1) {
            items.run_as(item, || all_at_once(items, item));
        }
    }

    fn run<W: VirtualWorkload, R: VirtualRuntime>(jobs: usize) -> Measurement {
        let mut session = Session::new(Effort::once());
        W::drive::<R>(W::CARD.smoke_sizes[0], jobs, &mut session).unwrap();
        session.end()
    }

    fn a_peak_above_the_jobs_is_an_error<W: VirtualWorkload>(items: u64) {
        let error = run::<W, Pretended<true, 0>>(2).error;
        let expected = format!("{items} items ran at once, jobs: 2");
        assert_eq!(error, Some(expected), "{}", W::CARD.name);

        let found = run::<W, Pretended<false, 0>>(2);
        assert_eq!(found.error, None, "it promises nothing");
        assert_eq!(found.items_peak, Some(items));

        let error = run::<W, Pretended<false, 1>>(2).error;
        let expected = format!("item {} ran 0 times", items - 1);
        assert_eq!(error, Some(expected), "{}", W::CARD.name);
    }

    #[test]
    fn too_many_at_once_or_too_few_is_wrong() {
        a_peak_above_the_jobs_is_an_error::<VcLoop>(8);
        a_peak_above_the_jobs_is_an_error::<VcScope>(8);
        a_peak_above_the_jobs_is_an_error::<VcStream>(8);
        a_peak_above_the_jobs_is_an_error::<VcUneven>(8);
        a_peak_above_the_jobs_is_an_error::<VcJoin>(8);
        a_peak_above_the_jobs_is_an_error::<VcNested>(128);
    }

    #[test]
    fn a_ramp_is_checked_as_well() {
        // One leaf per job, so there is no more than one at once for each.
        let found = run::<Ramp, Pretended<true, 0>>(3);
        assert_eq!((found.error, found.items_peak), (None, Some(3)));
        let error = run::<Ramp, Pretended<true, 1>>(3).error;
        assert_eq!(error.as_deref(), Some("item 2 ran 0 times"));
    }
}
