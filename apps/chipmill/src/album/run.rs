//! Several songs at once.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use drumline::task::yield_now;
use drumline::{Pool, TaskSet, stream};

use super::job::{Job, Step, check};
use super::{Failure, Plan, Planned, Rendered, Settings};
use crate::song::panic_text;

/// The blocks that a song makes before it gives way: less than a tenth of a second of work. The
/// processor has to learn the branches and the data of the next song anew, which takes some hundred
/// microseconds.
const TURN: usize = 32;

/// What is told while songs are rendered, by the threads that render them.
pub trait Watch: Send + Sync {
    /// A song begins. One that is still waiting when the user has had enough never does.
    fn begins(&self, song: &Planned);
    /// `frames` more have been measured for its peak, before its file begins.
    fn measures(&self, _song: &Planned, _frames: u64) {}
    /// `frames` more are in its file.
    fn goes_on(&self, song: &Planned, frames: u64);
    /// A song has ended.
    fn ends(&self, song: &Planned, result: &Result<Rendered, Failure>);
}

/// Renders all songs of a plan on a pool, `in_flight` at a time, those that are most work first.
///
/// With more songs at a time than the pool has jobs, the songs are tasks that give way to each
/// other after some blocks. The files do not depend on any of these numbers.
///
/// Returns when all songs have ended, or, after `cancelled` is set, when those in flight have left
/// their blocks: no half file is there then, and the songs that wait do not begin.
///
/// # Panics
///
/// `in_flight` is 0, or `watch` panics.
pub fn render(
    plan: &Arc<Plan>,
    settings: &Arc<Settings>,
    pool: &Pool,
    in_flight: usize,
    watch: &Arc<dyn Watch>,
    cancelled: &Arc<AtomicBool>,
) {
    assert!(
        in_flight > 0,
        "no song would ever be rendered: at least one is in flight"
    );
    let order = plan.longest_first();
    if in_flight <= pool.jobs() {
        stream::iter(order)
            .pool(pool)
            .jobs(in_flight)
            .batch(1)
            .for_each(|song| render_one(&plan.songs[song], settings, watch.as_ref(), cancelled));
    } else {
        // The calling thread waits. A worker that waits for tasks would need another in its place,
        // with memory of its own.
        let turns = take_turns(
            order,
            Arc::clone(plan),
            Arc::clone(settings),
            in_flight,
            Arc::clone(watch),
            Arc::clone(cancelled),
        );
        if let Err(error) = pool.spawn_future(turns).join() {
            resume_unwind(error.into_panic());
        }
    }
}

/// Renders a song from its beginning to its end, in the calling thread, unless `cancelled` is set.
///
/// # Panics
///
/// `watch` panics.
pub fn render_one(song: &Planned, settings: &Settings, watch: &dyn Watch, cancelled: &AtomicBool) {
    if check(cancelled).is_err() {
        return;
    }
    watch.begins(song);
    let result = caught(|| {
        let mut job = Job::begin(song, settings, cancelled)?;
        loop {
            if let Some(rendered) = step(&mut job, song, watch, cancelled)? {
                return Ok(rendered);
            }
        }
    });
    watch.ends(song, &result);
}

/// Renders songs that give way to each other.
async fn take_turns(
    order: Vec<usize>,
    plan: Arc<Plan>,
    settings: Arc<Settings>,
    in_flight: usize,
    watch: Arc<dyn Watch>,
    cancelled: Arc<AtomicBool>,
) {
    let order = Arc::new(order);
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = TaskSet::new();
    for _ in 0..in_flight.min(order.len()) {
        let (order, next) = (Arc::clone(&order), Arc::clone(&next));
        let (plan, settings) = (Arc::clone(&plan), Arc::clone(&settings));
        let (watch, cancelled) = (Arc::clone(&watch), Arc::clone(&cancelled));
        tasks.spawn_future(async move {
            // Relaxed: each task gets a number of its own, and the songs do not change.
            while let Some(&song) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                if check(&cancelled).is_err() {
                    return;
                }
                let song = &plan.songs[song];
                watch.begins(song);
                let result = in_turn(song, &settings, watch.as_ref(), &cancelled).await;
                watch.ends(song, &result);
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        if let Err(error) = ended {
            resume_unwind(error.into_panic());
        }
    }
}

async fn in_turn(
    song: &Planned,
    settings: &Settings,
    watch: &dyn Watch,
    cancelled: &AtomicBool,
) -> Result<Rendered, Failure> {
    let mut job = caught(|| Job::begin(song, settings, cancelled))?;
    loop {
        for _ in 0..TURN {
            if let Some(rendered) = caught(|| step(&mut job, song, watch, cancelled))? {
                return Ok(rendered);
            }
        }
        yield_now().await;
    }
}

/// Makes the next block of a song, and returns what it has come to at its end.
fn step(
    job: &mut Job<'_>,
    song: &Planned,
    watch: &dyn Watch,
    cancelled: &AtomicBool,
) -> Result<Option<Rendered>, Failure> {
    check(cancelled)?;
    Ok(match job.step()? {
        Step::Measured(frames) => {
            watch.measures(song, frames);
            None
        }
        Step::Written(frames) => {
            watch.goes_on(song, frames);
            None
        }
        Step::Done(rendered) => Some(rendered),
    })
}

/// A panic is the failure of its song, and of no other.
fn caught<T>(op: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // What the closure has changed belongs to the song, which ends with the failure.
    catch_unwind(AssertUnwindSafe(op))
        .unwrap_or_else(|payload| Err(Failure::Panicked(panic_text(payload.as_ref()))))
}
