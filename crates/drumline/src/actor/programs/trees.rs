//! Random trees of supervisors with crashes, in random schedules, against a sequential model.
//!
//! A tree has a few supervisors with random strategies and limits, and a few actors below them.
//! One actor after the other fails, and the supervisor restarts it, stops it or escalates. Another
//! thread tells the actors something meanwhile. After each failure each actor is asked. Then the
//! model, which does the same to numbers in a tree of its own, says:
//!
//! * which actors live, and for which reason the others have ended;
//! * how many states each of them has had.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use shuttle::rand::{Rng, thread_rng};

use super::{in_random_schedules, iterations, tolerant_pool, with_few_preemptions};
use crate::actor::{
    Actor, ActorRef, ActorSystem, Context, Directive, Ended, ExitReason, Failure, Handler,
    Strategy, Supervisor, SupervisorOptions,
};
use crate::sync::Instant;
use crate::sync::plant::{Plant, must_catch};

const FAR: Duration = Duration::from_secs(3_600);

/// An actor that counts its states.
struct Leaf;

impl Actor for Leaf {}

/// To fail, and what the supervisor is to do then.
struct Fail(Directive);

impl Handler<Fail> for Leaf {
    type Reply = ();

    fn handle(&mut self, Fail(directive): Fail, _: &mut Context<Self>) {
        // Without the hook, which would print.
        std::panic::resume_unwind(Box::new(format!("{directive:?}")));
    }
}

impl Handler<()> for Leaf {
    type Reply = ();

    fn handle(&mut self, (): (), _: &mut Context<Self>) {}
}

/// What the message that has failed says.
fn decide(failure: &Failure) -> Directive {
    let directives = [Directive::Restart, Directive::Stop, Directive::Escalate];
    let said = |directive: &Directive| format!("{directive:?}") == failure.panic_message();
    directives.into_iter().find(said).expect("it says which")
}

/// A child of a supervisor, by its number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ModelChild {
    Node(usize),
    Leaf(usize),
}

struct ModelNode {
    parent: Option<usize>,
    strategy: Strategy,
    most: usize,
    restarts: usize,
    /// In the order of their starts.
    children: Vec<ModelChild>,
}

struct ModelLeaf {
    parent: usize,
    states: usize,
    ended: Option<ExitReason>,
}

/// What a tree does, in order.
struct ModelTree {
    nodes: Vec<ModelNode>,
    leaves: Vec<ModelLeaf>,
}

impl ModelTree {
    /// The actors below a child.
    fn below(&self, child: ModelChild) -> Vec<usize> {
        match child {
            ModelChild::Leaf(leaf) => vec![leaf],
            ModelChild::Node(node) => {
                let children = self.nodes[node].children.iter();
                children.flat_map(|&child| self.below(child)).collect()
            }
        }
    }

    fn end(&mut self, leaf: usize, reason: ExitReason) {
        if self.leaves[leaf].ended.is_none() {
            self.leaves[leaf].ended = Some(reason);
        }
    }

    fn fail(&mut self, leaf: usize, directive: Directive) {
        if directive == Directive::Stop {
            return self.end(leaf, ExitReason::Panicked);
        }
        let mut escalates = directive == Directive::Escalate;
        let mut failed = ModelChild::Leaf(leaf);
        let mut above = self.leaves[leaf].parent;
        loop {
            let node = &mut self.nodes[above];
            if !escalates && node.restarts < node.most {
                node.restarts += 1;
                break;
            }
            escalates = false;
            node.restarts = 0;
            failed = ModelChild::Node(above);
            match node.parent {
                Some(parent) => above = parent,
                None => {
                    self.end(leaf, ExitReason::Panicked);
                    let all = self.below(failed);
                    return all
                        .into_iter()
                        .for_each(|leaf| self.end(leaf, ExitReason::Killed));
                }
            }
        }
        let node = &self.nodes[above];
        let place = node.children.iter().position(|child| *child == failed);
        let from = match node.strategy {
            Strategy::OneForAll => 0,
            _ => place.expect("it is a child"),
        };
        let affected = match node.strategy {
            Strategy::OneForOne => vec![failed],
            _ => node.children[from..].to_vec(),
        };
        let leaves = affected.into_iter().flat_map(|child| self.below(child));
        for leaf in Vec::from_iter(leaves) {
            if self.leaves[leaf].ended.is_none() {
                self.leaves[leaf].states += 1;
            }
        }
    }
}

/// A tree, and what it is to be.
struct Grown {
    model: ModelTree,
    supervisors: Vec<Supervisor>,
    leaves: Vec<ActorRef<Leaf>>,
    states: Vec<Arc<AtomicUsize>>,
    /// Until it has come.
    ends: Vec<Option<Ended>>,
}

fn strategy_and_limit() -> (Strategy, usize) {
    let strategies = [
        Strategy::OneForOne,
        Strategy::OneForAll,
        Strategy::RestForOne,
    ];
    let limits = [0, 1, 2, usize::MAX];
    let mut rng = thread_rng();
    (
        strategies[rng.gen_range(0..strategies.len())],
        limits[rng.gen_range(0..limits.len())],
    )
}

