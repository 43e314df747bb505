//! Loom models of the first message of a lane: the traffic is made, while the other side waits,
//! rests or closes.

use std::sync::Arc;
use std::task::{Wake, Waker};

use loom::thread::{self, JoinHandle};

use super::{Lane, Nothing, Reader, Writer};
use crate::channel::CloseReason;
use crate::sync::exploration::bounded;
use crate::sync::plant::{Plant, must_catch};
use crate::wait::{Parker, Told, settle};

fn explore(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = bounded(3);
    builder.max_branches = 10_000;
    builder.check(model);
}

/// A task that sleeps between its polls.
struct Task(Parker);

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// What the writer does before it sends.
#[derive(Clone, Copy)]
enum Before {
    Nothing,
    /// It has begun to wait for the end of the reader, and does not wait any more.
    WaitsForEnd,
}

/// How the reader waits.
#[derive(Clone, Copy)]
enum Waits {
    Sleeps,
    /// As a task that is polled once more than it is woken, and then as a thread.
    ListsTwice,
}

/// Sends these messages, and ends. Returns the lane, which is to be dropped after it was joined.
fn sender(
    lane: &Arc<Lane<usize>>,
    before: Before,
    messages: usize,
) -> thread::JoinHandle<Arc<Lane<usize>>> {
    let lane = Arc::clone(lane);
    thread::spawn(move || {
        let mut writer = Writer::new();
        if matches!(before, Before::WaitsForEnd) {
            assert!(writer.open_for_end(&lane).is_some());
        }
        for message in 0..messages {
            // SAFETY: the one writer.
            assert!(unsafe { writer.push(&lane, message) }.is_ok());
        }
        let _told = writer.end(&lane, CloseReason::Finished);
        lane
    })
}

/// The reader waits for the first message, or for the end if there is none.
fn waits_for_first(before: Before, waits: Waits, messages: usize) {
    let lane = Arc::new(Lane::new(usize::MAX));
    let sender = sender(&lane, before, messages);
    let task = Arc::new(Task(Parker::new()));
    let (mut reader, mut received, mut is_listed) = (Reader::new(), 0, false);
    if matches!(waits, Waits::ListsTwice) {
        let waker = Waker::from(Arc::clone(&task));
        let mut is_ready = false;
        for _ in 0..2 {
            if lane.messages().list_unsettled(&waker, &mut is_listed) {
                settle();
            }
            is_ready = reader.is_ready(&lane);
        }
        if !is_ready {
            task.0.park();
        }
        lane.unlist(&mut is_listed);
    }
    loop {
        // SAFETY: the one reader.
        match unsafe { reader.pop(&lane) } {
            Ok(message) => {
                assert_eq!(message, received);
                received += 1;
            }
            Err(Nothing::Ever(_)) => break,
            Err(Nothing::Yet) => lane.messages().sleep(|| reader.is_ready(&lane)),
        }
    }
    assert_eq!(received, messages, "a message is lost");
    let _lane = sender.join().unwrap();
    assert_eq!(Arc::strong_count(&task), 1, "a waker is kept");
}

/// The reader closes a lane that may get its first message.
fn closed_at_first(before: Before) {
    let lane = Arc::new(Lane::new(usize::MAX));
    let writing = {
        let lane = Arc::clone(&lane);
        thread::spawn(move || {
            let mut writer = Writer::new();
            if matches!(before, Before::WaitsForEnd)
                && let Some(room) = writer.open_for_end(&lane)
            {
                room.sleep(|| lane.refuses());
            }
            // SAFETY: the one writer.
            let is_sent = unsafe { writer.push(&lane, 7) }.is_ok();
            (is_sent, lane)
        })
    };
    let mut reader = Reader::new();
    assert!(!reader.close(&lane));
    // SAFETY: the one reader.
    let is_received = match unsafe { reader.pop(&lane) } {
        Ok(message) => {
            assert_eq!(message, 7);
            true
        }
        Err(nothing) => {
            assert_eq!(nothing, Nothing::Ever(CloseReason::ClosedByReceiver));
            false
        }
    };
    let (is_sent, _lane) = writing.join().unwrap();
    assert_eq!(is_sent, is_received, "they disagree");
}

