//! Peers in other languages: a small program for each, which takes part in the workloads of the
//! lab.
//!
//! ```text
//! installed? ─► toolchain ─► cache: compiled before? ─► compile ─► command ─► definition::run
//! ```
//! The sources are in `lab/peers`, and are compiled into the lab as text. Whether a language is
//! installed is looked up only when a run or a list asks for it. A program is compiled before the
//! first round, once for each version of its sources and of its tools. It answers as programs of
//! own workloads do; see [`definition`](crate::definition).
//!
//! A language that is not installed has no row in a run of all peers. A run that names it has a row
//! that says how to get it. Where `LAB_PEERS_DEMANDED` names it, that row has failed.

use std::sync::LazyLock;
use std::thread;

use crate::entry::RuntimeEntry;
use crate::families::{actors, fork_join, loops, messages};
use crate::runtime::{Role, RuntimeCard};

mod cache;
mod erlang;
mod go;
mod java;
mod jdk;
#[cfg(all(test, unix))]
mod made_up;
mod onetbb;
mod peer;
mod pekko;
mod places;
mod spice;
mod task;
mod tool;
mod toolchain;

pub use peer::{NoFigure, Peer};
pub use places::Places;
pub use task::Task;

/// All of them, in the order of their rows.
static PEERS: [Peer; 6] = [
    Peer::new(
        card(
            ("go", 200),
            "Go: goroutines and channels",
            "work stealing, a queue per processor",
            (0, 150, 190),
        ),
        &[
            (&fork_join::FAMILY, &["tree-sum"]),
            (
                &messages::FAMILY,
                &["msgsend", "ping-pong", "token-ring", "threadring"],
            ),
        ],
        go::find,
    ),
    Peer::new(
        card(
            ("erlang", 201),
            "Erlang: processes and their mailboxes",
            "a queue per scheduler, preemption by reductions",
            (150, 40, 90),
        ),
        &[
            (
                &messages::FAMILY,
                &["msgsend", "ping-pong", "token-ring", "threadring"],
            ),
            (&actors::FAMILY, &["actor-ring", "actor-pingpong"]),
        ],
        erlang::find,
    ),
    Peer::new(
        card(
            ("onetbb", 202),
            "C++ with oneTBB: `parallel_invoke`, `parallel_reduce`",
            "work stealing, a deque per thread",
            (80, 90, 200),
        ),
        &[
            (&fork_join::FAMILY, &["tree-sum"]),
            (&loops::FAMILY, &["slice-sum", "mandelbrot"]),
        ],
        onetbb::find,
    ),
    Peer::new(
        card(
            ("java", 203),
            "Java: `ForkJoinPool`; virtual threads and blocking queues, from 21 on",
            "work stealing, a deque per thread",
            (176, 114, 25),
        ),
        &[
            (&fork_join::FAMILY, &["tree-sum"]),
            (
                &messages::FAMILY,
                &["msgsend", "ping-pong", "token-ring", "threadring"],
            ),
        ],
        java::find,
    ),
    Peer::new(
        card(
            ("spice", 204),
            "Zig with Spice: `fork`, `join`",
            "heartbeat, one shared job per worker",
            (235, 150, 30),
        ),
        &[(&fork_join::FAMILY, &["tree-sum"])],
        spice::find,
    ),
    Peer::new(
        card(
            ("pekko", 205),
            "Java with Pekko: typed actors",
            "a `ForkJoinPool` as dispatcher",
            (60, 130, 60),
        ),
        &[(&actors::FAMILY, &["actor-ring", "actor-pingpong"])],
        pekko::find,
    ),
];

/// The card of a peer.
const fn card(
    (name, rank): (&'static str, u8),
    about: &'static str,
    scheduler: &'static str,
    colour: (u8, u8, u8),
) -> RuntimeCard {
    RuntimeCard {
        name,
        about,
        package: None,
        role: Role::Peer,
        rank,
        scheduler,
        parallel: true,
        colour,
    }
}

/// All peers, in the order of their rows.
pub fn all() -> &'static [Peer] {
    &PEERS
}

/// Asks the tools of these peers for their versions, all at once. So a run or a list waits once for
/// all those that do not answer.
pub fn ask(peers: impl Iterator<Item = &'static Peer>) {
    thread::scope(|scope| {
        for peer in peers {
            let ask = || peer.version().is_ok();
            // Where no thread can be started, it is asked later.
            let _ = thread::Builder::new().spawn_scoped(scope, ask);
        }
    });
}

/// Their rows: one for each family that a peer takes part in.
pub fn entries() -> &'static [RuntimeEntry] {
    static ENTRIES: LazyLock<Vec<RuntimeEntry>> = LazyLock::new(|| {
        let rows = PEERS.iter().flat_map(|peer| {
            let families = peer.workloads.iter();
            families.map(move |(family, _)| RuntimeEntry {
                by_default: false,
                peer: Some(peer),
                ..RuntimeEntry::new(family, peer.card)
            })
        });
        rows.collect()
    });
    &ENTRIES
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::registry;

    #[test]
    fn peers_run_workloads_of_their_families() {
        for peer in all() {
            for (family, names) in peer.workloads {
                for name in *names {
                    let workload = registry::workload(name).unwrap();
                    assert_eq!(workload.family, *family, "{name}");
                    let mut rows = workload.peers().into_iter();
                    assert!(rows.any(|row| row.card.name == peer.card.name), "{name}");
                }
            }
        }
    }

    #[test]
    fn names_and_ranks_are_those_of_no_other_runtime() {
        let mut names = BTreeSet::new();
        let mut ranks = BTreeSet::new();
        for peer in all() {
            assert!(names.insert(peer.card.name) && ranks.insert(peer.card.rank));
            let runtimes = registry::all_runtimes();
            assert!(runtimes.iter().all(|it| it.card.name != peer.card.name));
            let found = registry::runtime(peer.card.name).unwrap();
            assert_eq!(found.card.colour, peer.card.colour);
        }
    }
}
