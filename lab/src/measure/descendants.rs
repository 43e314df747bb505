//! The descendants of this process: how large they are together, and how they are ended.
//!
//! `/proc/PID/task/TID/children` names the children of a thread, so a look costs a few files per
//! process that is looked at, however many others the machine has. On kernels that were built
//! without that file, a look reads the parent of every process of the machine. Systems other than
//! Linux tell nothing.

/// How large the processes of a tree are together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeSize {
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
    use std::collections::{HashMap, HashSet};

    use nix::sys::wait::{WaitPidFlag, waitpid};
    use nix::unistd::Pid;
    use procfs::process::{Process, Status, all_processes};

    /// How the children of a process are found.
    pub enum Children {
        /// A file of each thread names them.
        Files,
        /// The kernel has no such file: all processes at one moment, by their parents.
        Parents(HashMap<i32, Vec<i32>>),
    }

    impl Children {
        /// The way that this kernel has; `None` if nothing in `/proc` can be read.
        pub fn find(this: &Process) -> Option<Self> {
            match named(this) {
                Some(_) => Some(Self::Files),
                None => Self::scan(),
            }
        }

        /// Reads the parent of each process.
        pub fn scan() -> Option<Self> {
            let mut parents: HashMap<i32, Vec<i32>> = HashMap::new();
            // What has ended meanwhile is left out.
            for process in all_processes().ok()?.flatten() {
                if let Ok(stat) = process.stat() {
                    parents.entry(stat.ppid).or_default().push(stat.pid);
                }
            }
            Some(Self::Parents(parents))
        }

        /// The children of a process, whether they are alive or not waited for.
        pub fn of(&self, process: &Process) -> Vec<i32> {
            match self {
                Self::Files => named(process).unwrap_or_default(),
                Self::Parents(parents) => parents.get(&process.pid).cloned().unwrap_or_default(),
            }
        }
    }

    /// What the threads of a process name as its children; `None` if no thread tells.
    fn named(process: &Process) -> Option<Vec<i32>> {
        let mut all = None;
        for task in process.tasks().ok()? {
            if let Ok(children) = task.and_then(|task| task.children()) {
                let children = children.into_iter().filter_map(|id| i32::try_from(id).ok());
                all.get_or_insert_with(Vec::new).extend(children);
            }
        }
        all
    }

    /// Calls `visit` for each descendant of a process, also for one that has ended and was not
    /// waited for.
    pub fn each(ancestor: &Process, children: &Children, visit: &mut impl FnMut(&Process)) {
        let mut open = children.of(ancestor);
        let mut known: HashSet<i32> = open.iter().copied().collect();
        while let Some(id) = open.pop() {
            // What has ended meanwhile is left out.
            let Ok(process) = Process::new(id) else {
                continue;
            };
            let of_it = children.of(&process);
            open.extend(of_it.into_iter().filter(|child| known.insert(*child)));
            visit(&process);
        }
    }

    /// Calls `visit` for each descendant of this process that is alive; `None` if the kernel tells
    /// nothing.
    pub fn each_alive(visit: &mut impl FnMut(&Process, &Status)) -> Option<()> {
        let this = Process::myself().ok()?;
        each(&this, &Children::find(&this)?, &mut |process| {
            if let Ok(status) = process.status()
                && !status.state.starts_with(['Z', 'X'])
            {
                visit(process, &status);
            }
        });
        Some(())
    }

    /// What the descendants of a process have used so far, with those that they have waited for, in
    /// ticks.
    pub fn ticks_below(ancestor: &Process) -> Option<u64> {
        let mut ticks = 0u64;
        each(ancestor, &Children::find(ancestor)?, &mut |process| {
            if let Ok(stat) = process.stat() {
                let of_children = stat.cutime.saturating_add(stat.cstime);
                ticks += stat.utime + stat.stime + u64::try_from(of_children).unwrap_or(0);
            }
        });
        Some(ticks)
    }

    /// Takes in what adopted children used that have ended. The program itself is left to the
    /// thread that waits for it.
    pub fn reap(program: i32) -> Option<()> {
        let this = Process::myself().ok()?;
        let children = Children::find(&this)?.of(&this);
        for id in children.into_iter().filter(|id| *id != program) {
            // One that is alive stays, and what else could be wrong shows in no figure.
            let _ = waitpid(Pid::from_raw(id), Some(WaitPidFlag::WNOHANG));
        }
        Some(())
    }
}

