//! One supervisor of a tree, as the lock of the tree protects it.

use std::collections::VecDeque;
use std::time::Duration;

use super::options::{Strategy, SupervisorOptions};
use crate::sync::Instant;

/// A supervisor in its tree. The number of one that has ended is used again after all others.
pub(super) type NodeId = u32;

/// Actors that are put aside together.
pub(super) type RoundId = u32;

/// A reference to an actor, for its supervisor.
pub(super) trait Supervised: Clone {
    /// ToldMessage when a supervisor has ended.
    type Waiter;
    /// The timer of a round.
    type Timer;

    /// Sets RESTART.
    fn ask_restart(&self);
    /// Clears it.
    fn clear_restart(&self);
}

/// How many restarts are kept where any number is allowed.
const UNCOUNTED: usize = 64;

/// A child of a supervisor: its number goes up in the order of the starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChildKey {
    pub(super) node: NodeId,
    pub(super) number: u64,
}

/// How far an actor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChildStage {
    /// It handles messages.
    Running,
    /// It is to be put aside, for this round.
    Asked(RoundId),
    /// It is aside, until the round is over.
    Aside(RoundId),
    /// It is to be put aside, and its round has gone on without it.
    Late,
}

/// A child of a supervisor.
pub(super) enum Child<H> {
    Actor {
        core: H,
        stage: ChildStage,
        /// It was told to end.
        is_told: bool,
    },
    /// A supervisor, with the same.
    Node(NodeId, bool),
    /// It has ended. The place is left for a while, so that the numbers stay in order.
    Gone,
}

/// A child, with its number.
pub(super) struct Entry<H> {
    pub(super) number: u64,
    pub(super) child: Child<H>,
}

/// A supervisor.
pub(super) struct Node<H: Supervised> {
    pub(super) parent: Option<ChildKey>,
    pub(super) options: SupervisorOptions,
    /// In the order of the numbers.
    pub(super) children: Vec<Entry<H>>,
    gone: usize,
    next_number: u64,
    /// The times of restarts.
    restarts: VecDeque<Instant>,
    /// No child is started any more.
    pub(super) is_stopping: bool,
    /// Its actors end as soon as they can.
    pub(super) gives_up: bool,
    pub(super) waiting: Vec<H::Waiter>,
}

impl<H> Child<H> {
    /// Notes that it is told to end. Returns whether it was not told before.
    pub(super) fn tell(&mut self) -> bool {
        match self {
            Child::Actor { is_told, .. } | Child::Node(_, is_told) => {
                !std::mem::replace(is_told, true)
            }
            Child::Gone => false,
        }
    }
}

impl<H: Supervised> Node<H> {
    pub(super) fn new(parent: Option<ChildKey>, options: SupervisorOptions) -> Self {
        Node {
            parent,
            options,
            children: Vec::new(),
            gone: 0,
            next_number: 0,
            restarts: VecDeque::new(),
            is_stopping: false,
            gives_up: false,
            waiting: Vec::new(),
        }
    }

    /// How many children there are.
    pub(super) fn len(&self) -> usize {
        self.children.len() - self.gone
    }

    /// The number of the next child.
    pub(super) fn next_number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    pub(super) fn add(&mut self, number: u64, child: Child<H>) {
        self.children.push(Entry { number, child });
    }

    fn place(&self, number: u64) -> Option<usize> {
        let place = |entry: &Entry<H>| entry.number;
        self.children.binary_search_by_key(&number, place).ok()
    }

    pub(super) fn child(&self, number: u64) -> Option<&Child<H>> {
        Some(&self.children[self.place(number)?].child)
    }

    /// Whether its children end one after the other.
    pub(super) fn ends_in_order(&self) -> bool {
        self.options.strategy != Strategy::OneForOne
    }

    pub(super) fn entry(&mut self, number: u64) -> Option<&mut Entry<H>> {
        let place = self.place(number)?;
        Some(&mut self.children[place])
    }

    /// The stage of an actor.
    pub(super) fn stage(&mut self, number: u64) -> Option<&mut ChildStage> {
        match &mut self.entry(number)?.child {
            Child::Actor { stage, .. } => Some(stage),
            _ => None,
        }
    }

