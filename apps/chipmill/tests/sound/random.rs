//! Numbers that look random, and are the same in each run (SplitMix64).

/// A source of such numbers.
pub struct Random(pub u64);

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (((mixed >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A byte with zeros in the bits outside of `mask`.
    pub fn bits(&mut self, mask: u8) -> u8 {
        self.below(256) as u8 & mask
    }

    /// One of some things.
    pub fn one_of<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.below(things.len() as u32) as usize]
    }
}
