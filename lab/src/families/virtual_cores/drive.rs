//! How workloads use a runtime: start it, run items inside or outside of its pool as often as the
//! session wants to, and check that each ran once.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use crate::families::virtual_cores::VirtualRuntime;
use crate::families::virtual_cores::marks::Marks;
use crate::families::virtual_cores::sleepers::Sleepers;
use crate::session::Session;

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

/// Runs `operation`, called from outside of the pool, until each of this many items is marked once.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::Effort;
    use crate::families::virtual_cores::workloads::ramp::Ramp;
    use crate::families::virtual_cores::workloads::vc_join::VcJoin;
    use crate::families::virtual_cores::workloads::vc_loop::VcLoop;
    use crate::families::virtual_cores::workloads::vc_nested::VcNested;
    use crate::families::virtual_cores::workloads::vc_scope::VcScope;
    use crate::families::virtual_cores::workloads::vc_stream::VcStream;
    use crate::families::virtual_cores::workloads::vc_uneven::VcUneven;
    use crate::families::virtual_cores::{Sharing, VirtualWorkload};
    use crate::measurement::Measurement;
    use crate::runtime::{Role, RuntimeCard};

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

        const SHARINGS: &'static [Sharing] = &[Sharing::Share, Sharing::Stream];

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
