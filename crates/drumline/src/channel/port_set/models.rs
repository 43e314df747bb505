//! Loom models of a set of ports: the list, its nodes, and the lanes that wake them.

use loom::thread;
use std::sync::Arc;

use super::node_block::NodeBlock;
use super::ready_list::ReadyList;
use crate::channel::CloseReason;
use crate::channel::lane::{Lane, Nothing, Reader, Writer};
use crate::sync::exploration::bounded;
use crate::sync::plant::{Plant, must_catch};
use crate::wait::settle;

fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = bounded(preemptions);
    builder.max_branches = 10_000;
    builder.check(model);
}

/// A port, as the set has it.
struct Port {
    lane: Arc<Lane<usize>>,
    reader: Reader<usize>,
    nodes: Arc<NodeBlock>,
    place: usize,
    is_listening: bool,
    is_held: bool,
}

impl Port {
    /// The ports of a model have one block of nodes.
    fn new(nodes: &Arc<NodeBlock>, place: usize) -> Self {
        Port {
            lane: Arc::new(Lane::new(usize::MAX)),
            reader: Reader::new(),
            nodes: Arc::clone(nodes),
            place,
            is_listening: false,
            is_held: true,
        }
    }

    fn listen(&mut self) -> bool {
        if self.listen_unsettled() {
            settle();
        }
        self.is_ready()
    }

    /// Returns whether it has to be settled.
    fn listen_unsettled(&mut self) -> bool {
        let Port {
            lane,
            nodes,
            place,
            is_listening,
            ..
        } = self;
        nodes.with_waker(*place, |waker| {
            lane.messages().list_unsettled(waker, is_listening)
        })
    }

    fn is_ready(&mut self) -> bool {
        self.reader.is_ready(&self.lane)
    }

    /// A thread that sends these messages and ends; and the lane, which is to be dropped after it
    /// was joined: a model does not see what a count of the standard library orders.
    fn sender(&self, messages: usize) -> (thread::JoinHandle<()>, Arc<Lane<usize>>) {
        let lane = Arc::clone(&self.lane);
        let sender = thread::spawn(move || {
            let mut writer = Writer::new();
            for message in 0..messages {
                // SAFETY: the one writer.
                assert!(unsafe { writer.push(&lane, message) }.is_ok());
            }
            let _told = writer.end(&lane, CloseReason::Finished);
        });
        (sender, Arc::clone(&self.lane))
    }
}

/// How a set listens before it waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listens {
    /// To a port that has nothing, at once.
    OneByOne,
    /// To all that it holds, when none of them has anything.
    ToAll,
}

/// Listens to all ports that are held, as `PortSet::listen_to_all` does. Returns whether they are
/// held no more.
fn listen_to_all(ports: &mut [Option<Port>]) -> bool {
    let mut held = ports.iter_mut().flatten().filter(|port| port.is_held);
    let mut held = Vec::from_iter(&mut held);
    let has_to_settle = held.iter_mut().fold(false, |has_to_settle, port| {
        port.listen_unsettled() || has_to_settle
    });
    if has_to_settle {
        settle();
    }
    if held.iter_mut().any(|port| port.is_ready()) {
        return false;
    }
    held.into_iter().for_each(|port| port.is_held = false);
    true
}

/// Receives from all ports as a set does, until all have ended. Returns how many messages came.
fn receive_all(list: &Arc<ReadyList>, ports: &mut [Option<Port>], listens: Listens) -> usize {
    let mut received = 0;
    while ports.iter().any(Option::is_some) {
        list.take(|place| {
            if let Some(port) = &mut ports[place] {
                port.is_held = true;
            }
        });
        let mut is_idle = true;
        for place in ports.iter_mut() {
            let Some(port) = place.as_mut().filter(|port| port.is_held) else {
                continue;
            };
            // SAFETY: the one reader.
            match unsafe { port.reader.pop(&port.lane) } {
                Ok(_) => {
                    received += 1;
                    is_idle = false;
                }
                Err(Nothing::Ever(_)) => {
                    *place = None;
                    is_idle = false;
                }
                Err(Nothing::Yet) if listens == Listens::ToAll => {}
                Err(Nothing::Yet) => {
                    port.is_held = port.listen();
                    is_idle &= !port.is_held;
                }
            }
        }
        is_idle = is_idle && (listens == Listens::OneByOne || listen_to_all(ports));
        if is_idle && ports.iter().any(Option::is_some) {
            list.arrivals().sleep(|| !list.is_empty());
        }
    }
    list.close();
    received
}

