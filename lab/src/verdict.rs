//! What ours won and lost, in words: a sign, the two that are compared, and by how much.

use plotters::style::RGBColor;

use crate::cell::Cell;
use crate::palette::{FAINT, LOSS, WIN};
use crate::record::Record;
use crate::statistics::{Claim, Ratio};
use crate::workload::Shows;

/// Cells with their ratios.
pub type Judged<'a> = [(Cell<'a>, Ratio)];

/// The verdicts on the workload, size and jobs of a record, with their colours. What cannot be told
/// has none.
pub(crate) fn all<'a>(
    judged: &'a Judged<'_>,
    like: &'a Record,
) -> impl Iterator<Item = (String, RGBColor)> + 'a {
    let cells = judged.iter().filter(|(cell, _)| {
        let ours = cell.ours;
        ours.workload == like.workload && (ours.size, ours.jobs) == (like.size, like.jobs)
    });
    cells.filter_map(|(cell, ratio)| {
        let claim = cell.claim(ratio);
        let colour = match claim {
            Claim::Slower => LOSS,
            Claim::Faster => WIN,
            Claim::Level => FAINT,
            _ => return None,
        };
        let [ours, peer] = [cell.ours, cell.peer].map(|record| &record.runtime);
        let (sign, words) = (claim.sign(), comparative(cell.shows, claim));
        Some((
            format!("{sign} {ours} {words} {peer}: {}", ratio.text()),
            colour,
        ))
    })
}

/// What a claim says, between the names of the two.
fn comparative(shows: Shows, claim: Claim) -> &'static str {
    match (shows, claim) {
        (_, Claim::Level) => "is level with",
        (Shows::Heap | Shows::HeapReturned, Claim::Slower) => "takes more heap than",
        (Shows::Heap | Shows::HeapReturned, _) => "takes less heap than",
        (Shows::Rest, Claim::Slower) => "takes more processor time than",
        (Shows::Rest, _) => "takes less processor time than",
        (Shows::Latency | Shows::Tail, Claim::Slower) => "has a higher latency than",
        (Shows::Latency | Shows::Tail, _) => "has a lower latency than",
        (_, Claim::Slower) => "is slower than",
        (_, _) => "is faster than",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::judged;
    use crate::comparison::made_up::record;

    #[test]
    fn a_verdict_is_of_its_own_cell_and_says_which_way() {
        let mut records = vec![record("fib", "drumline", 1, &[2.0; 10])];
        records.push(record("fib", "rayon", 1, &[1.0; 10]));
        records.push(record("fib", "drumline", 2, &[1.0; 10]));
        records.push(record("fib", "rayon", 2, &[4.0; 10]));
        records.push(record("fib", "drumline", 3, &[1.0; 9]));
        records.push(record("fib", "rayon", 3, &[4.0; 9]));
        let judged = judged(&records);
        let of = |index: usize| all(&judged, &records[index]).collect::<Vec<_>>();
        let [(lost, colour)] = &of(0)[..] else {
            panic!("{:?}", of(0));
        };
        assert_eq!(lost, "✗ drumline is slower than rayon: 2.00 (2.00–2.00)");
        assert_eq!(*colour, LOSS);
        assert!(
            of(2)[0]
                .0
                .starts_with("✓ drumline is faster than rayon: 0.25")
        );
        assert_eq!(of(4), [], "too few rounds");
    }

    #[test]
    fn less_of_what_is_compared_is_called_by_its_name() {
        for (shows, slower, faster) in [
            (Shows::Heap, "takes more heap than", "takes less heap than"),
            (
                Shows::Tail,
                "has a higher latency than",
                "has a lower latency than",
            ),
            (
                Shows::Rest,
                "takes more processor time than",
                "takes less processor time than",
            ),
        ] {
            assert_eq!(comparative(shows, Claim::Slower), slower);
            assert_eq!(comparative(shows, Claim::Faster), faster);
        }
    }
}
