//! A table of the third kind: something to do with each item of a range or a slice.

use anyhow::Result;

use crate::looper::{Cost, Looper, Need};
use crate::session::Session;
use crate::workload::{WorkloadCard, group};

/// A loop, with a checked answer.
pub trait Loop: Sized + Sync {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// What a runtime must be able to do.
    const NEEDS: Need;

    /// Whether all items cost the same. Some runtimes want to be told.
    const COST: Cost;

    /// The sizes of the default run, where those of the card would take it too long.
    const BRIEF: Option<&'static [u64]> = None;

    /// The numbers of jobs when none is asked for, where they are not those of the family.
    const JOBS: Option<&'static [usize]> = None;

    /// Makes the data, the same for every runtime.
    fn build(size: u64) -> Result<Self>;

    /// Runs the loop as often as the session wants to.
    fn drive<L: Looper>(&self, looper: &mut L, session: &mut Session);

    /// Why a size within the limits makes no sense, if it makes none.
    fn refuses(_size: u64) -> Option<&'static str> {
        None
    }

    /// What a size is called in tables.
    fn size_label(size: u64) -> String {
        group(size)
    }
}
