//! Processes that do nothing but use a processor: what other programs of a machine do.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use crate::process_group;

/// The hidden subcommand of such a process.
pub const BUSY: &str = "__busy";

/// Some of them, until it is dropped.
#[derive(Debug)]
pub struct BusyLoops {
    children: Vec<Child>,
}

impl BusyLoops {
    /// Starts this many. Each ends with this process, too.
    pub fn start(count: usize) -> Result<Self> {
        let program = std::env::current_exe().context("cannot find this program's own file")?;
        let mut children = Vec::with_capacity(count);
        for _ in 0..count {
            let mut command = Command::new(&program);
            command
                .arg(BUSY)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            process_group::follow(&mut command);
            let child = command.spawn().context("a busy process cannot be started");
            match child {
                Ok(child) => children.push(child),
                Err(error) => {
                    drop(Self { children });
                    return Err(error);
                }
            }
        }
        Ok(Self { children })
    }
}

impl Drop for BusyLoops {
    fn drop(&mut self) {
        for child in &mut self.children {
            // It may be gone already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Uses a processor until the process is ended.
pub fn spin() -> ! {
    loop {
        std::hint::spin_loop();
    }
}