/// A new lane, and a thread that calls `push` for two messages. It returns how often that was true,
/// and its lane.
fn writes(
    before: Before,
    push: impl Fn(&mut Writer<usize>, &Lane<usize>, usize) -> bool + Send + 'static,
) -> (Arc<Lane<usize>>, JoinHandle<(usize, Arc<Lane<usize>>)>) {
    let lane = Arc::new(Lane::new(usize::MAX));
    let others = Arc::clone(&lane);
    let writing = thread::spawn(move || {
        let mut writer = Writer::new();
        if matches!(before, Before::WaitsForEnd) {
            let _room = writer.open_for_end(&others);
        }
        let pushes = (0..2).filter(|&message| push(&mut writer, &others, message));
        (pushes.count(), others)
    });
    (lane, writing)
}

/// The reader closes while the writer sends. The writer asks whether the lane refuses messages.
fn asked_while_it_closes(before: Before) {
    let (lane, writing) = writes(before, |writer, lane, message| {
        let refuses = lane.refuses();
        // SAFETY: the one writer.
        let is_sent = unsafe { writer.push(lane, message) }.is_ok();
        assert!(!(refuses && is_sent), "it refuses no message");
        assert!(is_sent || lane.refuses(), "a message is refused early");
        is_sent
    });
    let mut reader = Reader::new();
    assert!(!reader.close(&lane));
    let mut received = 0;
    // SAFETY: the one reader.
    while unsafe { reader.pop(&lane) }.is_ok() {
        received += 1;
    }
    let (sent, _lane) = writing.join().unwrap();
    assert_eq!(sent, received, "they disagree");
}

/// The reader rests at a new lane, and has the reader in it. Exactly one tell reports, or the
/// reader rises.
fn rests_at_first(before: Before) {
    let (lane, writing) = writes(before, |writer, lane, message| {
        // SAFETY: the one writer.
        let told = unsafe { writer.push(lane, message) };
        told.expect("the lane is open") == Told::Resting
    });
    if lane.messages().rest() {
        settle();
    }
    // SAFETY: the one reader of the lane.
    let is_ready = unsafe { lane.with_reader(|reader, lane| reader.is_ready(lane)) };
    let has_risen = is_ready && lane.rise();
    let (reports, _lane) = writing.join().unwrap();
    assert_eq!(
        reports,
        usize::from(!has_risen),
        "the lane is lost, or had twice"
    );
    for message in 0..2 {
        // SAFETY: as above.
        let popped = unsafe { lane.with_reader(|reader, lane| reader.pop(lane)) };
        assert_eq!(popped, Ok(message));
    }
}

#[test]
fn loom_first_message_is_awaited() {
    for before in [Before::Nothing, Before::WaitsForEnd] {
        for waits in [Waits::Sleeps, Waits::ListsTwice] {
            for messages in [0, 1, 2] {
                explore(move || waits_for_first(before, waits, messages));
            }
        }
    }
    for waits in [Waits::Sleeps, Waits::ListsTwice] {
        must_catch(Plant::LaneFirstUntold, || {
            explore(move || waits_for_first(Before::Nothing, waits, 1));
        });
    }
}

#[test]
fn loom_first_message_is_cut() {
    explore(|| closed_at_first(Before::Nothing));
    explore(|| closed_at_first(Before::WaitsForEnd));
    for plant in [Plant::LaneShutBlindly, Plant::LaneCutUnasked] {
        must_catch(plant, || explore(|| closed_at_first(Before::Nothing)));
    }
    must_catch(Plant::LaneShutBlindly, || {
        explore(|| closed_at_first(Before::WaitsForEnd));
    });
}

#[test]
fn loom_lane_refuses_what_it_says() {
    explore(|| asked_while_it_closes(Before::Nothing));
    explore(|| asked_while_it_closes(Before::WaitsForEnd));
    must_catch(Plant::LaneRefusesEarly, || {
        explore(|| asked_while_it_closes(Before::Nothing));
    });
}

#[test]
fn loom_first_message_is_reported_once() {
    explore(|| rests_at_first(Before::Nothing));
    explore(|| rests_at_first(Before::WaitsForEnd));
    must_catch(Plant::LaneFirstUntold, || {
        explore(|| rests_at_first(Before::Nothing));
    });
    must_catch(Plant::LaneOpenedUnseen, || {
        explore(|| rests_at_first(Before::Nothing));
    });
}