    /// Takes a child out.
    pub(super) fn remove(&mut self, number: u64) -> Child<H> {
        let Some(entry) = self.entry(number) else {
            return Child::Gone;
        };
        let child = std::mem::replace(&mut entry.child, Child::Gone);
        if !matches!(child, Child::Gone) {
            self.gone += 1;
        }
        while let Some(Entry {
            child: Child::Gone, ..
        }) = self.children.last()
        {
            self.children.pop();
            self.gone -= 1;
        }
        if 2 * self.gone > self.children.len() {
            self.children
                .retain(|entry| !matches!(entry.child, Child::Gone));
            self.gone = 0;
        }
        child
    }

    /// Counts a restart. `None`: there were too many.
    pub(super) fn count_restart(&mut self, now: Instant) -> Option<()> {
        while let Some(oldest) = self.restarts.front()
            && now.saturating_duration_since(*oldest) >= self.options.within
        {
            self.restarts.pop_front();
        }
        if self.restarts.len() >= self.options.max_restarts {
            self.restarts.clear();
            return None;
        }
        self.restarts.push_back(now);
        if self.options.max_restarts == usize::MAX && self.restarts.len() > UNCOUNTED {
            // There is no limit, and more double no delay.
            self.restarts.pop_front();
        }
        Some(())
    }

    /// Counts anew.
    pub(super) fn forget_restarts(&mut self) {
        self.restarts.clear();
    }

    /// How long the restart that was counted last is to be delayed.
    pub(super) fn delay(&self) -> Duration {
        let (first, most) = self.options.backoff;
        let doublings = u32::try_from(self.restarts.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let factor = 1_u32.checked_shl(doublings).unwrap_or(u32::MAX);
        first.saturating_mul(factor).min(most)
    }

    /// The numbers of the children that are started again when this one has failed.
    pub(super) fn affected(&self, failed: u64) -> Vec<u64> {
        let from = match self.options.strategy {
            Strategy::OneForOne => return vec![failed],
            Strategy::OneForAll => 0,
            Strategy::RestForOne => self.children.partition_point(|entry| entry.number < failed),
        };
        let affected = self.children[from..].iter();
        affected.map(|entry| entry.number).collect()
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;

    impl Supervised for () {
        type Waiter = ();
        type Timer = ();
        fn ask_restart(&self) {}
        fn clear_restart(&self) {}
    }

    #[test]
    fn delays_double_up_to_the_most() {
        let options = SupervisorOptions::new()
            .max_restarts(40, Duration::from_secs(1))
            .backoff(Duration::from_millis(10), Duration::from_millis(100));
        let mut node = Node::<()>::new(None, options);
        let now = Instant::now();
        let mut delays = Vec::new();
        for _ in 0..40 {
            node.count_restart(now).expect("there may be 40");
            delays.push(node.delay().as_millis());
        }
        assert_eq!(delays[..5], [10, 20, 40, 80, 100]);
        assert!(delays[5..].iter().all(|delay| *delay == 100));
        assert!(node.count_restart(now).is_none());
    }

    #[test]
    fn restarts_are_counted_within_their_time() {
        let second = Duration::from_secs(1);
        let options = SupervisorOptions::new().max_restarts(2, second);
        let mut node = Node::<()>::new(None, options);
        let now = Instant::now();
        assert!(node.count_restart(now).is_some());
        assert!(node.count_restart(now + second / 2).is_some());
        // The first one no longer counts.
        assert!(node.count_restart(now + second).is_some());
        assert!(node.count_restart(now + second).is_none());
    }

    #[test]
    fn children_that_are_gone_leave_the_order() {
        let mut node = Node::<()>::new(None, SupervisorOptions::new());
        for id in 1..=100 {
            let number = node.next_number();
            node.add(number, Child::Node(id, false));
        }
        for number in (1..=100).filter(|number| number % 3 != 0) {
            assert!(matches!(node.remove(number), Child::Node(id, _) if u64::from(id) == number));
            assert!(matches!(node.remove(number), Child::Gone));
        }
        assert_eq!(node.len(), 33);
        assert!(node.entry(99).is_some() && node.children.len() < 100);
    }
}
