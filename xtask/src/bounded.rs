//! A command that is ended when it takes too long.

use std::process::{Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How often it is looked whether a command has ended.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a command, with what it starts, no longer than `limit`. How it ended; `None` if it took too
/// long.
pub fn run(command: &mut Command, limit: Duration) -> Result<Option<ExitStatus>> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command
        .spawn()
        .with_context(|| format!("starting {:?}", command.get_program()))?;
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            end(&mut child)?;
            return Ok(None);
        }
        thread::sleep(LOOK);
    }
}

/// Ends it, and what it has started: the programs that cargo runs are those that hang.
fn end(child: &mut std::process::Child) -> Result<()> {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            // A group that has ended meanwhile is what is wanted.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    // The same.
    let _ = child.kill();
    child.wait()?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Read;
    use std::process::Stdio;

    use super::*;

    /// Runs a script, and then reads all that it and what it has started have written: that ends
    /// when all of them have.
    fn shell(script: &str, limit: Duration) -> (Option<ExitStatus>, String) {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null());
        command.stdout(writer);
        let ended = run(&mut command, limit).unwrap();
        drop(command);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        (ended, text)
    }

    #[test]
    fn a_command_ends_by_itself() {
        let (ended, text) = shell("echo a; exit 3", Duration::from_secs(60));
        assert_eq!(ended.and_then(|status| status.code()), Some(3));
        assert_eq!(text, "a\n");
    }

    /// The shell waits for a process of its own.
    #[test]
    fn what_takes_too_long_is_ended_with_what_it_has_started() {
        let (ended, text) = shell("sleep 1000; echo never", Duration::from_millis(100));
        assert_eq!((ended, text.as_str()), (None, ""));
    }
}
