//! Naps that are as short as asked for.

/// Lets the calling thread's short sleeps end on time.
///
/// Linux may wake an ordinary thread up to 50 µs late, so that it can serve several timers with one
/// interrupt; a searcher that naps for 20 µs would sleep for 70. This asks for 1 µs, for this
/// thread alone, and for threads that it makes later (they inherit it). It is for the runtime's own
/// threads: a guest's timers are its program's business. Nothing elsewhere, and nothing is lost if
/// the kernel refuses: naps are longer then.
pub(crate) fn precise_timer_slack() {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        const NANOSECONDS: libc::c_ulong = 1_000;
        // SAFETY: this command takes one integer, sets a number of the calling thread, and touches
        // no memory of the process.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, NANOSECONDS) };
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;

    fn slack_ns() -> i32 {
        // SAFETY: this command takes nothing and returns a number of the calling thread.
        unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) }
    }

    #[test]
    fn is_of_the_calling_thread() {
        let before = slack_ns();
        std::thread::spawn(|| {
            precise_timer_slack();
            match slack_ns() {
                0 => eprintln!("skipped: a real-time thread has no slack"),
                slack => assert_eq!(slack, 1_000),
            }
        })
        .join()
        .unwrap();
        assert_eq!(slack_ns(), before);
    }
}
