//! What a measuring process does.

use anyhow::{Context, Result};

use crate::process_request::ProcessRequest;
use crate::session::Session;
use crate::{by_hand, console, definition, registry};

/// Follows the request and prints what it found, in one line.
pub fn obey(request: &str) -> Result<()> {
    let request: ProcessRequest =
        serde_json::from_str(request).context("the request cannot be read")?;
    let mut session = Session::new(request.effort);
    if request.gated {
        session.wait_at_gate();
    }
    if let Some(percent) = request.slowdown_percent {
        session.slow_down(percent);
    }
    let ProcessRequest {
        workload,
        runtime,
        size,
        jobs,
        ..
    } = &request;
    if let Some(words) = &request.program {
        definition::run(words, &mut session);
    } else if runtime == by_hand::NAME {
        by_hand::run(workload, *size, &mut session)?;
    } else {
        registry::run(workload, runtime, *size, *jobs, &mut session)?;
    }
    let found = serde_json::to_string(&session.end())?;
    console::print(&format!("{found}\n"))?;
    // Threads of pools that never end must not keep the process alive.
    std::process::exit(0);
}
