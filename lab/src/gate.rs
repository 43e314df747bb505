//! Where a measuring process waits, ready, until the process that started it says so; see
//! [`crate::gated`].

use std::io::BufRead;

use crate::console;

/// What a process says when it waits.
pub const READY: &str = "ready";

/// Says that this process is ready, and waits.
pub fn wait() -> Result<(), String> {
    console::print(&format!("{READY}\n")).map_err(|error| format!("{error:#}"))?;
    let mut line = String::new();
    match std::io::stdin().lock().read_line(&mut line) {
        Ok(1..) => Ok(()),
        _ => Err("the process that started this one is gone".to_owned()),
    }
}
