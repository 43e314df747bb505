//! A tree of supervisors under one lock.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context as TaskContext, Poll};

use super::failure::{Directive, Failure};
use super::node::{Child, ChildKey, ChildStage, Node, NodeId, RoundId, Supervised};
use super::options::SupervisorOptions;
use super::tree_state::{Failed, ROOT, Step, TreePlan, TreeState, Until};
use crate::actor::mail::{Envelope, OpenFn, envelope};
use crate::actor::memory::{ActorCore, CoreRef};
use crate::actor::system::SystemShared;
use crate::channel::oneshot;
use crate::deadline::{Sleep, sleep};
use crate::pool::{SharedRegistry, WakeOrigin};
use crate::spawn::{JoinHandle, spawn_future_in};
use crate::sync::{Arc, Instant, Mutex, Weak, lock};
use crate::unwind::{self, Payload};

/// A tree of supervisors.
pub(crate) struct SupervisionTree {
    system: Arc<SystemShared>,
    state: Mutex<TreeState<CoreRef>>,
}

impl TreePlan<CoreRef> {
    /// Does what is to be done, without the lock.
    pub(super) fn carry_out(self, tree: &Arc<SupervisionTree>) {
        for step in self.steps {
            match step {
                // SAFETY: the right to run the actor was with the supervisor. The reference keeps
                // it, and its system.
                Step::Resume(core) => unsafe {
                    ActorCore::queue(core.as_ptr(), WakeOrigin::Woken);
                },
                Step::End(core) => {
                    core.core().word.kill();
                    // SAFETY: as above.
                    unsafe { ActorCore::queue(core.as_ptr(), WakeOrigin::Woken) };
                }
                Step::Nudge(core) => notify(&core, envelope::open_nudge),
                Step::Stop(core) => notify(&core, envelope::open_stop),
                Step::Kill(core) => {
                    core.core().word.kill();
                    notify(&core, envelope::open_nudge);
                }
                Step::Timer(round, after, until) => {
                    let timer = RoundTimer {
                        tree: Some(Arc::clone(tree)),
                        round,
                        until,
                        sleep: sleep(after),
                    };
                    let registry = SharedRegistry::clone(tree.system.registry());
                    let timer = spawn_future_in(registry, timer);
                    let over = lock(&tree.state).keep_timer(round, until, timer);
                    if let Some(timer) = over {
                        timer.abort();
                    }
                }
                Step::Cancel(timer) => timer.abort(),
                Step::Let(core) => drop(core),
                Step::Over(node) => {
                    let Node {
                        waiting, options, ..
                    } = *node;
                    tree.drop_options(options);
                    for waiter in waiting {
                        // It may have gone.
                        let _ = waiter.send(());
                    }
                }
            }
        }
    }
}

fn notify(core: &CoreRef, open: OpenFn) {
    // SAFETY: the reference stays meanwhile.
    unsafe { ActorCore::notify(core.as_ptr(), Envelope::notice(open)) };
}

/// Tells a round that its time is over. Also where its pool ends before.
struct RoundTimer {
    tree: Option<Arc<SupervisionTree>>,
    round: RoundId,
    until: Until,
    sleep: Sleep,
}

impl Future for RoundTimer {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<()> {
        let over = pin!(&mut self.sleep).poll(cx);
        if over.is_ready() {
            self.go_on();
        }
        over
    }
}

impl RoundTimer {
    fn go_on(&mut self) {
        if let Some(tree) = self.tree.take() {
            tree.go_on(self.round, self.until).carry_out(&tree);
        }
    }
}

impl Drop for RoundTimer {
    fn drop(&mut self) {
        self.go_on();
    }
}

impl SupervisionTree {
    pub(super) fn new(system: Arc<SystemShared>, options: SupervisorOptions) -> Arc<Self> {
        Arc::new(SupervisionTree {
            system,
            state: Mutex::new(TreeState::new(options)),
        })
    }

    pub(super) fn system(&self) -> &Arc<SystemShared> {
        &self.system
    }

