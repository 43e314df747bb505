//! The architecture's arrows, as data.
//!
//! This is the only file to touch when a module is added or an arrow is redrawn. `ARCHITECTURE.md`
//! says the same in prose; change both in one commit.

/// A top-level module of the library and the top-level modules that it may name.
#[derive(Debug)]
pub struct Layer {
    /// The module, as `lib.rs` declares it.
    pub name: &'static str,
    /// Where its arrows may point. A module may always name itself.
    pub may_use: &'static [&'static str],
}

/// Every module that the library has or plans. One that is missing here fails the check.
pub const LAYERS: &[Layer] = &[
    // The ground.
    layer("platform", &[]),
    layer("sync", &["platform"]),
    layer("jobs", &["platform"]),
    layer("wait", &["sync", "platform", "unwind"]),
    layer("blocks", &["sync"]),
    // The scheduler.
    layer("job", &["sync", "unwind"]),
    layer("unwind", &["sync"]),
    layer("latch", &["sync", "wait"]),
    layer(
        "pool",
        &[
            "blocks", "job", "jobs", "latch", "wait", "sync", "platform", "unwind",
        ],
    ),
    // Fork/join.
    layer("join", FORK_JOIN),
    layer("team", FORK_JOIN),
    layer(
        "future",
        &["pool", "job", "latch", "wait", "unwind", "sync"],
    ),
    layer(
        "scope",
        &["future", "pool", "job", "latch", "wait", "unwind", "sync"],
    ),
    layer(
        "spawn",
        &["future", "pool", "job", "latch", "wait", "unwind", "sync"],
    ),
    layer(
        "broadcast",
        &["scope", "pool", "job", "latch", "unwind", "sync"],
    ),
    layer("worker_local", &["sync"]),
    // Loops.
    layer("control", &["wait", "sync", "unwind"]),
    // Tasks that await.
    layer("deadline", &["wait", "sync", "platform", "unwind"]),
    layer(
        "task",
        &[
            "spawn", "future", "deadline", "control", "pool", "wait", "unwind", "sync",
        ],
    ),
    layer(
        "iter",
        &["join", "team", "slice", "control", "sync", "unwind"],
    ),
    layer("slice", &["join", "iter", "unwind"]),
    layer("source", &["iter", "slice"]),
    // Messages.
    layer("channel", &["deadline", "wait", "sync"]),
    layer("protocol", &["channel", "task", "deadline", "wait", "sync"]),
    layer(
        "stream",
        &[
            "channel", "scope", "spawn", "pool", "control", "wait", "sync", "unwind",
        ],
    ),
    layer(
        "actor",
        &[
            "channel", "deadline", "spawn", "pool", "blocks", "job", "wait", "unwind", "sync",
        ],
    ),
    // Names for users, no code.
    layer(
        "prelude",
        &["pool", "join", "scope", "spawn", "iter", "slice", "source"],
    ),
    // Documentation tests, no code.
    layer("compile_fail", &[]),
];

/// Rooms of a module, `module::room`, and the rooms of that module that each may name. Files beside
/// the rooms may name all of them, and all may name those files.
pub const ROOMS: &[Layer] = &[
    layer("iter::plumbing", &["iter::engine"]),
    layer("iter::engine", &["iter::plumbing"]),
    layer("iter::ends", &["iter::plumbing", "iter::engine"]),
    layer(
        "iter::adapters",
        &["iter::plumbing", "iter::engine", "iter::ends"],
    ),
    layer(
        "iter::sources",
        &[
            "iter::plumbing",
            "iter::engine",
            "iter::ends",
            "iter::adapters",
        ],
    ),
    // Jobs, idle workers, events: none of these rooms knows a thread or another room.
    layer("pool::deque", &[]),
    layer("pool::queues", &[]),
    layer("pool::idle", &[]),
    layer("pool::observe", &[]),
    // What the threads of a pool share, and the threads.
    layer("pool::shared", POOL_GROUND),
    layer("pool::blocking", &["pool::idle", "pool::shared"]),
    layer("pool::calls", &["pool::shared"]),
    layer(
        "pool::workers",
        &[
            "pool::deque",
            "pool::queues",
            "pool::idle",
            "pool::observe",
            "pool::shared",
            "pool::blocking",
            "pool::calls",
        ],
    ),
    layer(
        "pool::waiting",
        &[
            "pool::deque",
            "pool::idle",
            "pool::shared",
            "pool::blocking",
            "pool::calls",
            "pool::workers",
        ],
    ),
    layer(
        "pool::api",
        &[
            "pool::deque",
            "pool::observe",
            "pool::shared",
            "pool::blocking",
            "pool::calls",
            "pool::workers",
            "pool::waiting",
        ],
    ),
];

/// The rooms of the pool on which all others stand.
const POOL_GROUND: &[&str] = &["pool::deque", "pool::queues", "pool::idle", "pool::observe"];

/// What the fork/join modules may name.
const FORK_JOIN: &[&str] = &["pool", "job", "latch", "unwind", "sync"];

/// Modules and rooms that are allowed to know each other: the traits of loops tell of the functions
/// that run them. Anything else that closes a circle is a mistake in [`LAYERS`] or [`ROOMS`], and a
/// test says so.
#[cfg(test)]
pub const TWINS: &[[&str; 2]] = &[["iter", "slice"], ["iter::engine", "iter::plumbing"]];

/// Which modules may name a reserved path.
#[derive(Debug)]
pub enum Who {
    /// These modules and no others.
    Only(&'static [&'static str]),
    /// All modules but these.
    AllBut(&'static [&'static str]),
}

