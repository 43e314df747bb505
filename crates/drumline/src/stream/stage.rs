//! A stage of a stream.

use super::executor::Executor;
use super::finished::Finished;
use super::hand::Hand;
use super::held_source::HeldSource;
use super::pocket::Pocket;
use super::report::OnPanic;
use super::settings::Settings;
use super::source::{Source, Stopper};
use super::stage_state::StageState;
use super::work::Work;
use crate::control::{CancellationToken, Listener};
use crate::sync::{Arc, Mutex, barrier, lock};
use crate::unwind::{self, Payload};

/// What comes of the items of a batch.
pub(super) type BatchOutcome<T> = Vec<T>;

/// A source, and what is done with what comes from it.
pub(super) struct Stage<S: Source, W: Work<S::Item>> {
    /// Locked by the thread that has the token of the stage state, so hardly ever contended.
    pub(super) source: HeldSource<S>,
    /// What was pulled from a blind source.
    pub(super) pocket: Pocket<S::Item>,
    /// Any pull may wait, and what was pulled must not wait with it.
    pub(super) is_blind: bool,
    stopper: Option<Stopper>,
    pub(super) work: W,
    pub(super) stage_state: StageState<BatchOutcome<W::Out>>,
    /// The own data of the consumers that are not at work here now.
    pub(super) shelf: Mutex<Vec<Hand<S::Item>>>,
    /// The states of functions that are not running: as many as consumers have been at work at
    /// once, at most.
    pub(super) states: Mutex<Vec<W::State>>,
    pub(super) settings: Settings<S::Item>,
    pub(super) most: usize,
    /// Nothing uses what comes of the items.
    pub(super) is_end: bool,
    /// A token or an error may stop the stage, and nothing wakes a consumer that waits in the
    /// source.
    pub(super) looks_up: bool,
    fatal: Arc<Mutex<Fatal>>,
    /// End the wait for the source when the program cancels.
    _cancellers: Vec<Canceller>,
}

/// Stops the source when a token is cancelled, until it is dropped.
struct Canceller {
    is_over: Arc<Mutex<bool>>,
    _listener: Listener,
}

impl Canceller {
    fn new(token: &CancellationToken, stopper: Stopper, fatal: &Arc<Mutex<Fatal>>) -> Self {
        let fatal = Arc::clone(fatal);
        let is_over = Arc::<Mutex<bool>>::default();
        Canceller {
            is_over: Arc::clone(&is_over),
            _listener: token.listen(move || stop_source(|| stopper.stop_for(&is_over), &fatal)),
        }
    }
}

/// A token may tell its listeners late: not the source of a stream that is over.
impl Drop for Canceller {
    fn drop(&mut self) {
        *lock(&self.is_over) = true;
    }
}

/// The panic that stopped the stream.
#[derive(Default)]
struct Fatal(Option<(u64, Payload)>);

/// A payload that was not taken: its drop is code of the program, and may come while another panic
/// is on its way.
impl Drop for Fatal {
    fn drop(&mut self) {
        unwind::discard(self.0.take());
    }
}

impl Fatal {
    /// Keeps the panic of the first item. Returns the one that is too many: its drop is code of the
    /// program, and not for where a lock is held.
    fn note(&mut self, index: u64, payload: Payload) -> Option<Payload> {
        match &mut self.0 {
            Some((first, _)) if *first <= index => Some(payload),
            place => place.replace((index, payload)).map(|(_, payload)| payload),
        }
    }
}

/// Stops a source. A panic of the stopper is one of the stream's.
fn stop_source(stop: impl FnOnce(), fatal: &Mutex<Fatal>) {
    if let Err(payload) = unwind::catch(stop) {
        let surplus = lock(fatal).note(u64::MAX, payload);
        unwind::discard(surplus);
    }
}

