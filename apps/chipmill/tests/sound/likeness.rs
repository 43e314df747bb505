//! How much two sounds are alike.

/// How much two sounds are alike, whatever their levels and constant parts.
pub struct Likeness {
    /// The RMS of the difference, as a part of the RMS of the sound, when both are made as loud.
    pub difference: f64,
    /// The correlation of the samples.
    pub correlation: f64,
}

impl Likeness {
    /// Compares two sounds of the same length.
    pub fn of(one: &[[f64; 2]], other: &[[f64; 2]]) -> Self {
        let one = without_mean(one.as_flattened());
        let other = without_mean(other.as_flattened());
        let correlation = correlation(&one, &other);
        Likeness {
            difference: (2.0 - 2.0 * correlation).max(0.0).sqrt(),
            correlation,
        }
    }
}

fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    product(one, other) / (product(one, one) * product(other, other)).sqrt()
}

fn without_mean(samples: &[f64]) -> Vec<f64> {
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    samples.iter().map(|sample| sample - mean).collect()
}