fn grow(system: &ActorSystem) -> Grown {
    let mut grown = Grown {
        model: ModelTree {
            nodes: Vec::new(),
            leaves: Vec::new(),
        },
        supervisors: Vec::new(),
        leaves: Vec::new(),
        states: Vec::new(),
        ends: Vec::new(),
    };
    grown.add_node(system, None);
    for _ in 0..thread_rng().gen_range(2..6) {
        let parent = thread_rng().gen_range(0..grown.supervisors.len());
        if thread_rng().gen_ratio(1, 3) {
            grown.add_node(system, Some(parent));
        } else {
            grown.add_leaf(parent);
        }
    }
    grown
}

impl Grown {
    fn add_node(&mut self, system: &ActorSystem, parent: Option<usize>) {
        let (strategy, most) = strategy_and_limit();
        // A time that is over at once: the siblings start again later. Anything between is waited
        // for by the thread of timers, which takes more steps than a program may have.
        let timeouts = [Duration::ZERO, Duration::MAX];
        let timeout = timeouts[thread_rng().gen_range(0..timeouts.len())];
        let options = SupervisorOptions::new()
            .strategy(strategy)
            .max_restarts(most, FAR)
            .restart_timeout(timeout)
            .on_failure(decide);
        let number = self.supervisors.len();
        self.supervisors.push(match parent {
            Some(parent) => self.supervisors[parent].supervisor(options),
            None => system.supervisor(options),
        });
        if let Some(parent) = parent {
            let child = ModelChild::Node(number);
            self.model.nodes[parent].children.push(child);
        }
        self.model.nodes.push(ModelNode {
            parent,
            strategy,
            most,
            restarts: 0,
            children: Vec::new(),
        });
    }

    fn add_leaf(&mut self, parent: usize) {
        let states = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&states);
        let leaf = self.supervisors[parent].spawn(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            Leaf
        });
        self.model.nodes[parent]
            .children
            .push(ModelChild::Leaf(self.leaves.len()));
        self.model.leaves.push(ModelLeaf {
            parent,
            states: 1,
            ended: None,
        });
        // One that is asked for later does not know all.
        self.ends.push(Some(leaf.ended()));
        self.leaves.push(leaf);
        self.states.push(states);
    }

    /// What the model says, the actors are.
    fn check(&mut self) {
        for (number, model) in self.model.leaves.iter().enumerate() {
            if let Some(reason) = model.ended {
                if let Some(ended) = self.ends[number].take() {
                    assert_eq!(ended.recv().reason(), reason);
                }
            } else {
                assert!(self.leaves[number].ask(()).recv().is_ok(), "it lives");
            }
            let states = self.states[number].load(Ordering::SeqCst);
            assert_eq!(states, model.states);
        }
    }
}

fn trees() {
    let pool = tolerant_pool();
    let system = ActorSystem::new(&pool);
    let failures = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&failures);
    system.on_failure(move |_, _| {
        seen.fetch_add(1, Ordering::SeqCst);
    });
    let mut grown = grow(&system);
    if grown.leaves.is_empty() {
        grown.add_leaf(0);
    }
    grown.check();
    let is_over = Arc::new(AtomicBool::new(false));
    let noise = {
        let (actors, is_over) = (grown.leaves.clone(), Arc::clone(&is_over));
        shuttle::thread::spawn(move || {
            for _ in 0..6 {
                if is_over.load(Ordering::SeqCst) {
                    break;
                }
                // It may have ended.
                let _ = actors[thread_rng().gen_range(0..actors.len())].tell(());
                shuttle::thread::yield_now();
            }
        })
    };
    let directives = [
        Directive::Restart,
        Directive::Restart,
        Directive::Restart,
        Directive::Escalate,
        Directive::Stop,
    ];
    for number in 1..thread_rng().gen_range(3..6) {
        let alive = |leaf: &usize| grown.model.leaves[*leaf].ended.is_none();
        let alive = Vec::from_iter((0..grown.leaves.len()).filter(alive));
        if alive.is_empty() {
            break;
        }
        let leaf = alive[thread_rng().gen_range(0..alive.len())];
        let directive = directives[thread_rng().gen_range(0..directives.len())];
        assert!(grown.leaves[leaf].ask(Fail(directive)).recv().is_err());
        // The others know by then whether they are to start again.
        while failures.load(Ordering::SeqCst) < number {
            shuttle::thread::yield_now();
        }
        grown.model.fail(leaf, directive);
        grown.check();
    }
    is_over.store(true, Ordering::SeqCst);
    assert!(system.shutdown(Instant::now() + FAR).is_complete());
    noise.join().expect("it does not panic");
    assert!(pool.shutdown().is_ok(), "this thread is outside");
}

#[test]
fn shuttle_random_trees_do_as_the_model() {
    in_random_schedules(trees, iterations(4_000));
    with_few_preemptions(trees, iterations(1_000));
}

#[test]
fn shuttle_plants_in_trees() {
    for plant in [Plant::RestartUncleared, Plant::RoundResumesAsked] {
        must_catch(plant, || in_random_schedules(trees, 20_000));
    }
}