/// Two senders, and a receiver that sleeps while there is nothing.
fn two_ports(listens: Listens) {
    // With two preemptions the second way takes a minute.
    explore(2 - usize::from(listens == Listens::ToAll), move || {
        let list = ReadyList::new();
        let nodes = NodeBlock::new(Arc::clone(&list), 0);
        let ports = [0, 1].map(|place| Port::new(&nodes, place));
        let senders = [ports[0].sender(1), ports[1].sender(1)];
        assert_eq!(receive_all(&list, &mut ports.map(Some), listens), 2);
        for (sender, lane) in senders {
            sender.join().unwrap();
            drop(lane);
        }
    });
}

/// One sender that wakes its port again and again.
fn one_port(messages: usize, listens: Listens) {
    explore(3, move || {
        let list = ReadyList::new();
        let port = Port::new(&NodeBlock::new(Arc::clone(&list), 0), 0);
        let (sender, _lane) = port.sender(messages);
        assert_eq!(receive_all(&list, &mut [Some(port)], listens), messages);
        sender.join().unwrap();
    });
}

/// A port is taken out of the set while its sender sends, and goes on by itself.
fn take_out() {
    explore(3, || {
        let list = ReadyList::new();
        let mut port = Port::new(&NodeBlock::new(Arc::clone(&list), 0), 0);
        let (sender, _lane) = port.sender(1);
        let _is_ready = port.listen();
        // The set has another port in its place then.
        list.take(|_| ());
        port.lane.unlist(&mut port.is_listening);
        let mut received = 0;
        loop {
            // SAFETY: the one reader.
            match unsafe { port.reader.pop(&port.lane) } {
                Ok(_) => received += 1,
                Err(Nothing::Ever(_)) => break,
                Err(Nothing::Yet) => {
                    let Port { lane, reader, .. } = &mut port;
                    lane.messages().sleep(|| reader.is_ready(lane));
                }
            }
        }
        assert_eq!(received, 1);
        sender.join().unwrap();
        list.close();
    });
}

/// A port is taken out of the set while its sender sends, and another one gets its place, and with
/// that its node. A late tell of the first one hides none of the second one.
fn use_a_place_again() {
    explore(2, || {
        let list = ReadyList::new();
        let nodes = NodeBlock::new(Arc::clone(&list), 0);
        let mut first = Port::new(&nodes, 0);
        let second = Port::new(&nodes, 0);
        let (first_sender, _first_lane) = first.sender(1);
        let (second_sender, _second_lane) = second.sender(1);
        let _is_ready = first.listen();
        first.lane.unlist(&mut first.is_listening);
        assert_eq!(
            receive_all(&list, &mut [Some(second)], Listens::OneByOne),
            1
        );
        first_sender.join().unwrap();
        second_sender.join().unwrap();
        drop(first);
    });
}

/// The set is dropped while a sender sends: nothing of it is left.
fn drop_the_set() {
    explore(3, || {
        let list = ReadyList::new();
        let mut port = Port::new(&NodeBlock::new(Arc::clone(&list), 0), 0);
        let (sender, _lane) = port.sender(1);
        let _is_ready = port.listen();
        list.close();
        port.lane.unlist(&mut port.is_listening);
        sender.join().unwrap();
        drop(port);
        assert_eq!(Arc::strong_count(&list), 1, "a node is left");
    });
}

#[test]
fn loom_ports_wake_their_set() {
    for listens in [Listens::OneByOne, Listens::ToAll] {
        one_port(2, listens);
        must_catch(Plant::PortUntold, || one_port(1, listens));
        must_catch(Plant::PortListedForEver, || one_port(2, listens));
        two_ports(listens);
    }
    must_catch(Plant::PortListedTwice, || one_port(3, Listens::OneByOne));
}

#[test]
fn loom_ports_leave_their_set() {
    take_out();
    use_a_place_again();
    must_catch(Plant::PortListedForEver, use_a_place_again);
    drop_the_set();
    must_catch(Plant::PortListedUnseen, drop_the_set);
}
