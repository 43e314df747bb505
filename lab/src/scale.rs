//! From figures to places: scales of bars, which begin at zero where they can, and of lines, which
//! are logarithmic.

/// Where a value lies between two places.
pub(crate) struct Scale {
    kind: ScaleKind,
    from: i32,
    to: i32,
}

enum ScaleKind {
    Linear { high: f64 },
    Logarithmic { low: f64, high: f64 },
}

impl Scale {
    /// A scale that covers all of these.
    pub(crate) fn of(values: impl Iterator<Item = f64>, from: i32, to: i32) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        for value in values.filter(|value| *value > 0.0) {
            low = low.min(value);
            high = high.max(value);
        }
        let kind = if high <= 0.0 {
            ScaleKind::Linear { high: 1.0 }
        } else if high / low > 30.0 {
            let low = 10f64.powf((low.log10() - 0.15).floor());
            ScaleKind::Logarithmic { low, high }
        } else {
            ScaleKind::Linear { high }
        };
        Self { kind, from, to }
    }

    /// Where a value lies.
    pub(crate) fn place(&self, value: f64) -> i32 {
        let share = match self.kind {
            ScaleKind::Linear { high } => value / high,
            ScaleKind::Logarithmic { low, high } => (value / low).ln() / (high / low).ln(),
        };
        self.from + (f64::from(self.to - self.from) * share.clamp(0.0, 1.0)).round() as i32
    }

    /// Where bars begin, in words.
    pub(crate) fn origin(&self) -> String {
        match self.kind {
            ScaleKind::Linear { .. } => "from 0".to_owned(),
            ScaleKind::Logarithmic { low, .. } => {
                format!("logarithmic, from {}", tick_label(low))
            }
        }
    }

    /// The values of its lines.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        match self.kind {
            ScaleKind::Linear { high } => {
                let rough = high / 4.0;
                let magnitude = 10f64.powf(rough.log10().floor());
                let step = [1.0, 2.0, 5.0, 10.0]
                    .into_iter()
                    .map(|factor| factor * magnitude)
                    .find(|step| *step >= rough)
                    .unwrap_or(rough);
                let count = (high / step) as u32;
                (0..=count).map(|tick| f64::from(tick) * step).collect()
            }
            ScaleKind::Logarithmic { low, high } => {
                let mut ticks = vec![low];
                while ticks[ticks.len() - 1] * 10.0 <= high {
                    ticks.push(ticks[ticks.len() - 1] * 10.0);
                }
                ticks
            }
        }
    }
}

/// From numbers to places, by their logarithms.
pub(crate) struct LogScale {
    low: f64,
    high: f64,
    from: i32,
    to: i32,
}

impl LogScale {
    /// A scale from one power of ten to another that covers all of these.
    pub(crate) fn of(numbers: impl Iterator<Item = f64>, from: i32, to: i32) -> Self {
        let (mut low, mut high) = (0.0f64, 1.0f64);
        for number in numbers.filter(|number| *number > 0.0) {
            low = low.min(number.log10().floor());
            high = high.max(number.log10().ceil());
        }
        Self {
            low,
            high,
            from,
            to,
        }
    }

    /// Where a number lies, which is more than zero.
    pub(crate) fn place(&self, number: f64) -> i32 {
        let share = (number.log10() - self.low) / (self.high - self.low);
        self.from + (f64::from(self.to - self.from) * share).round() as i32
    }

    /// Where its lowest and its highest number lie.
    pub(crate) fn ends(&self) -> (i32, i32) {
        (self.from, self.to)
    }

    /// The powers of ten.
    pub(crate) fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.low as i32..=self.high as i32).map(|power| 10f64.powi(power))
    }
}

/// The number of a line of a scale.
pub(crate) fn tick_label(tick: f64) -> String {
    if tick >= 1000.0 {
        crate::workload::group(tick.round() as u64)
    } else {
        let text = format!("{tick:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_spread_is_logarithmic_and_says_where_it_begins() {
        let scale = Scale::of([1.0, 100.0].into_iter(), 10, 110);
        assert_eq!(scale.place(100.0), 110);
        assert!(scale.place(1.0) > 10, "the shortest bar can be seen");
        assert_eq!(scale.ticks(), [0.1, 1.0, 10.0, 100.0]);
        assert_eq!(scale.origin(), "logarithmic, from 0.1");
    }

    #[test]
    fn a_small_spread_starts_at_zero() {
        let scale = Scale::of([2.0, 8.0].into_iter(), 10, 110);
        assert_eq!(scale.place(0.0), 10);
        assert_eq!(scale.ticks(), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(scale.origin(), "from 0");
    }

    #[test]
    fn scales_end_at_powers_of_ten() {
        let scale = LogScale::of([0.5, 300.0].into_iter(), 0, 400);
        assert_eq!(scale.place(1.0), 100);
        assert_eq!(
            scale.ticks().collect::<Vec<_>>(),
            [0.1, 1.0, 10.0, 100.0, 1000.0]
        );
    }
}
