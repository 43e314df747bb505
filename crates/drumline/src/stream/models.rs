//! Loom models of the stage state and of parked consumers: the code that ships, with a source of a
//! few items.
//!
//! What must not happen is that a thread sleeps for ever, which loom reports as a deadlock, or that
//! an item is handled twice or not at all, which the models count.

use std::collections::VecDeque;
use std::sync::Arc;

use loom::thread;

use super::finished::Finished;
use super::held_source::{HeldSource, PullRun, ResultsTo};
use super::load::Load;
use super::parked_consumers::{ParkedConsumers, Rest};
use super::stage_state::{EmptySource, NextBatch, PullReport, StageState, Turn};
use super::ticket::Ticket;
use crate::sync::barrier::Barrier;
use crate::sync::exploration::bounded;
use crate::sync::plant::{Plant, must_catch};
use crate::sync::{Mutex, lock};
use crate::wait::Parker;

pub(super) fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = bounded(preemptions);
    builder.max_branches = 20_000;
    builder.check(model);
}

/// A queue as a source sees it.
pub(super) struct Queue {
    state: Mutex<(VecDeque<usize>, bool)>,
    parker: Parker,
}

impl Queue {
    pub(super) fn new(items: impl IntoIterator<Item = usize>, ended: bool) -> Self {
        Queue {
            state: Mutex::new((items.into_iter().collect(), ended)),
            parker: Parker::new(),
        }
    }

    fn send(&self, item: usize) {
        lock(&self.state).0.push_back(item);
        self.parker.unpark();
    }

    /// The last sender goes, or the stream stops.
    fn end(&self) {
        lock(&self.state).1 = true;
        self.parker.unpark();
    }

    /// An item, or whether it has ended.
    fn try_recv(&self) -> Result<usize, bool> {
        let mut state = lock(&self.state);
        let ended = state.1;
        state.0.pop_front().ok_or(ended)
    }

    /// What `len_hint` tells.
    fn is_empty(&self) -> bool {
        lock(&self.state).0.is_empty()
    }

    fn recv(&self) -> Option<usize> {
        loop {
            match self.try_recv() {
                Ok(item) => return Some(item),
                Err(true) => return None,
                Err(false) => self.parker.park(),
            }
        }
    }
}

/// A stage with consumers that take one item at a time.
pub(super) struct Stage {
    pub(super) stage_state: StageState<usize>,
    pub(super) parked: ParkedConsumers,
    source: Queue,
    /// How often each item has been handled.
    handled: Mutex<Vec<usize>>,
    /// Open when the second item has been handled, for the first item and the third.
    second: [Parker; 2],
    lengthy: bool,
    /// Consumers stay aside.
    pub(super) is_watched: bool,
    /// The first item is not done before the second.
    pub(super) first_waits: bool,
    /// Nor is the third.
    pub(super) third_waits: bool,
    /// The first item panics, and that stops the stream.
    first_panics: bool,
}

impl Stage {
    pub(super) fn new(
        consumers: usize,
        limit: usize,
        finished: Finished<usize>,
        source: Queue,
    ) -> Self {
        let limit = Load {
            items: limit,
            batches: usize::MAX,
            weight: usize::MAX,
        };
        Stage {
            stage_state: StageState::new(consumers, limit, finished),
            parked: ParkedConsumers::new(consumers, 0),
            source,
            handled: Mutex::new(vec![0; 4]),
            second: [Parker::new(), Parker::new()],
            lengthy: false,
            is_watched: false,
            first_waits: false,
            third_waits: false,
            first_panics: false,
        }
    }

    pub(super) fn call(&self, call: bool) {
        if call && !self.parked.wake() {
            self.parked.call();
        }
    }

    /// As `Stage::consume`.
    pub(super) fn consume(&self, number: usize) {
        loop {
            if self.stage_state.arrive() {
                self.stay_or_aside();
                if self.stage_state.has_ended() {
                    self.parked.close();
                }
            }
            if self.parked.rest_for(number, None) != Rest::Called {
                return;
            }
        }
    }

