//! How a run ends: what its exit status says.

use std::process::ExitCode;

use crate::console;
use crate::record::Record;
use crate::registry;
use crate::runtime::Role;

/// The exit status of a run with these records, all of which are `written`. Says what failed.
pub fn code(records: &[Record], written: bool) -> ExitCode {
    let (known, failures): (Vec<&Record>, Vec<&Record>) = records
        .iter()
        .filter(|record| record.ok == Some(false))
        .partition(|record| is_finding(&record.runtime, record.deadlock));
    if !known.is_empty() {
        console::note(&format!(
            "{} of {} configurations are deadlocks of peers, which is a result",
            known.len(),
            records.len()
        ));
    }
    let failures = failures.len();
    if failures > 0 {
        console::note(&format!(
            "error: {failures} of {} configurations failed",
            records.len()
        ));
    }
    if failures == 0 && written {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Whether a failure is one that the lab is there to find: a peer that deadlocks does so next time,
/// too, and the lab is not broken. Of ours it is a bug.
fn is_finding(runtime: &str, deadlock: bool) -> bool {
    let role = registry::runtime(runtime).map(|entry| entry.card.role);
    deadlock && matches!(role, Ok(Role::Peer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_peer_may_deadlock() {
        assert!(is_finding("rayon", true));
        assert!(!is_finding("rayon", false));
        assert!(!is_finding("drumline", true));
        assert!(!is_finding("drumline-announced", true));
    }
}
