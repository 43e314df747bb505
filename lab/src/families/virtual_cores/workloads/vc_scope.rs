//! `vc-scope`: the items of `vc-loop`, each spawned by itself.

use anyhow::Result;

use crate::families::virtual_cores::alike::Alike;
use crate::families::virtual_cores::drive::inside;
use crate::families::virtual_cores::{Sharing, VirtualRuntime, VirtualWorkload};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// A scope.
#[derive(Debug)]
pub struct VcScope;

impl VirtualWorkload for VcScope {
    const CARD: WorkloadCard = WorkloadCard {
        name: "vc-scope",
        about: "the items of vc-loop, each spawned in one scope; sizes as there",
        analysis: "One thread spawns all items, and the others have to be woken while it does. \
                   The thread that spawns sleeps with an item of its own only at the end.",
        item: "item",
        size_counts: "items",
        sizes: Alike::SIZES,
        smoke_sizes: Alike::SMOKE_SIZES,
        limits: Alike::LIMITS,
        default_rank: None,
        outside: false,
        shows: Shows::Cores,
    };

    const SHARING: Sharing = Sharing::Share;

    fn drive<R: VirtualRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
        inside(Alike::of(size)?.lengths(), jobs, session, R::scope)
    }

    fn size_label(size: u64) -> String {
        Alike::label(size)
    }
}
