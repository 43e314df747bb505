//! What receivers saw: the answer that is checked.

/// The count and the sum of the numbers that arrived, and whether each sender's came in order.
///
/// Sender `s` of `SENDERS` sends the numbers `s`, `s + SENDERS`, `s + 2 * SENDERS` and so on. So a
/// number says which sender it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally<const SENDERS: usize> {
    count: u64,
    sum: u64,
    /// The least number that may come next from each sender.
    least: [u64; SENDERS],
    is_ordered: bool,
}

impl<const SENDERS: usize> Tally<SENDERS> {
    /// The numbers that a sender sends when `all` are sent together.
    pub fn numbers(sender: usize, all: u64) -> impl Iterator<Item = u64> + Send {
        (sender as u64..all).step_by(SENDERS)
    }

    /// Takes a number.
    pub fn take(&mut self, number: u64) {
        let sender = (number % SENDERS as u64) as usize;
        self.count += 1;
        self.sum += number;
        self.is_ordered &= number >= self.least[sender];
        self.least[sender] = number + 1;
    }

    /// What two receivers saw. Each of them must have seen the numbers of a sender in order.
    pub fn plus(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            is_ordered: self.is_ordered && other.is_ordered,
            ..self
        }
    }

    /// Whether each of the numbers below `all` arrived once, and those of a sender in order.
    pub fn check(&self, all: u64) -> Result<(), String> {
        let Self { count, sum, .. } = self;
        if (*count, *sum) != (all, (0..all).sum()) {
            return Err(format!(
                "{count} numbers arrived with the sum {sum}, and not each of {all} once"
            ));
        }
        if !self.is_ordered {
            return Err("numbers of one sender overtook each other".to_owned());
        }
        Ok(())
    }
}

impl<const SENDERS: usize> Default for Tally<SENDERS> {
    fn default() -> Self {
        Self {
            count: 0,
            sum: 0,
            least: [0; SENDERS],
            is_ordered: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(numbers: impl IntoIterator<Item = u64>) -> Tally<3> {
        let mut tally = Tally::default();
        numbers.into_iter().for_each(|number| tally.take(number));
        tally
    }

    #[test]
    fn each_number_has_one_sender() {
        let mut all: Vec<u64> = (0..3).flat_map(|s| Tally::<3>::numbers(s, 100)).collect();
        assert_eq!(tally(all.iter().copied()).check(100), Ok(()));
        all.sort_unstable();
        assert_eq!(all, Vec::from_iter(0..100));
    }

    #[test]
    fn senders_may_overtake_each_other() {
        assert_eq!(tally([1, 4, 0, 2, 3]).check(5), Ok(()));
        let both = tally([1, 0]).plus(tally([4, 2, 3]));
        assert_eq!(both.check(5), Ok(()));
    }

    #[test]
    fn what_is_lost_or_doubled_or_late_is_noticed() {
        for wrong in [&[0, 1][..], &[0, 1, 2, 2], &[0, 0, 3], &[0, 2, 4, 3, 1]] {
            let all = wrong.len().max(3) as u64;
            assert!(
                tally(wrong.iter().copied()).check(all).is_err(),
                "{wrong:?}"
            );
        }
        let one_disordered = tally([3, 0]).plus(tally([1, 2]));
        assert!(one_disordered.check(4).is_err());
    }
}
