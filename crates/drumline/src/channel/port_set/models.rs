//! Loom models of a set of ports: the list, its nodes, and the lanes that wake them.

use std::sync::Arc;
use std::task::Waker;

use loom::thread;

use super::ready_list::{ReadyList, ReadyNode};
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
    waker: Waker,
    is_listening: bool,
    is_held: bool,
}

impl Port {
    fn new(list: &Arc<ReadyList>, place: usize) -> Self {
        Port {
            lane: Arc::new(Lane::new(usize::MAX)),
            reader: Reader::new(),
            waker: Waker::from(ReadyNode::new(Arc::clone(list), place)),
            is_listening: false,
            is_held: true,
        }
    }

    fn listen(&mut self) -> bool {
        let Port { lane, reader, .. } = self;
        if lane
            .messages()
            .list_unsettled(&self.waker, &mut self.is_listening)
        {
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
        list.take(|node| {
            if let Some(port) = &mut ports[node.place()] {
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
        let ports = [0, 1].map(|place| Port::new(&list, place));
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
        let port = Port::new(&list, 0);
        let (sender, _lane) = port.sender(messages);
        assert_eq!(receive_all(&list, &mut [Some(port)]), messages);
        sender.join().unwrap();
    });
}

/// A port is taken out of the set while its sender sends, and goes on by itself.
fn take_out() {
    explore(3, || {
        let list = ReadyList::new();
        let mut port = Port::new(&list, 0);
        let (sender, _lane) = port.sender(1);
        let _is_ready = port.listen();
        // The set has another port in its place then.
        list.take(drop);
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

/// The set is dropped while a sender sends: nothing of it is left.
fn drop_the_set() {
    explore(3, || {
        let list = ReadyList::new();
        let mut port = Port::new(&list, 0);
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
    drop_the_set();
    must_catch(Plant::PortListedUnseen, drop_the_set);
}
