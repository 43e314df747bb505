//! How far the models and the random programs go. Every one of them asks here, so a night of
//! `cargo xtask soak` goes further in each.

/// How an environment variable changes the bounds; `unchanged` if it is not set.
fn told(variable: &str, unchanged: usize) -> usize {
    let told = std::env::var(variable);
    told.map_or(unchanged, |number| number.parse().expect("a number"))
}

/// A model with this many preemptions at most, and `DRUMLINE_LOOM_DEEPER` more: one more takes some
/// ten times as long.
#[cfg(drumline_loom)]
pub(crate) fn bounded(preemptions: usize) -> loom::model::Builder {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions + told("DRUMLINE_LOOM_DEEPER", 0));
    builder
}

/// `DRUMLINE_SHUTTLE_LONGER` times as many schedules.
#[cfg(drumline_shuttle)]
pub(crate) fn iterations(some: usize) -> usize {
    some * told("DRUMLINE_SHUTTLE_LONGER", 1)
}

/// Runs `program` once in each of some random schedules.
#[cfg(drumline_shuttle)]
pub(crate) fn in_random_schedules(program: impl Fn() + Send + Sync + 'static, schedules: usize) {
    shuttle::check_random(run(program), schedules);
}

/// Runs `program` in schedules that take the processor from a thread in a few places only.
#[cfg(drumline_shuttle)]
pub(crate) fn with_few_preemptions(program: impl Fn() + Send + Sync + 'static, schedules: usize) {
    shuttle::check_pct(run(program), schedules, 3);
}

/// One run.
#[cfg(drumline_shuttle)]
fn run(program: impl Fn() + Send + Sync + 'static) -> impl Fn() + Send + Sync + 'static {
    move || {
        super::per_run::begin();
        program();
    }
}