/// The size of all descendants that are alive, and what adopted ones used that have ended is taken
/// in. `program` is the child that another thread waits for. Until the kernel has loaded it, it is
/// a copy of this process, and is left out.
#[cfg(target_os = "linux")]
pub fn look(program: u32) -> Option<TreeSize> {
    let program = i32::try_from(program).ok()?;
    let own = procfs::process::Process::myself().ok()?.cmdline().ok();
    let mut size = TreeSize::default();
    proc_files::each_alive(&mut |process, status| {
        if process.pid() == program && process.cmdline().ok() == own {
            return;
        }
        let bytes = |kib: Option<u64>| kib.unwrap_or(0) * 1024;
        size.rss_bytes += bytes(status.vmrss);
        size.mark_bytes = size.mark_bytes.max(bytes(status.vmhwm));
        size.threads += status.threads;
        size.processes += 1;
    })?;
    proc_files::reap(program)?;
    // A program that is just ending has no memory any more.
    (size.rss_bytes > 0).then_some(size)
}

/// The size of all descendants: unknown on this system.
#[cfg(not(target_os = "linux"))]
pub fn look(_program: u32) -> Option<TreeSize> {
    None
}

/// The names of the descendants that are still alive when the program has ended. What others used
/// that have ended is taken in.
#[cfg(target_os = "linux")]
pub fn left() -> Vec<String> {
    reap();
    let mut names = Vec::new();
    // Without the files of the kernel there are no names.
    let _ = proc_files::each_alive(&mut |process, status| {
        names.push(format!("{} ({})", status.name, process.pid()));
    });
    names
}

/// What is left of the descendants: unknown on this system.
#[cfg(not(target_os = "linux"))]
pub fn left() -> Vec<String> {
    Vec::new()
}

/// Takes in what adopted processes used that have ended. No thread may wait for a child meanwhile.
pub fn reap() {
    // No process has this number. Without the files of the kernel, nothing is taken in.
    #[cfg(target_os = "linux")]
    let _ = proc_files::reap(0);
}

/// What all descendants that were not waited for have used so far, with those that they have waited
/// for, in ticks of the kernel's clock.
#[cfg(target_os = "linux")]
pub fn ticks() -> u64 {
    let this = procfs::process::Process::myself().ok();
    let ticks = this.and_then(|this| proc_files::ticks_below(&this));
    ticks.unwrap_or(0)
}

/// What all descendants have used so far: unknown on this system.
#[cfg(not(target_os = "linux"))]
pub fn ticks() -> u64 {
    0
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
        let told = proc_files::each_alive(&mut |process, _| {
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Child, Command};

    use procfs::process::Process;

    use super::proc_files::{Children, each, ticks_below};
    use crate::process_group;

    /// A shell with all that it starts, which ends with the test.
    struct Shell(Child);

    impl Shell {
        fn start(script: &str) -> Self {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            process_group::lead(&mut command);
            Self(command.spawn().unwrap())
        }

        fn process(&self) -> Process {
            Process::new(i32::try_from(self.0.id()).unwrap()).unwrap()
        }

        /// What the descendants are called, when there are this many that sleep.
        fn sleepers(&self, count: usize, children: impl Fn() -> Children) -> Vec<i32> {
            loop {
                let mut found = Vec::new();
                each(&self.process(), &children(), &mut |process| {
                    if process.stat().is_ok_and(|stat| stat.comm == "sleep") {
                        found.push(process.pid);
                    }
                });
                if found.len() == count {
                    found.sort_unstable();
                    return found;
                }
                std::thread::yield_now();
            }
        }
    }

    impl Drop for Shell {
        fn drop(&mut self) {
            let _ = process_group::end(&mut self.0);
        }
    }

    #[test]
    fn parents_tell_the_same_as_the_files_of_threads() {
        let shell = Shell::start("sleep 600 & sh -c 'sleep 600 & wait' & wait");
        let by_parents = shell.sleepers(2, || Children::scan().unwrap());
        let found = shell.sleepers(2, || Children::find(&shell.process()).unwrap());
        assert_eq!(by_parents, found);
        assert!(matches!(Children::scan(), Some(Children::Parents(_))));
    }

    #[test]
    fn what_descendants_use_is_known_while_they_are_alive() {
        let work = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; exec sleep 600";
        let shell = Shell::start(&format!("sh -c '{work}' & wait"));
        shell.sleepers(1, || Children::find(&shell.process()).unwrap());
        assert!(ticks_below(&shell.process()).unwrap() > 0);
    }
}
