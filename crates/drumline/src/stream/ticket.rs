//! What a batch is known by.

use super::load::Load;

/// The numbers of a batch and of its first item, and what it weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket {
    pub(super) batch: u64,
    pub(super) first: u64,
    pub(super) load: Load,
}
