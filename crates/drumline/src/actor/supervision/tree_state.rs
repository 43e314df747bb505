//! What the lock of a tree protects: its supervisors, and what has the right to run an actor.
//!
//! It knows actors by a handle of the type `H`, and calls nothing of the program. See
//! [`supervision`](super) for the protocol.

use std::collections::BTreeMap;
use std::time::Duration;

use super::failure::{Directive, FailureOutcome};
use super::node::{Child, ChildKey, ChildStage, Node, NodeId, RoundId, Supervised};
use super::options::SupervisorOptions;
use crate::sync::{Instant, planted};

/// The root of each tree.
pub(super) const ROOT: NodeId = 0;

/// What is to be done after the lock.
#[must_use = "actors wait for it"]
pub(super) struct TreePlan<H: Supervised> {
    pub(super) steps: Vec<Step<H>>,
    ends: bool,
}

pub(super) enum Step<H: Supervised> {
    /// The actor goes on.
    Resume(H),
    /// The actor, which is aside, ends.
    End(H),
    /// It looks at its word.
    Nudge(H),
    Stop(H),
    Kill(H),
    /// The round goes on after this time.
    Timer(RoundId, Duration, Until),
    /// What this timer waits for has come before.
    Cancel(H::Timer),
    Let(H),
    /// The supervisor is gone. Its options have code of the program.
    Over(Box<Node<H>>),
}

/// What a round waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// For its actors to be aside, at most for that time.
    Aside,
    /// For the time itself.
    Delay,
}

impl<H: Supervised> Default for TreePlan<H> {
    fn default() -> Self {
        TreePlan {
            steps: Vec::new(),
            ends: false,
        }
    }
}

impl<H: Supervised> TreePlan<H> {
    /// What becomes of the actor that has failed.
    pub(super) fn outcome(&self) -> FailureOutcome {
        if self.ends {
            FailureOutcome::Ends
        } else {
            FailureOutcome::Restarts
        }
    }
}

/// An actor that has failed.
#[derive(Clone, Copy)]
pub(super) struct Failed {
    pub(super) key: ChildKey,
    pub(super) directive: Directive,
    /// Its factory, and the hook `started`, had not panicked.
    pub(super) has_started: bool,
}

pub(super) struct TreeState<H: Supervised> {
    /// Those that have not ended.
    pub(super) nodes: BTreeMap<NodeId, Node<H>>,
    next_node: NodeId,
    rounds: BTreeMap<RoundId, Round<H>>,
    next_round: RoundId,
}

/// Actors that are put aside, and go on together.
struct Round<H: Supervised> {
    members: Vec<ChildKey>,
    /// How many are not aside yet.
    left: usize,
    /// After that.
    delay: Duration,
    is_delayed: bool,
    /// That of the siblings, and then that of the delay.
    timer: Option<H::Timer>,
}

impl<H: Supervised> TreeState<H> {
    /// A tree with a root.
    pub(super) fn new(options: SupervisorOptions) -> Self {
        TreeState {
            nodes: BTreeMap::from([(ROOT, Node::new(None, options))]),
            next_node: ROOT + 1,
            rounds: BTreeMap::new(),
            next_round: 0,
        }
    }

    /// A supervisor below `parent`. The options come back if that is about to end.
    pub(super) fn add_node(
        &mut self,
        parent: NodeId,
        options: SupervisorOptions,
    ) -> Result<NodeId, SupervisorOptions> {
        while self.next_node == NodeId::MAX || self.nodes.contains_key(&self.next_node) {
            self.next_node = self.next_node.wrapping_add(1);
        }
        let id = self.next_node;
        let above = self.nodes.get_mut(&parent);
        let Some(above) = above.filter(|above| !above.is_stopping) else {
            return Err(options);
        };
        let number = above.next_number();
        above.add(number, Child::Node(id, false));
        self.next_node = self.next_node.wrapping_add(1);
        let key = ChildKey {
            node: parent,
            number,
        };
        self.nodes.insert(id, Node::new(Some(key), options));
        Ok(id)
    }

    /// An actor has failed, and is aside.
    pub(super) fn failed(&mut self, failed: Failed, now: Instant, plan: &mut TreePlan<H>) {
        let ends = failed.directive == Directive::Stop;
        if self.come_aside(failed.key, ends, plan) == ChildStage::Running {
            self.restart(failed, now, plan);
        }
    }

    /// An actor was put aside because of another one.
    pub(super) fn is_aside(&mut self, key: ChildKey, plan: &mut TreePlan<H>) {
        if self.come_aside(key, false, plan) == ChildStage::Running {
            self.resume(key, plan);
        }
    }

