//! A measuring process and everything that it starts: one process group, which is ended as a whole.
//!
//! The group is not that of the terminal, so Ctrl-C reaches the lab alone, which then ends the
//! group. On Linux each process of the lab also ends with the one that started it, however that
//! ends. On other systems, what a lab measures that is killed goes on to its own end.

use std::io;
use std::process::{Child, Command, ExitStatus};

/// Lets a process lead a group of its own, and end with this one.
pub fn lead(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    follow(command);
}

/// Lets a process end with this one, more exactly: with the thread that starts it. It is in the
/// group of this one.
#[cfg(target_os = "linux")]
pub fn follow(command: &mut Command) {
    use nix::errno::Errno;
    use nix::sys::{prctl, signal::Signal};
    use nix::unistd::{getpid, getppid};
    use std::os::unix::process::CommandExt;

    let starter = getpid();
    let ask = move || {
        // Where this is refused, a process can outlive a lab that is killed.
        let _ = prctl::set_pdeathsig(Signal::SIGKILL);
        // The starter may have ended before the kernel knew.
        if getppid() == starter {
            Ok(())
        } else {
            Err(io::Error::from(Errno::ESRCH))
        }
    };
    // SAFETY: between fork and exec, only what is async-signal-safe is permitted. `ask` makes two
    // system calls, and neither allocates nor locks.
    unsafe {
        command.pre_exec(ask);
    }
}

/// Nothing to ask for on this system.
#[cfg(not(target_os = "linux"))]
pub fn follow(_command: &mut Command) {}

/// Ends a process that leads a group, and the group, and waits for the former.
pub fn end(leader: &mut Child) -> io::Result<ExitStatus> {
    end_members(leader);
    let _ = leader.kill();
    leader.wait()
}

/// Ends all processes of a group whose leader nothing has waited for yet.
pub fn end_members(leader: &Child) {
    // The number of the leader is then that of its group and of no other. It may have ended just
    // now, which is as good.
    #[cfg(unix)]
    if let Ok(id) = i32::try_from(leader.id()) {
        use nix::sys::signal::{Signal, killpg};
        let _ = killpg(nix::unistd::Pid::from_raw(id), Signal::SIGKILL);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Read};
    use std::process::Stdio;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn what_a_leader_has_started_ends_with_it() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & echo started; wait"]);
        lead(&mut command);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut leader = command.spawn().unwrap();
        let mut words = BufReader::new(leader.stdout.take().unwrap());
        let mut line = String::new();
        let read = words.read_line(&mut line);
        // Before anything is asserted, so nothing is left behind by a failure.
        let ended = end(&mut leader);
        assert!(read.is_ok() && line == "started\n", "{line}");
        assert!(!ended.unwrap().success());
        // Both hold the pipe, which has an end when both have ended.
        let (ended, waits) = mpsc::channel();
        std::thread::spawn(move || {
            let mut rest = String::new();
            words.read_to_string(&mut rest).unwrap();
            ended.send(rest).unwrap();
        });
        let rest = waits.recv_timeout(Duration::from_secs(60));
        assert_eq!(rest.as_deref(), Ok(""));
    }
}
