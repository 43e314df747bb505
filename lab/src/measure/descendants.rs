//! The descendants of this process: how large they are together, and how they are ended.
//!
//! `/proc/PID/task/TID/children` names the children of a thread, so a look costs a few files per
//! process that is looked at, however many others the machine has. Kernels without that file, and
//! systems other than Linux, tell nothing.

/// How large some processes are together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Their resident memory. Pages that several of them share count once for each.
    pub rss_bytes: u64,
    /// The highest mark of resident memory that the kernel has for one of them.
    pub mark_bytes: u64,
    /// Their threads.
    pub threads: u64,
    /// How many they are.
    pub processes: u64,
}

/// From now on, descendants whose parents have ended become children of this process.
pub fn adopt() {
    // If this is refused, they are not seen, and what they use is not counted.
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

#[cfg(target_os = "linux")]
mod proc_files {
    use std::collections::HashSet;

    use nix::sys::wait::{WaitPidFlag, waitpid};
    use nix::unistd::Pid;
    use procfs::process::{Process, Status};

    /// Calls `visit` for each descendant that is alive; `None` if the kernel names no children.
    pub fn each(visit: &mut impl FnMut(&Process, &Status)) -> Option<()> {
        let this = Process::myself().ok()?;
        let mut open = children(&this)?;
        let mut known: HashSet<i32> = open.iter().copied().collect();
        while let Some(id) = open.pop() {
            // What has ended meanwhile is left out.
            let Ok(process) = Process::new(id) else {
                continue;
            };
            let of_it = children(&process).unwrap_or_default();
            open.extend(of_it.into_iter().filter(|child| known.insert(*child)));
            if let Ok(status) = process.status()
                && !is_over(&status)
            {
                visit(&process, &status);
            }
        }
        Some(())
    }

    fn is_over(status: &Status) -> bool {
        status.state.starts_with(['Z', 'X'])
    }

    /// `None` if no thread tells.
    fn children(process: &Process) -> Option<Vec<i32>> {
        let mut all = None;
        for task in process.tasks().ok()? {
            if let Ok(children) = task.and_then(|task| task.children()) {
                let children = children.into_iter().filter_map(|id| i32::try_from(id).ok());
                all.get_or_insert_with(Vec::new).extend(children);
            }
        }
        all
    }

    /// Takes in what adopted children used that have ended. The program itself is left to the
    /// thread that waits for it.
    pub fn reap(program: i32) {
        let this = Process::myself().ok();
        let children = this.as_ref().and_then(children).unwrap_or_default();
        for id in children.into_iter().filter(|id| *id != program) {
            // One that is alive stays, and what else could be wrong shows in no figure.
            let _ = waitpid(Pid::from_raw(id), Some(WaitPidFlag::WNOHANG));
        }
    }
}

/// The size of all descendants that are alive, and what adopted ones used that have ended is taken
/// in. `program` is the child that another thread waits for.
#[cfg(target_os = "linux")]
pub fn look(program: u32) -> Option<Size> {
    let mut size = Size::default();
    proc_files::each(&mut |_, status| {
        let bytes = |kib: Option<u64>| kib.unwrap_or(0) * 1024;
        size.rss_bytes += bytes(status.vmrss);
        size.mark_bytes = size.mark_bytes.max(bytes(status.vmhwm));
        size.threads += status.threads;
        size.processes += 1;
    })?;
    proc_files::reap(i32::try_from(program).ok()?);
    // A program that is just ending has no memory any more.
    (size.rss_bytes > 0).then_some(size)
}

/// The size of all descendants: unknown on this system.
#[cfg(not(target_os = "linux"))]
pub fn look(_program: u32) -> Option<Size> {
    None
}

/// The names of the descendants that are still alive when the program has ended. What others used
/// that have ended is taken in.
#[cfg(target_os = "linux")]
pub fn left() -> Vec<String> {
    // No process has this number, and the program has been waited for.
    proc_files::reap(0);
    let mut names = Vec::new();
    // Without the files of the kernel there are no names.
    let _ = proc_files::each(&mut |process, status| {
        names.push(format!("{} ({})", status.name, process.pid()));
    });
    names
}

/// What is left of the descendants: unknown on this system.
#[cfg(not(target_os = "linux"))]
pub fn left() -> Vec<String> {
    Vec::new()
}

/// Ends all descendants and this process.
pub fn end() {
    use nix::sys::signal::{Signal, killpg};
    #[cfg(target_os = "linux")]
    end_each();
    // What of its group could not be found otherwise, and this process.
    let _ = killpg(nix::unistd::getpgrp(), Signal::SIGKILL);
}

/// Ends descendants until there are none: one may start another one meanwhile.
#[cfg(target_os = "linux")]
fn end_each() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use std::time::Duration;

    /// A process that the kernel cannot end yet, in the middle of input or output, is left alone
    /// after this many tries.
    const TRIES: usize = 1000;

    /// The kernel may leave children out while others end, so none is believed only when it was
    /// seen this often in a row.
    const NONE: usize = 10;

    let mut none = 0;
    for _ in 0..TRIES {
        let mut any = false;
        let told = proc_files::each(&mut |process, _| {
            any = true;
            let _ = kill(Pid::from_raw(process.pid()), Signal::SIGKILL);
        });
        none = if any { 0 } else { none + 1 };
        if told.is_none() || none == NONE {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
