//! What another thread of this process is doing.
//!
//! On Linux, `/proc` tells whether a thread waits in the kernel, and each thread's processor clock
//! can be read by the others. Elsewhere nothing is known, and no thread seems to wait.

use std::time::Duration;

/// A thread, as the system numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadId(usize);

/// Whether anything can be known about other threads.
pub(crate) const KNOWN: bool = cfg!(all(
    any(target_os = "linux", target_os = "android"),
    not(any(miri, drumline_shuttle))
));

impl ThreadId {
    /// The calling thread.
    pub(crate) fn current() -> Self {
        ThreadId(native::current())
    }

    /// For a word that threads share.
    pub(crate) fn number(self) -> usize {
        self.0
    }

    /// The thread with this [`number`](Self::number).
    pub(crate) fn from_number(number: usize) -> Self {
        ThreadId(number)
    }

    /// The processor time that the thread has used. `None`: it has ended, or
    /// nothing is known.
    pub(crate) fn processor_time(self) -> Option<Duration> {
        native::processor_time(self.0)
    }

    /// Whether the thread waits in the kernel for something that is not a
    /// processor. `false` if nothing is known.
    pub(crate) fn is_waiting(self) -> bool {
        native::is_waiting(self.0)
    }

    /// Whether the thread was off its processor at some point during this call:
    /// the kernel has switched it out, and that is a full memory barrier. `false`
    /// if nothing is known.
    ///
    /// The state alone would not do: a thread is called waiting some moments
    /// before it is switched out, and may go on without having been.
    pub(crate) fn is_off_processor(self) -> bool {
        let before = self.processor_time();
        before.is_some() && self.is_waiting() && self.processor_time() == before
    }
}

#[cfg(all(
    any(target_os = "linux", target_os = "android"),
    not(any(miri, drumline_shuttle))
))]
mod native {
    use std::cell::Cell;
    use std::fs::File;
    use std::io::Read;
    use std::mem::MaybeUninit;
    use std::time::Duration;

    thread_local! {
        /// Zero until it has been asked for. A forked child has another one.
        static NUMBER: Cell<(u32, usize)> = const { Cell::new((0, 0)) };
    }

    pub(super) fn current() -> usize {
        let generation = super::super::fork::generation();
        let (known_in, number) = NUMBER.with(Cell::get);
        if number != 0 && known_in == generation {
            return number;
        }
        // SAFETY: takes nothing and always succeeds.
        let number = unsafe { libc::syscall(libc::SYS_gettid) };
        let number = usize::try_from(number).unwrap_or(0);
        NUMBER.with(|cell| cell.set((generation, number)));
        number
    }

    pub(super) fn processor_time(thread: usize) -> Option<Duration> {
        // How the kernel numbers the clock of a thread: what pthread_getcpuclockid computes, which
        // wants a handle that may be gone.
        const PER_THREAD: libc::clockid_t = 4;
        const SCHEDULED: libc::clockid_t = 2;
        let thread = libc::clockid_t::try_from(thread)
            .ok()
            .filter(|&id| id > 0)?;
        let clock = (!thread << 3) | PER_THREAD | SCHEDULED;
        let mut time = MaybeUninit::<libc::timespec>::uninit();
        // SAFETY: `time` can be written to; a clock that does not exist is an error.
        if unsafe { libc::clock_gettime(clock, time.as_mut_ptr()) } != 0 {
            return None;
        }
        // SAFETY: written by the successful call.
        let time = unsafe { time.assume_init() };
        Some(Duration::new(
            u64::try_from(time.tv_sec).ok()?,
            u32::try_from(time.tv_nsec).ok()?,
        ))
    }

    pub(super) fn is_waiting(thread: usize) -> bool {
        // The state is the word after the name, which is in parentheses and may contain some.
        let mut text = [0; 512];
        let Ok(mut file) = File::open(format!("/proc/self/task/{thread}/stat")) else {
            return false;
        };
        let Ok(len) = file.read(&mut text) else {
            return false;
        };
        let text = &text[..len];
        let Some(name_end) = text.iter().rposition(|&byte| byte == b')') else {
            return false;
        };
        matches!(text.get(name_end + 2), Some(b'S' | b'D'))
    }
}

#[cfg(not(all(
    any(target_os = "linux", target_os = "android"),
    not(any(miri, drumline_shuttle))
)))]
mod native {
    use std::time::Duration;

    /// Some thread: not 0, which is none.
    pub(super) fn current() -> usize {
        1
    }

    pub(super) fn processor_time(_thread: usize) -> Option<Duration> {
        None
    }

    pub(super) fn is_waiting(_thread: usize) -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux", not(any(miri, drumline_shuttle))))]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn a_thread_that_waits_is_seen_to_wait() {
        let (send, receive) = mpsc::channel::<()>();
        let (name, named) = mpsc::channel();
        let other = thread::spawn(move || {
            name.send(ThreadId::current()).unwrap();
            receive.recv().unwrap();
        });
        let id = named.recv().unwrap();
        // It is called waiting before it is off its processor, and uses some time until then.
        let is_at_rest = || {
            let before = id.processor_time().unwrap();
            id.is_waiting() && id.is_off_processor() && id.processor_time().unwrap() == before
        };
        while !is_at_rest() {
            thread::yield_now();
        }
        send.send(()).unwrap();
        other.join().unwrap();
    }

    #[test]
    fn a_thread_that_runs_uses_its_processor() {
        let me = ThreadId::current();
        assert!(!me.is_waiting());
        assert!(!me.is_off_processor());
        let before = me.processor_time().unwrap();
        while me.processor_time().unwrap() == before {}
    }
}
