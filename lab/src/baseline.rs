//! `cargo lab baseline`: whether `seq` is as fast as code that is written by hand.
//!
//! Everything is divided by `seq`. If its loop had bad luck with the optimiser, or the lab's traits
//! stood in its way, every parallel runtime would look good. So it is held against
//! [by hand](crate::by_hand), process by process, and more than a tenth is a failure. On a noisy
//! machine there are more rounds, until the interval tells at one of three looks.

use anyhow::{Result, ensure};

use crate::by_hand;
use crate::effort::Effort;
use crate::launch::Launcher;
use crate::outcome::End;
use crate::process_request::{ProcessRequest, Terms};
use crate::registry;
use crate::statistics::{Claim, Ratio, confidence, median, rounds_that_tell};
use crate::workload::group;

use std::time::Duration;

/// How much slower `seq` may be.
pub const MARGIN: f64 = 0.10;

/// The interval is looked at after as many rounds as a claim needs, times these. Each look is a
/// claim of its own. After the last one it is not known.
const LOOKS: [usize; 3] = [1, 2, 4];

/// How many claims there are.
fn claims() -> usize {
    let cases: usize = by_hand::ALL.iter().map(|(_, sizes)| sizes.len()).sum();
    cases * LOOKS.len()
}

/// `seq` against code written by hand.
#[derive(Clone, Debug)]
pub struct Row {
    /// The workload.
    pub workload: &'static str,
    /// The size.
    pub size: u64,
    /// `seq` divided by the code written by hand.
    pub ratio: Ratio,
}

impl Row {
    /// Whether `seq` is surely slower than by this margin.
    pub fn is_slower_than(&self, margin: f64) -> bool {
        self.ratio.claim_beyond(margin) == Claim::Slower
    }

    fn claim(&self) -> Claim {
        self.ratio.claim_beyond(MARGIN)
    }

    /// As text, for the terminal.
    pub fn to_text(&self) -> String {
        let verdict = match self.claim() {
            Claim::Slower => "TOO SLOW",
            Claim::Faster => "faster than by hand",
            Claim::Level => "ok",
            _ => "too noisy to tell",
        };
        format!(
            "seq ÷ by hand, {} {}: {}: {verdict}",
            self.workload,
            group(self.size),
            self.ratio.text()
        )
    }
}

/// Measures all of them, and looks at each `looks` times at most.
pub fn run(launcher: &Launcher, effort: Effort, looks: usize) -> Result<Vec<Row>> {
    let needed = rounds_that_tell(claims());
    let looks = LOOKS.map(|times| times * needed).into_iter().take(looks);
    let looks = Vec::from_iter(looks);
    let mut rows = Vec::new();
    for &(workload, sizes) in by_hand::ALL {
        registry::workload(workload)?;
        for &size in sizes {
            rows.push(measure(launcher, effort, workload, size, &looks)?);
        }
    }
    Ok(rows)
}

fn measure(
    launcher: &Launcher,
    effort: Effort,
    workload: &'static str,
    size: u64,
    looks: &[usize],
) -> Result<Row> {
    let terms = Terms {
        limit: Duration::from_secs(60),
        can_deadlock: false,
        deep_stack: false,
    };
    let one = |runtime: &str| -> Result<f64> {
        let order = ProcessRequest {
            workload: workload.to_owned(),
            runtime: runtime.to_owned(),
            jobs: 1,
            size,
            effort,
            gated: false,
            slowdown_percent: None,
            program: None,
        };
        let outcome = launcher.run(&order, &terms);
        ensure!(
            outcome.end != End::Interrupted,
            "interrupted: it is not known whether seq is fast enough"
        );
        let found = outcome.found.map_err(anyhow::Error::msg)?;
        if let Some(error) = found.error {
            anyhow::bail!("{workload}, {runtime}: {error}");
        }
        median(&found.wall_ns)
            .ok_or_else(|| anyhow::anyhow!("{workload}, {runtime}: nothing was measured"))
    };
    let mut rounds = Vec::new();
    loop {
        // The order changes from round to round.
        let pair = if rounds.len() % 2 == 0 {
            let seq = one("seq")?;
            (seq, one(by_hand::NAME)?)
        } else {
            let by_hand = one(by_hand::NAME)?;
            (one("seq")?, by_hand)
        };
        rounds.push(pair);
        if !looks.contains(&rounds.len()) {
            continue;
        }
        let ratio = Ratio::of_pairs(&rounds, confidence(claims())).expect("there is a round");
        let row = Row {
            workload,
            size,
            ratio,
        };
        let is_open = matches!(row.claim(), Claim::TooNoisy | Claim::TooFew);
        if !is_open || looks.last() == Some(&rounds.len()) {
            return Ok(row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Interval;

    fn row(low: f64, high: f64) -> Row {
        Row {
            workload: "fib",
            size: 25,
            ratio: Ratio {
                value: f64::midpoint(low, high),
                interval: Some(Interval { low, high }),
            },
        }
    }

    #[test]
    fn the_first_look_can_tell() {
        let rounds = vec![(2.0, 1.0); LOOKS[0] * rounds_that_tell(claims())];
        let ratio = Ratio::of_pairs(&rounds, confidence(claims())).expect("there are rounds");
        assert_eq!(ratio.claim_beyond(MARGIN), Claim::Slower);
    }

    #[test]
    fn a_tenth_is_allowed() {
        assert!(!row(1.02, 1.08).is_slower_than(MARGIN));
        assert!(!row(1.08, 1.20).is_slower_than(MARGIN));
        assert!(row(1.11, 1.20).is_slower_than(MARGIN));
        assert!(row(0.98, 1.02).to_text().ends_with("ok"));
        assert!(row(1.50, 2.00).to_text().ends_with("TOO SLOW"));
        assert!(row(0.90, 1.30).to_text().ends_with("too noisy to tell"));
    }
}