    /// Asks the supervisor about a failure.
    pub(super) fn decide(
        &self,
        node: NodeId,
        failure: &Failure,
        report: impl FnOnce(Payload),
    ) -> Directive {
        let decide = lock(&self.state)
            .nodes
            .get(&node)
            .and_then(|node| node.options.decide.clone());
        let Some(decide) = decide else {
            return Directive::default();
        };
        // Dropped in there as well: the supervisor may have ended meanwhile.
        unwind::catch(move || decide(failure)).unwrap_or_else(|panic| {
            report(panic);
            Directive::default()
        })
    }

    /// Drops options without the lock: they have a function of the program, which may own
    /// anything. A panic of its drop is reported.
    fn drop_options(&self, options: SupervisorOptions) {
        if let Err(panic) = unwind::catch(|| drop(options)) {
            self.system.registry().report_panic(panic);
        }
    }

    /// A supervisor below `parent`. `None`: that is about to end.
    pub(super) fn add_node(&self, parent: NodeId, options: SupervisorOptions) -> Option<NodeId> {
        let added = lock(&self.state).add_node(parent, options);
        added.map_err(|options| self.drop_options(options)).ok()
    }

    /// Lets an actor in that `make` makes with its key. Returns whether it may live.
    pub(super) fn add_actor(
        &self,
        node: NodeId,
        make: impl FnOnce(ChildKey) -> CoreRef,
    ) -> (CoreRef, bool) {
        let mut state = lock(&self.state);
        let above = state.nodes.get_mut(&node).filter(|node| !node.is_stopping);
        let Some(above) = above else {
            drop(state);
            return (make(ChildKey { node, number: 0 }), false);
        };
        let number = above.next_number();
        // It makes a box and calls nothing of the program.
        let core = make(ChildKey { node, number });
        let child = Child::Actor {
            core: core.clone(),
            stage: ChildStage::Running,
            is_told: false,
        };
        above.add(number, child);
        (core, true)
    }

    /// The supervisors and actors of the tree, each with the number of supervisors above it. Those
    /// of a supervisor follow it.
    pub(crate) fn walk(&self) -> Vec<(usize, TreeItem)> {
        let state = lock(&self.state);
        let mut items = Vec::new();
        // A tree may be deeper than a stack: the supervisors above, and the next child of each.
        let mut above = Vec::new();
        let enter = |id: NodeId, above: &mut Vec<(NodeId, usize)>, items: &mut Vec<_>| {
            if let Some(node) = state.nodes.get(&id) {
                items.push((above.len(), TreeItem::Supervisor(node.options.title())));
                above.push((id, 0));
            }
        };
        enter(ROOT, &mut above, &mut items);
        while let Some((id, next)) = above.last_mut() {
            let entry = state
                .nodes
                .get(id)
                .and_then(|node| node.children.get(*next));
            *next += 1;
            match entry.map(|entry| &entry.child) {
                None => drop(above.pop()),
                Some(Child::Node(id, _)) => enter(*id, &mut above, &mut items),
                Some(Child::Actor { core, stage, .. }) => {
                    let item = match stage {
                        ChildStage::Aside(_) => TreeItem::Aside(core.clone()),
                        _ => TreeItem::Actor(core.clone()),
                    };
                    items.push((above.len(), item));
                }
                Some(Child::Gone) => {}
            }
        }
        items
    }

    /// How many children a supervisor has. `None`: it has ended, or is about to.
    pub(super) fn children(&self, node: NodeId) -> Option<usize> {
        let state = lock(&self.state);
        let node = state.nodes.get(&node).filter(|node| !node.is_stopping);
        node.map(Node::len)
    }

    /// An actor has failed, after its state `has_started` or before, and is aside.
    pub(super) fn failed(
        &self,
        key: ChildKey,
        directive: Directive,
        has_started: bool,
    ) -> TreePlan<CoreRef> {
        let mut plan = TreePlan::<CoreRef>::default();
        let failed = Failed {
            key,
            directive,
            has_started,
        };
        lock(&self.state).failed(failed, Instant::now(), &mut plan);
        plan
    }

