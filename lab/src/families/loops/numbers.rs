//! The numbers that loops are run over.

/// This many random numbers of 64 bits, the same every time (splitmix64).
pub fn random(count: usize) -> Vec<u64> {
    let mut state = 19u64;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    };
    (0..count).map(|_| next()).collect()
}

/// The same, but so small that no sum of them overflows.
pub fn small(count: usize) -> Vec<u64> {
    let mut numbers = random(count);
    numbers.iter_mut().for_each(|number| *number >>= 32);
    numbers
}
