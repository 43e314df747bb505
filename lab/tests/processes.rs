//! What tests ask about processes that they have started.

use std::process::{Child, Output};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use procfs::process::Process;

/// Waits until there is something, and fails after five minutes: on a busy machine a build may hold
/// up what is written.
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(300), "{what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// What the process is doing; `None` if it has ended, whether it was waited for or not.
pub fn state(process: &Process) -> Option<char> {
    let state = process.stat().ok()?.state;
    (state != 'Z' && state != 'X').then_some(state)
}

/// Processes that a test has started. They end with it, also when it fails.
pub struct Started(pub Vec<Process>);

impl Started {
    /// The processes with these numbers, which are alive.
    pub fn with(numbers: &str) -> Self {
        let numbers = numbers.split_whitespace();
        let process = |number: &str| Process::new(number.parse().unwrap()).unwrap();
        Self(numbers.map(process).collect())
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        for process in self.0.iter().filter(|process| state(process).is_some()) {
            let _ = kill(Pid::from_raw(process.pid()), Signal::SIGKILL);
        }
    }
}

/// A lab that a test has started. It ends with the test, also when that fails.
pub struct Lab(Option<Child>);

impl Lab {
    /// The guard of this process.
    pub fn new(lab: Child) -> Self {
        Self(Some(lab))
    }

    /// The process.
    pub fn child(&mut self) -> &mut Child {
        self.0.as_mut().unwrap()
    }

    /// Sends it a signal.
    pub fn send(&mut self, signal: Signal) {
        let id = i32::try_from(self.child().id()).unwrap();
        kill(Pid::from_raw(id), signal).unwrap();
    }

    /// What it wrote, and how it ended.
    pub fn output(mut self) -> Output {
        self.0.take().unwrap().wait_with_output().unwrap()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        if let Some(lab) = &mut self.0 {
            let _ = lab.kill();
            let _ = lab.wait();
        }
    }
}

pub fn is_gone(process: &Process) {
    wait_for("the process ends", || {
        state(process).is_none().then_some(())
    });
}
