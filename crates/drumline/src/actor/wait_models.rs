//! Models of the graph of waits.

// As in the models of the mailbox.
use std::ptr;
use std::sync::Arc;

use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;

use super::wait_graph::WaitGraph;
use super::wait_shard::{Asker, ReplyProbe, Wait};
use crate::sync::exploration::bounded;
use crate::sync::plant::{Plant, must_catch};

fn explore(model: impl Fn() + Sync + Send + 'static) {
    bounded(3).check(model);
}

/// The address of an actor as its name.
fn name_of(actor: *const ()) -> String {
    actor.addr().to_string()
}

/// # Safety
///
/// The address is that of a live flag.
unsafe fn is_set(flag: *const ()) -> bool {
    // SAFETY: the caller's obligation.
    unsafe { &*flag.cast::<AtomicBool>() }.load(Ordering::Acquire)
}

fn wait(asker: usize, asked: usize, reply: &AtomicBool) -> Wait {
    Wait {
        // SAFETY: any address may be given.
        asker: unsafe { Asker::new(ptr::without_provenance(asker), name_of) },
        asked,
        // SAFETY: the flags of the models outlive their waits.
        reply: unsafe { ReplyProbe::new(ptr::from_ref(reply).cast(), is_set) },
    }
}

/// Has an actor wait for another one that never replies, unless that closes a circle. Returns the
/// names in the circle.
fn wait_for_ever(graph: &WaitGraph, asker: usize, asked: usize) -> Option<Vec<String>> {
    let reply = Box::leak(Box::new(AtomicBool::new(false)));
    match graph.enter(wait(asker, asked, reply)) {
        Ok(waiting) => {
            std::mem::forget(waiting);
            None
        }
        Err(names) => Some(names),
    }
}

/// Two actors ask each other at once: one of them does not wait.
fn ask_each_other() {
    explore(|| {
        let graph = Arc::new(WaitGraph::new());
        let other = Arc::clone(&graph);
        let asker = thread::spawn(move || wait_for_ever(&other, 1, 2));
        let circles = [wait_for_ever(&graph, 2, 1), asker.join().unwrap()];
        assert!(circles.iter().any(Option::is_some), "both wait");
        assert!(circles.iter().any(Option::is_none), "both are refused");
        for (circle, names) in circles.iter().zip([["2", "1"], ["1", "2"]]) {
            assert!(circle.as_ref().is_none_or(|circle| circle == &names));
        }
    });
}

/// Two waits close a circle of three at once.
fn close_a_circle_of_three() {
    explore(|| {
        let graph = Arc::new(WaitGraph::new());
        assert_eq!(wait_for_ever(&graph, 2, 3), None);
        let other = Arc::clone(&graph);
        let asker = thread::spawn(move || wait_for_ever(&other, 1, 2));
        let circles = [wait_for_ever(&graph, 3, 1), asker.join().unwrap()];
        assert!(circles.iter().any(Option::is_some), "all wait");
        assert!(circles.iter().any(Option::is_none), "both are refused");
    });
}

/// Three actors ask each other at once.
fn ask_each_other_in_a_circle() {
    explore(|| {
        let graph = Arc::new(WaitGraph::new());
        let others = [(1, 2), (2, 3)].map(|(asker, asked)| {
            let graph = Arc::clone(&graph);
            thread::spawn(move || wait_for_ever(&graph, asker, asked))
        });
        let last = wait_for_ever(&graph, 3, 1);
        let [one, two] = others.map(|other| other.join().unwrap());
        let circles = [one, two, last];
        assert!(circles.iter().any(Option::is_some), "all wait");
        assert!(circles.iter().flatten().all(|circle| circle.len() == 3));
    });
}

/// An actor replies, and asks the one that waits for the asker: there is no circle, although each
/// of its waits was there at some time.
fn reply_and_ask() {
    explore(|| {
        let graph = Arc::new(WaitGraph::new());
        let reply = Box::leak(Box::new(AtomicBool::new(false)));
        // The first waits until the end of the model.
        std::mem::forget(graph.enter(wait(2, 3, reply)));
        let other = Arc::clone(&graph);
        let replied = &*reply;
        let asker = thread::spawn(move || {
            replied.store(true, Ordering::Release);
            assert_eq!(wait_for_ever(&other, 3, 1), None, "it has replied");
        });
        assert_eq!(wait_for_ever(&graph, 1, 2), None, "there is no circle");
        asker.join().unwrap();
    });
}

/// The actor that has replied asks the asker: that is no circle, also if the asker has not
/// woken, or not begun to wait.
fn ask_back() {
    explore(|| {
        let graph = Arc::new(WaitGraph::new());
        let reply = Arc::new(AtomicBool::new(false));
        let (other, replied) = (Arc::clone(&graph), Arc::clone(&reply));
        let asker = thread::spawn(move || {
            let waiting = other.enter(wait(1, 2, &replied));
            assert!(waiting.is_ok(), "it has its reply");
            while !replied.load(Ordering::Acquire) {
                thread::yield_now();
            }
        });
        reply.store(true, Ordering::Release);
        let back = AtomicBool::new(false);
        assert!(graph.enter(wait(2, 1, &back)).is_ok(), "it has replied");
        asker.join().unwrap();
    });
}

#[test]
fn loom_actor_ask() {
    ask_each_other();
    must_catch(Plant::AskLooksFirst, ask_each_other);
    close_a_circle_of_three();
    must_catch(Plant::AskDebtLate, close_a_circle_of_three);
    ask_each_other_in_a_circle();
    must_catch(Plant::AskLooksFirst, ask_each_other_in_a_circle);
    reply_and_ask();
    must_catch(Plant::AskSeenOnce, reply_and_ask);
    ask_back();
    must_catch(Plant::AskAnsweredCounts, ask_back);
}