    fn stage(&mut self, key: ChildKey) -> Option<&mut ChildStage> {
        self.nodes.get_mut(&key.node)?.stage(key.number)
    }

    pub(super) fn core(&mut self, key: ChildKey) -> Option<H> {
        match &self.nodes.get_mut(&key.node)?.entry(key.number)?.child {
            Child::Actor { core, .. } => Some(core.clone()),
            _ => None,
        }
    }

    /// All actors below a child.
    fn leaves(&self, key: ChildKey, leaves: &mut Vec<ChildKey>) {
        let Some(node) = self.nodes.get(&key.node) else {
            return;
        };
        match node.child(key.number) {
            Some(Child::Actor { .. }) => leaves.push(key),
            Some(Child::Node(below, _)) => leaves.extend(self.leaves_of(*below)),
            _ => {}
        }
    }

    /// All actors below a supervisor; those of one supervisor in the order of their starts.
    pub(super) fn leaves_of(&self, id: NodeId) -> Vec<ChildKey> {
        let mut leaves = Vec::new();
        let mut below = vec![id];
        while let Some(id) = below.pop() {
            let Some(node) = self.nodes.get(&id) else {
                continue;
            };
            for entry in &node.children {
                match entry.child {
                    Child::Actor { .. } => leaves.push(ChildKey {
                        node: id,
                        number: entry.number,
                    }),
                    Child::Node(node, _) => below.push(node),
                    Child::Gone => {}
                }
            }
        }
        leaves
    }

    /// An actor is aside, and `ends` whatever its round does. Returns the stage in which it was; if
    /// that is `Running`, what becomes of it is for the caller to decide.
    pub(super) fn come_aside(
        &mut self,
        key: ChildKey,
        ends: bool,
        plan: &mut TreePlan<H>,
    ) -> ChildStage {
        if let Some(core) = self.core(key) {
            if !planted!(RestartUncleared) {
                core.clear_restart();
            }
            plan.steps.push(Step::Let(core));
        }
        let node = self.nodes.get(&key.node);
        let (is_stopping, gives_up) =
            node.map_or((true, true), |node| (node.is_stopping, node.gives_up));
        let stage = self.stage(key).map_or(ChildStage::Running, |stage| *stage);
        if gives_up || ends {
            self.leave_round(key, plan);
            self.end_aside(key, plan);
            // No longer running.
            return ChildStage::Late;
        }
        match stage {
            ChildStage::Running | ChildStage::Aside(_) => {}
            ChildStage::Asked(_) if is_stopping => {
                self.leave_round(key, plan);
                self.resume(key, plan);
            }
            ChildStage::Asked(round) => {
                self.set_stage(key, ChildStage::Aside(round));
                self.count_aside(round, plan);
            }
            ChildStage::Late => self.resume(key, plan),
        }
        stage
    }

    fn set_stage(&mut self, key: ChildKey, to: ChildStage) {
        if let Some(stage) = self.stage(key) {
            *stage = to;
        }
    }

    /// An actor that is aside goes on.
    pub(super) fn resume(&mut self, key: ChildKey, plan: &mut TreePlan<H>) {
        self.set_stage(key, ChildStage::Running);
        if let Some(core) = self.core(key) {
            plan.steps.push(Step::Resume(core));
        }
    }

    /// An actor that is aside ends.
    pub(super) fn end_aside(&mut self, key: ChildKey, plan: &mut TreePlan<H>) {
        self.set_stage(key, ChildStage::Running);
        plan.ends = true;
        if let Some(core) = self.core(key) {
            plan.steps.push(Step::End(core));
        }
    }

    /// An actor that was asked leaves its round.
    fn leave_round(&mut self, key: ChildKey, plan: &mut TreePlan<H>) {
        if let Some(ChildStage::Asked(round)) = self.stage(key).copied() {
            self.set_stage(key, ChildStage::Late);
            self.count_aside(round, plan);
        }
    }

    /// One less is waited for.
    fn count_aside(&mut self, id: RoundId, plan: &mut TreePlan<H>) {
        let Some(round) = self.rounds.get_mut(&id) else {
            return;
        };
        round.left -= 1;
        if round.left == 0 && !planted!(RoundForgetsLast) {
            self.begin_delay(id, plan);
        }
    }

