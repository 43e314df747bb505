//! Loom models of the pocket: what is pulled ahead from a blind source is not withheld.
//!
//! The source gives one item, and then nothing before that item has been handled.

use std::sync::Arc;

use loom::thread;

use super::finished::Finished;
use super::held_source::{PullRun, ResultsTo};
use super::load::Load;
use super::models::explore;
use super::pocket::Pocket;
use super::stage_state::{PullReport, StageState, Turn};
use crate::sync::plant::{Plant, must_catch};
use crate::sync::{Mutex, lock};
use crate::wait::Parker;

/// One consumer pulls ahead from a source that gives the second item only when the first has been
/// handled. The other one is at hand when that begins, and looks twice.
fn pull_ahead() {
    let pocket = Arc::new(Pocket::new());
    let handled = Arc::new(Parker::new());
    pocket.look().open();
    let helper = {
        let (pocket, handled) = (Arc::clone(&pocket), Arc::clone(&handled));
        thread::spawn(move || {
            for impatient in [false, true] {
                let mut pulled = pocket.look();
                let mut batch = Vec::new();
                if impatient || !pulled.is_open() {
                    pulled.take(1, &mut batch);
                }
                if !batch.is_empty() {
                    handled.unpark();
                    return;
                }
                if impatient && pulled.is_open() {
                    pulled.leave();
                }
            }
        })
    };
    if pocket.add(0) {
        // The next pull.
        handled.park();
    }
    let mut pulled = pocket.look();
    pulled.close();
    let mut batch = Vec::new();
    pulled.take(1, &mut batch);
    assert!(pulled.len() == 0, "each item is taken");
    drop(pulled);
    helper.join().unwrap();
}

#[test]
fn loom_what_is_pulled_ahead_is_not_withheld() {
    explore(3, pull_ahead);
}

#[test]
fn loom_plant_who_leaves_says_so() {
    must_catch(Plant::LeavesUnnoticed, || explore(3, pull_ahead));
}

/// What consumers share.
struct Blind {
    stage_state: StageState<usize>,
    pocket: Pocket<usize>,
    /// Where the source waits.
    source: Parker,
    handled: Mutex<usize>,
    /// Where an item waits until a later one has been handled.
    item: Parker,
}

impl Blind {
    fn new(consumers: usize) -> Self {
        let limit = Load {
            items: usize::MAX,
            batches: usize::MAX,
            weight: usize::MAX,
        };
        Blind {
            stage_state: StageState::new(consumers, limit, Finished::Unwanted),
            pocket: Pocket::new(),
            source: Parker::new(),
            handled: Mutex::new(0),
            item: Parker::new(),
        }
    }

    fn handle(&self, batch: &[usize]) {
        if !batch.is_empty() {
            *lock(&self.handled) += batch.len();
            self.source.unpark();
            self.item.unpark();
        }
    }

    /// As `StageConsumer::stay_blind`, with one look between patience and impatience. Leaves after
    /// its first batch.
    fn stay(&self) {
        for impatient in [false, true] {
            let mut pulled = self.pocket.look();
            let mut batch = Vec::new();
            if impatient || !pulled.is_open() {
                pulled.take(1, &mut batch);
            }
            if !batch.is_empty() {
                drop(pulled);
                self.handle(&batch);
                return self.stage_state.leave();
            }
            if pulled.is_open() {
                if impatient {
                    pulled.leave();
                    return self.stage_state.leave();
                }
                continue;
            }
            match self.stage_state.turn(false, !impatient) {
                Turn::Pull(_) => {
                    let is_ahead = self.stage_state.others_at_hand().at_hand > 0;
                    if is_ahead {
                        pulled.open();
                    }
                    drop(pulled);
                    self.pull(is_ahead);
                    return self.stage_state.leave();
                }
                Turn::Again => {}
                Turn::Leave | Turn::Over => return,
            }
        }
    }

    /// As `StageConsumer::pull_blind`, to the end of the source.
    fn pull(&self, is_ahead: bool) {
        let mut batch = vec![0];
        if is_ahead {
            if self.pocket.add(0) {
                self.source.park();
            }
            batch.clear();
            let mut pulled = self.pocket.look();
            pulled.close();
            pulled.take(1, &mut batch);
        }
        let (_, call) = self.stage_state.pulled(PullReport {
            load: Load::NONE,
            overloaded: false,
            lengthy: false,
            ended: true,
        });
        assert!(!call, "it is over");
        self.handle(&batch);
    }
}

/// Two consumers, of which one is in a run, and the other one has been called.
fn in_a_run() -> Arc<Blind> {
    let stage = Arc::new(Blind::new(2));
    assert!(stage.stage_state.summon() && stage.stage_state.arrive());
    assert!(matches!(
        stage.stage_state.turn(false, false),
        Turn::Pull(_)
    ));
    assert!(stage.stage_state.begin_alone(), "the other one is called");
    stage
}

/// A consumer arrives, to stay aside, when the run of another one ends, which pulls ahead then.
fn arrives_at_the_end_of_a_run() {
    let stage = in_a_run();
    let other = {
        let stage = Arc::clone(&stage);
        thread::spawn(move || {
            assert!(stage.stage_state.arrive());
            // Aside, it looks at the pulls, and not into the pocket.
            if !stage.pocket.leave_run(&stage.stage_state) {
                stage.stay();
            }
        })
    };
    let run = PullRun {
        results: ResultsTo::Nowhere,
        items: 0,
    };
    assert!(!stage.stage_state.end_run(&run, false, false));
    stage.stay();
    other.join().unwrap();
    assert_eq!(*lock(&stage.handled), 1);
}

#[test]
fn loom_who_arrives_in_a_run_is_not_counted_on() {
    explore(3, arrives_at_the_end_of_a_run);
}

#[test]
fn loom_plants_who_arrives_in_a_run_is_not_counted_on() {
    must_catch(Plant::LeavesRunUnlocked, || {
        explore(3, arrives_at_the_end_of_a_run);
    });
}

/// The owner of a run is at work on an item that waits for the next one. Another consumer takes the
/// run away: it must not pull ahead for the owner.
fn the_owner_of_a_run_is_held_up() {
    let stage = in_a_run();
    let taker = {
        let stage = Arc::clone(&stage);
        thread::spawn(move || {
            assert!(stage.stage_state.arrive());
            let run = PullRun {
                results: ResultsTo::Nowhere,
                items: 1,
            };
            assert!(!stage.stage_state.end_run(&run, false, true));
            stage.stay();
        })
    };
    stage.item.park();
    stage.stage_state.owner_is_back();
    stage.stage_state.leave();
    taker.join().unwrap();
    assert_eq!(*lock(&stage.handled), 1);
}

#[test]
fn loom_the_owner_of_a_run_that_was_taken_is_not_at_hand() {
    explore(3, the_owner_of_a_run_is_held_up);
}

#[test]
fn loom_plants_the_owner_of_a_run_that_was_taken_is_not_at_hand() {
    must_catch(Plant::HeldUpAtHand, || {
        explore(3, the_owner_of_a_run_is_held_up);
    });
}