    pub(super) fn stay(&self) {
        let mut turn = self.stage_state.turn(false, true);
        loop {
            turn = match turn {
                Turn::Pull(_) => match self.pull(false) {
                    Some(Some((ticket, item))) => {
                        self.handle(item);
                        self.stage_state.hand_in(ticket, item, false, true)
                    }
                    Some(None) => self.stage_state.turn(false, false),
                    None => return,
                },
                Turn::Again => self.stage_state.turn(false, false),
                Turn::Leave | Turn::Over => return,
            };
        }
    }

    /// As `StageConsumer::one_batch`.
    fn one_batch(&self) -> bool {
        let done = match self.pull(true) {
            Some(Some((ticket, item))) => {
                self.handle(item);
                Some((ticket, item))
            }
            Some(None) => None,
            None => return false,
        };
        let call = self.stage_state.step_out(done);
        self.call(call);
        true
    }

    /// As `StageConsumer::pull`. `None`: to leave; `Some(None)`: the end.
    fn pull(&self, is_end: bool) -> Option<Option<(Ticket, usize)>> {
        let mut slept = false;
        let item = match self.source.try_recv() {
            Ok(item) => Some(item),
            Err(true) => None,
            Err(false) => {
                let (empty, call) = self.stage_state.empty(is_end);
                self.call(call);
                if empty == EmptySource::Leave {
                    return None;
                }
                slept = true;
                self.source.recv()
            }
        };
        let items = usize::from(item.is_some());
        let (ticket, call) = self.stage_state.pulled(PullReport {
            load: Load {
                items,
                batches: items,
                weight: 0,
            },
            overloaded: item.is_some() && !slept && !self.source.is_empty(),
            lengthy: item.is_some() && self.lengthy,
            ended: item.is_none(),
        });
        self.call(call);
        Some(item.map(|item| (ticket, item)))
    }

    fn handle(&self, item: usize) {
        lock(&self.handled)[item] += 1;
        match item {
            0 if self.first_waits => self.second[0].park(),
            2 if self.third_waits => self.second[1].park(),
            0 if self.first_panics => {
                self.stage_state.stop();
                self.source.end();
            }
            1 => self.second.iter().for_each(Parker::unpark),
            _ => {}
        }
    }

    pub(super) fn assert_all(&self, items: usize) {
        let handled = lock(&self.handled);
        assert!(
            handled[..items].iter().all(|&times| times == 1),
            "each item once: {handled:?}"
        );
    }
}

/// Has these consumers come when they are called, while `main` runs here, and these items are sent
/// before the source ends.
pub(super) fn run(
    stage: Stage,
    consumers: std::ops::Range<usize>,
    sent: &'static [usize],
    main: impl FnOnce(&Stage),
) -> Arc<Stage> {
    let stage = Arc::new(stage);
    let mut threads: Vec<_> = consumers
        .map(|number| {
            let stage = Arc::clone(&stage);
            thread::spawn(move || {
                if stage.parked.rest_for(number, None) == Rest::Called {
                    stage.consume(number);
                }
            })
        })
        .collect();
    if !sent.is_empty() {
        let stage = Arc::clone(&stage);
        threads.push(thread::spawn(move || {
            sent.iter().for_each(|&item| stage.source.send(item));
            stage.source.end();
        }));
    }
    main(&stage);
    for thread in threads {
        thread.join().unwrap();
    }
    stage
}

/// Two items are there, and the first is not done before the second: consumer 0, overloaded, has to
/// call consumer 1, which is about to park or is parked.
fn overloaded() {
    let mut stage = Stage::new(2, usize::MAX, Finished::Unwanted, Queue::new([0, 1], true));
    stage.first_waits = true;
    assert!(stage.stage_state.summon());
    let stage = run(stage, 1..2, &[], |stage| stage.consume(0));
    stage.assert_all(2);
}

#[test]
fn loom_stream_overloaded() {
    explore(3, overloaded);
}

#[test]
fn loom_plants_stream_overloaded() {
    for plant in [Plant::OverloadedCallsNobody, Plant::CallNotKept] {
        must_catch(plant, || explore(3, overloaded));
    }
}

