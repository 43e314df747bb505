//! Halves that borrow: both sides of a partition are sorted in place, at the
//! same time, without a copy and without a cutoff for small slices.
//!
//! ```sh
//! cargo run --release -p drumline --example quicksort
//! ```

use std::io::{self, Write};
use std::time::Instant;

fn quicksort<T: Ord + Send>(values: &mut [T]) {
    if values.len() < 2 {
        return;
    }
    let pivot = partition(values);
    let (left, right) = values.split_at_mut(pivot);
    // The pivot is in its place already.
    let right = &mut right[1..];
    drumline::join(|| quicksort(left), || quicksort(right));
}

/// Moves what is smaller than the middle element to the left of it (Lomuto's
/// scheme), and says where it ends up.
fn partition<T: Ord>(values: &mut [T]) -> usize {
    let last = values.len() - 1;
    values.swap(values.len() / 2, last);
    let mut border = 0;
    for index in 0..last {
        if values[index] < values[last] {
            values.swap(index, border);
            border += 1;
        }
    }
    values.swap(border, last);
    border
}

fn main() {
    // splitmix64 (Steele, Lea, Flood 2014): the same numbers in every run.
    let mut state = 0_u64;
    let mut values: Vec<u64> = (0..1_000_000)
        .map(|_| {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        })
        .collect();

    let start = Instant::now();
    quicksort(&mut values);
    let (count, took) = (values.len(), start.elapsed());
    // Without a reader there is nothing to print; `println!` would panic.
    let _ = writeln!(io::stdout(), "{count} values sorted in {took:?}");
    assert!(values.is_sorted());
}
