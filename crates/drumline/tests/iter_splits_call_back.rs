//! What a loop calls when it is split comes back to the pool: a state that is cloned, the predicate
//! of a split. The thread that does so may then be asked to help with the very same loop.

mod common;

use std::hint::black_box;

use common::{ends, pool, without_guests};
use drumline::prelude::*;
use drumline::{Pool, iter};

const ROUNDS: usize = 30;

/// Ways back to the pool.
const CALLS: [fn(); 3] = [
    || {
        drumline::yield_now();
    },
    || {
        drumline::broadcast(|_| ());
    },
    || {
        drumline::yield_local();
    },
];

/// A state of which each clone is a call.
struct State(fn());

impl Clone for State {
    fn clone(&self) -> Self {
        (self.0)();
        State(self.0)
    }
}

fn spin(turns: u64) {
    for turn in 0..turns {
        black_box(turn);
    }
}

/// Of uneven length.
fn work(number: u64) -> u64 {
    spin(number * 7919 % 5000);
    number
}

fn everywhere(program: impl Fn(fn()) + Send + Sync + Copy + 'static) {
    let kinds: [fn(usize) -> Pool; 2] = [pool, without_guests];
    for call in CALLS {
        for kind in kinds {
            for jobs in [2, 3] {
                ends(move || {
                    let pool = kind(jobs);
                    for _ in 0..ROUNDS {
                        pool.install(|| program(call));
                    }
                });
            }
        }
    }
}

#[test]
fn where_a_state_is_cloned() {
    everywhere(|call| {
        let numbers = (0..400u64).into_par_iter();
        let all = numbers.map_with(State(call), |_, number| work(number));
        assert_eq!(all.sum::<u64>(), 400 * 399 / 2);
    });
}

#[test]
fn where_a_state_is_cloned_for_a_tree() {
    everywhere(|call| {
        let children = |&node: &u64| {
            let pair = (node < 200).then_some([2 * node, 2 * node + 1]);
            pair.into_iter().flatten()
        };
        let nodes = iter::walk_tree_prefix(1, children);
        let nodes = nodes.map_with(State(call), |_, node| work(node));
        assert_eq!(nodes.collect::<Vec<_>>().len(), 399);
    });
}

#[test]
fn where_a_slice_is_split() {
    everywhere(|call| {
        let numbers: Vec<u64> = (0..2000).collect();
        let parts = numbers.par_split(|number| {
            if number % 3 == 0 {
                call();
            }
            number % 5 == 0
        });
        let lens = parts.map(|part| {
            spin(500);
            part.len()
        });
        assert_eq!(lens.sum::<usize>(), 1600);
    });
}
