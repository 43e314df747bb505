//! Figures as text.

use crate::workload::group;

/// A figure with three digits, roughly.
pub fn figure(number: f64) -> String {
    significant(number, 3)
}

/// A figure with about this number of digits: all of those before the point, and at least one.
pub fn significant(number: f64, digits: usize) -> String {
    let before = match number {
        _ if number >= 1000.0 => return group(number.round() as u64),
        _ if number >= 100.0 => 3,
        _ if number >= 10.0 => 2,
        _ => 1,
    };
    let after = digits.saturating_sub(before);
    format!("{number:.after$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_three_digits() {
        let texts = [0.5, 1.234, 12.34, 123.4, 1234.5, 12_345_678.0].map(figure);
        assert_eq!(
            texts,
            ["0.50", "1.23", "12.3", "123", "1,235", "12,345,678"]
        );
        let four = [0.5, 12.34, 123.45, 1234.5].map(|number| significant(number, 4));
        assert_eq!(four, ["0.500", "12.34", "123.5", "1,235"]);
    }
}
