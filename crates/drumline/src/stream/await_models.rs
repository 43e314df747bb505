//! Loom models of a serial end that is a task: `StageState::next_or_wake`.

use std::sync::Arc;
use std::task::{Wake, Waker};

use super::finished::Finished;
use super::models::{Queue, Stage, explore, run};
use super::stage_state::NextBatch;
use crate::sync::plant::{Plant, must_catch};
use crate::wait::Parker;

/// A task that sleeps between its polls.
struct Task(Parker);

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The serial end, as `AwaitedStage::poll_batch`. It has another waker from the second poll on.
fn await_all(stage: &Stage) -> Vec<usize> {
    let mut results = Vec::new();
    let tasks = [(); 2].map(|()| Arc::new(Task(Parker::new())));
    let mut polls = 0;
    loop {
        let task = &tasks[polls.min(1)];
        let mut waker = Some(Waker::from(Arc::clone(task)));
        match stage.stage_state.next_or_wake(&mut waker) {
            NextBatch::Batch(item, call) => {
                stage.call(call);
                results.push(item);
            }
            NextBatch::Over => return results,
            NextBatch::Wait => {
                let call = stage.stage_state.summon();
                stage.call(call);
                if polls > 0 {
                    task.0.park();
                }
                polls += 1;
            }
        }
    }
}

/// One item may be in flight: the consumer leaves for want of room, and the serial end calls it
/// back.
fn held_back() {
    let stage = Stage::new(1, 1, Finished::in_order(), Queue::new([0, 1], true));
    let stage = run(stage, 0..1, &[], |stage| {
        assert_eq!(await_all(stage), [0, 1]);
        stage.parked.close();
    });
    stage.assert_all(2);
}

/// The consumer sleeps in the source, and the task waits for what comes of the last item.
fn last_item() {
    let stage = Stage::new(1, usize::MAX, Finished::in_order(), Queue::new([0], false));
    let stage = run(stage, 0..1, &[1], |stage| {
        assert_eq!(await_all(stage), [0, 1]);
        stage.parked.close();
    });
    stage.assert_all(2);
}

#[test]
fn loom_stream_awaited_and_held_back() {
    explore(2, held_back);
}

#[test]
fn loom_stream_awaited_last_item() {
    explore(2, last_item);
}

#[test]
fn loom_plants_stream_awaited() {
    for plant in [Plant::EndWakerTwoSteps, Plant::EndNotRoused] {
        must_catch(plant, || explore(2, held_back));
        must_catch(plant, || explore(2, last_item));
    }
}

/// The task drops its stream while a consumer is at work: its waker is not left behind.
fn dropped() {
    let stage = Stage::new(1, usize::MAX, Finished::in_order(), Queue::new([0], true));
    let task = Arc::new(Task(Parker::new()));
    let stage = run(stage, 0..1, &[], |stage| {
        let mut waker = Some(Waker::from(Arc::clone(&task)));
        let _ = stage.stage_state.next_or_wake(&mut waker);
        let call = stage.stage_state.summon();
        stage.call(call);
        stage.stage_state.forget_waker();
        stage.stage_state.stop();
        stage.parked.close();
    });
    drop(stage);
    assert_eq!(Arc::strong_count(&task), 1);
}

#[test]
fn loom_stream_awaited_dropped() {
    explore(2, dropped);
}