/// Paths that are kept for some modules.
#[derive(Debug)]
pub struct Reserved {
    /// Short name, printed with a violation.
    pub rule: &'static str,
    /// Path prefixes, in segments joined by `::`.
    pub paths: &'static [&'static str],
    /// The modules that may name them.
    pub who: Who,
    /// Modules that may pass the name on in a `pub use` without using it.
    pub may_pass_on: &'static [&'static str],
    /// Whether a name that arrives through a re-export counts (`crate::sync::thread::park` for
    /// `std::thread::park`), or only what the file itself spells out.
    pub through_reexports: bool,
    /// Why the rule exists.
    pub why: &'static str,
}

/// What `extern "C" { … }` is called in [`RESERVED`].
pub const FOREIGN_BLOCK: &str = "extern block";

/// The paths kept for some modules. Test code (`#[cfg(test)]`) is exempt.
pub const RESERVED: &[Reserved] = &[
    Reserved {
        rule: "only-sync-names-atomics",
        paths: &["std::sync::atomic", "core::sync::atomic", "portable_atomic"],
        // `platform` is below `sync`: the words that the kernel looks at must be
        // real atomics, whatever takes the place of the others.
        who: Who::Only(&["sync", "platform"]),
        may_pass_on: &[],
        through_reexports: false,
        why: "a model checker takes the place of the atomics, so they come from `crate::sync`",
    },
    Reserved {
        rule: "only-sync-and-wait-name-checkers",
        paths: &["loom", "shuttle"],
        who: Who::Only(&["sync", "wait"]),
        may_pass_on: &[],
        through_reexports: false,
        why: "the model checker's types come from `crate::sync`, and its sleep from `wait`",
    },
    Reserved {
        rule: "no-atomics-above-the-pool",
        paths: &[
            "std::sync::atomic",
            "core::sync::atomic",
            "portable_atomic",
            "loom::sync::atomic",
        ],
        who: Who::AllBut(&[
            "join",
            "scope",
            "spawn",
            "broadcast",
            "slice",
            "source",
            "prelude",
        ]),
        may_pass_on: &[],
        through_reexports: true,
        why: "protocol words belong to modules with models, as `pool`, `latch` and `actor` are",
    },
    Reserved {
        rule: "only-wait-sleeps",
        paths: &[
            "std::thread::park",
            "std::thread::park_timeout",
            "std::thread::park_timeout_ms",
            "std::thread::sleep",
            "std::thread::sleep_ms",
            "std::thread::sleep_until",
            "std::sync::Barrier",
            "std::sync::Condvar",
            "loom::sync::Condvar",
            "loom::sync::mpsc",
            "loom::thread::park",
            "crate::platform::futex",
        ],
        who: Who::Only(&["wait", "platform"]),
        may_pass_on: &["sync"],
        through_reexports: true,
        why: "a sleep that the pool does not know of cannot be compensated; go through `crate::wait`",
    },
    Reserved {
        rule: "channels-are-sources-only",
        paths: &["std::sync::mpsc"],
        // What others send to is taken from there, inside `wait::blocking`.
        who: Who::Only(&["wait", "platform", "stream"]),
        may_pass_on: &["sync"],
        through_reexports: true,
        why: "nothing in the library talks over the standard library's channel; streams take from it",
    },
    Reserved {
        rule: "only-platform-calls-the-system",
        paths: &[
            FOREIGN_BLOCK,
            "libc",
            "nix",
            "rustix",
            "winapi",
            "windows",
            "windows_sys",
        ],
        who: Who::Only(&["platform"]),
        may_pass_on: &[],
        through_reexports: false,
        why: "what depends on the operating system stays in one leaf",
    },
];

/// Source trees that may use the public API only, relative to the root of the workspace.
pub const CONSUMERS: &[&str] = &[
    "lab",
    "examples",
    "apps",
    "stress",
    "crates/drumline/examples",
    "crates/rayon-facade",
];

/// Source trees that keep their files short, relative to the root of the workspace.
pub const SIZED: &[&str] = &["crates", "lab", "xtask", "stress", "examples", "apps"];

/// A file with more lines gets a warning.
pub const LINES_WARN: usize = 500;

/// A file with more lines fails the check.
pub const LINES_FAIL: usize = 700;

/// Files that are one item, which the language does not let us divide: a trait with methods that
/// people expect in one import. Half of them is documentation.
pub const ONE_ITEM: &[&str] = &[
    "crates/drumline/src/iter/parallel.rs",
    "crates/drumline/src/iter/indexed.rs",
];

/// Names of types that several modules may have, because `std` and rayon have them in several.
pub const SHARED_NAMES: &[&str] = &[
    "Drain",
    // Each kind of channel has its ends, as in std, tokio and crossbeam.
    "Closed",
    "Receiver",
    "RecvAsync",
    "Reservation",
    "SendAsync",
    "SendError",
    "SendPermit",
    "Sender",
    "TryIter",
    "TrySendError",
    "IndexedRangeInteger",
    "IntoIter",
    "Iter",
    "IterMut",
    "RangeInteger",
    "Split",
    "SplitInclusive",
    "Chunks",
];

const fn layer(name: &'static str, may_use: &'static [&'static str]) -> Layer {
    Layer { name, may_use }
}

impl Who {
    /// Whether `module` is among those that may.
    pub fn allows(&self, module: &str) -> bool {
        match self {
            Who::Only(list) => list.contains(&module),
            Who::AllBut(list) => !list.contains(&module),
        }
    }
}
