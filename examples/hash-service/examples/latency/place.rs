//! Where threads run, and how much they insist on it.

use std::io;

use tokio::runtime::{Builder, Runtime};

use crate::arrangement::Arrangement;

/// A runtime of tokio for sockets.
pub fn runtime(arrangement: Arrangement, io_threads: usize, cores: usize) -> io::Result<Runtime> {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(io_threads).enable_all();
    match arrangement {
        Arrangement::BlockingFew => builder.max_blocking_threads(cores),
        Arrangement::DrumlinePinned => builder.on_thread_start(|| pin_to(0)),
        _ => &mut builder,
    };
    builder.build()
}

/// Lets the calling thread run on one processor only: that with this number, of those that the
/// process may use.
#[cfg(target_os = "linux")]
pub fn pin_to(number: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let Ok(allowed) = sched_getaffinity(None) else {
        return;
    };
    let mut numbers = (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu));
    if let Some(cpu) = numbers.nth(number) {
        let mut only = CpuSet::new();
        only.set(cpu);
        // Without it the thread runs where the system likes.
        let _ = sched_setaffinity(None, &only);
    }
}

/// Has the calling thread make room for others.
#[cfg(target_os = "linux")]
pub fn be_nice() {
    // On Linux niceness is a thread's. Without it the thread competes as others do.
    let _ = rustix::process::setpriority_process(None, 10);
}

/// Not tried on other systems.
#[cfg(not(target_os = "linux"))]
pub fn pin_to(_number: usize) {}

/// Not tried on other systems: where niceness is a process's, this would be wrong.
#[cfg(not(target_os = "linux"))]
pub fn be_nice() {}
