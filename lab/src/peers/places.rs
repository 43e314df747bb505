//! Where that is which a peer needs and no system has installed.

use std::ffi::OsString;
use std::sync::OnceLock;

use clap::Args;

use super::spice;

/// The checkout of Spice that the command line names.
static SPICE: OnceLock<OsString> = OnceLock::new();

/// Where that is which a peer needs and no system has installed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct Places {
    /// A checkout of Spice, for the peer `spice`; `list` says how to get it, and the zig of its
    /// time.
    #[arg(long, value_name = "DIR", env = spice::CHECKOUT, hide_env_values = true)]
    spice: Option<OsString>,
}

impl Places {
    /// What they are if the command line says nothing.
    pub fn of_environment() -> Self {
        Self {
            spice: std::env::var_os(spice::CHECKOUT),
        }
    }

    /// From now on, peers are looked for in these places. It counts once in a process, and before
    /// a peer is asked for.
    pub fn apply(&self) {
        if let Some(directory) = &self.spice {
            SPICE.get_or_init(|| directory.clone());
        }
    }
}

/// What says where tools are: the environment, and what the command line says in its place.
pub(super) fn variable(name: &str) -> Option<OsString> {
    let named = SPICE.get().filter(|_| name == spice::CHECKOUT);
    named.cloned().or_else(|| std::env::var_os(name))
}
