//! What the lab knows about runtimes of every family. A runtime is a row of the comparison.

/// What part a runtime plays in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// No parallelism, or parallelism that knows the work in advance: a bound, not a rival.
    Bound,
    /// The runtime that this repository is about.
    Ours,
    /// A runtime that people would use instead.
    Peer,
}

/// Everything the lab knows about a runtime before it runs.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeCard {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for `cargo lab list`.
    pub about: &'static str,
    /// The package with the version that a record names; `None` for code of the lab itself.
    pub package: Option<&'static str>,
    /// Its part in the comparison.
    pub role: Role,
    /// Its place in tables and charts; rows are sorted by it.
    pub rank: u8,
    /// How work is divided, in the runtime's own terms.
    pub scheduler: &'static str,
    /// Whether it is run with every number of jobs; if not, with one. A runtime that
    /// ignores the number but has as many threads as it likes is run with all, to stand next to the
    /// others.
    pub parallel: bool,
    /// The colour of its bars, as red, green, blue.
    pub colour: (u8, u8, u8),
}
