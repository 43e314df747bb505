//! Loom models of the lanes and of the oneshot channel.

use std::ptr::NonNull;
use std::sync::Arc;
use std::task::{Wake, Waker};

use loom::thread;

use super::CloseReason;
use super::hub::{Gatherer, Hub, Port};
use super::lane::{Lane, Nothing, Reader, Refused, Writer};
use super::once::{Once, Seen};
use crate::sync::exploration::bounded;
use crate::sync::plant::{Plant, must_catch};
use crate::wait::{Parker, WakeFlag};

fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = bounded(preemptions);
    builder.max_branches = 10_000;
    builder.check(model);
}

/// Sends a message as `Sender::send` does. `false`: it came back.
fn send(lane: &Lane<usize>, writer: &mut Writer<usize>, message: usize) -> bool {
    loop {
        // SAFETY: the one writer.
        match unsafe { writer.push(lane, message) } {
            Ok(_) => return true,
            Err(Refused::Closed(back, _)) => {
                assert_eq!(back, message);
                return false;
            }
            Err(Refused::Full(_)) => {
                let room = lane.room().expect("there are messages");
                room.sleep(|| writer.has_room(lane));
            }
        }
    }
}

/// Receives all messages as `Receiver::recv` does, and says why there are no more.
fn receive_all(
    lane: &Lane<usize>,
    reader: &mut Reader<usize>,
    received: &mut Vec<usize>,
) -> CloseReason {
    loop {
        // SAFETY: the one reader.
        match unsafe { reader.pop(lane) } {
            Ok(message) => received.push(message),
            Err(Nothing::Ever(reason)) => return reason,
            Err(Nothing::Yet) => lane.messages().sleep(|| reader.is_ready(lane)),
        }
    }
}

/// The writer sends, and ends. All messages come, in their order, and then the reason.
fn sent_and_received(messages: usize, capacity: usize) {
    let lane = Arc::new(Lane::new(capacity));
    let sender = {
        let lane = Arc::clone(&lane);
        thread::spawn(move || {
            let mut writer = Writer::new();
            for message in 0..messages {
                assert!(send(&lane, &mut writer, message));
            }
            let _report = writer.end(&lane, CloseReason::Finished);
        })
    };
    let mut received = Vec::new();
    let reason = receive_all(&lane, &mut Reader::new(), &mut received);
    assert_eq!(reason, CloseReason::Finished);
    assert_eq!(received, Vec::from_iter(0..messages), "a message is lost");
    sender.join().unwrap();
}

/// How the reader closes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Closes {
    Alone,
    /// As one of a set of many, for all of which one barrier is run before.
    AmongOthers,
}

/// The reader closes while the writer sends. What the writer was told is what the reader gets.
fn closed_while_sent(messages: usize, before: usize, closes: Closes) {
    closed_and_received(usize::MAX, messages, before, closes, false);
}

/// The same with a capacity: the writer may wait for room. What is left in the lane is received at
/// once, which makes room, or when the writer has ended.
fn closed_and_received(
    capacity: usize,
    messages: usize,
    before: usize,
    closes: Closes,
    is_left: bool,
) {
    let lane = Arc::new(Lane::new(capacity));
    let sender = {
        let lane = Arc::clone(&lane);
        thread::spawn(move || {
            let mut writer = Writer::new();
            let accepted = (0..messages).filter(|&message| send(&lane, &mut writer, message));
            let accepted = accepted.count();
            let _report = writer.end(&lane, CloseReason::Dropped);
            accepted
        })
    };
    let (mut reader, mut received) = (Reader::new(), Vec::new());
    while received.len() < before {
        // SAFETY: the one reader.
        match unsafe { reader.pop(&lane) } {
            Ok(message) => received.push(message),
            Err(_) => lane.messages().sleep(|| reader.is_ready(&lane)),
        }
    }
    if closes == Closes::AmongOthers {
        WakeFlag::rouse_all(std::iter::once(lane.messages()));
    }
    assert!(!reader.close(&lane));
    let (mut sender, mut accepted) = (Some(sender), 0);
    let mut join = || {
        if let Some(sender) = sender.take() {
            accepted = sender.join().unwrap();
        }
    };
    if is_left {
        join();
    }
    let reason = receive_all(&lane, &mut reader, &mut received);
    assert_eq!(reason, CloseReason::ClosedByReceiver);
    join();
    assert_eq!(received, Vec::from_iter(0..accepted), "they disagree");
}

