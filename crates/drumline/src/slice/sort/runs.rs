//! Runs: parts that are in order already.

use super::order::SortOrder;

/// A slice that has no more items than this is sorted sequentially.
pub(super) const SEQUENTIAL: usize = 2048;

/// Whether it seems that most items are in runs, rising or falling: then a merge sort is faster.
///
/// Needs a hundred items or so.
pub(super) fn has_runs<T, O>(items: &[T], order: &O) -> bool
where
    O: SortOrder<T>,
{
    const PROBES: usize = 16;
    const PROBE: usize = 8;
    let step = items.len() / PROBES;
    let probes = items.chunks_exact(step).take(PROBES);
    let runs = probes.filter(|part| {
        let probe = &part[step - PROBE..];
        let falls = order.is_less(&probe[1], &probe[0]);
        let mut pairs = probe.windows(2);
        pairs.all(|pair| order.is_less(&pair[1], &pair[0]) == falls)
    });
    runs.count() > PROBES / 2
}

/// Whether the items were in order, or in exactly the other one, and so are sorted now.
pub(super) fn settle_run<T, O>(items: &mut [T], order: &O) -> bool
where
    O: SortOrder<T>,
{
    let falls = order.is_less(&items[1], &items[0]);
    let mut pairs = items[1..].windows(2);
    let is_run = if falls {
        pairs.all(|pair| order.is_less(&pair[1], &pair[0]))
    } else {
        pairs.all(|pair| !order.is_less(&pair[1], &pair[0]))
    };
    if is_run && falls {
        items.reverse();
    }
    is_run
}
