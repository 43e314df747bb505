//! What the lab knows about workloads of every family. A workload is a table of the comparison.

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
    /// What handing items over costs: time, context switches above those of `static`, migrations
    /// and latency.
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
    /// Items per second, nanoseconds per item, processor time and threads.
    RateAndThreads,
    /// Bytes of heap per item, and what it took to make the items.
    Heap,
    /// Bytes of heap per item, and how many of them are left when the items are gone.
    HeapReturned,
    /// Latency of the slowest items, and of the others; and how many items there were per second.
    Tail,
    /// Time of the whole operation, items per second, processor time and peak memory.
    WholeAndMemory,
}

impl Shows {
    /// Whether workloads are compared by bytes of heap, and not by time.
    pub fn is_heap(self) -> bool {
        matches!(self, Self::Heap | Self::HeapReturned)
    }
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
