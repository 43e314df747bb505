//! One run of a program: what it took, used and reached.

use serde::{Deserialize, Serialize};

use super::sampler::Seen;
use crate::counters::Counts;
use crate::usage::Usage;
use crate::weather::Clocks;

/// One run of a program, with its descendants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgramRun {
    /// From just before its start to its end.
    pub wall_ns: u64,
    /// What it used, with all descendants that had ended when it did.
    pub usage: Usage,
    /// The highest resident memory of one process, by the kernel's own mark.
    pub rss_peak_bytes: Option<u64>,
    /// What was seen from outside.
    pub seen: Seen,
    /// Hardware events, of all descendants, too.
    pub counts: Counts,
    /// Energy that the whole machine used meanwhile.
    pub energy_joules: Option<f64>,
    /// Its exit status; `None` if a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Names and numbers of descendants that were alive when it ended.
    pub left: Vec<String>,
    /// The shell that started it took longer than the program.
    #[serde(skip)]
    pub is_mostly_shell: bool,
    /// What passed on the machine's clocks meanwhile.
    pub clocks: Option<Clocks>,
}

impl ProgramRun {
    /// Whether its exit status is zero.
    pub fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    /// How it ended, in words.
    pub fn end(&self) -> String {
        match (self.code, self.signal) {
            (Some(code), _) => format!("exit status {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "an unknown status".to_owned(),
        }
    }

    /// The peak of resident memory of all processes together. It is at least that of one process,
    /// which may have come and gone between two looks.
    pub fn rss_sum_peak_bytes(&self) -> Option<u64> {
        let (seen, one) = self.seen.rss_bytes.zip(self.rss_peak_bytes)?;
        Some(seen.max(one))
    }

    /// How many processors it used, in the mean.
    pub fn processors(&self) -> Option<f64> {
        let used = self.usage.cpu_ns? as f64;
        (self.wall_ns > 0 && !self.is_mostly_shell).then(|| used / self.wall_ns as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_processes_have_no_less_memory_than_one() {
        let mut run = ProgramRun {
            rss_peak_bytes: Some(64),
            ..ProgramRun::default()
        };
        assert_eq!(run.rss_sum_peak_bytes(), None, "nothing was seen");
        for (seen, expected) in [(12, 64), (128, 128)] {
            run.seen.rss_bytes = Some(seen);
            assert_eq!(run.rss_sum_peak_bytes(), Some(expected));
        }
    }

    #[test]
    fn ends_are_told_in_words() {
        let end = |code, signal| {
            let run = ProgramRun {
                code,
                signal,
                ..ProgramRun::default()
            };
            (run.is_success(), run.end())
        };
        assert_eq!(end(Some(0), None), (true, "exit status 0".to_owned()));
        assert_eq!(end(Some(3), None), (false, "exit status 3".to_owned()));
        assert_eq!(end(None, Some(9)), (false, "signal 9".to_owned()));
    }
}