#[test]
fn loom_lane_sends_all() {
    explore(3, || sent_and_received(2, usize::MAX));
    explore(2, || sent_and_received(4, usize::MAX));
    must_catch(Plant::LaneEndOvertakes, || {
        explore(3, || sent_and_received(2, usize::MAX));
    });
}

/// The writer comes back to a block that is empty, or goes on to another one, as it turns out.
#[test]
fn loom_lane_uses_blocks_again() {
    explore(3, || sent_and_received(3, usize::MAX));
    for plant in [Plant::LaneComesBackEarly, Plant::LaneGoesOnEarly] {
        must_catch(plant, || explore(3, || sent_and_received(3, usize::MAX)));
    }
}

#[test]
fn loom_lane_waits_for_room() {
    explore(3, || sent_and_received(2, 1));
    explore(2, || sent_and_received(3, 1));
    explore(2, || sent_and_received(4, 2));
    must_catch(Plant::FlagToldBlindly, || {
        explore(3, || sent_and_received(2, 1));
    });
}

#[test]
fn loom_lane_is_cut_once() {
    for closes in [Closes::Alone, Closes::AmongOthers] {
        explore(3, move || closed_while_sent(2, 0, closes));
        explore(3, move || closed_while_sent(3, 0, closes));
        explore(2, move || closed_while_sent(4, 1, closes));
    }
    for plant in [
        Plant::LaneCutUnasked,
        Plant::LaneReadsBehindCut,
        Plant::LaneCutUnsilenced,
    ] {
        must_catch(plant, || {
            explore(3, || closed_while_sent(3, 0, Closes::Alone));
        });
    }
    // The writer is lazy at its third message.
    for (plant, closes) in [
        (Plant::NoHeavyBarrier, Closes::Alone),
        (Plant::NoHeavyBarrier, Closes::AmongOthers),
        (Plant::FlagRousedUnsettled, Closes::AmongOthers),
    ] {
        must_catch(plant, || {
            explore(3, move || closed_while_sent(3, 0, closes));
        });
    }
}

#[test]
fn loom_lane_is_cut_while_full() {
    for closes in [Closes::Alone, Closes::AmongOthers] {
        for is_left in [false, true] {
            explore(3, move || closed_and_received(1, 2, 0, closes, is_left));
            explore(2, move || closed_and_received(1, 3, 1, closes, is_left));
            explore(2, move || closed_and_received(2, 4, 1, closes, is_left));
        }
    }
    for (plant, is_left) in [
        (Plant::LaneCutUntold, true),
        (Plant::LaneReadsBehindCut, false),
    ] {
        must_catch(plant, || {
            explore(3, move || {
                closed_and_received(1, 2, 0, Closes::Alone, is_left);
            });
        });
    }
}

/// What the receiver of the model does.
#[derive(Clone, Copy)]
enum Receiver {
    Sleeps,
    Awaits,
    /// It awaits with one waker after the other, and then takes the last one back.
    AwaitsTwice,
    Closes,
}

/// A task that sleeps between its polls.
struct Task(Parker);

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

struct Share(NonNull<Once<usize>>);

// SAFETY: the two shares are made for two threads.
unsafe impl Send for Share {}

