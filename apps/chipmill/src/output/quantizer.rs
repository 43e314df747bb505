//! From floating point to the integers of a file.

/// Makes integers of samples with a full scale of 1.0, and counts what is beyond it.
///
/// There is no dither. A sample of `n` bits is `sample * 2^(n-1)`, rounded to the nearest integer.
/// So integers that were divided by a power of two come back exactly.
#[derive(Debug)]
pub(crate) struct Quantizer {
    scale: f32,
    clipped: u64,
}

impl Quantizer {
    /// A quantizer to samples of `bits` bits. `f32` has 24 bits of precision.
    pub(crate) fn new(bits: u32) -> Self {
        assert!((2..=24).contains(&bits), "samples of {bits} bits");
        Self {
            scale: (1u32 << (bits - 1)) as f32,
            clipped: 0,
        }
    }

    /// The integer of a sample.
    ///
    /// A sample beyond full scale becomes the nearest integer that there is, and NaN becomes 0;
    /// both count as clipped. +1.0 does not count, although its integer would be one too large:
    /// the error is one step.
    pub(crate) fn quantize(&mut self, sample: f32) -> i32 {
        let is_clipped = sample.abs() > 1.0 || sample.is_nan();
        self.clipped += u64::from(is_clipped);
        // A cast of NaN gives 0.
        (sample * self.scale)
            .round_ties_even()
            .clamp(-self.scale, self.scale - 1.0) as i32
    }

    /// How many samples were clipped. A frame has two.
    pub(crate) fn clipped(&self) -> u64 {
        self.clipped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn full_scale_fits_and_what_is_beyond_is_clipped() {
        let mut quantizer = Quantizer::new(16);
        let samples = [0.0, 1.0, -1.0, 0.5, 1.5 / 32_768.0, 2.5 / 32_768.0];
        let integers = samples.map(|sample| quantizer.quantize(sample));
        assert_eq!(integers, [0, 32_767, -32_768, 16_384, 2, 2]);
        assert_eq!(quantizer.clipped(), 0);
        let samples = [1.01, -7.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let integers = samples.map(|sample| quantizer.quantize(sample));
        assert_eq!(integers, [32_767, -32_768, 32_767, -32_768, 0]);
        assert_eq!(quantizer.clipped(), 5);
    }

    proptest! {
        #[test]
        fn integers_come_back(bits in 2u32..=24, seed in any::<i32>()) {
            let integer = seed >> (32 - bits);
            let mut quantizer = Quantizer::new(bits);
            let sample = integer as f32 / (1u32 << (bits - 1)) as f32;
            prop_assert_eq!(quantizer.quantize(sample), integer);
            prop_assert_eq!(quantizer.clipped(), 0);
        }
    }
}
