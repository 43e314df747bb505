//! Arrows back: those that close circles of files, by the file that they leave.
//!
//! Each is a debt, or has the reason why the two belong together. One that closes no
//! circle any more fails the check.

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
        "actor/actor_ref.rs",
        &["actor/recipient.rs", "actor/run_end.rs"],
        DEBT,
    ),
    back(
        "actor/ask.rs",
        &[
            "actor/actor_ref.rs",
            "actor/cell.rs",
            "actor/held.rs",
            "actor/run.rs",
        ],
        DEBT,
    ),
    back(
        "actor/attached/entry.rs",
        &[
            "actor/attached/link.rs",
            "actor/attached/monitor.rs",
            "actor/attached/timer.rs",
            "actor/run_end.rs",
        ],
        DEBT,
    ),
    back(
        "actor/attached/exit.rs",
        &["actor/attached/monitor.rs"],
        MAKES,
    ),
    back(
        "actor/cell.rs",
        &[
            "actor/actor_ref.rs",
            "actor/context.rs",
            "actor/extra.rs",
            "actor/run_end.rs",
            "actor/supervision/supervised_cell.rs",
            "actor/system_shared.rs",
            "actor/weak_core_ref.rs",
        ],
        DEBT,
    ),
    back("actor/context.rs", &["actor/system.rs"], DEBT),
    back("actor/envelope.rs", &["actor/run.rs"], DEBT),
    back("actor/handler.rs", &["actor/context.rs"], DEBT),
    back(
        "actor/message.rs",
        &["actor/context.rs", "actor/message_counts.rs"],
        DEBT,
    ),
    back("actor/options.rs", &["actor/hand_scheduler.rs"], DEBT),
    back(
        "actor/run.rs",
        &["actor/cell.rs", "actor/message_counts.rs"],
        DEBT,
    ),
    back("actor/shared_scheduler.rs", &["actor/cell.rs"], DEBT),
    back(
        "actor/supervision/node.rs",
        &["actor/supervision/tree_state.rs"],
        DEBT,
    ),
    back(
        "actor/system_shared.rs",
        &[
            "actor/directory.rs",
            "actor/run_end.rs",
            "actor/supervision/supervision_tree.rs",
        ],
        DEBT,
    ),
    back("actor/thread_actor.rs", &["actor/inbox.rs"], MAKES),
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
    back("join/published_split.rs", &["join/offer.rs"], DEBT),
    back("pool/shared/hooks.rs", &["pool/shared/local.rs"], DEBT),
    back(
        "pool/shared/registry.rs",
        &["pool/shared/shared_registry.rs"],
        KNOWS,
    ),
    back("pool/shared/seat.rs", &["pool/shared/registry.rs"], KNOWS),
    back(
        "pool/shared/shared_registry.rs",
        &["pool/shared/spawn_retry.rs"],
        DEBT,
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
    back("stream/consumer.rs", &["stream/stage.rs"], DEBT),
    back(
        "stream/stage_state/mod.rs",
        &["stream/stage_state/locked.rs"],
        DEBT,
    ),
];

/// The arrows back of the lab: none.
pub const LAB: &[Back] = &[];

const TRAITS: &str =
    "a trait with methods that return adapters names these, and each implements it";

const MAKES: &str = "a part is made by the whole, and holds it";

const KNOWS: &str = "the members of a list know the list that they are in";

const CALLS: &str = "one recursion, in several files because of its length";

/// Nothing but that they have not been opened yet.
const DEBT: &str = "a debt";

const fn back(from: &'static str, to: &'static [&'static str], why: &'static str) -> Back {
    Back { from, to, why }
}