    /// All of a round are aside.
    fn begin_delay(&mut self, id: RoundId, plan: &mut TreePlan<H>) {
        let Some(round) = self.rounds.get_mut(&id) else {
            return;
        };
        if round.delay.is_zero() {
            self.finish_round(id, plan);
        } else {
            plan.steps.extend(round.timer.take().map(Step::Cancel));
            round.is_delayed = true;
            plan.steps.push(Step::Timer(id, round.delay, Until::Delay));
        }
    }

    /// A round has this timer from now on. The timer comes back if the round no longer waits for
    /// it.
    pub(super) fn keep_timer(
        &mut self,
        id: RoundId,
        until: Until,
        timer: H::Timer,
    ) -> Option<H::Timer> {
        match self.rounds.get_mut(&id) {
            Some(round) if round.is_delayed == (until == Until::Delay) => {
                round.timer.replace(timer)
            }
            _ => Some(timer),
        }
    }

    /// A time of a round is over.
    pub(super) fn time_is_over(&mut self, id: RoundId, until: Until, plan: &mut TreePlan<H>) {
        let Some(round) = self.rounds.get_mut(&id) else {
            return;
        };
        match until {
            Until::Delay => self.finish_round(id, plan),
            // All have come.
            Until::Aside if round.is_delayed => {}
            Until::Aside => {
                for key in round.members.clone() {
                    if self.stage(key).copied() != Some(ChildStage::Asked(id)) {
                        continue;
                    }
                    if planted!(RoundResumesAsked) {
                        self.resume(key, plan);
                    } else {
                        self.set_stage(key, ChildStage::Late);
                    }
                }
                self.begin_delay(id, plan);
            }
        }
    }

    /// A round goes on.
    fn finish_round(&mut self, id: RoundId, plan: &mut TreePlan<H>) {
        let Some(round) = self.rounds.remove(&id) else {
            return;
        };
        // With a long time, and restarts one after another, they would be many.
        plan.steps.extend(round.timer.map(Step::Cancel));
        for key in round.members {
            match self.stage(key).copied() {
                Some(ChildStage::Aside(of)) if of == id => self.resume(key, plan),

                _ => {}
            }
        }
    }

    /// An actor that is aside has failed: begins a round.
    fn restart(
        &mut self,
        Failed {
            key,
            directive,
            has_started,
        }: Failed,
        now: Instant,
        plan: &mut TreePlan<H>,
    ) {
        let mut failed = key;
        let mut escalates = directive == Directive::Escalate;
        let node = self.nodes.get_mut(&key.node).expect("it has a child");
        if node.is_stopping {
            // It is to handle what it was told before. A state that did not start has handled
            // nothing: its actor would fail in the same way for ever, and never come to its stop.
            let may_start = has_started || planted!(StoppingRevivesForEver);
            if may_start && !escalates && node.count_restart(now).is_some() {
                self.resume(key, plan);
            } else {
                self.end_aside(key, plan);
            }
            return;
        }
        loop {
            let node = self.nodes.get_mut(&failed.node).expect("it has a child");
            if std::mem::take(&mut escalates) {
                // It begins anew, as after one restart too many.
                node.forget_restarts();
            } else if node.count_restart(now).is_some() {
                break;
            }
            let above = node.parent.filter(|parent| {
                let above = self.nodes.get(&parent.node);
                above.is_some_and(|above| !above.is_stopping)
            });
            match above {
                Some(parent) => failed = parent,
                None => {
                    self.give_up(failed.node, key, plan);
                    return;
                }
            }
        }
        let node = &self.nodes[&failed.node];
        let (delay, timeout) = (node.delay(), node.options.restart_timeout);
        let mut members = Vec::new();
        for number in node.affected(failed.number) {
            let child = ChildKey {
                node: failed.node,
                number,
            };
            self.leaves(child, &mut members);
        }
        self.next_round = self.next_round.wrapping_add(1);
        while self.rounds.contains_key(&self.next_round) {
            self.next_round = self.next_round.wrapping_add(1);
        }
        let id = self.next_round;
        let mut left = 0;
        for &member in &members {
            let stage = self.stage(member).copied();
            match stage {
                _ if member == key => self.set_stage(member, ChildStage::Aside(id)),
                Some(ChildStage::Running) => {
                    self.set_stage(member, ChildStage::Asked(id));
                    left += 1;
                    if let Some(core) = self.core(member) {
                        core.ask_restart();
                        plan.steps.push(Step::Nudge(core));
                    }
                }
                Some(ChildStage::Asked(before)) => {
                    self.set_stage(member, ChildStage::Asked(id));
                    left += 1;
                    self.count_aside(before, plan);
                }
                Some(ChildStage::Aside(_)) => self.set_stage(member, ChildStage::Aside(id)),
                Some(ChildStage::Late) | None => {}
            }
        }
        let round = Round {
            members,
            left,
            delay,
            is_delayed: false,
            timer: None,
        };
        self.rounds.insert(id, round);
        if left == 0 {
            self.begin_delay(id, plan);
        } else {
            plan.steps.push(Step::Timer(id, timeout, Until::Aside));
        }
    }

