//! The panics of which linked actors fail.

use std::collections::BTreeMap;

use super::table::next_number;
use crate::sync::{Arc, Weak};

/// With fewer causes none is forgotten.
const FEWEST_TO_SWEEP: usize = 16;

/// A panic of which actors fail.
pub(super) struct PanicCause {
    number: u64,
    /// The actor that has panicked, and what the panic says.
    text: String,
}

impl PanicCause {
    /// The panic of the actor of this name.
    fn new(name: &str, panic: Option<&str>) -> Arc<Self> {
        let text = match panic {
            Some(panic) => format!("{name}: {panic}"),
            None => name.to_owned(),
        };
        let number = next_number();
        Arc::new(PanicCause { number, text })
    }
}

/// What an actor has failed of.
pub(super) struct Causes {
    last: Arc<PanicCause>,
    /// The last one is the panic of another actor.
    is_by_link: bool,
    known: BTreeMap<u64, Weak<PanicCause>>,
    /// With this many the next sweep is due.
    sweep_at: usize,
}

impl Causes {
    pub(super) fn new(first: &Arc<PanicCause>, is_by_link: bool) -> Self {
        Causes {
            last: Arc::clone(first),
            is_by_link,
            known: BTreeMap::from([(first.number, Arc::downgrade(first))]),
            sweep_at: FEWEST_TO_SWEEP,
        }
    }

    pub(super) fn note(&mut self, cause: &Arc<PanicCause>, is_by_link: bool) {
        if self.known.len() >= self.sweep_at {
            self.known.retain(|_, cause| cause.strong_count() > 0);
            self.sweep_at = FEWEST_TO_SWEEP.max(2 * self.known.len());
        }
        self.known.insert(cause.number, Arc::downgrade(cause));
        self.last = Arc::clone(cause);
        self.is_by_link = is_by_link;
    }

    /// Whether the actor has failed of this one, and may be told of it again.
    pub(super) fn know(&self, cause: &PanicCause) -> bool {
        self.known.contains_key(&cause.number)
    }

    /// The last failure, of the actor of this name.
    pub(super) fn last<'a>(&self, name: &'a str) -> LinkFailure<'a> {
        LinkFailure {
            name,
            cause: Arc::clone(&self.last),
            is_by_link: self.is_by_link,
        }
    }
}

/// Why a link breaks.
pub(super) struct LinkFailure<'a> {
    /// The actor that has failed.
    name: &'a str,
    pub(super) cause: Arc<PanicCause>,
    /// The panic is that of another actor.
    is_by_link: bool,
}

impl<'a> LinkFailure<'a> {
    /// That of an actor which has panicked itself.
    pub(super) fn of_panic(name: &'a str, panic: Option<&str>) -> Self {
        LinkFailure {
            name,
            cause: PanicCause::new(name, panic),
            is_by_link: false,
        }
    }

    /// What the other actor says when it fails. It says no more than this however many links there
    /// are between that actor and the first.
    pub(super) fn text(&self) -> String {
        let begin = "a linked actor has failed";
        let first = &self.cause.text;
        if self.is_by_link {
            format!("{begin}: {}, because of {first}", self.name)
        } else {
            format!("{begin}: {first}")
        }
    }
}