    /// An actor was put aside because of another one.
    pub(super) fn is_aside(&self, key: ChildKey) -> TreePlan<CoreRef> {
        let mut plan = TreePlan::<CoreRef>::default();
        lock(&self.state).is_aside(key, &mut plan);
        plan
    }

    /// A time of a round is over.
    fn go_on(&self, round: RoundId, until: Until) -> TreePlan<CoreRef> {
        let mut plan = TreePlan::<CoreRef>::default();
        lock(&self.state).time_is_over(round, until, &mut plan);
        plan
    }

    /// An actor has ended.
    pub(super) fn ended(self: &Arc<Self>, key: ChildKey) {
        let mut plan = TreePlan::<CoreRef>::default();
        lock(&self.state).ended(key, &mut plan);
        plan.carry_out(self);
    }

    /// Has a supervisor end with its actors, in their order.
    pub(crate) fn stop(self: &Arc<Self>, node: NodeId) {
        let mut plan = TreePlan::<CoreRef>::default();
        lock(&self.state).stop(node, &mut plan);
        plan.carry_out(self);
    }

    /// As [`stop`](Self::stop), and waits until all have ended, until `deadline` at most. Then it
    /// kills those that are left, and returns their names.
    pub(super) fn shut_down(self: &Arc<Self>, node: NodeId, deadline: Instant) -> Vec<String> {
        self.stop(node);
        let mut ended = {
            let mut state = lock(&self.state);
            let Some(node) = state.nodes.get_mut(&node) else {
                return Vec::new();
            };
            let (sender, receiver) = oneshot::channel();
            node.waiting.push(sender);
            receiver
        };
        if ended.recv_deadline(deadline).is_ok() {
            return Vec::new();
        }
        let mut plan = TreePlan::<CoreRef>::default();
        let mut names = Vec::new();
        {
            let mut state = lock(&self.state);
            for key in state.leaves_of(node) {
                if let Some(core) = state.core(key) {
                    names.push(core.core().name());
                    plan.steps.push(Step::Kill(core));
                }
            }
        }
        plan.carry_out(self);
        names
    }
}

impl Drop for SupervisionTree {
    /// The last reference may be that of an actor that ends: no panic may come out of here.
    fn drop(&mut self) {
        let nodes = std::mem::take(&mut lock(&self.state).nodes);
        for node in nodes.into_values() {
            self.drop_options(node.options);
        }
    }
}

impl Supervised for CoreRef {
    type Waiter = oneshot::Sender<()>;
    type Timer = JoinHandle<()>;

    fn ask_restart(&self) {
        self.core().word.ask_restart();
    }

    fn clear_restart(&self) {
        self.core().word.clear_restart();
    }
}

/// A part of a tree.
pub(crate) enum TreeItem {
    /// With its name.
    Supervisor(String),
    Actor(CoreRef),
    /// An actor that waits for its restart.
    Aside(CoreRef),
}

/// The trees of a system.
#[derive(Default)]
pub(crate) struct TreeList(Mutex<(Vec<Weak<SupervisionTree>>, bool)>);

impl TreeList {
    /// Lets a tree in. `false`: the system is about to end.
    pub(super) fn add(&self, tree: &Arc<SupervisionTree>) -> bool {
        let mut list = lock(&self.0);
        let (trees, is_closed) = &mut *list;
        if trees.len() == trees.capacity() {
            trees.retain(|tree| tree.strong_count() > 0);
        }
        trees.push(Arc::downgrade(tree));
        !*is_closed
    }

    /// Those that have not ended.
    pub(crate) fn trees(&self) -> Vec<Arc<SupervisionTree>> {
        let list = lock(&self.0);
        list.0.iter().filter_map(Weak::upgrade).collect()
    }

    /// Has all trees end.
    pub(crate) fn stop(&self) {
        let trees = {
            let mut list = lock(&self.0);
            list.1 = true;
            list.0.clone()
        };
        for tree in trees {
            if let Some(tree) = tree.upgrade() {
                tree.stop(ROOT);
            }
        }
    }
}