    /// There is no supervisor above that goes on: all actors below this one end.
    fn give_up(&mut self, top: NodeId, failed: ChildKey, plan: &mut TreePlan<H>) {
        let leaves = self.leaves_of(top);
        let mut below = vec![top];
        let mut all = Vec::new();
        while let Some(id) = below.pop() {
            let Some(node) = self.nodes.get_mut(&id) else {
                continue;
            };
            all.push(id);
            node.is_stopping = true;
            node.gives_up = true;
            for entry in &mut node.children {
                entry.child.tell();
                if let Child::Node(node, _) = entry.child {
                    below.push(node);
                }
            }
        }
        for key in leaves {
            let is_aside = matches!(self.stage(key), Some(ChildStage::Aside(_)));
            if key == failed || is_aside {
                self.end_aside(key, plan);
            } else if let Some(core) = self.core(key) {
                plan.steps.push(Step::Kill(core));
            }
        }
        // Those without actors end, and so do those above them.
        for id in all {
            self.has_lost_child(id, plan);
        }
    }

    /// An actor has ended.
    pub(super) fn ended(&mut self, key: ChildKey, plan: &mut TreePlan<H>) {
        self.leave_round(key, plan);
        let Some(node) = self.nodes.get_mut(&key.node) else {
            return;
        };
        if let Child::Actor { core, .. } = node.remove(key.number) {
            plan.steps.push(Step::Let(core));
        }
        self.has_lost_child(key.node, plan);
    }

    /// A child of a supervisor is gone.
    fn has_lost_child(&mut self, id: NodeId, plan: &mut TreePlan<H>) {
        if let Some(next) = self.end_nodes(id, plan) {
            self.stop(next, plan);
        }
    }

    /// Tells the children of a supervisor that have their turn to end, and those below. It does not
    /// call itself, because a tree may be deeper than a stack.
    pub(super) fn stop(&mut self, id: NodeId, plan: &mut TreePlan<H>) {
        let mut left = vec![id];
        while let Some(id) = left.pop() {
            self.stop_children(id, &mut left, plan);
            let node = self.nodes.get(&id);
            // With children it waits for them.
            if node.is_some_and(|node| node.len() == 0) {
                left.extend(self.end_nodes(id, plan));
            }
        }
    }

    /// Tells the actors among those children, and adds the supervisors to `below`.
    fn stop_children(&mut self, id: NodeId, below: &mut Vec<NodeId>, plan: &mut TreePlan<H>) {
        let Some(node) = self.nodes.get_mut(&id) else {
            return;
        };
        node.is_stopping = true;
        let in_order = node.ends_in_order();
        let mut told = Vec::new();
        for entry in node.children.iter_mut().rev() {
            let is_gone = matches!(entry.child, Child::Gone);
            if entry.child.tell() {
                told.push(entry.number);
            }
            if in_order && !is_gone {
                break;
            }
        }
        for number in told {
            let key = ChildKey { node: id, number };
            match self.nodes.get(&id).and_then(|node| node.child(number)) {
                Some(Child::Actor { core, stage, .. }) => {
                    let is_aside = matches!(stage, ChildStage::Aside(_));
                    plan.steps.push(Step::Stop(core.clone()));
                    if is_aside {
                        // It handles what it has, and does not wait for the others.
                        self.resume(key, plan);
                    }
                }
                Some(&Child::Node(node, _)) => below.push(node),
                _ => {}
            }
        }
    }

    /// A supervisor that is to end does so if it has no children, and then the one above. Returns
    /// the one with a next child that is to be told.
    fn end_nodes(&mut self, mut id: NodeId, plan: &mut TreePlan<H>) -> Option<NodeId> {
        loop {
            let node = self.nodes.get(&id).filter(|node| node.is_stopping)?;
            if node.len() > 0 {
                return node.ends_in_order().then_some(id);
            }
            let node = self.nodes.remove(&id).expect("found just now");
            let parent = node.parent;
            plan.steps.push(Step::Over(Box::new(node)));
            let parent = parent?;
            self.nodes.get_mut(&parent.node)?.remove(parent.number);
            id = parent.node;
        }
    }
}
