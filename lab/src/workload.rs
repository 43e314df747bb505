//! A table of the comparison: something to compute, with a checked answer.

use std::fmt::Debug;

use anyhow::Result;

use crate::pool::Pool;
use crate::session::Session;

/// What a workload's table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// Nanoseconds per item.
    Time,
    /// Processor time and context switches.
    Rest,
    /// Time of the whole operation, processor time and threads.
    Waiting,
    /// Time of the whole operation, also as a multiple of the critical path. That is half of what
    /// `seq` takes: all workloads that show this have one item that costs as much as the rest.
    Path,
    /// Nanoseconds per item, and a chart of the ratio to `seq` over the sizes.
    Curve,
    /// What handing items over costs: time, context switches above those of `static`, migrations and
    /// latency.
    Handing,
    /// Latency, and what it costs.
    Latency,
    /// Nanoseconds per item, processor time and peak memory.
    Memory,
    /// Time of the whole operation, also as a multiple of what it takes with shares fixed in
    /// advance, and how many items ran at once.
    Cores,
    /// The same of the time until the last item began; and when half of them had begun.
    Ramp,
    /// Items per second, nanoseconds per item, and processor time.
    Rate,
}

/// Everything the lab knows about a workload before it runs.
#[derive(Clone, Copy, Debug)]
pub struct WorkloadCard {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for `cargo lab list`.
    pub about: &'static str,
    /// What to look for in the figures; a sentence or two under the table.
    pub analysis: &'static str,
    /// What one item is, in the singular.
    pub item: &'static str,
    /// What the size counts, in the plural.
    pub size_counts: &'static str,
    /// The sizes that are run when none is asked for.
    pub sizes: &'static [u64],
    /// The sizes of a smoke run: large enough to share work, small enough to take no time.
    pub smoke_sizes: &'static [u64],
    /// The smallest and the largest size that make sense.
    pub limits: (u64, u64),
    /// Its place in `cargo lab`, or `None` when it runs only if asked for.
    pub default_rank: Option<u8>,
    /// Whether every operation is a call from outside the pool.
    pub outside: bool,
    /// What the table shows.
    pub shows: Shows,
}

/// Something to compute.
pub trait Workload: Sized + Sync {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// The sizes of the default run, where those of the card would take it too long.
    const BRIEF: Option<&'static [u64]> = None;

    /// The answer, compared after every operation.
    type Answer: PartialEq + Debug + Send + Sync;

    /// Makes the data, the same for every runtime.
    fn build(size: u64) -> Result<Self>;

    /// The answer that is right.
    fn expected(&self) -> Self::Answer;

    /// The number of items in one operation.
    fn items(&self) -> u64;

    /// One operation, inside the pool.
    fn run<P: Pool>(&self, context: P::Context<'_>) -> Self::Answer;

    /// Whether the work can be divided in advance with [`part`](Self::part).
    fn divides() -> bool {
        false
    }

    /// The share of thread `index` of `parts`, computed without any runtime.
    fn part(&self, _index: usize, _parts: usize) -> Self::Answer {
        unreachable!("this workload does not divide")
    }

    /// Puts two shares together.
    fn merge(_a: Self::Answer, _b: Self::Answer) -> Self::Answer {
        unreachable!("this workload does not divide")
    }

    /// How a pool is used: by default all operations run inside one call into the pool.
    fn drive<P: Pool>(&self, pool: &P, session: &mut Session) {
        let expected = self.expected();
        let items = self.items();
        pool.enter(|mut context| {
            session.sample(&expected, items, || self.run::<P>(P::lend(&mut context)));
        });
    }

    /// For [`drive`](Self::drive): one call into the pool per operation.
    fn drive_outside<P: Pool>(&self, pool: &P, session: &mut Session) {
        let expected = self.expected();
        session.sample(&expected, self.items(), || {
            pool.enter(|context| self.run::<P>(context))
        });
    }

    /// Why a size within the limits makes no sense, if it makes none.
    fn refuses(_size: u64) -> Option<&'static str> {
        None
    }

    /// What a size is called in tables.
    fn size_label(size: u64) -> String {
        group(size)
    }
}

/// A number with its thousands set apart.
pub fn group(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
