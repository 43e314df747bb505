//! The ratio of two configurations that were measured at different times, by ranks.
//!
//! Each process of ours is divided by each of theirs. The ratio is the median of all these (Hodges
//! and Lehmann 1963). If the two differ by a factor and in nothing else, all orders of the
//! processes are equally likely once the factor is taken off. So the number of ratios below the
//! factor is that of Mann and Whitney (1947), of which all orders can be counted. The interval
//! leaves as many ratios out on either side as that number allows.

use super::interval::{Interval, PROCESSES_MIN, between};
use super::median;

/// Orders of more processes than this are too many to be counted in 128 bits.
const COUNTED_MAX: usize = 120;

/// The ratio of two configurations; `None` if one of them has no processes. The interval is missing
/// if one of them has too few.
pub fn ratio(ours: &[f64], theirs: &[f64], confidence: f64) -> Option<(f64, Option<Interval>)> {
    let each = ours
        .iter()
        .flat_map(|ours| theirs.iter().map(move |theirs| ours / theirs));
    let all: Vec<f64> = each.collect();
    let value = median(&all)?;
    let enough = ours.len().min(theirs.len()) >= PROCESSES_MIN;
    let outer = outermost(ours.len(), theirs.len(), (1.0 - confidence) / 2.0);
    let interval = outer.filter(|_| enough).map(|outer| between(all, outer));
    Some((value, interval))
}

/// The largest `k` for which fewer than `k` of the pairs lie below the true factor with a chance of
/// `tail` at most; `None` if that is zero.
fn outermost(ours: usize, theirs: usize, tail: f64) -> Option<usize> {
    let pairs = ours * theirs;
    let outer = if ours + theirs <= COUNTED_MAX {
        let orders = orders(ours, theirs);
        let all: f64 = orders.iter().map(|orders| *orders as f64).sum();
        let mut chance = 0.0;
        let within = orders.iter().take_while(|orders| {
            chance += **orders as f64 / all;
            chance <= tail
        });
        within.count()
    } else {
        // A bound of the chance (Chernoff's), with which the interval is rather too wide.
        let variance = pairs as f64 * (ours + theirs + 1) as f64 / 12.0;
        let least = pairs as f64 / 2.0 - (-2.0 * variance * tail.ln()).sqrt();
        if least < 0.0 { 0 } else { least as usize + 1 }
    };
    (outer > 0).then_some(outer)
}

/// How many orders of the processes have each number of pairs in which ours is the smaller one.
///
/// These are the coefficients of the product of `1 - x^(theirs + i)`, divided by that of `1 - x^i`,
/// for all `i` up to `ours`. What does not fit into 128 bits on the way is right again at the end.
fn orders(ours: usize, theirs: usize) -> Vec<u128> {
    let pairs = ours * theirs;
    let mut orders = vec![0_u128; pairs + 1];
    orders[0] = 1;
    for factor in 1..=ours {
        for power in (theirs + factor..=pairs).rev() {
            orders[power] = orders[power].wrapping_sub(orders[power - theirs - factor]);
        }
        for power in factor..=pairs {
            orders[power] = orders[power].wrapping_add(orders[power - factor]);
        }
    }
    orders
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    /// Numbers around `centre`, some of them far above it, as times are.
    fn times(generator: &mut SmallRng, centre: f64, count: usize) -> Vec<f64> {
        let mut times = Vec::new();
        for _ in 0..count {
            let spread: f64 = (0..12).map(|_| generator.random::<f64>()).sum::<f64>() - 6.0;
            let late = if generator.random_range(0..10) == 0 {
                1.2
            } else {
                1.0
            };
            times.push(centre * (1.0 + 0.01 * spread) * late);
        }
        times
    }

    #[test]
    fn orders_are_counted() {
        assert_eq!(orders(2, 2), [1, 1, 2, 1, 1]);
        assert_eq!(orders(1, 3), [1, 1, 1, 1]);
        assert_eq!(orders(10, 10).iter().sum::<u128>(), 184_756);
        let most = orders(60, 60);
        assert_eq!(
            most[..5],
            [1, 1, 2, 3, 5],
            "those of few pairs are partitions"
        );
        assert!(most.iter().eq(most.iter().rev()));
    }

    #[test]
    fn few_processes_have_no_interval() {
        let few = vec![1.0; PROCESSES_MIN - 1];
        let enough = vec![1.0; PROCESSES_MIN];
        assert_eq!(ratio(&few, &enough, 0.95), Some((1.0, None)));
        assert_eq!(ratio(&[], &enough, 0.95), None);
        assert!(ratio(&enough, &enough, 0.9999).unwrap().1.is_some());
        assert_eq!(ratio(&enough, &enough, 1.0 - 1e-6).unwrap().1, None);
    }

    /// What is bounded has a wider interval than what is counted, and not much wider.
    #[test]
    fn many_processes_have_an_interval_as_well() {
        for tail in [0.025, 0.0005] {
            let counted = outermost(60, 60, tail).unwrap();
            let bounded = outermost(61, 60, tail).unwrap();
            assert!(
                bounded < counted && bounded * 10 > counted * 7,
                "{counted} {bounded}"
            );
        }
    }

    /// A little more than 95 of 100 intervals hold the true ratio. An interval made with more
    /// confidence is no narrower.
    #[test]
    fn intervals_hold_the_true_ratio() {
        let mut generator = SmallRng::seed_from_u64(2);
        let repeats = 1_000;
        let mut held = 0;
        for _ in 0..repeats {
            let ours = times(&mut generator, 90.0, 10);
            let theirs = times(&mut generator, 100.0, 12);
            let interval = ratio(&ours, &theirs, 0.95).unwrap().1.unwrap();
            held += usize::from(interval.holds(0.9));
            let wider = ratio(&ours, &theirs, 0.999).unwrap().1.unwrap();
            assert!(wider.low <= interval.low && interval.high <= wider.high);
        }
        assert!((940..990).contains(&held), "{held} of {repeats}");
    }
}
