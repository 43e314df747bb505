//! Loom models of a set of ports: the list, its nodes, and the lanes that wake them.

use loom::thread;
use std::sync::Arc;

use super::node_block::NodeBlock;
use super::ready_list::ReadyList;
use crate::channel::CloseReason;
use crate::channel::lane::{Lane, Nothing, Reader, Writer};
use crate::sync::plant::{Plant, must_catch};
use crate::wait::settle;

fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
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
        let Port {
            lane,
            reader,
            nodes,
            place,
            is_listening,
            ..
        } = self;
        let has_to_settle = nodes.with_waker(*place, |waker| {
            lane.messages().list_unsettled(waker, is_listening)
        });
        if has_to_settle {
            settle();
        }
        reader.is_ready(lane)
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

/// Receives from all ports as a set does, until all have ended. Returns how many messages came.
fn receive_all(list: &Arc<ReadyList>, ports: &mut [Option<Port>]) -> usize {
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
                Err(Nothing::Yet) => {
                    port.is_held = port.listen();
                    is_idle &= !port.is_held;
                }
            }
        }
        if is_idle && ports.iter().any(Option::is_some) {
            list.arrivals().sleep(|| !list.is_empty());
        }
    }
    list.close();
    received
}

/// Two senders, and a receiver that sleeps while there is nothing.
fn two_ports() {
    explore(2, || {
        let list = ReadyList::new();
        let nodes = NodeBlock::new(Arc::clone(&list), 0);
        let ports = [0, 1].map(|place| Port::new(&nodes, place));
        let senders = [ports[0].sender(1), ports[1].sender(1)];
        assert_eq!(receive_all(&list, &mut ports.map(Some)), 2);
        for (sender, lane) in senders {
            sender.join().unwrap();
            drop(lane);
        }
    });
}

/// One sender that wakes its port again and again.
fn one_port(messages: usize) {
    explore(3, move || {
        let list = ReadyList::new();
        let port = Port::new(&NodeBlock::new(Arc::clone(&list), 0), 0);
        let (sender, _lane) = port.sender(messages);
        assert_eq!(receive_all(&list, &mut [Some(port)]), messages);
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
        assert_eq!(receive_all(&list, &mut [Some(second)]), 1);
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
    one_port(2);
    must_catch(Plant::PortUntold, || one_port(1));
    must_catch(Plant::PortListedForEver, || one_port(2));
    two_ports();
    must_catch(Plant::PortListedTwice, || one_port(3));
}

#[test]
fn loom_ports_leave_their_set() {
    take_out();
    use_a_place_again();
    must_catch(Plant::PortListedForEver, use_a_place_again);
    drop_the_set();
    must_catch(Plant::PortListedUnseen, drop_the_set);
}
