//! `measure`, when a program leaves processes behind.

use crate::measure::{directory, measure, read};
use crate::{stderr, stdout};

/// Processes that outlive a run, and end with the test, even if it fails.
struct LeftBehind(Vec<i32>);

impl LeftBehind {
    /// Ends all of them; whether each of them was alive.
    fn end(&self) -> bool {
        use nix::sys::signal::{Signal, kill};
        let mut ids = self.0.iter().map(|id| nix::unistd::Pid::from_raw(*id));
        ids.all(|id| kill(id, Signal::SIGKILL).is_ok())
    }
}

impl Drop for LeftBehind {
    fn drop(&mut self) {
        self.end();
    }
}

#[test]
fn what_outlives_a_run_is_left_alone_and_named() {
    let here = directory();
    let output = measure(
        here.path(),
        &["--", "sh", "-c", "sleep 600 > /dev/null 2>&1 & echo $!"],
    );
    let id: i32 = stdout(&output).trim().parse().unwrap();
    let left = LeftBehind(vec![id]);
    assert!(output.status.success(), "{}", stderr(&output));
    if cfg!(target_os = "linux") {
        let text = stderr(&output);
        assert!(text.contains(&format!("({id}) outlived a run")), "{text}");
    }
    assert!(left.end(), "it was ended");
}

/// Each of two runs leaves a process behind. The second one is measured while the first one's is
/// alive, which is not ended with that run.
#[test]
fn what_outlives_a_run_is_alive_after_the_next_one() {
    let here = directory();
    let output = measure(
        here.path(),
        &[
            "--rounds",
            "2",
            "--",
            "sh",
            "-c",
            "sleep 600 > /dev/null 2>&1 & echo $! >> log",
        ],
    );
    let log = read(here.path(), "log");
    let left = LeftBehind(log.lines().map(|id| id.parse().unwrap()).collect());
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(left.0.len(), 2);
    assert!(left.end(), "both are ended");
}