/// One message, or the end, against a receiver that waits or closes.
fn once(message: Option<usize>, receiver: Receiver) {
    let share = Once::allocate();
    let sender = {
        let share = Share(share);
        thread::spawn(move || {
            let share = share;
            // SAFETY: the share of the sender, used once.
            unsafe {
                match message {
                    Some(message) => Once::put(share.0, message),
                    None => {
                        Once::end(share.0, CloseReason::Dropped);
                        Ok(())
                    }
                }
            }
        })
    };
    // SAFETY: the share of the receiver, up to the end.
    let channel = unsafe { share.as_ref() };
    let task = Arc::new(Task(Parker::new()));
    let waker = Waker::from(Arc::clone(&task));
    let mut is_listed = false;
    match receiver {
        Receiver::Sleeps => channel.sleep(),
        Receiver::Closes => channel.close(),
        Receiver::Awaits => {
            while channel.look() == Seen::Nothing && channel.list(&waker, &mut is_listed) {
                task.0.park();
            }
        }
        Receiver::AwaitsTwice => {
            for _ in 0..2 {
                let other = Waker::from(Arc::new(Task(Parker::new())));
                channel.list(&other, &mut is_listed);
            }
            channel.unlist(&mut is_listed);
            channel.sleep();
        }
    }
    let received = match channel.look() {
        // SAFETY: seen just now.
        Seen::Message => Some(unsafe { channel.take() }),
        Seen::Never(CloseReason::Dropped) => {
            assert_eq!(message, None);
            None
        }
        Seen::Never(CloseReason::ClosedByReceiver) => {
            assert!(matches!(receiver, Receiver::Closes));
            None
        }
        seen => panic!("{seen:?}"),
    };
    // SAFETY: the share of the receiver.
    unsafe { Once::receiver_leaves(share) };
    let back = sender.join().unwrap().err();
    assert_eq!(received.or(back), message, "the message is lost");
    assert!(received.is_none() || back.is_none());
}

#[test]
fn loom_once() {
    use Receiver::{Awaits, AwaitsTwice, Closes, Sleeps};
    for message in [Some(7), None] {
        for receiver in [Sleeps, Awaits, AwaitsTwice, Closes] {
            explore(4, move || once(message, receiver));
        }
    }
    must_catch(Plant::OnceUnpublished, || {
        explore(4, || once(Some(7), Receiver::Sleeps));
    });
    must_catch(Plant::OnceSlotUnasked, || {
        explore(4, || once(Some(7), Receiver::AwaitsTwice));
    });
}

/// A sender of the model, as `lanes::Sender`.
struct LaneSender {
    hub: Arc<Hub<usize>>,
    port: Arc<Port<usize>>,
    writer: Writer<usize>,
}

impl LaneSender {
    fn new(hub: &Arc<Hub<usize>>) -> Self {
        LaneSender {
            hub: Arc::clone(hub),
            port: hub.open_port(),
            writer: Writer::new(),
        }
    }

    /// `false`: the message came back.
    fn send(&mut self, message: usize) -> bool {
        // SAFETY: the one writer.
        match unsafe { self.writer.push(&self.port.lane, message) } {
            Ok(told) => {
                self.hub.note(&self.port, told);
                true
            }
            Err(Refused::Closed(_, told)) => {
                self.hub.note(&self.port, told);
                false
            }
            Err(Refused::Full(_)) => unreachable!("there is no bound"),
        }
    }

    fn end(&mut self) {
        let told = self.writer.end(&self.port.lane, CloseReason::Finished);
        self.hub.note(&self.port, told);
        self.hub.leave(CloseReason::Finished);
    }
}

/// Receives as `lanes::Receiver::recv` does.
fn receive_any(hub: &Hub<usize>, gatherer: &mut Gatherer<usize>) -> Result<usize, CloseReason> {
    loop {
        // SAFETY: the one receiver.
        match unsafe { gatherer.take(hub) } {
            Ok(message) => return Ok(message),
            Err(Nothing::Ever(reason)) => return Err(reason),
            Err(Nothing::Yet) => {
                if gatherer.rest_all(hub) {
                    hub.arrivals().sleep(|| hub.is_called());
                }
            }
        }
    }
}

