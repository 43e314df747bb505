//! Arrows back: those that close circles of files, by the file that they leave.
//!
//! Each has the reason why the two belong together. One that closes no circle any more fails the
//! check.

use std::path::Path;

/// The arrows from one file to some others.
#[derive(Debug)]
pub struct Back {
    /// The file, below `src`.
    pub from: &'static str,
    /// The files that it points back to.
    pub to: &'static [&'static str],
    /// Why it does.
    pub why: &'static str,
}

/// All files, as a target.
pub const ANY: &str = "any file";

impl Back {
    /// Whether an arrow to `to` is among these.
    pub fn names(&self, to: &Path) -> bool {
        let is_it = |target: &&str| *target == ANY || to == Path::new(target);
        self.to.iter().any(is_it)
    }
}

/// The arrows back of the library.
pub const LIBRARY: &[Back] = &[
    back("iter/parallel.rs", &[ANY], TRAITS),
    back("iter/indexed.rs", &[ANY], TRAITS),
    back(
        "actor/attached/exit.rs",
        &["actor/attached/monitor.rs"],
        MAKES,
    ),
    back(
        "actor/memory/actor_core.rs",
        &["actor/system/shared.rs"],
        KNOWS,
    ),
    back(
        "actor/schedulers/thread_actor.rs",
        &["actor/schedulers/inbox.rs"],
        MAKES,
    ),
    back(
        "actor/supervision/supervision_tree.rs",
        &["actor/system/shared.rs"],
        KNOWS,
    ),
    back("channel/lane/mod.rs", &["channel/lane/reader.rs"], MAKES),
    back(
        "channel/lane/traffic.rs",
        &["channel/lane/mod.rs", "channel/lane/reader.rs"],
        MAKES,
    ),
    back(
        "channel/port_set/node_block.rs",
        &["channel/port_set/ready_list.rs"],
        KNOWS,
    ),
    back(
        "channel/shared/sending.rs",
        &["channel/shared/sender.rs"],
        MAKES,
    ),
    back("control/cancelled.rs", &["control/cancel.rs"], MAKES),
    back("future/cell.rs", &["future/handle.rs"], MAKES),
    back("future/home.rs", &["future/cell.rs"], MAKES),
    back("future/waker.rs", &["future/cell.rs"], MAKES),
    back("iter/engine/frame.rs", &["iter/engine/lazy.rs"], CALLS),
    back(
        "iter/engine/shared/participant.rs",
        &["iter/engine/shared/mod.rs"],
        CALLS,
    ),
    back(
        "iter/engine/shared/tree.rs",
        &["iter/engine/shared/mod.rs"],
        CALLS,
    ),
    back(
        "iter/plumbing/nest.rs",
        &["iter/plumbing/consumer.rs"],
        CALLS,
    ),
    back("pool/shared/hooks.rs", &["pool/shared/local.rs"], BORDER),
    back(
        "pool/shared/registry.rs",
        &["pool/shared/shared_registry.rs"],
        KNOWS,
    ),
    back("pool/shared/seat.rs", &["pool/shared/registry.rs"], KNOWS),
    back(
        "pool/shared/shared_registry.rs",
        &["pool/shared/spawn_retry.rs"],
        KNOWS,
    ),
    back(
        "pool/shared/thread_requests.rs",
        &["pool/shared/registry.rs"],
        KNOWS,
    ),
    back(
        "protocol/states/mod.rs",
        &["protocol/states/sending.rs"],
        CALLS,
    ),
    back(
        "protocol/states/receiving.rs",
        &["protocol/states/mod.rs"],
        CALLS,
    ),
    back("scope/state.rs", &["scope/job_list.rs"], KNOWS),
    back(
        "stream/stage_state/mod.rs",
        &["stream/stage_state/locked.rs"],
        MAKES,
    ),
];

/// The arrows back of the lab: none.
pub const LAB: &[Back] = &[];

const TRAITS: &str =
    "a trait with methods that return adapters names these, and each implements it";

const MAKES: &str = "a part is made by the whole, and holds it";

const KNOWS: &str = "the members of a list know the list that they are in";

const CALLS: &str = "one recursion, in several files because of its length";

const BORDER: &str =
    "code of the program runs outside of every seat, and what knows the seats calls it";

const fn back(from: &'static str, to: &'static [&'static str], why: &'static str) -> Back {
    Back { from, to, why }
}
