//! The natural order of names: "2" is before "10".

use std::cmp::Ordering;
use std::ffi::OsStr;

/// Compares two names as people sort them.
///
/// Runs of ASCII digits compare by their value, however long they are. Other ASCII letters compare
/// without their case. Names that are equal this way compare byte by byte, so only equal names give
/// `Equal`.
pub(super) fn compare(left: &OsStr, right: &OsStr) -> Ordering {
    let (left, right) = (left.as_encoded_bytes(), right.as_encoded_bytes());
    loose(left, right).then_with(|| left.cmp(right))
}

fn loose(mut left: &[u8], mut right: &[u8]) -> Ordering {
    loop {
        let (Some(a), Some(b)) = (left.first(), right.first()) else {
            return left.len().cmp(&right.len());
        };
        if a.is_ascii_digit() && b.is_ascii_digit() {
            let (number_a, number_b) = (take_number(&mut left), take_number(&mut right));
            // Without leading zeros, the longer number is the larger.
            let order = number_a
                .len()
                .cmp(&number_b.len())
                .then_with(|| number_a.cmp(number_b));
            if order.is_ne() {
                return order;
            }
        } else {
            let order = a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase());
            if order.is_ne() {
                return order;
            }
            (left, right) = (&left[1..], &right[1..]);
        }
    }
}

/// Takes the digits at the front of `text`, and returns them without leading zeros.
fn take_number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    &digits[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order(left: &str, right: &str) -> Ordering {
        compare(left.as_ref(), right.as_ref())
    }

    #[test]
    fn numbers_compare_by_value() {
        assert_eq!(order("2", "10"), Ordering::Less);
        assert_eq!(order("track 9.vgm", "track 10.vgm"), Ordering::Less);
        assert_eq!(order("1.10.2", "1.9.30"), Ordering::Greater);
        let (small, large) = ("9".repeat(40), "1".to_owned() + &"0".repeat(40));
        assert_eq!(order(&small, &large), Ordering::Less);
    }

    #[test]
    fn case_and_leading_zeros_decide_last() {
        assert_eq!(order("alpha 2", "Beta 1"), Ordering::Less);
        assert_eq!(order("01 z", "1 a"), Ordering::Greater);
        assert_eq!(order("01", "1"), Ordering::Less);
        assert_eq!(order("A", "a"), Ordering::Less);
        assert_eq!(order("a", "a0"), Ordering::Less);
        assert_eq!(order("", ""), Ordering::Equal);
    }

    proptest! {
        #[test]
        fn it_is_a_total_order(a in "[0-2aB_]{0,5}", b in "[0-2aB_]{0,5}", c in "[0-2aB_]{0,5}") {
            prop_assert_eq!(order(&a, &b), order(&b, &a).reverse());
            prop_assert_eq!(order(&a, &b).is_eq(), a == b);
            if order(&a, &b).is_le() && order(&b, &c).is_le() {
                prop_assert!(order(&a, &c).is_le());
            }
        }
    }
}