/// Items come one by one; the last one meets consumers that are about to sleep, and then the source
/// ends.
fn last_item() {
    let stage = Stage::new(2, usize::MAX, Finished::Unwanted, Queue::new([0], false));
    assert!(stage.stage_state.summon());
    let stage = run(stage, 1..2, &[1], |stage| stage.consume(0));
    stage.assert_all(2);
}

#[test]
fn loom_stream_last_item() {
    explore(2, last_item);
}

#[test]
fn loom_plants_stream_last_item() {
    must_catch(Plant::LastConsumerLeaves, || explore(2, last_item));
}

/// Items take long: while consumer 0 works on the first, the second comes, and another one has
/// to be there for it.
fn lengthy() {
    let mut stage = Stage::new(2, usize::MAX, Finished::Unwanted, Queue::new([0], false));
    stage.lengthy = true;
    stage.first_waits = true;
    assert!(stage.stage_state.summon());
    let stage = run(stage, 1..2, &[1], |stage| stage.consume(0));
    stage.assert_all(2);
}

#[test]
fn loom_stream_lengthy() {
    explore(2, lengthy);
}

#[test]
fn loom_plants_stream_lengthy() {
    must_catch(Plant::LengthyUnwatched, || explore(2, lengthy));
}

/// One item may be in flight: consumers leave for want of room, and the serial end calls them back.
fn held_back() {
    let stage = Stage::new(2, 1, Finished::in_order(), Queue::new([0, 1, 2], true));
    assert!(stage.stage_state.summon());
    stage.parked.call();
    let stage = run(stage, 0..2, &[], |stage| {
        assert_eq!(take_all(stage, false), [0, 1, 2]);
        stage.parked.close();
    });
    stage.assert_all(3);
}

/// The serial end, as `Attended::next_batch`.
pub(super) fn take_all(stage: &Stage, helps: bool) -> Vec<usize> {
    let mut results = Vec::new();
    let mut sleep = false;
    loop {
        match stage.stage_state.next(sleep) {
            NextBatch::Batch(item, call) => {
                stage.call(call);
                results.push(item);
                sleep = false;
                continue;
            }
            NextBatch::Over => return results,
            NextBatch::Wait => {}
        }
        if !sleep && helps && stage.stage_state.step_in(false).is_some() && stage.one_batch() {
            continue;
        }
        if sleep {
            stage.stage_state.sleep();
        }
        sleep = !sleep;
    }
}

#[test]
fn loom_stream_held_back() {
    explore(2, held_back);
}

#[test]
fn loom_plants_stream_held_back() {
    for plant in [Plant::RoomCallsNobody, Plant::EndNotRoused] {
        must_catch(plant, || explore(2, held_back));
    }
}

/// The serial end helps, and leaves the source to a consumer when it has something to take.
fn helping() {
    let stage = Stage::new(2, 2, Finished::in_order(), Queue::new([0, 1, 2], true));
    let stage = run(stage, 0..1, &[], |stage| {
        assert_eq!(take_all(stage, true), [0, 1, 2]);
        stage.parked.close();
    });
    stage.assert_all(3);
}

#[test]
fn loom_stream_helping() {
    explore(2, helping);
}

/// As `helping`, with items that come one by one: the serial end may be the one that sleeps in the
/// source.
fn helping_and_watching() {
    let stage = Stage::new(2, 2, Finished::in_order(), Queue::new([0], false));
    let stage = run(stage, 0..1, &[1], |stage| {
        assert_eq!(take_all(stage, true), [0, 1]);
        stage.parked.close();
    });
    stage.assert_all(2);
}

#[test]
fn loom_stream_helping_and_watching() {
    explore(2, helping_and_watching);
}

/// An item panics in the hands of one consumer while another one sleeps in the source, which never
/// ends by itself.
fn panic_with_a_batch() {
    let mut stage = Stage::new(2, usize::MAX, Finished::in_order(), Queue::new([0], false));
    stage.lengthy = true;
    stage.first_panics = true;
    assert!(stage.stage_state.summon());
    stage.parked.call();
    let stage = run(stage, 0..2, &[], |stage| {
        assert_eq!(take_all(stage, false), [0]);
        stage.parked.close();
    });
    stage.assert_all(1);
}

#[test]
fn loom_stream_panic_with_a_batch() {
    explore(2, panic_with_a_batch);
}

