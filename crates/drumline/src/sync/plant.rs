//! Planted bugs: each model is run once with its bug switched on, and must
//! then fail. A model that cannot fail proves nothing.

use std::cell::Cell;

/// The bugs that can be switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plant {
    /// [`super::barrier::heavy`] does nothing.
    NoHeavyBarrier,

    /// `TaskWord::take_back` does not win the word.
    TaskBackUnasked,
    /// `TaskWord::finish` publishes nothing.
    TaskFinishRelaxed,
    /// `TaskWord::watch` looks first, and sets WAITING then.
    TaskWatchTwoSteps,
    /// `TaskWord::detach` looks first, and sets DETACHED then.
    TaskDetachTwoSteps,
    /// `Countdown::count_down` looks for the sleeper after its step.
    CountThenLook,
    /// `Countdown::count_down` publishes nothing.
    CountRelaxed,
}

thread_local! {
    // loom runs all threads of a model as coroutines of one system thread.
    static PLANTED: Cell<Option<Plant>> = const { Cell::new(None) };
}

/// Whether `plant` is switched on for the model that runs now.
pub(crate) fn is(plant: Plant) -> bool {
    PLANTED.with(|planted| planted.get() == Some(plant))
}

/// Runs `model` with `plant` switched on and demands that it fails.
pub(crate) fn must_catch(plant: Plant, model: impl Fn() + std::panic::UnwindSafe) {
    PLANTED.with(|planted| planted.set(Some(plant)));
    let outcome = std::panic::catch_unwind(model);
    PLANTED.with(|planted| planted.set(None));
    assert!(outcome.is_err(), "the model did not catch {plant:?}");
}