impl<S: Source, W: Work<S::Item>> Stage<S, W> {
    /// `finished`: where finished batches go.
    pub(super) fn new(
        mut source: S,
        work: W,
        settings: Settings<S::Item>,
        most: usize,
        finished: Finished<BatchOutcome<W::Out>>,
    ) -> Arc<Self> {
        let is_end = matches!(finished, Finished::Unwanted);
        source.measure_waits(settings.stats.is_some());
        let stopper = source.stopper();
        let is_whole = settings.fixed_batch.is_some_and(|size| size.get() > 1);
        let is_blind = source.is_blind() && !is_whole;
        let looks_up = stopper.is_none() && settings.may_stop();
        let fatal = Arc::<Mutex<Fatal>>::default();
        let cancellers = stopper.iter().flat_map(|stopper| {
            let tokens = settings.cancel.iter();
            tokens.map(|token| Canceller::new(token, stopper.clone(), &fatal))
        });
        let stage_state = StageState::new(most, settings.limit(most), finished);
        Arc::new(Stage {
            _cancellers: cancellers.collect(),
            stopper,
            source: HeldSource::new(source, barrier::want()),
            pocket: Pocket::new(),
            is_blind,
            work,
            stage_state: if is_blind {
                stage_state
            } else {
                stage_state.watched()
            },
            shelf: Mutex::new(Vec::new()),
            states: Mutex::new(Vec::new()),
            settings,
            most,
            is_end,
            looks_up,
            fatal,
        })
    }

    /// Takes nothing more from the source.
    pub(super) fn stop(&self) {
        self.stage_state.stop();
        if let Some(stopper) = &self.stopper {
            stop_source(|| stopper.stop(), &self.fatal);
        }
    }

    /// A function of the stage has failed with an error.
    pub(super) fn fail(&self) {
        self.settings.notes.failed();
        self.stop();
    }

    /// The source has said whether it `has_ended`. A token that is cancelled makes a source say so.
    #[inline]
    pub(super) fn source_said(&self, has_ended: bool) {
        if has_ended && self.is_cancelled() {
            self.stage_state.cancel();
        }
    }

    /// All consumers have left: notes how the stage has ended, and why the source has, if it says
    /// so.
    pub(super) fn note_end(&self) {
        let said = unwind::catch(|| {
            let source = &mut self.source.lock().source;
            if self.settings.stats.is_some() {
                // The program may have lent the source: nothing takes what it would measure.
                source.measure_waits(false);
            }
            (source.end_reason(), source.has_given_all())
        });
        let (reason, has_given_all) = said.unwrap_or_else(|payload| {
            self.panicked_for_good(u64::MAX, payload);
            (None, false)
        });
        if let Some(reason) = reason {
            self.settings.notes.source_ended(reason);
        }
        if self.stage_state.was_cancelled() && !has_given_all {
            self.settings.notes.cancelled();
        }
    }

    /// The panic that stopped the stream, if one did.
    pub(super) fn take_fatal(&self) -> Option<Payload> {
        let (_, payload) = lock(&self.fatal).0.take()?;
        Some(payload)
    }

    /// The states of all consumers, when all have left.
    pub(super) fn take_states(&self) -> Vec<W::State> {
        std::mem::take(&mut *lock(&self.states))
    }

    /// Whether the serial end may handle items by itself: nothing is counted or weighed.
    pub(super) fn is_solo(&self) -> bool {
        let settings = &self.settings;
        settings.stats.is_none() && !settings.is_weighed() && !self.is_cancelled()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.settings.is_cancelled()
    }

    /// Notes the panic of an item.
    pub(super) fn panicked(&self, index: u64, payload: Payload) {
        match self.settings.on_panic {
            OnPanic::Stop => self.panicked_for_good(index, payload),
            OnPanic::Continue => self
                .settings
                .notes
                .lost(self.settings.stage, index, payload),
        }
    }

    /// Notes a panic that ends the stream.
    pub(super) fn panicked_for_good(&self, index: u64, payload: Payload) {
        let surplus = lock(&self.fatal).note(index, payload);
        self.stop();
        unwind::discard(surplus);
    }
}

impl<'s, S, W> Stage<S, W>
where
    S: Source + 's,
    W: Work<S::Item> + 's,
{
    /// Brings a consumer.
    pub(super) fn call(self: &Arc<Self>, executor: &(dyn Executor<'s> + Sync)) {
        if let Some(stats) = &self.settings.stats {
            stats.called();
        }
        executor.call(Arc::clone(self) as _);
    }
}