/// Each sender sends `messages` messages, and ends if `ends`. The receiver gets them all before it
/// asks for the end.
fn gathered(senders: usize, messages: usize, ends: bool) {
    let hub = Arc::new(Hub::new(usize::MAX));
    let senders: Vec<_> = (0..senders)
        .map(|number| {
            let mut sender = LaneSender::new(&hub);
            thread::spawn(move || {
                for message in 0..messages {
                    assert!(sender.send(10 * number + message));
                }
                if ends {
                    sender.end();
                }
                // Loom does not see that the last owner comes after all others: it is dropped by
                // the thread that has joined them.
                sender
            })
        })
        .collect();
    let mut gatherer = Gatherer::new();
    let mut next = vec![0; senders.len()];
    for _ in 0..senders.len() * messages {
        let message = receive_any(&hub, &mut gatherer).expect("a message is lost");
        let next = &mut next[message / 10];
        assert_eq!(message % 10, *next, "each sender's messages are in order");
        *next += 1;
    }
    let mut kept = Vec::new();
    for sender in senders {
        let mut sender = sender.join().unwrap();
        if !ends {
            sender.end();
        }
        kept.push(sender);
    }
    assert_eq!(receive_any(&hub, &mut gatherer), Err(CloseReason::Finished));
}

/// The receiver has received `before` messages, so it may hold the lane, or rest there. It closes
/// while the sender sends further ones, and perhaps while a lane is opened.
fn closed_while_gathered(messages: usize, before: usize, is_cloned: bool) {
    let hub = Arc::new(Hub::new(usize::MAX));
    let sender = {
        let mut sender = LaneSender::new(&hub);
        thread::spawn(move || {
            let mut accepted = (0..messages)
                .filter(|&message| sender.send(message))
                .count();
            let mut clone = is_cloned.then(|| LaneSender::new(&sender.hub));
            if let Some(clone) = &mut clone {
                accepted += usize::from(clone.send(0));
                clone.end();
            }
            sender.end();
            (accepted, sender, clone)
        })
    };
    let mut gatherer = Gatherer::new();
    let mut received = 0;
    while received < before {
        receive_any(&hub, &mut gatherer).expect("a message is lost");
        received += 1;
    }
    gatherer.close(&hub);
    let reason = loop {
        match receive_any(&hub, &mut gatherer) {
            Ok(_) => received += 1,
            Err(reason) => break reason,
        }
    };
    assert_eq!(reason, CloseReason::ClosedByReceiver);
    let (accepted, sender, clone) = sender.join().unwrap();
    assert_eq!(accepted, received, "they disagree");
    let port = Arc::downgrade(&sender.port);
    drop((sender, clone, gatherer, hub));
    assert_eq!(port.strong_count(), 0, "the port is kept");
}

#[test]
fn loom_hub_gathers_all() {
    explore(3, || gathered(1, 2, true));
    explore(3, || gathered(1, 4, false));
    explore(2, || gathered(2, 1, true));
    explore(2, || gathered(2, 1, false));
    for plant in [Plant::HubUntold, Plant::HubRestsBlindly] {
        must_catch(plant, || explore(3, || gathered(1, 2, false)));
    }
    must_catch(Plant::NoHeavyBarrier, || {
        explore(3, || gathered(1, 4, false));
    });
}

#[test]
fn loom_hub_is_cut_after_messages() {
    explore(2, || closed_while_gathered(2, 1, false));
    explore(2, || closed_while_gathered(4, 1, false));
    explore(2, || closed_while_gathered(1, 1, true));
    must_catch(Plant::LaneCutUnsilenced, || {
        explore(2, || closed_while_gathered(2, 1, false));
    });
}

#[test]
fn loom_hub_is_cut_once() {
    explore(3, || closed_while_gathered(2, 0, false));
    // With four the sender becomes lazy.
    explore(3, || closed_while_gathered(4, 0, false));
    explore(2, || closed_while_gathered(1, 0, true));
    must_catch(Plant::LaneCutUnasked, || {
        explore(3, || closed_while_gathered(2, 0, false));
    });
    must_catch(Plant::FlagRousedUnsettled, || {
        explore(3, || closed_while_gathered(4, 0, false));
    });
}