#[test]
fn loom_plants_stream_panic_with_a_batch() {
    must_catch(Plant::EndNotRoused, || explore(2, panic_with_a_batch));
}

/// A consumer is in a run when another one arrives, which takes the run away or has it end, and
/// goes on. Each item is counted once, the results are in the order of the items, and the token is
/// free in the end.
fn run_taken_away() {
    let limit = Load {
        items: usize::MAX,
        batches: usize::MAX,
        weight: usize::MAX,
    };
    let stage_state = Arc::new(StageState::<usize>::new(2, limit, Finished::in_order()));
    let held = Arc::new(HeldSource::<usize>::new(0, Barrier::Asymmetric));
    assert!(stage_state.summon() && stage_state.arrive());
    assert!(matches!(stage_state.turn(false, false), Turn::Pull(_)));
    assert!(stage_state.begin_alone(), "the other one is called");
    held.lock().run = Some(PullRun {
        results: ResultsTo::StageState,
        items: 0,
    });
    let taker = {
        let (stage_state, held) = (Arc::clone(&stage_state), Arc::clone(&held));
        thread::spawn(move || {
            assert!(stage_state.arrive());
            let mut turn = Turn::Again;
            for patient in [true, false] {
                if stage_state.is_run()
                    && let Some(run) = held.take_run()
                {
                    stage_state.end_run(&run, false, true);
                }
                turn = stage_state.turn(false, patient);
                if turn != Turn::Again {
                    break;
                }
            }
            if matches!(turn, Turn::Pull(_)) {
                let item = pull_from(&mut held.lock().source);
                let (ticket, _) = stage_state.pulled(PullReport {
                    load: Load {
                        items: 1,
                        batches: 1,
                        weight: 0,
                    },
                    overloaded: false,
                    lengthy: false,
                    ended: false,
                });
                stage_state.put(ticket, item);
                stage_state.leave();
            }
        })
    };
    for _ in 0..2 {
        let Some(mut inner) = held.with_run() else {
            break;
        };
        let mut item = pull_from(&mut inner.source);
        if let Some(run) = &mut inner.run {
            run.items += 1;
        }
        drop(inner);
        stage_state.put_alone(1, &mut item, |_, _| unreachable!("a batch is one item"));
        if stage_state.is_run_unwanted() {
            break;
        }
    }
    if let Some(run) = held.take_run() {
        stage_state.end_run(&run, false, false);
    }
    stage_state.leave();
    taker.join().unwrap();
    let items = held.lock().source;
    assert_eq!(stage_state.items(), items as u64, "each is counted");
    for expected in 0..items {
        assert!(matches!(stage_state.next(false), NextBatch::Batch(item, _) if item == expected));
    }
    assert!(stage_state.step_in_alone(false), "the token is free");
}

fn pull_from(source: &mut usize) -> usize {
    let item = *source;
    *source += 1;
    item
}

#[test]
fn loom_stream_run_is_taken_away_once() {
    explore(3, run_taken_away);
}

#[test]
fn loom_plants_stream_run_taken_away() {
    for plant in [Plant::RunUnchecked, Plant::NothingReserved] {
        must_catch(plant, || explore(3, run_taken_away));
    }
}

/// The consumer that watches leaves while the other one pulls: the end of that pull finds the note.
fn watcher_leaves() {
    let held = Arc::new(HeldSource::<()>::new((), Barrier::Asymmetric));
    let watcher = {
        let held = Arc::clone(&held);
        thread::spawn(move || held.leave_unwatched(held.pulls()))
    };
    let mut notes = 0;
    for _ in 0..2 {
        held.begin_pull();
        notes += usize::from(held.end_pull());
    }
    let left = watcher.join().unwrap();
    assert!(notes > 0 || !left, "it has left a note");
}

#[test]
fn loom_stream_watcher_leaves_a_note() {
    explore(3, watcher_leaves);
}

#[test]
fn loom_plants_stream_watcher_leaves() {
    for plant in [Plant::WatcherLeavesSilently, Plant::NoHeavyBarrier] {
        must_catch(plant, || explore(3, watcher_leaves));
    }
}
