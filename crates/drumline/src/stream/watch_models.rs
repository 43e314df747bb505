//! Loom models of the consumer that stays aside over a source that is not blind: `StageState::look`
//! and what it relies on. Nothing foretells that the first item waits for the second.

use std::sync::Arc;
use std::time::Duration;

use loom::thread;

use super::finished::Finished;
use super::load::Load;
use super::models::{Queue, Stage, explore, run, take_all};
use super::stage_state::{Look, PullReport, StageState, Turn};
use crate::sync::plant::{Plant, must_catch};

/// A consumer leaves after two naps without a pull.
const NAP: Duration = Duration::from_millis(25);

impl Stage {
    /// As `StageConsumer::stay_or_aside`.
    pub(super) fn stay_or_aside(&self) {
        let mut watches = self.stage_state.arrives_to_watch();
        loop {
            if !watches {
                self.stay();
            }
            watches = false;
            if !self.is_watched || !self.stay_aside() {
                return;
            }
        }
    }

    /// As `Stage::stay_aside`.
    fn stay_aside(&self) -> bool {
        let Some(mut watch) = self.stage_state.begin_watch() else {
            return false;
        };
        loop {
            let woken = self.stage_state.nap_aside(NAP, false);
            match self.stage_state.look(&mut watch, (!woken).then_some(NAP)) {
                Look::Stay => {}
                Look::Work => return true,
                Look::Leave => return false,
            }
        }
    }

    /// For a number of consumers. `first` is there; item 0 waits for item 1, which comes later.
    fn watched(consumers: usize, finished: Finished<usize>, first: usize) -> Self {
        let queue = Queue::new([first], false);
        let mut stage = Stage::new(consumers, usize::MAX, finished, queue);
        stage.stage_state = stage.stage_state.watched();
        stage.is_watched = true;
        stage.first_waits = true;
        stage
    }
}

/// The first item is held up, and the second comes then or before.
fn held_up() {
    let stage = Stage::watched(2, Finished::Unwanted, 0);
    assert!(stage.stage_state.summon());
    let stage = run(stage, 1..2, &[1], |stage| stage.consume(0));
    stage.assert_all(2);
}

#[test]
fn loom_stream_held_up() {
    explore(2, held_up);
}

#[test]
fn loom_plants_stream_held_up() {
    must_catch(Plant::Unwatched, || explore(2, held_up));
}

/// A short item comes first. Perhaps the consumer that watches has left when item 0 comes.
fn held_up_later() {
    let stage = Stage::watched(2, Finished::Unwanted, 2);
    assert!(stage.stage_state.summon());
    let stage = run(stage, 1..2, &[0, 1], |stage| stage.consume(0));
    stage.assert_all(3);
}

#[test]
fn loom_stream_held_up_later() {
    explore(2, held_up_later);
}

#[test]
fn loom_plants_stream_held_up_later() {
    for plant in [Plant::Unwatched, Plant::AsideForGood] {
        must_catch(plant, || explore(2, held_up_later));
    }
}

/// The same where the serial end helps: it may be the one that is held up.
fn held_up_end() {
    let stage = Stage::watched(2, Finished::in_order(), 0);
    let stage = run(stage, 0..1, &[1], |stage| {
        assert_eq!(take_all(stage, true), [0, 1]);
        stage.parked.close();
    });
    stage.assert_all(2);
}

#[test]
fn loom_stream_held_up_end() {
    explore(2, held_up_end);
}

/// With three consumers, two of which are held up: items 0 and 2 wait for item 1.
fn two_held_up() {
    let mut stage = Stage::watched(3, Finished::Unwanted, 0);
    stage.third_waits = true;
    assert!(stage.stage_state.summon());
    let stage = run(stage, 1..3, &[2, 1], |stage| stage.consume(0));
    stage.assert_all(3);
}

#[test]
fn loom_stream_two_held_up() {
    explore(2, two_held_up);
}

#[test]
fn loom_plants_stream_two_held_up() {
    must_catch(Plant::Unwatched, || explore(2, two_held_up));
}

#[test]
fn loom_plants_stream_held_up_end() {
    must_catch(Plant::Unwatched, || explore(2, held_up_end));
}

/// Both are at work when a consumer begins with item 0: the serial end calls another one before it
/// leaves.
fn end_leaves() {
    let stage = Stage::watched(2, Finished::in_order(), 2);
    let stage = run(stage, 0..2, &[0, 1], |stage| {
        assert_eq!(take_all(stage, true), [2, 0, 1]);
        stage.parked.close();
    });
    stage.assert_all(3);
}

#[test]
fn loom_stream_end_leaves() {
    explore(2, end_leaves);
}

#[test]
fn loom_plants_stream_end_leaves() {
    must_catch(Plant::EndLeavesUnwatched, || explore(2, end_leaves));
}

/// Two items may be in flight, and the second waits for the third. The serial end must not take the
/// second while the first counts: only the serial end takes the first out.
fn end_leaves_room() {
    let mut stage = Stage::new(2, 2, Finished::in_order(), Queue::new([2, 0, 1], true));
    stage.stage_state = stage.stage_state.watched();
    stage.is_watched = true;
    stage.first_waits = true;
    assert!(stage.stage_state.summon());
    stage.parked.call();
    let stage = run(stage, 0..2, &[], |stage| {
        assert_eq!(take_all(stage, true), [2, 0, 1]);
        stage.parked.close();
    });
    stage.assert_all(3);
}

#[test]
fn loom_stream_end_leaves_room() {
    explore(2, end_leaves_room);
}

#[test]
fn loom_plants_stream_end_leaves_room() {
    must_catch(Plant::EndFillsUp, || explore(2, end_leaves_room));
}

/// A consumer that is aside sleeps until it is beckoned, with no end to its naps: an overloaded
/// consumer beckons it, or the end of the stream.
fn beckoned(ends: bool) {
    let limit = Load {
        items: usize::MAX,
        batches: usize::MAX,
        weight: usize::MAX,
    };
    let stage_state = StageState::<usize>::new(2, limit, Finished::Unwanted).watched();
    let stage_state = Arc::new(stage_state);
    assert!(stage_state.summon() && stage_state.arrive());
    let mut watch = stage_state.begin_watch().expect("one is at work");
    let watcher = {
        let stage_state = Arc::clone(&stage_state);
        thread::spawn(move || {
            loop {
                match stage_state.look(&mut watch, None) {
                    Look::Stay => stage_state.sleep_aside(),
                    look => return look,
                }
            }
        })
    };
    if ends {
        stage_state.stop();
    } else {
        assert!(matches!(stage_state.turn(false, false), Turn::Pull(_)));
        let (_, call) = stage_state.pulled(PullReport {
            load: Load {
                items: 1,
                batches: 1,
                weight: 0,
            },
            overloaded: true,
            lengthy: false,
            ended: false,
        });
        assert!(!call, "one is aside");
    }
    let expected = if ends { Look::Leave } else { Look::Work };
    assert_eq!(watcher.join().unwrap(), expected);
}

#[test]
fn loom_stream_beckoned() {
    for ends in [false, true] {
        explore(3, move || beckoned(ends));
    }
}

#[test]
fn loom_plants_stream_beckoned() {
    for ends in [false, true] {
        must_catch(Plant::BeckonsSilently, move || {
            explore(3, move || beckoned(ends));
        });
    }
}
